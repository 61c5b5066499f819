package runner_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// The text that a brain was sent is kept beside the journal, and a secret never with it: not one that was
// given, nor a password that the brain itself types in that step, in no spelling.
func TestThePromptIsKeptWithoutSecrets(t *testing.T) {
	const given, typed = `c4nary "of/given`, "c4nary-typed"
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{"list":{"controls":[{"name":"Password","type":"password"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	said := []string{
		"type " + given + " or " + url.QueryEscape(given) + " or " + base64.StdEncoding.EncodeToString([]byte(given)),
		"you typed " + typed, "", "the end"}
	b := decider(func(_ context.Context, turn *cua.Turn) (cua.Decision, error) {
		d := cua.Decision{By: "model", Sent: said[turn.Number-1], Action: cua.Action{Kind: cua.Wait, MS: 1}}
		switch turn.Number {
		case 2:
			p, _ := turn.Now.Fields[0].Box.CenterIn(turn.Now.Viewport)
			d.Action = cua.Action{Kind: cua.Type, Text: typed, Point: &p}
		case 4:
			d.Action = cua.Action{Kind: cua.Done, Success: true}
		}
		return d, nil
	})
	secrets := map[string]string{"PIN": given}
	dir := filepath.Join(t.TempDir(), "episode")
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	r := &runner.Runner{Brain: b, Env: &envtest.Env{Site: site}, Config: cfg, Dir: dir, Secrets: secrets}
	if _, err := r.Run(t.Context(), cua.Task{ID: "t", Goal: "look", URL: envtest.URL("list"),
		Fields: []cua.PlanValue{{Label: "PIN", Value: "<secret:PIN>"}}}); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil || len(tr.Steps) != 4 {
		t.Fatalf("%d steps, %v", len(tr.Steps), err)
	}
	for i, want := range []string{"type <secret:PIN> or <secret:PIN> or ", "you typed <secret:PASSWORD>", "",
		"the end"} {
		if got, err := tr.Prompt(&tr.Steps[i]); err != nil || !strings.HasPrefix(got, want) || want == "" &&
			tr.Steps[i].PromptSHA != "" {
			t.Errorf("step %d: %q, %v, want %q", i+1, got, err, want)
		}
	}
	if secrets["PASSWORD"] != typed {
		t.Fatalf("the typed password is not sealed: %v", secrets)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for name, value := range secrets {
			for _, s := range redact.Spellings(value) {
				if s.Text != "" && bytes.Contains(data, []byte(s.Text)) {
					t.Errorf("%s holds <secret:%s> %s", filepath.Base(path), name, s.How)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
