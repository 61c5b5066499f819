package trajectories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// shadowEpisode is the golden episode with the rescue table and the breaker in shadow: its
// clicks reach nothing while loop recovery only says what it would have typed.
func shadowEpisode(t testing.TB) *Trajectory {
	t.Helper()
	tr := goldenEpisode(t)
	tr.Header.Config = json.RawMessage(`{"shadow":["rescue","breaker"]}`)
	tr.Incidents = nil
	without := func(r cua.Ruling) cua.Ruling { r.Shadow = true; return r }
	fourth := &tr.Steps[3]
	typing := without(fourth.Rulings[len(fourth.Rulings)-1])
	fourth.Action, fourth.Effect, fourth.After, fourth.RecoveryReason, fourth.Incident = &fourth.Proposed,
		&cua.Effect{}, tr.Start, "", ""
	for i := 1; i <= 3; i++ {
		s := &tr.Steps[i]
		typing.Evidence = make([]int, i)
		for n := range typing.Evidence {
			typing.Evidence[n] = n + 1
		}
		s.Rulings = []cua.Ruling{{Gate: "limits", Verdict: cua.Pass},
			{Gate: "policy", Verdict: cua.Pass}, typing}
	}
	fourth.Rulings = append([]cua.Ruling{without(cua.Ruling{Gate: "breaker", Verdict: cua.Halt,
		Reason: "hard_loop", Detail: "four clicks in vain", End: cua.EndLoop})}, fourth.Rulings...)
	submit := &tr.Steps[6]
	submit.RecoveryReason, submit.Incident, submit.Rulings[len(submit.Rulings)-1].Gate = "", "",
		"force_submit"
	return tr
}

func TestGoldenShadow(t *testing.T) {
	tr := shadowEpisode(t)
	for _, c := range []struct {
		file string
		o    TableOptions
	}{
		{"shadow.txt", TableOptions{}},
		{"shadow-80.txt", TableOptions{Width: 80}},
		{"shadow-step-4.txt", TableOptions{Step: 4}},
	} {
		t.Run(c.file, func(t *testing.T) {
			var b bytes.Buffer
			must(t, WriteTable(&b, tr, c.o))
			compare(t, filepath.Join("testdata", c.file), b.Bytes())
		})
	}
	t.Run("shadow.html", func(t *testing.T) {
		var b bytes.Buffer
		must(t, WriteHTML(&b, tr))
		page := b.String() // without its style and its pictures, which episode.html has
		compare(t, filepath.Join("testdata", "shadow.html"), []byte(page[strings.Index(page, "</style>"):]))
	})
}

// An episode without a gate in shadow says nothing of shadows, in any form.
func TestNoShadowNoWord(t *testing.T) {
	for name, config := range map[string]string{"none": `{}`, "an empty list": `{"shadow":[]}`, "no config": ``, "not a list": `{"shadow":"done"}`} {
		tr := shadowEpisode(t)
		tr.Header.Config = json.RawMessage(config)
		var b bytes.Buffer
		must(t, WriteTable(&b, tr, TableOptions{}))
		must(t, WriteHTML(&b, tr))
		if got := b.String(); strings.Contains(got, "would have") || strings.Contains(got, "in shadow") ||
			strings.Contains(got, ShadowDefinition) {
			t.Errorf("%s: a shadow is spoken of", name)
		}
	}
}

func TestShadowMarks(t *testing.T) {
	key := &cua.Action{Kind: cua.Key, Keys: "Tab"}
	for _, c := range []struct {
		name string
		r    cua.Ruling
		want string
	}{
		{"a substitution", cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: "tab_to_next_field", Action: key}, "would have: tab_to_next_field (rescue) → key Tab"},
		{"one without a code", cua.Ruling{Gate: "force_fill", Verdict: cua.Replace, Action: key}, "would have: replace (force_fill) → key Tab"},
		{"a stop", cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop"}, "would have: hard_loop (breaker), halt"},
		{"a refusal without a code", cua.Ruling{Gate: "done", Verdict: cua.Refuse}, "would have: refuse (done)"},
	} {
		if got := shadowMark(ShadowRuling{Ruling: c.r}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestShadowsByGate(t *testing.T) {
	one := func(gate, reason string, right, wrong, open int) Shadowed {
		return Shadowed{Gate: gate, Verdict: cua.Replace, Reason: reason, Rulings: right + wrong + open,
			Right: right, Wrong: wrong, Open: open}
	}
	for _, c := range []struct {
		name string
		all  []Shadowed
		want []GateShadow
		say  []string // precision and reasons of each
	}{
		{"none", nil, nil, nil},
		{"one gate, two episodes", []Shadowed{one("b", "x", 2, 1, 0), one("b", "x", 1, 0, 2)}, []GateShadow{{"b", 6, 4, 3, []Shadowed{one("b", "x", 3, 1, 2)}}}, []string{"75 % x 3 of 4 (2 open)"}},
		{"two gates, out of order", []Shadowed{one("b", "y", 0, 0, 1), one("a", "x", 1, 0, 0), one("b", "x", 0, 1, 0)},
			[]GateShadow{{"a", 1, 1, 1, []Shadowed{one("a", "x", 1, 0, 0)}},
				{"b", 2, 1, 0, []Shadowed{one("b", "x", 0, 1, 0), one("b", "y", 0, 0, 1)}}},
			[]string{"100 % x 1 of 1", "0 % x 0 of 1, y 0 of 0 (1 open)"}},
		{"nothing judged", []Shadowed{one("a", "", 0, 0, 1)}, []GateShadow{{"a", 1, 0, 0, []Shadowed{one("a", "", 0, 0, 1)}}}, []string{"– replace 0 of 0 (1 open)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ShadowsByGate(c.all)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			for i, g := range got {
				if say := g.Precision() + " " + g.ReasonWords(); say != c.say[i] {
					t.Errorf("%q, want %q", say, c.say[i])
				}
			}
		})
	}
}

// The result counts what the table says, and the steps on which it lies are known.
func TestSummaryCountsShadows(t *testing.T) {
	tr := shadowEpisode(t)
	sum := Summarize(tr, nil)
	if !reflect.DeepEqual(sum.Shadow, Shadows(tr)) || len(sum.Shadow) != 2 {
		t.Errorf("%+v", sum.Shadow)
	}
	if got := fmt.Sprint(ShadowSteps(tr)); got != "map[2:true 3:true 4:true]" {
		t.Errorf("steps %s", got)
	}
}
