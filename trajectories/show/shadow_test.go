package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shadowEpisode is the golden episode with the rescue table and the breaker in shadow: its
// clicks reach nothing while loop recovery only says what it would have typed.
func shadowEpisode(t testing.TB) *trajectories.Trajectory {
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
		Reason: "hard_loop", Detail: "four clicks without effect", End: cua.EndLoop})}, fourth.Rulings...)
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
			strings.Contains(got, trajectories.ShadowDefinition) {
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
		if got := shadowMark(trajectories.ShadowRuling{Ruling: c.r}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// The result counts what the table says, and the steps on which it lies are known.
func TestSummaryCountsShadows(t *testing.T) {
	tr := shadowEpisode(t)
	sum := trajectories.Summarize(tr, nil)
	if !reflect.DeepEqual(sum.Shadow, trajectories.Shadows(tr)) || len(sum.Shadow) != 2 {
		t.Errorf("%+v", sum.Shadow)
	}
	if got := fmt.Sprint(trajectories.ShadowSteps(tr)); got != "map[2:true 3:true 4:true]" {
		t.Errorf("steps %s", got)
	}
}
