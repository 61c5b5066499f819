package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestKnownSecrets(t *testing.T) {
	task := cua.Task{Goal: "Use <secret:API.KEY>.", Fields: []cua.PlanValue{{Label: "User", Value: "alice"}, {Label: "Password", Value: "<secret:LOGIN>"}}}
	all := map[string]string{"CUA_SECRET_LOGIN": "hunter2", "CUA_SECRET_API_KEY": "k"}
	for _, c := range []struct {
		name string
		env  map[string]string
		have map[string]string
		want map[string]string
		err  string
	}{
		{"from the environment", all, map[string]string{}, map[string]string{"LOGIN": "hunter2", "API.KEY": "k"}, ""},
		{"what is known stays", all, map[string]string{"LOGIN": "mine"}, map[string]string{"LOGIN": "mine", "API.KEY": "k"}, ""},
		{"a field's is missing", map[string]string{"CUA_SECRET_API_KEY": "k"}, map[string]string{}, nil, `--field 'Password=…'`},
		{"the goal's is missing", map[string]string{"CUA_SECRET_LOGIN": "x"}, map[string]string{}, nil, "set CUA_SECRET_API_KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := knownSecrets(task, c.have, func(k string) string { return c.env[k] })
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || !maps.Equal(c.have, c.want) {
				t.Errorf("%v, %v", c.have, err)
			}
		})
	}
	if got, err := given(task, []string{"password=x=y"}); err != nil || got["LOGIN"] != "x=y" {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"User=bob", "Password=<secret:X>", "Password"} {
		if _, err := given(task, []string{bad}); err == nil || strings.Contains(err.Error(), "bob") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A password given in clear is typed, and recorded nowhere: not in the journal, its frames' names
// or the report.
func TestNoSecretIsRecorded(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"as a field", []string{"--goal", "Sign in; opensesame is the password.", "--field", "User name=alice", "--field", "Password=opensesame"}},
		{"in the goal", []string{"--goal", "Log in as alice / opensesame"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			code, stdout, stderr := command(t, append([]string{"run", loginPage(t) + "/", "--out", out}, c.args...)...)
			if code != exitOK {
				t.Fatalf("exit code %d: %s %s", code, stdout, stderr)
			}
			journal, err := os.ReadFile(filepath.Join(out, "journal.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(journal), "opensesame") || !strings.Contains(string(journal), "<secret:PASSWORD>") && !strings.Contains(string(journal), `\u003csecret:PASSWORD\u003e`) {
				t.Errorf("the journal holds the password, or not its name")
			}
			if strings.Contains(stdout+stderr, "opensesame") {
				t.Errorf("the password was printed: %s %s", stdout, stderr)
			}
		})
	}
}
