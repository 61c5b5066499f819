package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// overseen is b with its requests read: every brain of these tests is asked through it, and a request that
// holds a sentinel, a frame in the history or a secret fails the test.
func overseen(t testing.TB, b runner.Brain) runner.Brain {
	t.Helper()
	return overseenWith(t, b, map[string]string{"PW": canary})
}

// overseenWith is overseen where the session knows those secrets.
func overseenWith(t testing.TB, b runner.Brain, secrets map[string]string) runner.Brain {
	t.Helper()
	return &envtest.Overseen{Brain: b, Secrets: secrets, Fault: func(what string) { t.Error(what) }}
}

// asked is what a brain was asked with, in order.
type asked struct {
	runner.Brain
	turns []*cua.Turn
}

func (a *asked) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	a.turns = append(a.turns, t)
	return a.Brain.Decide(ctx, t)
}

// What journals say for people reaches no brain: neither kinds that this program knows nor those of a later
// one, and nothing of what stands in them.
func TestSentinelsOfAJournalReachNoBrain(t *testing.T) {
	const told = "told to people alone"
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	dir, _ := e.run(t)
	journal := filepath.Join(dir, trajectories.JournalName)
	whole, err := os.ReadFile(journal)
	check(t, err)
	lines := slices.Collect(bytes.Lines(whole))
	var text bytes.Buffer
	for _, line := range lines[:8] { // header, start and three steps
		text.Write(line)
	}
	for _, kind := range append(trajectories.SentinelKinds(), "sentinel_of_tomorrow") {
		event, err := json.Marshal(map[string]any{"type": "event",
			"event": map[string]any{"kind": kind, "detail": told, "reason": told,
				"incident_id": told, "can_continue": true, "changes": []string{told}}})
		check(t, err)
		text.Write(append(event, '\n'))
	}
	check(t, os.WriteFile(journal, text.Bytes(), 0o644))
	r, _ := e.runner(t, dir)
	brain := &asked{Brain: r.Brain}
	r.Brain = brain
	if res, err := r.Resume(t.Context()); err != nil || res.TerminationReason != cua.EndDone {
		t.Fatalf("%s, %v", res.TerminationReason, err)
	}
	if len(brain.turns) == 0 {
		t.Fatal("no brain was asked")
	}
	for _, turn := range brain.turns {
		raw, err := json.Marshal(turn)
		check(t, err)
		if bytes.Contains(raw, []byte(told)) {
			t.Errorf("the turn of step %d holds it", turn.Number)
		}
	}
	if kept, err := os.ReadFile(journal); err != nil || !bytes.HasPrefix(kept, text.Bytes()) {
		t.Errorf("the journal lost what it had (%v)", err)
	}
}

// A turn carries the ledger of its history, whatever was folded how often on the way: in each turn of each
// golden episode, rewinds among them, and of one that was cut and resumed anywhere.
func TestTheLedgerOfATurn(t *testing.T) {
	t.Parallel() // most of it is waiting
	turns, rewinds := 0, 0
	look := func(t *testing.T, brain *asked) {
		var folded cua.Ledger
		for _, turn := range brain.turns {
			turns++
			if turn.Ledger == nil {
				t.Fatalf("the turn of step %d has no ledger", turn.Number)
			}
			want := cua.LedgerOf(turn.History)
			if !reflect.DeepEqual(*turn.Ledger, want) {
				t.Fatalf("the turn of step %d has\n%s\nwant\n%s", turn.Number, turn.Ledger, want)
			}
			if folded = folded.Merge(*turn.Ledger); folded.String() != want.String() {
				t.Fatalf("up to step %d the turns fold into\n%s\nwant\n%s", turn.Number, folded, want)
			}
		}
		rewinds += len(folded.Rewinds)
	}
	for _, e := range episodes(t) {
		t.Run(e.name, func(t *testing.T) {
			e.config.Toggles.Ledger = true // in whatever arm
			dir := filepath.Join(t.TempDir(), e.name)
			r, _ := e.runner(t, dir)
			brain := &asked{Brain: r.Brain}
			r.Brain = brain
			_, err := r.Run(t.Context(), e.task)
			check(t, err)
			look(t, brain)
			whole, err := os.ReadFile(filepath.Join(dir, trajectories.JournalName))
			check(t, err)
			lines := slices.Collect(bytes.Lines(whole))
			for cut := 2; cut < len(lines); cut += 7 {
				again := filepath.Join(t.TempDir(), e.name)
				check(t, os.CopyFS(again, os.DirFS(dir)))
				check(t, os.WriteFile(filepath.Join(again, trajectories.JournalName),
					bytes.Join(lines[:cut], nil), 0o644))
				r, _ := e.runner(t, again)
				brain := &asked{Brain: r.Brain}
				r.Brain = brain
				_, err := r.Resume(t.Context())
				check(t, err)
				look(t, brain)
			}
		})
	}
	if turns < 100 || rewinds == 0 {
		t.Errorf("only %d turns were seen, with %d rewinds", turns, rewinds)
	}
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	e.config.Toggles.Ledger = false
	r, _ := e.runner(t, filepath.Join(t.TempDir(), "off"))
	brain := &asked{Brain: r.Brain}
	r.Brain = brain
	_, err := r.Run(t.Context(), e.task)
	check(t, err)
	for _, turn := range brain.turns {
		if turn.Ledger != nil {
			t.Fatal("a turn has a ledger where that is off")
		}
	}
}

// An act that cannot be undone is not done again, though its step was folded away long ago: a hundred and
// more steps later, behind a rewind, and in another process. The prompt says what was done.
func TestNothingIsSentAgainAfterCompaction(t *testing.T) {
	t.Parallel() // most of it is waiting
	site, err := envtest.ParseSite([]byte(`{"start":"order","pages":{
		"order":{"controls":[{"name":"note","type":"text","label":"Note"},{"name":"Send","type":"submit","writes":true,"to":"thanks"}]},
		"thanks":{"text":"Thank you"},
		"list":{"controls":[{"name":"Next","type":"button","counts":true}]}}}`))
	check(t, err)
	press := func(on string) cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: on} }
	open := func(page string) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Navigate, URL: envtest.URL(page)}}
	}
	const first, between = 1, 120
	script := []cua.Scripted{press("Send"), open("list")}
	for range between {
		script = append(script, press("Next"))
	}
	script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Rewind, Step: between - 10}},
		open("order"), press("Send"))
	again := len(script) // the number of the step that would send it again
	e := episode{name: "order", task: cua.Task{ID: "order", Goal: "Order", URL: envtest.URL("order")},
		site: site, script: script, config: runner.DefaultConfig()}
	e.config.Viewport, e.config.Recovery.Limits.MaxSteps = cua.Size{W: 320, H: 320}, 0
	dir := filepath.Join(t.TempDir(), e.name)
	r, _ := e.runner(t, dir)
	b := &asked{Brain: r.Brain}
	r.Brain = b
	_, err = r.Run(t.Context(), e.task)
	check(t, err)
	refused := func(dir string, b *asked) {
		t.Helper()
		tr, err := trajectories.Read(dir)
		check(t, err)
		if s := tr.Steps[again-2]; s.After.URL != envtest.URL("order") ||
			tr.Steps[again-3].RewoundTo != between-10 {
			t.Fatalf("the form is not there again: %s at %s, rewound to %d", s.After.URL, s.Proposed.Kind,
				tr.Steps[again-3].RewoundTo)
		}
		s := tr.Steps[again-1]
		if no, ok := s.Ruled(); !ok || no.Reason != recovery.ReasonDone ||
			!slices.Equal(no.Evidence, []int{first}) || s.Action != nil {
			t.Errorf("step %d: %+v, dispatched %+v", s.N, no, s.Action)
		}
		// the last turn is that of the done
		text := brain.PromptOf(b.turns[len(b.turns)-2], brain.DefaultPrompt()).Text
		if strings.Contains(text, "- step 1: click") || !strings.Contains(text,
			"## Irreversible actions\n- step 1: by click \"Send\" on http://scripted.test/order: POST "+
				"http://scripted.test/order (status 200)\n") {
			t.Errorf("the brain is shown\n%s", text)
		}
	}
	refused(dir, b)

	whole, err := os.ReadFile(filepath.Join(dir, trajectories.JournalName))
	check(t, err)
	lines := slices.Collect(bytes.Lines(whole))
	half := filepath.Join(t.TempDir(), e.name)
	check(t, os.CopyFS(half, os.DirFS(dir)))
	check(t, os.WriteFile(filepath.Join(half, trajectories.JournalName),
		bytes.Join(lines[:len(lines)/2], nil), 0o644))
	r, _ = e.runner(t, half)
	b = &asked{Brain: r.Brain}
	r.Brain = b
	_, err = r.Resume(t.Context())
	check(t, err)
	refused(half, b)
}
