package runner_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// reader is a brain that reads texts.
type reader struct {
	brain.Scripted
	values []cua.PlanValue
	err    error
	asked  *int
}

func (r reader) Extract(context.Context, string) ([]cua.PlanValue, error) {
	*r.asked++
	if r.err != nil && r.err.Error() == "panic" {
		panic("no")
	}
	return r.values, r.err
}

// listener is a brain that keeps the text that it is to read.
type listener struct {
	brain.Scripted
	text *string
}

func (l listener) Extract(_ context.Context, text string) ([]cua.PlanValue, error) {
	*l.text = text
	return []cua.PlanValue{{Label: "Password", Value: "<secret:PASSWORD>"}}, nil
}

// The brain that reads the text of a task is told no secret, whether it was known or is found in the text.
func TestPlanIsReadWithoutSecrets(t *testing.T) {
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{"list":{"controls":[]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, goal string
		secrets    map[string]string
		want       string
	}{
		{"found by the grammar", "Username: alice\nPassword: s3cret", map[string]string{},
			"Username: alice\nPassword: <secret:PASSWORD>"},
		{"known", "sign in, hunter2-x opens it", map[string]string{"PASSWORD": "hunter2-x"},
			"sign in, <secret:PASSWORD> opens it"},
		{"known and encoded", "open /?k=aHVudGVyMi14", map[string]string{"PASSWORD": "hunter2-x"},
			"open /?k=<secret:PASSWORD>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var text string
			script := brain.Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Done, Text: "x"}}}}
			r := &runner.Runner{Brain: listener{script, &text}, Env: &envtest.Env{Site: site},
				Config: runner.DefaultConfig(), Secrets: row.secrets,
				Dir: filepath.Join(t.TempDir(), "episode")}
			if _, err := r.Run(t.Context(), cua.Task{Goal: row.goal}); err != nil || text != row.want {
				t.Errorf("%q, %v, want %q", text, err, row.want)
			}
		})
	}
}

func TestPlanIsReadOnceAndStored(t *testing.T) {
	asked := 0
	script := brain.Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Wait, MS: 1}},
		{Action: cua.Action{Kind: cua.Done, Text: "x"}}}}
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{"list":{"controls":[{"name":"Next","type":"button"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	faulty := func(b brain.Brain) runner.Brain {
		out, err := brain.WithFaults(b, brain.Faults{Seed: 1, Rates: []brain.FaultRate{{Name: "malformed",
			Rate: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	dog := []cua.PlanValue{{Label: "Dog", Value: "Rex"}, {Label: "Cat", Value: "Tom"}}
	goal := "Username: alice\nPassword: s3cret\nMy dog is Rex."
	grammar := map[string]string{"Username": "alice", "Password": "<secret:PASSWORD>"}
	for _, row := range []struct {
		name    string
		brain   runner.Brain
		secrets map[string]string
		given   []cua.PlanValue
		want    map[string]string
		asked   int
	}{
		{"by the grammar", script, map[string]string{}, nil, grammar, 0},
		{"by a brain that can", reader{script, dog, nil, &asked}, map[string]string{}, nil, map[string]string{"Dog": "Rex"}, 1},
		{"by a brain that finds none", reader{script, nil, nil, &asked}, map[string]string{}, nil, map[string]string{}, 1},
		{"a brain that fails", reader{script, nil, errors.New("no"), &asked}, map[string]string{}, nil, grammar, 1},
		{"a brain that panics", reader{script, nil, errors.New("panic"), &asked}, map[string]string{}, nil, grammar, 1},
		{"by a brain that errs and can", faulty(reader{script, dog, nil, &asked}), map[string]string{}, nil, map[string]string{"Dog": "Rex"}, 1},
		{"by one that errs and finds none", faulty(reader{script, nil, nil, &asked}), map[string]string{}, nil, map[string]string{}, 1},
		{"a brain that errs and cannot", faulty(script), map[string]string{}, nil, grammar, 0},
		{"a brain that errs and fails", faulty(reader{script, nil, errors.New("no"), &asked}), map[string]string{}, nil, grammar, 1},
		{"by a brain with a director", brain.Directed{Brain: faulty(reader{script, dog, nil, &asked}), Director: script}, map[string]string{}, nil, map[string]string{"Dog": "Rex"}, 1},
		{"a brain with a director that cannot", brain.Directed{Brain: script, Director: reader{script, dog, nil, &asked}}, map[string]string{}, nil, grammar, 0},
		{"a task that has values", reader{script, nil, nil, &asked}, map[string]string{}, []cua.PlanValue{{Label: "City", Value: "Oslo"}}, map[string]string{"City": "Oslo"}, 0},
		{"nobody keeps secrets", script, nil, nil, map[string]string{}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked = 0
			dir := filepath.Join(t.TempDir(), "episode")
			r := &runner.Runner{Brain: overseenWith(t, row.brain, row.secrets), Env: &envtest.Env{Site: site},
				Config: runner.DefaultConfig(), Dir: dir, Secrets: row.secrets}
			if _, err := r.Run(t.Context(), cua.Task{ID: "t", Goal: goal, URL: envtest.URL("list"),
				Fields: row.given}); err != nil {
				t.Fatal(err)
			}
			tr, err := trajectories.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, v := range tr.Header.Task.Fields {
				got[v.Label] = v.Value
			}
			if !maps.Equal(got, row.want) || asked != row.asked {
				t.Errorf("the header has %v and the brain was asked %d times, want %v and %d", got, asked,
					row.want, row.asked)
			}
			if clear := strings.Contains(tr.Header.Task.Goal, "s3cret"); row.secrets["PASSWORD"] != "" &&
				clear {
				t.Errorf("the stored goal is %q", tr.Header.Task.Goal)
			}
		})
	}
}

// A value that a brain makes up for a password field is typed, and in no record.
func TestTypedPasswordIsInNoRecord(t *testing.T) {
	const made = "tr0ub4dor"
	site, err := envtest.ParseSite([]byte(`{"start":"in","pages":{"in":{"controls":[{"name":"Nick","type":"text"},{"name":"Kennung","type":"password"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	script := brain.Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Key, Keys: "Tab"}},
		{Action: cua.Action{Kind: cua.Key, Keys: "Tab"}},
		{Thought: "I take " + made + " for it", Action: cua.Action{Kind: cua.Type, Text: made, Why: "type " + made}},
		{Action: cua.Action{Kind: cua.Done, Text: "x", Success: true}}}}
	dir := filepath.Join(t.TempDir(), "episode")
	secrets := map[string]string{}
	r := &runner.Runner{Brain: overseenWith(t, script, secrets), Env: &envtest.Env{Site: site},
		Config: runner.DefaultConfig(), Dir: dir, Secrets: secrets}
	if _, err := r.Run(t.Context(), cua.Task{ID: "t", Goal: "Sign up.", URL: envtest.URL("in")}); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, trajectories.JournalName))
	if err != nil {
		t.Fatal(err)
	}
	if s := tr.Steps[2]; s.Action == nil || s.Action.Text != "<secret:KENNUNG>" ||
		secrets["KENNUNG"] != made || strings.Contains(string(text), made) {
		t.Errorf("dispatched %+v, secrets %v, in the journal: %t", s.Action, secrets,
			strings.Contains(string(text), made))
	}
	if d := runner.Replay(tr, runner.DefaultConfig()); len(d) > 0 {
		t.Errorf("replayed: %+v", d)
	}
}

// A text without secrets is read as well, and all of it is recorded as it stands.
func TestAPlainTextIsReadAndNothingSealed(t *testing.T) {
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{"list":{"controls":[{"name":"Next","type":"button"}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const goal = `Enter the username "cierra" and the password "11L" into the text fields and press login.`
	given := []cua.PlanValue{{Label: "City", Value: "Rome"}}
	for _, row := range []struct {
		name  string
		plain bool
		task  cua.Task
		want  []cua.PlanValue
	}{
		{"read", true, cua.Task{Goal: goal}, []cua.PlanValue{{Label: "username", Value: "cierra"}, {Label: "password", Value: "11L"}}},
		{"not asked for", false, cua.Task{Goal: goal}, nil},
		{"it came with values", true, cua.Task{Goal: goal, Fields: given}, given},
		{"nothing in it", true, cua.Task{Goal: "Look around."}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			done := brain.Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Done, Text: "x"}}}}
			r := &runner.Runner{Brain: overseen(t, done), Env: &envtest.Env{Site: site},
				Config: runner.DefaultConfig(), Dir: dir, Plain: row.plain}
			if _, err := r.Run(t.Context(), row.task); err != nil {
				t.Fatal(err)
			}
			got, err := trajectories.Read(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Header.Task.Fields, row.want) || got.Header.Task.Goal != row.task.Goal {
				t.Errorf("%+v in %q, want %+v", got.Header.Task.Fields, got.Header.Task.Goal, row.want)
			}
		})
	}
}
