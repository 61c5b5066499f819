package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/recovery"
)

// world is a site of three pages whose state is a small number, so that an episode comes back to where it
// was.
type world struct {
	t *rapid.T
	e *episode
	// ends are why it was stopped, in order.
	ends []cua.EndReason
	// asked is how often each gate was asked since it was cleared.
	asked map[string]int
}

// counted is a gate that counts how often it is asked.
type counted struct {
	Gate
	asked map[string]int
}

func (c counted) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	c.asked[c.Name()]++
	return c.Gate.Review(t, p)
}

func sight(page, state, document int) cua.Observation {
	o := cua.Observation{URL: fmt.Sprintf("https://a.test/%d", page), Document: fmt.Sprint(document),
		Viewport: cua.Size{W: 800, H: 600}, DOMDigest: fmt.Sprint("dom", state),
		FormDigest: fmt.Sprint("form", state%2), Tabs: 1, Tab: 1}
	for i, name := range []string{"Send", "More", "Close", "Delete"} {
		box := cua.Box{X: 100, Y: float64(100 + 100*i), W: 80, H: 20}
		o.Marks = append(o.Marks, cua.Mark{N: i + 1, ID: "button/" + name, Role: "button", Name: name,
			Text: name, Tag: "button", Box: box,
			Submit: name == "Send", Form: map[bool]string{true: "f"}[name == "Send"],
			Covered: name == "Send" || name == "Delete"})
	}
	sends := o.Marks[0].Control()
	o.Forms = []cua.Form{{ID: "f", Default: &sends}}
	f := cua.Field{ID: "box/Name", Role: "textbox", Label: "Name", Tag: "input", Type: "text", Form: "f",
		Editable: true, Empty: state == 0, Box: cua.Box{X: 300, Y: 100, W: 100, H: 20}}
	o.Fields = []cua.Field{f, {ID: "list/Size", Label: "Size", Tag: "select", Type: "select",
		Options: []string{"S", "L"}, Selected: "S", Box: cua.Box{X: 300, Y: 200, W: 100, H: 20}}}
	if state > 2 {
		o.Focus = &f
	}
	return o
}

// propose is what an unwise brain asks for: most often what it asked for before.
func (w *world) propose(now cua.Observation) cua.Proposal {
	h := w.e.history
	if n := len(h.Steps); n > 0 && rapid.IntRange(0, 99).Draw(w.t, "again") < 88 {
		s := &h.Steps[n-1]
		return cua.Proposal{Action: s.Proposed, Target: s.Target, By: s.By, Thought: s.Thought}
	}
	point := cua.Point{X: 195, Y: 205} // beside More
	target := cua.Target{ID: cua.PointID(point), Point: &point}
	if i := rapid.IntRange(0, len(now.Marks)).Draw(w.t, "mark"); i < len(now.Marks) {
		m := now.Marks[i]
		point = m.Box.Center()
		target = cua.Target{ID: m.ID, Role: m.Role, Name: m.Name, Text: m.Text, Tag: m.Tag, Submit: m.Submit,
			Form: "f", Clickable: true, Box: m.Box, Point: &point}
		if m.Covered && rapid.Bool().Draw(w.t, "covered") {
			target.Covering = &cua.Covering{ID: "veil", Box: cua.Box{W: 800, H: 600},
				Controls: []string{"button/Close", "button/Delete"}}
		}
	}
	p := cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: &point}, Target: target, By: "brain"}
	switch rapid.IntRange(0, 11).Draw(w.t, "kind") {
	case 0:
		p.Action = cua.Action{Kind: cua.Wait, MS: 20_000}
	case 1:
		p.Action = cua.Action{Kind: cua.Key, Keys: "Return"}
	case 2:
		if rapid.IntRange(0, 3).Draw(w.t, "away") == 0 {
			p.Action = cua.Action{Kind: cua.Navigate, URL: "https://elsewhere.test/"}
		}
	case 3:
		p.Action = cua.Action{Kind: cua.Done, Success: true}
	case 4:
		p.Action = cua.Action{Kind: cua.Rewind, Step: 1}
	case 5:
		p.Failure = &cua.Failure{Kind: cua.FailNotFound, Detail: "gone"}
	case 6:
		p.By = cua.DirectorPrefix + "brain"
	}
	if k := p.Action.Kind; k != cua.Click {
		p.Target = cua.Target{}
	}
	return p
}

// outcome gives the step what comes of it, most often nothing.
func (w *world) outcome(s *cua.Step, now cua.Observation) {
	s.After = now
	s.After.Writes = nil
	if s.Action == nil {
		return
	}
	s.Effect = &cua.Effect{}
	switch draw := rapid.IntRange(0, 19).Draw(w.t, "effect"); {
	case s.Action.Kind == cua.Rewind && s.Action.Step < s.N:
		s.RewoundTo, s.After = s.Action.Step, w.e.history.Before(s.Action.Step-1)
		s.After.Document, s.After.Writes = fmt.Sprint("again", s.N), nil
	case draw == 0:
		s.After = sight(rapid.IntRange(0, 2).Draw(w.t, "page"), 0, s.N)
	case draw < 3:
		var page, document int
		fmt.Sscanf(now.URL, "https://a.test/%d", &page)
		fmt.Sscan(now.Document, &document)
		s.After = sight(page, rapid.IntRange(0, 4).Draw(w.t, "state"), document)
		s.After.Document = now.Document
	}
	if now.URL != s.After.URL {
		s.Effect.Progress = append(s.Effect.Progress, cua.ChangeURL)
	}
	if now.DOMDigest != s.After.DOMDigest {
		s.Effect.Progress = append(s.Effect.Progress, cua.ChangeDOM)
	}
	if len(s.Effect.Progress) > 0 && rapid.IntRange(0, 5).Draw(w.t, "write") == 0 {
		s.After.Writes = []cua.Write{{Method: "POST", URL: now.URL, Status: 200}}
	}
}

// step makes one step with the machine's own turn and review; false ends the episode.
func (w *world) step() bool {
	work := &work{}
	if err := w.e.buildTurn(w.t.Context(), work); err != nil {
		w.t.Fatal(err)
	}
	before := snapshot(w.t, work.turn)
	work.proposal = w.propose(work.turn.Now)
	work.step.Proposed, work.step.Target, work.step.By = work.proposal.Action, work.proposal.Target,
		work.proposal.By
	clear(w.asked)
	first, _ := w.e.asm.Review(work.turn, work.proposal)
	if err := w.e.review(w.t.Context(), work); err != nil {
		w.t.Fatal(err)
	}
	for name, n := range w.asked {
		if n > 2 { // it was reviewed twice
			w.t.Fatalf("step %d: the gate %s was asked %d times in two reviews", work.step.N, name, n)
		}
	}
	if !reflect.DeepEqual(first, work.step.Rulings) || !bytes.Equal(before, snapshot(w.t, work.turn)) {
		w.t.Fatalf("step %d: the gates answer twice differently, or changed the turn", work.step.N)
	}
	w.outcome(&work.step, work.turn.Now)
	w.check(&work.step)
	w.e.history.Steps = append(w.e.history.Steps, work.step)
	if a := work.step.Action; work.end == nil && (a == nil || !a.Kind.Ends()) {
		return true
	}
	if work.end == nil || !work.end.reason.CanContinue() || rapid.Bool().Draw(w.t, "enough") {
		return false
	}
	w.ends = append(w.ends, work.end.reason)
	h := &w.e.history
	h.Resumed = append(h.Resumed, cua.Resumption{At: len(h.Steps), Page: h.Now(), Fresh: true,
		End: work.end.reason})
	return true
}

func snapshot(t *rapid.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// check checks the promises of docs/recovery.md on the step s, which is not in the history yet.
func (w *world) check(s *cua.Step) {
	h := w.e.history
	steps := h.Steps[h.Fresh():]
	r, ruled := s.Ruled()
	stopped := ruled && (r.Verdict == cua.Halt || r.Verdict == cua.Pause)
	for i := range steps {
		if stopped && (r.Reason == recovery.ReasonHardLoop || r.Gate == recovery.RescueName) &&
			steps[i].RecoveryReason != "" &&
			steps[i].HasAction() && len(steps)-1-i < 3 {
			w.t.Fatalf("step %d: stopped %d steps after a substitution", s.N, len(steps)-i)
		}
	}
	last := func(x cua.Step) bool {
		return slices.ContainsFunc(x.Notes, func(n cua.Note) bool { return n.Level == recovery.LastWarning })
	}
	if stopped && (r.Reason == recovery.ReasonHardLoop || r.Gate == recovery.RescueName) &&
		!slices.ContainsFunc(steps, last) {
		w.t.Fatalf("step %d: stopped without a warning: %+v", s.N, r)
	}
	refused := func(x *cua.Step) bool { q, ok := x.Ruled(); return ok && q.Verdict == cua.Refuse }
	if n := len(steps); n >= 2 && refused(s) && refused(&steps[n-1]) && refused(&steps[n-2]) {
		w.t.Fatalf("step %d: the third refusal in a row at one state", s.N)
	}
	if !ruled || r.Verdict != cua.Replace {
		return
	}
	if s.Action.PressesReturn() && (&cua.Turn{History: h, Now: h.Now(),
		Evidence: cua.EvidenceOf(h, nil)}).ReturnTried() {
		w.t.Fatalf("step %d: Return twice in one form state", s.N)
	}
	if pressed := s.Action.Into; s.Action.Kind.Pressing() && pressed != s.Target.ID &&
		(pressed == "button/Delete" || pressed == "button/Send") {
		w.t.Fatalf("step %d: %s was pressed, and %s was asked for", s.N, pressed, s.Target.ID)
	}
	if s.Action.Kind == cua.Rewind {
		for i := range h.Steps {
			if h.Steps[i].N >= s.Action.Step && slices.ContainsFunc(h.Steps[i].After.Writes, cua.Write.OK) {
				w.t.Fatalf("step %d: rewound to %d across the write of step %d", s.N, s.Action.Step,
					h.Steps[i].N)
			}
		}
	}
}

// checkIncidents: each has exactly one outcome, and no row was used in it again after it had no effect.
func (w *world) checkIncidents(end cua.EndReason) {
	for _, in := range detector.Incidents(w.e.history, nil, end) {
		if !slices.Contains(cua.IncidentOutcomes(), in.Outcome) {
			w.t.Fatalf("incident %+v has no outcome", in)
		}
		failed := map[cua.Reason]int{}
		rewinds := 0
		for _, a := range in.Tried {
			if !slices.Contains(cua.Reasons(), a.Reason) {
				continue
			}
			tries := 1
			if a.Reason == cua.DismissOverlay { // a close control, Escape, and one more control
				tries = 3
			}
			if failed[a.Reason] >= tries {
				w.t.Fatalf("%s was used again in %+v", a.Reason, in)
			}
			if failed[a.Reason]++; a.Effect {
				failed[a.Reason] = 0
			}
			if a.Reason == cua.RewindReason {
				rewinds++
			}
		}
		if rewinds > 2 {
			w.t.Fatalf("%d rewinds in %+v", rewinds, in)
		}
	}
}

// TestTheRescueTableAsAStateMachine plays unwise brains on pages where nearly nothing helps, with the
// machine's own turns and reviews, and checks the promises of docs/recovery.md on every step. It counts over
// a fixed list of plays which situations they reach: a rule whose situation never comes up is not tested.
func TestTheRescueTableAsAStateMachine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { unwise(t) })
	plays, seen := rapid.Custom(unwise), map[string]int{}
	for seed := range 150 {
		for what, n := range plays.Example(seed) {
			seen[what] += n
		}
	}
	for _, want := range []string{"dismiss_overlay", "retarget_click", "reload_page", "ask_user",
		"press_return_for_submit"} {
		if seen[want] == 0 {
			t.Errorf("%s never happened, so nothing was shown of it: %v", want, seen)
		}
	}
}

// unwise is one play; it counts the rows that replaced something and the breaker's reasons.
func unwise(t *rapid.T) map[string]int {
	c := DefaultConfig()
	c.Recovery.Attended = rapid.Bool().Draw(t, "attended")
	c.Recovery.OnSpiral = rapid.SampledFrom(recovery.OnSpirals()).Draw(t, "on spiral")
	at := time.Unix(0, 0)
	w := &world{t: t, e: &episode{cfg: c, asm: Assemble(c), inbox: new(inbox),
		now:     func() time.Time { return at },
		task:    cua.Task{URL: "https://a.test/0", Allow: []string{"a.test"}},
		history: cua.History{Start: sight(0, 0, 0)}}}
	w.asked = map[string]int{}
	for i, g := range w.e.asm.Gates {
		w.e.asm.Gates[i] = counted{g, w.asked}
	}
	for n := rapid.IntRange(16, 40).Draw(t, "steps"); n > 0 && w.step(); n-- {
	}
	w.checkIncidents(cua.EndMaxSteps)
	seen := map[string]int{}
	for _, s := range w.e.history.Steps {
		seen[string(s.RecoveryReason)]++
		if r, ok := s.Ruled(); ok && r.Gate == "breaker" {
			seen[r.Reason]++
		}
	}
	return seen
}
