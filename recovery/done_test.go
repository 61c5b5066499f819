package recovery

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func success(text string) cua.Proposal {
	return cua.Proposal{Action: cua.Action{Kind: cua.Done, Success: true, Text: text}}
}

var wait = cua.Action{Kind: cua.Wait, MS: 1000}

func (s *story) waits(n int, progress bool) *story {
	for range n {
		s.do(wait, cua.Target{}, progress)
	}
	return s
}

func idleParts(p cua.Proposal, i cua.Idle) cua.Proposal {
	p.Target.Idle = i
	return p
}

func TestDone(t *testing.T) {
	landed := &cua.FormState{Values: []cua.FormValue{{PlanValue: cua.PlanValue{Label: "City", Value: "Oslo"},
		Landed: true}}}
	pending := &cua.FormState{Values: []cua.FormValue{{PlanValue: cua.PlanValue{Label: "City",
		Value: "Oslo"}}, {PlanValue: cua.PlanValue{Label: "Zip"}, Landed: true}}}
	busy := func() *story { return begin(page("")).do(click(button()), button(), true) }
	sent := func(status int) *story {
		return busy().add(cua.Step{Action: &cua.Action{Kind: cua.Key, Keys: "Return"},
			Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeWrite}},
			After: cua.Observation{URL: "https://a.test/", Writes: []cua.Write{{Method: "POST",
				URL: "https://a.test/", Status: status}}}})
	}
	shown := page("")
	shown.URL, shown.Title = "https://shop.example/thanks?id=1", "Thank You"
	plan := []cua.PlanStep{{Text: "pay", URL: "/pay"}, {Text: "see the receipt", URL: "/thanks",
		Title: "thank you"}}
	for _, c := range []struct {
		name string
		s    *story
		task cua.Task
		form *cua.FormState
		p    cua.Proposal
		want cua.DoneCode
	}{
		{name: "nothing speaks against it", s: busy(), p: success("ok")},
		{name: "at once, without a step", s: begin(page("")), p: success("ok")},
		{name: "no answer", s: busy(), p: success(" \n"), want: cua.EmptySummary},
		{name: "a failure is never refused", s: begin(page("")).clicks(9, button()), form: pending,
			p: cua.Proposal{Action: cua.Action{Kind: cua.Done}}},
		{name: "another action is not its business", s: busy(), form: pending, p: proposal(button())},
		{name: "the last plan step does not hold", s: busy(), task: cua.Task{Plan: plan}, p: success("ok"), want: cua.PlanStepsIncomplete},
		{name: "it holds, whatever the earlier ones do", s: begin(shown), task: cua.Task{Plan: plan}, p: success("ok")},
		{name: "an empty condition holds", s: busy(), task: cua.Task{Plan: []cua.PlanStep{plan[0], {Text: "look"}}}, p: success("ok")},
		{name: "a value is pending", s: busy(), form: pending, p: success("ok"), want: cua.PendingFormValues},
		{name: "an output field is missing", s: busy(), task: cua.Task{OutputFields: []string{"order_id", "price"}}, p: success("Order ID 7"), want: cua.SummaryMissingRequiredFields},
		{name: "output fields in other spelling", s: busy(), task: cua.Task{OutputFields: []string{"order_id", "price"}}, p: success("order-id: 7, PRICE 3")},
		{name: "a piece of a word is no output field", s: busy(), task: cua.Task{OutputFields: []string{"price"}}, p: success("priceless"), want: cua.SummaryMissingRequiredFields},
		{name: "three waits changed nothing", s: busy().waits(3, false), p: success("ok"), want: cua.NoObservedDeltaAfterWaits},
		{name: "two waits are fine", s: busy().waits(2, false), p: success("ok")},
		{name: "the last wait saw something", s: busy().waits(2, false).waits(1, true), p: success("ok")},
		{name: "an action between the waits", s: busy().waits(2, false).clicks(1, button()).waits(1, false), p: success("ok")},
		{name: "five actions without effect", s: busy().clicks(5, button()), p: success("ok"), want: cua.NoProgressInWindow},
		{name: "five after everything was sent and taken", s: sent(200).clicks(5, button()), form: landed, p: success("ok")},
		{name: "five after it was refused", s: sent(422).clicks(5, button()), form: landed, p: success("ok"), want: cua.NoProgressInWindow},
		{name: "five after something was sent, nothing planned", s: sent(200).clicks(5, button()), p: success("ok"), want: cua.NoProgressInWindow},
		{name: "nothing had an effect yet", s: begin(page("")).clicks(1, button()), p: success("ok"), want: cua.NoProgressInWindow},
		{name: "four actions without effect", s: begin(page("")).clicks(4, button()), p: success("ok"), want: cua.NoProgressInWindow},
		{name: "nothing had an effect, and that was said", s: begin(page("")).clicks(2, button()).add(cua.Step{Proposed: success("ok").Action, DoneRejected: cua.NoProgressInWindow}), p: success("ok")},
		{name: "it was said, and the window is full since", s: begin(page("")).clicks(2, button()).add(cua.Step{Proposed: success("ok").Action, DoneRejected: cua.NoProgressInWindow}).clicks(3, button()), p: success("ok"), want: cua.NoProgressInWindow},
		{name: "only looks and waits", s: begin(page("")).waits(2, false), p: success("ok")},
		{name: "the fifth last had one", s: busy().clicks(4, button()), p: success("ok")},
		{name: "what could not be judged is not held against it", s: busy().clicks(4, button()).add(cua.Step{Action: &wait}).add(unjudged()), p: success("ok")},
		{name: "the address changed since", s: busy(), p: idleParts(success("ok"), cua.Idle{Changes: []cua.Change{cua.ChangeURL}}), want: cua.StaleDone},
		{name: "a part changed since", s: busy(), p: idleParts(success("ok"), cua.Idle{Parts: []string{"main"}}), want: cua.StaleDone},
		{name: "its late effect came since", s: ticking(3, "main"), p: idleParts(success("ok"), cua.Idle{Parts: []string{"main"}, Caused: []string{"main"}}), want: cua.StaleDone},
		{name: "a clock that ticks", s: ticking(1, "clock"), p: idleParts(success("ok"), cua.Idle{Parts: []string{"clock"}})},
		{name: "a clock and more", s: ticking(2, "clock"), p: idleParts(success("ok"), cua.Idle{Parts: []string{"clock", "main"}}), want: cua.StaleDone},
		{name: "pixels changed", s: busy(), p: idleParts(success("ok"), cua.Idle{Tiles: cua.TileSet{3}}), want: cua.StaleDone},
		{name: "pixels of an animation", s: animated(), p: idleParts(success("ok"), cua.Idle{Tiles: cua.TileSet{41}})},
		{name: "order: the answer before the plan", s: busy(), task: cua.Task{Plan: plan}, form: pending, p: success(""), want: cua.EmptySummary},
		{name: "order: the plan before the form", s: busy(), task: cua.Task{Plan: plan}, form: pending, p: success("ok"), want: cua.PlanStepsIncomplete},
		{name: "order: the form before the answer's fields", s: busy(), task: cua.Task{OutputFields: []string{"x"}}, form: pending, p: success("ok"), want: cua.PendingFormValues},
		{name: "order: fields before waits", s: busy().waits(3, false), task: cua.Task{OutputFields: []string{"x"}}, p: success("ok"), want: cua.SummaryMissingRequiredFields},
		{name: "order: waits before the window", s: busy().clicks(5, button()).waits(3, false), p: success("ok"), want: cua.NoObservedDeltaAfterWaits},
		{name: "order: the window before staleness", s: busy().clicks(5, button()), p: idleParts(success("ok"), cua.Idle{Parts: []string{"main"}}), want: cua.NoProgressInWindow},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.turn()
			turn.Task, turn.Form = c.task, c.form
			r := review(t, Done{DefaultConfig().Done}, turn, c.p)
			if r.Reason != string(c.want) || (r.Verdict == cua.Refuse) != (c.want != "") {
				t.Fatalf("%+v, want %q", r, c.want)
			}
			if c.want == cua.PendingFormValues && (!strings.Contains(r.Detail, "City") ||
				strings.Contains(r.Detail, "Oslo")) {
				t.Errorf("the detail names labels and no values: %q", r.Detail)
			}
		})
	}
}

func unjudged() cua.Step {
	a := click(button())
	return cua.Step{Proposed: a, Action: &a, Target: button()}
}

// ticking has n intervals in which part changed by itself, and one effect.
func ticking(n int, part string) *story {
	s := begin(page("")).do(click(button()), button(), true)
	for range n {
		to := button()
		to.Idle.Parts = []string{part}
		s.do(click(to), to, false)
	}
	return s
}

// animated shows an endless animation over tile 41 (column 1 of row 1, 40 tiles a row).
func animated() *story {
	o := page("")
	o.Ambient.Boxes = []cua.Box{{X: 40, Y: 40, W: 10, H: 10}}
	return begin(o)
}

func TestDoneEndsAfterTwoRefusals(t *testing.T) {
	g := Done{DefaultConfig().Done}
	refused := cua.Step{Proposed: success("").Action, DoneRejected: cua.EmptySummary}
	s := begin(page("")).add(refused).clicks(1, button())
	if r := review(t, g, s.turn(), success("")); r.Verdict != cua.Refuse {
		t.Errorf("a second is refused: %+v", r)
	}
	s.add(refused)
	if r := review(t, g, s.turn(), success("")); r.Verdict != cua.Halt || r.End != cua.EndDoneUnverified ||
		r.Reason != string(cua.EmptySummary) {
		t.Errorf("a third ends the episode: %+v", r)
	}
	if r := review(t, g, s.turn(), success("Sent.")); r.Verdict != cua.Pass {
		t.Errorf("a third that nothing speaks against is accepted: %+v", r)
	}
	s.h.Resumed = []cua.Resumption{{At: 3, Page: page(""), Fresh: true}}
	if r := review(t, g, s.turn(), success("")); r.Verdict != cua.Refuse {
		t.Errorf("a chosen continuation starts afresh: %+v", r)
	}
}

// TestFormShowsError: what a form shows after it was sent, by structure alone.
func TestFormShowsError(t *testing.T) {
	form := func(state string, texts ...string) cua.Observation {
		o := page(state)
		o.Fields = []cua.Field{{ID: "zip", Label: "Zip", Tag: "input", Type: "text", Form: "f",
			Editable: true, ValueDigest: "x"}}
		o.Forms = []cua.Form{{ID: "f", Texts: texts}}
		return o
	}
	write := func(o cua.Observation, status int) cua.Observation {
		o.Writes = []cua.Write{{Method: "POST", URL: site, Status: status}}
		return o
	}
	opened := func(o cua.Observation) cua.Observation { o.Document = "d2"; return o }
	send := func(s *story, after cua.Observation) *story {
		a := click(button())
		return s.add(cua.Step{Proposed: a, Action: &a, Target: button(), Effect: effect(true), After: after})
	}
	invalid := form("b", "zip code")
	invalid.Fields[0].Invalid = "wrong"
	empty := form("b", "zip code", "added")
	empty.Fields[0].Empty, empty.Fields[0].ValueDigest = true, ""
	announced := form("b", "zip code")
	announced.Notices = []string{"too long"}
	for _, c := range []struct {
		name string
		s    *story
		want bool
	}{
		{"nothing was sent", begin(form("a", "zip code", "anything")), false},
		{"the form is gone", send(begin(form("a", "zip code")), write(page("thanks"), 303)), false},
		{"the form shows nothing new", send(begin(form("a", "zip code")), write(form("b", "zip code"), 200)), false},
		{"a field is invalid", send(begin(form("a", "zip code")), invalid), true},
		{"new text beside it, and no request", send(begin(form("a", "zip code")), form("b", "zip code", "too long")), true},
		{"new text beside it after a redirect to itself", send(begin(form("a", "zip code")), opened(write(form("b", "zip code", "too long"), 303))), true},
		{"something was announced", send(begin(form("a", "zip code")), write(announced, 200)), true},
		{"text that was there went away", send(begin(form("a", "zip code", "hint")), form("b", "zip code")), false},
		{"the answer is an error", send(begin(form("a", "zip code")), write(form("b", "zip code"), 500)), true},
		{"the form was emptied for the next one", send(begin(form("a", "zip code")), write(empty, 200)), false},
		{"a search opens its results beside itself", send(begin(form("a", "zip code")), opened(form("b", "zip code", "3 results"))), false},
		{"the same error a second time", send(send(begin(form("a", "zip code")), form("b", "zip code", "too long")), form("c", "zip code", "too long")), true},
		{"put right the second time", send(send(begin(form("a", "zip code")), form("b", "zip code", "too long")), form("c", "zip code")), false},
		{"opened again it shows nothing", send(begin(form("a", "zip code")), form("b", "zip code", "saved")).do(cua.Action{Kind: cua.Reload}, cua.Target{}, true).show(opened(form("d", "zip code"))), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, Done{DefaultConfig().Done}, c.s.turn(), success("ok"))
			if got := r.Reason == string(cua.FormShowsError); got != c.want {
				t.Errorf("%+v, want a refusal: %t", r, c.want)
			}
		})
	}
}
