package invariants

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// checkAll holds j against all invariants.
func checkAll(j *Journal) []Violation {
	var out []Violation
	for _, in := range All() {
		broken, _ := in.Check(j)
		out = append(out, broken...)
	}
	return out
}

func TestInvariantsAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, in := range All() {
		if in.Name == "" || in.Help == "" || in.Source == "" || seen[in.Name] {
			t.Errorf("%+v: want a name of its own, a line of help and a source", in)
		}
		seen[in.Name] = true
	}
}

// The golden episode keeps them all.
func TestGoldenEpisodeIsWhole(t *testing.T) {
	j, err := Read(filepath.Join("..", "testdata", "episode.jsonl"))
	must(t, err)
	j.Incidents = goldenIncidents()
	j.Secrets = map[string]string{"PASSWORD": "opensesame"}
	for _, v := range checkAll(j) {
		t.Errorf("%+v", v)
	}
	read, err := trajectories.Read(filepath.Join("..", "testdata", "episode.jsonl"))
	must(t, err)
	if len(j.Steps) != len(read.Steps) || j.End == nil || *j.End.Reward != *read.End.Reward ||
		len(j.Events) != len(read.Events) ||
		len(j.Records) != strings.Count(string(j.Text), "\n") {
		t.Errorf("%d steps, %d events, %d records", len(j.Steps), len(j.Events), len(j.Records))
	}
}

// goldenLines are the lines of the golden journal.
func goldenLines(t testing.TB) []string {
	lines := strings.SplitAfter(string(goldenJournal(t)), "\n")
	return lines[:len(lines)-1]
}

// find is the nth line of that kind, from 1. There must be one.
func find(l []string, kind string, nth int) int {
	for i := range l {
		if strings.HasPrefix(l[i], `{"type":"`+kind+`"`) {
			if nth--; nth == 0 {
				return i
			}
		}
	}
	panic("no such " + kind)
}

func TestGrammarIsChecked(t *testing.T) {
	replace := func(kind string, nth int, old, with string) func(l []string) []string {
		return func(l []string) []string {
			i := find(l, kind, nth)
			if !strings.Contains(l[i], old) {
				t.Fatalf("%s %d has no %s: %s", kind, nth, old, l[i])
			}
			l[i] = strings.Replace(l[i], old, with, 1)
			return l
		}
	}
	drop := func(kind string, nth int) func(l []string) []string {
		return func(l []string) []string { i := find(l, kind, nth); return slices.Delete(l, i, i+1) }
	}
	for _, row := range []struct {
		name string
		edit func(l []string) []string
		says string // "" is that it holds
		step int
		kept int // steps of the trajectory
	}{
		{"as it is", func(l []string) []string { return l }, "", 0, 8},
		{"a torn tail", func(l []string) []string { return append(l[:len(l)-1], `{"type":"end`) }, "", 0, 8},
		{"killed after an intent", func(l []string) []string { return l[:find(l, "intent", 3)+1] }, "", 0, 2},
		{"an intent is missing", drop("intent", 2), "step 2 dispatched a click without an intent", 1, 1},
		{"a step is missing", drop("step", 2), "an intent after the intent of step 2", 1, 1},
		{"the start is missing", drop("start", 1), "intent 1 before the start", 0, 0},
		{"a step is there twice", func(l []string) []string { i := find(l, "step", 2); return slices.Insert(l, i+1, l[i]) }, "step 2 dispatched a click without an intent", 2, 2},
		{"a number is left out", replace("intent", 2, `"number":2`, `"number":3`), "intent 3 where 2 comes next", 1, 1},
		{"something follows the end", func(l []string) []string { return append(l, l[find(l, "step", 1)]) }, "a step after the end", 8, 8},
		{"the intent is another action", replace("intent", 4, `"text":"ada"`, `"text":"bob"`), "step 4 dispatched something else than its intent says", 4, 8},
		{"the intent has another place", replace("intent", 1, `"x":320`, `"x":321`), "step 1 dispatched something else than its intent says", 1, 8},
		{"the end counts wrongly", replace("end", 1, `"steps":8`, `"steps":7`), "the end counts 7 steps, there are 8", 8, 8},
		{"another intent was interrupted", replace("event", 1, `"number":6`, `"number":5`), "the interrupted intent of step 5 is not the one that was open", 5, 8},
	} {
		t.Run(row.name, func(t *testing.T) {
			j, err := decode([]byte(strings.Join(row.edit(goldenLines(t)), "")), "edited")
			must(t, err)
			got := grammatical(j)
			switch {
			case row.says == "" && len(got) > 0:
				t.Errorf("%+v", got)
			case row.says != "" && (len(got) != 1 || !strings.Contains(got[0].Detail, row.says) ||
				got[0].Step != row.step):
				t.Errorf("%+v, want %q at step %d", got, row.says, row.step)
			}
			if len(j.Steps) != row.kept {
				t.Errorf("%d steps were kept, want %d", len(j.Steps), row.kept)
			}
			for _, v := range checkAll(j) {
				if v.Invariant != "grammar" {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

func TestWhatIsNoJournal(t *testing.T) {
	lines := goldenLines(t)
	for name, text := range map[string]string{
		"empty":                    "",
		"torn header":              lines[0][:40],
		"another thing":            "{\"steps\":[]}\n",
		"prose":                    "hello\n",
		"no header":                lines[1] + lines[2],
		"a newer format":           strings.Replace(lines[0], `"version":2`, `"version":99`, 1),
		"a bad line in the middle": lines[0] + lines[1] + "{\"type\":\n" + lines[2],
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			must(t, os.WriteFile(path, []byte(text), 0o644))
			_, err := Read(path)
			var bad *trajectories.SyntaxError
			if !errors.As(err, &bad) || bad.Path != path || bad.Line < 1 {
				t.Errorf("%v, want a *trajectories.SyntaxError with file and line", err)
			}
		})
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// Two violations of one journal are both found, and checking leaves it as it is.
func TestCheckingIsPure(t *testing.T) {
	tale := form().Fill("Name", "ada@example.org", holding("Name", "ada@example.org")).Clicks(2).
		Gate("rescue", "press_return_for_submit", returnKey("Email")).Gate("rescue",
		"press_return_for_submit", returnKey("Email"))
	before, err := json.Marshal(tale.J.Trajectory)
	must(t, err)
	first, second := checkAll(tale.J), checkAll(tale.J)
	after, err := json.Marshal(tale.J.Trajectory)
	must(t, err)
	if !slices.Equal(first, second) || !bytes.Equal(before, after) {
		t.Errorf("%v, then %v", first, second)
	}
	var names []string
	for _, v := range first {
		names = append(names, v.Invariant)
	}
	if want := []string{"wrong_field", "second_submit", "gates_all_asked", "gates_all_asked",
		"signal_behind_rule", "signal_behind_rule", "rescue_once"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
}

// Checking any journal ends without a panic.
func FuzzCheck(f *testing.F) {
	lines := goldenLines(f)
	f.Add([]byte(strings.Join(lines, "")))
	f.Add([]byte(lines[0] + lines[1] + strings.Replace(lines[2], `"number":1`, `"number":-7`, 1)))
	f.Add([]byte(`{"type":"header","header":{"version":1,"config":7,"task":{"url":":","allow":["["]},"toggles":{"breaker":true}}}` + "\n" +
		`{"type":"start","start":{"url":"::"}}` + "\n" +
		`{"type":"step","step":{"number":1,"proposed":{"kind":"done"},"action":{"kind":"done"},"rewound_to":-3,"rulings":[{"gate":"breaker","verdict":"halt"}],"after":{"url":""}}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		j, err := decode(text, "fuzz")
		if err != nil {
			return
		}
		j.Secrets = map[string]string{"P": "sesame"}
		for _, v := range checkAll(j) {
			if v.Detail == "" {
				t.Errorf("%+v", v)
			}
		}
		_ = cua.Live(j.Steps)
	})
}

// A journal of version 1 is judged by what it tells. The golden one does not say in which field its Return
// was pressed.
func TestVersion1IsJudged(t *testing.T) {
	j, err := Read(filepath.Join("..", "testdata", "version1.jsonl"))
	must(t, err)
	j.Incidents, j.Secrets = goldenIncidents(), map[string]string{"PASSWORD": "opensesame"}
	if got := checkAll(j); len(got) != 1 || got[0].Invariant != "activation" || got[0].Step != 7 {
		t.Errorf("%+v", got)
	}
}
