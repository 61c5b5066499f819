package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestKnownSecrets(t *testing.T) {
	task := cua.Task{Goal: "Use <secret:API.KEY>.", Fields: []cua.PlanValue{{Label: "User", Value: "alice"},
		{Label: "Password", Value: "<secret:LOGIN>"}}}
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
			code, stdout, stderr := command(t, append([]string{"run", loginPage(t) + "/", "--out", out},
				c.args...)...)
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

func TestSecretFlags(t *testing.T) {
	env := map[string]string{"PW": "opensesame", "PIN": "4711"}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := errors.Join(os.Symlink(write("target", "opensesame"), link),
		syscall.Mkfifo(fifo, 0o600)); err != nil {
		t.Fatal(err)
	}
	read, written, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if _, err := written.WriteString("opensesame\n"); err != nil {
		t.Fatal(err)
	}
	written.Close()
	ours, err := syscall.Dup(int(read.Fd())) // reading closes it
	if err != nil {
		t.Fatal(err)
	}
	descriptor := strconv.Itoa(ours)
	for _, c := range []struct {
		name    string
		flags   []string
		values  map[string]string
		origins map[string]string
		err     string
	}{
		{"none", nil, map[string]string{}, nil, ""},
		{"without an origin", []string{"LOGIN=env:PW"}, map[string]string{"LOGIN": "opensesame"}, nil, ""},
		{"with one", []string{"LOGIN=env:PW@https://Shop.test:443/", "pin.1=env:PIN"}, map[string]string{"LOGIN": "opensesame", "pin.1": "4711"}, map[string]string{"LOGIN": "https://shop.test"}, ""},
		{"with a port", []string{"LOGIN=env:PW@http://127.0.0.1:8080"}, map[string]string{"LOGIN": "opensesame"}, map[string]string{"LOGIN": "http://127.0.0.1:8080"}, ""},
		{"in clear", []string{"LOGIN=opensesame"}, nil, nil, "comes from env:VARIABLE"},
		{"in a file", []string{"LOGIN=file:" + write("plain", "opensesame\n") + "@https://shop.test"}, map[string]string{"LOGIN": "opensesame"}, map[string]string{"LOGIN": "https://shop.test"}, ""},
		{"in a file with an @ in its name", []string{"LOGIN=file:" + write("a@b", "open\nsesame\r\n") + "@https://shop.test"}, map[string]string{"LOGIN": "open\nsesame"}, map[string]string{"LOGIN": "https://shop.test"}, ""},
		{"in a file that is empty", []string{"LOGIN=file:" + write("empty", "\n")}, nil, nil, "is empty or not set"},
		{"in a file that is too long", []string{"LOGIN=file:" + write("long", strings.Repeat("sesame", maxSecret))}, nil, nil, "longer than"},
		{"in no file", []string{"LOGIN=file:" + filepath.Join(dir, "none")}, nil, nil, "no such file"},
		{"in a folder", []string{"LOGIN=file:" + dir}, nil, nil, "not a regular file"},
		{"in a pipe that nobody writes to", []string{"LOGIN=file:" + fifo}, nil, nil, "not a regular file"},
		{"behind a link", []string{"LOGIN=file:" + link}, nil, nil, "symbolic links"},
		{"from a descriptor", []string{"LOGIN=fd:" + descriptor}, map[string]string{"LOGIN": "opensesame"}, nil, ""},
		{"from standard input", []string{"LOGIN=fd:0"}, nil, nil, "3 or more"},
		{"from a descriptor that is none", []string{"LOGIN=fd:opensesame"}, nil, nil, "3 or more"},
		{"no name", []string{"=env:PW"}, nil, nil, "want NAME="},
		{"nothing but a value", []string{"open sesame"}, nil, nil, "want NAME="},
		{"not set", []string{"LOGIN=env:NONE"}, nil, nil, "NONE is empty or not set"},
		{"twice", []string{"LOGIN=env:PW", "LOGIN=env:PIN"}, nil, nil, "twice"},
		{"a host for an origin", []string{"LOGIN=env:PW@shop.test"}, nil, nil, "no origin"},
		{"a page for an origin", []string{"LOGIN=env:PW@https://shop.test/in"}, nil, nil, "no origin"},
		{"nothing for an origin", []string{"LOGIN=env:PW@"}, nil, nil, "no origin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, origins, err := secretFlags(c.flags).read(func(k string) string { return env[k] })
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) ||
					strings.Contains(err.Error(), "sesame") {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || !maps.Equal(values, c.values) || !maps.Equal(origins, c.origins) {
				t.Errorf("%v, %v, %v", values, origins, err)
			}
		})
	}
	task := cua.Task{SecretOrigins: map[string]string{"LOGIN": "https://shop.test"}}
	for flag, ok := range map[string]bool{"LOGIN=env:PW": true, "LOGIN=env:PW@https://shop.test": true,
		"LOGIN=env:PW@https://bank.test": false, "PIN=env:PIN@https://shop.test": false} {
		if _, err := (secretFlags{flag}).again(task,
			func(k string) string { return env[k] }); (err == nil) != ok {
			t.Errorf("resume with %s: %v", flag, err)
		}
	}
}

// A secret is typed where it belongs, and on no other page of the same run.
func TestRunWithASecretOfItsOwnOrigin(t *testing.T) {
	t.Setenv("MY_LOGIN", "opensesame")
	url := loginPage(t)
	for _, c := range []struct {
		name, origin string
		code         int
		typed        bool
	}{
		{"the page's origin", url, exitOK, true},
		{"another origin", "https://bank.test", exitFailed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			code, stdout, stderr := command(t, "run", url+"/", "--goal", "Sign in", "--field",
				"User name=alice", "--field", "Password=<secret:LOGIN>", "--secret",
				"LOGIN=env:MY_LOGIN@"+c.origin, "--max-steps", "12", "--out", out)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s %s", code, c.code, stdout, stderr)
			}
			journal := read(t, filepath.Join(out, "journal.jsonl"))
			if strings.Contains(journal+stdout+stderr, "opensesame") || !strings.Contains(journal, `"secret_origins":{"LOGIN":"`+c.origin) {
				t.Error("the value is told, or its origin is not on record")
			}
			if got := strings.Contains(journal, `"secret":"LOGIN"`); got != c.typed {
				t.Errorf("a field holds the secret: %t", got)
			}
			if got := strings.Contains(journal, "secret_off_origin"); got == c.typed {
				t.Errorf("refused: %t", got)
			}
		})
	}
}

// A secret that is given in clear is warned of once, without its value; one that is named is not.
func TestLiteralsAreWarnedOf(t *testing.T) {
	for _, row := range []struct {
		name  string
		field []cua.PlanValue
		lines int
	}{
		{"a password in clear", []cua.PlanValue{{Label: "User", Value: "alice"}, {Label: "Password", Value: "opensesame"}}, 1},
		{"two of them", []cua.PlanValue{{Label: "Password", Value: "opensesame"}, {Label: "PIN", Value: "4711"}}, 1},
		{"by name", []cua.PlanValue{{Label: "Password", Value: "<secret:LOGIN>"}}, 0},
		{"no secret", []cua.PlanValue{{Label: "City", Value: "Oslo"}}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var said strings.Builder
			(&app{err: &said}).warnOfLiterals(cua.Task{Fields: row.field})
			if strings.Count(said.String(), "\n") != row.lines ||
				strings.Contains(said.String(), "opensesame") ||
				row.lines > 0 && !strings.Contains(said.String(), "Password=<secret:PASSWORD>") {
				t.Errorf("%q", said.String())
			}
		})
	}
}
