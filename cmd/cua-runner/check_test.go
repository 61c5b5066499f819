package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// playGolden plays a golden episode of package runner into dir.
func playGolden(t *testing.T, file, dir string) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var task cua.Task
	var site envtest.Site
	var script []cua.Scripted
	cfg := runner.DefaultConfig()
	cfg.Viewport = cua.Size{W: 320, H: 320}
	for _, f := range ar.Files {
		var err error
		switch f.Name {
		case "task.json":
			err = json.Unmarshal(f.Data, &task)
		case "site.json":
			site, err = envtest.ParseSite(f.Data)
		case "script.jsonl":
			script, err = brain.ParseScript(file, f.Data)
		case "arm":
			cfg, err = cfg.Arm(strings.TrimSpace(string(f.Data)))
		case "overlay.json":
			cfg, err = cfg.Overlay(f.Data)
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", file, f.Name, err)
		}
	}
	at := time.Unix(0, 0).UTC()
	r := &runner.Runner{Brain: testApp(t, nil, nil).asking(brain.Scripted{Script: script}),
		Env: &envtest.Env{Site: site}, Config: cfg, Dir: dir,
		Now: func() time.Time { at = at.Add(time.Millisecond); return at },
		Header: trajectories.Header{Episode: filepath.Base(dir),
			Brain: trajectories.BrainInfo{Name: "scripted"}}}
	if _, err := r.Run(context.Background(), task); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// The golden episodes keep every invariant.
func TestCheckGoldenEpisodes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "runner", "testdata", "*.txtar"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d golden episodes (%v)", len(files), err)
	}
	dir := t.TempDir()
	for _, f := range files {
		playGolden(t, f, filepath.Join(dir, "runs", strings.TrimSuffix(filepath.Base(f), ".txtar")))
	}
	code, out, stderr := command(t, "check", dir)
	if code != exitOK || stderr != "" || !strings.Contains(out, plural(len(files),
		"journal")+", "+plural(len(invariants.All()), "invariant")+", 0 broken\n") {
		t.Errorf("exit code %d, %q, %s", code, stderr, out)
	}
}

// writeRun writes a run in which a gate types the e-mail address, or what wrong says, into field "Email" of
// arm.
func writeRun(t *testing.T, dir, arm, text string) {
	t.Helper()
	box := func(label string) cua.Field {
		return cua.Field{ID: "box/" + label, Label: label, Tag: "input", Type: "text", Form: "f",
			Editable: true}
	}
	page := cua.Observation{URL: "https://shop.example/", Document: "d1", FormDigest: "f1", DOMDigest: "dom",
		Fields: []cua.Field{box("Name"), box("Email")}}
	click, typed := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 1}},
		cua.Action{Kind: cua.Type, Into: "box/Email", Text: text, Clear: true}
	w, err := trajectories.Create(dir, trajectories.Header{Episode: filepath.Base(dir), Arm: arm,
		Toggles: cua.AllOn(), Gates: []string{"limits", "policy", "force_fill"},
		Task: cua.Task{URL: page.URL, Goal: "Sign up.", Fields: []cua.PlanValue{{Label: "Name", Value: "Ada"},
			{Label: "Email", Value: "ada@example.org"}, {Label: "Password", Value: "<secret:CHECKED>"}}}})
	for _, err := range []error{err, w.Start(page), w.Intent(cua.Intent{Number: 1, Action: typed}),
		w.Step(&cua.Step{N: 1, Decision: 1, Proposed: click, Action: &typed, Effect: &cua.Effect{},
			After: page,
			Rulings: []cua.Ruling{{Gate: "limits", Verdict: cua.Pass}, {Gate: "policy", Verdict: cua.Pass},
				{Gate: "force_fill", Verdict: cua.Replace, Reason: "fill_pending_value", Action: &typed}}}),
		w.End(trajectories.End{Reason: cua.EndCancelled}), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkedStudy has a right run, and a wrong one in the arm classic.
func checkedStudy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeRun(t, filepath.Join(dir, "runs", "a@default.1-1"), "default", "ada@example.org")
	writeRun(t, filepath.Join(dir, "runs", "b@classic.1-1"), "classic", "Ada")
	return dir
}

func TestCheckFindsWhatIsBroken(t *testing.T) {
	dir := checkedStudy(t)
	right, wrong := filepath.Join(dir, "runs", "a@default.1-1"), filepath.Join(dir, "runs", "b@classic.1-1")
	for _, row := range []struct {
		name string
		args []string
		code int
		says []string
		not  []string
	}{
		{"the study", []string{dir}, exitFailed, []string{"wrong_field", wrong, "2 journals, 26 invariants, 1 broken (1 violation in 1 journal)", "secret_in_clear was not checked in 2 journals: no value of CHECKED"}, []string{right}},
		{"the arms", []string{dir}, exitFailed, []string{"classic         1      1              1      1            1", "default         1      1              1      0            0"}, nil},
		{"one that is right", []string{right}, exitOK, []string{"1 journal, 26 invariants, 0 broken\n"}, []string{"wrong_field", "stopped_healthy"}},
		{"its journal", []string{filepath.Join(right, "journal.jsonl")}, exitOK, []string{"1 journal, 26 invariants, 0 broken\n"}, nil},
		{"a pattern", []string{filepath.Join(dir, "runs", "*@default*")}, exitOK, []string{"1 journal, "}, nil},
		{"one named twice", []string{right, right + "/", dir}, exitFailed, []string{"2 journals, "}, nil},
		{"one arm", []string{dir, "--arm", "default"}, exitOK, []string{"1 journal, 26 invariants, 0 broken\n"}, nil},
		{"other invariants", []string{dir, "--invariant", "fence,grammar"}, exitOK, []string{"2 journals, 2 invariants, 0 broken\n"}, []string{"secret_in_clear"}},
		{"that invariant", []string{dir, "--invariant", "wrong_field"}, exitFailed, []string{"2 journals, 1 invariant, 1 broken (1 violation in 1 journal)"}, nil},
		{"a value that is nowhere", []string{right, "--secret", "CHECKED=opensesame"}, exitOK, []string{"0 broken\n"}, []string{"not checked"}},
		{"a value that is there", []string{right, "--secret", "CHECKED=ada@example.org"}, exitFailed, []string{"secret_in_clear", "<secret:CHECKED>"}, []string{"ada@example.org"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, append([]string{"check"}, row.args...)...)
			if code != row.code || stderr != "" {
				t.Errorf("exit code %d, want %d: %q", code, row.code, stderr)
			}
			tells(t, out, row.says, row.not)
		})
	}
}

func TestCheckTakesSecretsFromTheEnvironment(t *testing.T) {
	dir := filepath.Join(checkedStudy(t), "runs", "a@default.1-1")
	t.Setenv("CUA_SECRET_CHECKED", "ada@example.org")
	t.Setenv("CANARY", "Sign up")
	if code, out, _ := command(t, "check", dir); code != exitFailed ||
		!strings.Contains(out, "secret_in_clear") {
		t.Errorf("exit code %d, %s", code, out)
	}
	if code, out, _ := command(t, "check", dir, "--secret", "MINE=env:CANARY",
		"--json"); code != exitFailed || !strings.Contains(out, "<secret:MINE> in clear") {
		t.Errorf("exit code %d, %s", code, out)
	}
}

func TestCheckAsJSON(t *testing.T) {
	code, out, stderr := command(t, "check", checkedStudy(t), "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitFailed || stderr != "" || len(lines) != 2 {
		t.Fatalf("exit code %d, %q, %s", code, stderr, out)
	}
	var v checked
	if err := json.Unmarshal([]byte(lines[0]), &v); err != nil || v.Invariant != "wrong_field" ||
		v.Step != 1 || v.Arm != "classic" || v.Detail == "" || !strings.HasSuffix(v.Run, "b@classic.1-1") {
		t.Errorf("%s (%v)", lines[0], err)
	}
	var sum struct{ Summary checkSummary }
	if err := json.Unmarshal([]byte(lines[1]), &sum); err != nil {
		t.Fatal(err)
	}
	s := sum.Summary
	if s.Journals != 2 || s.Invariants != 26 || s.Broken != 1 || s.Violations != 1 ||
		s.ByName["wrong_field"] != 1 || len(s.Arms) != 2 || s.Unchecked["secret_in_clear"] == nil {
		t.Errorf("%+v", s)
	}
	i := slices.IndexFunc(s.Arms, func(a checkedArm) bool { return a.Arm == "classic" })
	if i < 0 || s.Arms[i].Wrong[benchmarks.WrongInField] != 1 || s.Arms[i].Substitutions != 1 {
		t.Errorf("%+v", s.Arms)
	}
}

// A journal that cannot be read is named, the rest is checked all the same, and the exit code is 2.
func TestCheckBadInput(t *testing.T) {
	study := checkedStudy(t)
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	broken := filepath.Join(dir, "broken", "journal.jsonl")
	for _, path := range []string{empty, filepath.Dir(broken)} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(broken, []byte("{\"type\":\"header\"\nnonsense\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		says string
		also bool // the study is checked all the same
	}{
		{"nothing", nil, "check needs the folder", false},
		{"what is not there", []string{filepath.Join(dir, "none"), study}, "none: no such file", true},
		{"a pattern without a match", []string{filepath.Join(dir, "x*"), study}, "no such file", true},
		{"a folder without a run", []string{study, empty}, empty + " holds no run", true},
		{"a broken journal", []string{broken, study}, broken + ": line 1", true},
		{"a broken journal in a folder", []string{dir, study}, broken + ": line 1", true},
		{"something else", []string{filepath.Join("testdata", "labels.jsonl"), study}, "labels.jsonl: line 1", true},
		{"an unknown invariant", []string{study, "--invariant", "typed_thrice"}, `unknown invariant "typed_thrice"; known: activation`, false},
		{"an arm that nobody played", []string{study, "--arm", "sideways"}, "no journal of sideways", false},
		{"a secret without a value", []string{study, "--secret", "X"}, "want NAME=VALUE", false},
		{"a secret without a name", []string{study, "--secret", "=x"}, "want NAME=VALUE", false},
		{"a secret that is too short", []string{study, "--secret", "X=123"}, "fewer than 4 bytes", false},
		{"a secret that is not in the environment", []string{study, "--secret", "X=env:CUA_NOWHERE"}, "fewer than 4 bytes", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, append([]string{"check"}, row.args...)...)
			if code != exitUsage || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
				t.Errorf("exit code %d, %q: want one line that says %q", code, stderr, row.says)
			}
			if strings.Contains(out, "2 journals, 26 invariants, 1 broken") != row.also {
				t.Errorf("the rest: %s", out)
			}
		})
	}
}

func TestCheckList(t *testing.T) {
	code, out, stderr := command(t, "check", "--list")
	if code != exitOK || stderr != "" || strings.Count(out, "\n") != 2*len(listedInvariants()) ||
		!strings.Contains(out, "results.jsonl") {
		t.Errorf("exit code %d, %q, %s", code, stderr, out)
	}
	code, out, _ = command(t, "check", "--list", "--json")
	var list []invariants.Invariant
	if err := json.Unmarshal([]byte(out), &list); code != exitOK || err != nil ||
		len(list) != len(invariants.All())+1 || list[0].Source == "" {
		t.Errorf("exit code %d, %v, %s", code, err, out)
	}
	for _, in := range list {
		page, anchor, _ := strings.Cut(in.Source, "#")
		if text := read(t, filepath.Join(root, page)); anchor != "" && !anchors(text)[anchor] {
			t.Errorf("%s: %s has no such heading", in.Name, in.Source)
		}
	}
	for _, flag := range []string{"--invariant", "--arm"} {
		if _, out, _ := command(t, "__complete", "check", flag, ""); !strings.Contains(out,
			map[string]string{"--invariant": "out_of_reach", "--arm": "classic"}[flag]) {
			t.Errorf("completion of %s: %s", flag, out)
		}
	}
}

// tells holds out against what must stand in it, and what must not.
func tells(t *testing.T, out string, says, not []string) {
	t.Helper()
	for _, s := range says {
		if !strings.Contains(out, s) {
			t.Errorf("nothing of %q in\n%s", s, out)
		}
	}
	for _, s := range not {
		if strings.Contains(out, s) {
			t.Errorf("%q in\n%s", s, out)
		}
	}
}
