package recovery

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// wrote is an answered request.
func wrote(status int) []cua.Write {
	return []cua.Write{{Method: "POST", URL: "https://shop.example/order?token=abc", Status: status}}
}

// form is a page with one field of form f, its submit button, and a stepper beside it.
func form(state string) cua.Observation {
	o := page(state)
	o.Fields = []cua.Field{textField("textbox/name", "Name")}
	o.Marks = []cua.Mark{{N: 1, ID: "textbox/name", Form: "f"}, {N: 2, ID: "button/send", Role: "button",
		Name: "Send", Submit: true, Form: "f"}}
	return o
}

func press(keys, into string) cua.Action { return cua.Action{Kind: cua.Key, Keys: keys, Into: into} }

// submitted is a history in which a was dispatched on o and answered with status.
func submitted(o cua.Observation, a cua.Action, target cua.Target, status int) *story {
	after := o
	after.Writes = wrote(status)
	return begin(o).add(cua.Step{Proposed: a, Action: &a, Target: target, After: after})
}

func TestNothingIsSentTwice(t *testing.T) {
	send := button()
	plus := cua.Target{ID: "button/plus", Role: "button", Name: "+", Form: "f", Point: at(10, 10)}
	focused := form("filled")
	focused.Focus = &focused.Fields[0]
	long := form("filled")
	long.Fields[0].Tag = "textarea"
	long.Focus = &long.Fields[0]
	bare := form("filled")
	bare.Fields = nil
	locked := form("filled")
	locked.Fields[0].ReadOnly = true
	none := form("filled")
	none.Marks[1].Form, none.Fields[0].Form = "", ""
	signIn, signUp := form("filled"), form("filled")
	word := textField("textbox/password", "Password")
	word.Type, word.Form = "password", signIn.Fields[0].Form
	signIn.Fields = append(signIn.Fields, word)
	again := word
	again.ID = "textbox/again"
	signUp.Fields = append(signUp.Fields, word, again)
	next := send
	next.Name = "Next page"
	retyped := submitted(form("filled"), click(send), send, 200)
	retyped.add(cua.Step{Action: &cua.Action{Kind: cua.Type, Into: "textbox/name", Text: "milk"},
		After: form("filled")})
	expired := submitted(form("filled"), click(send), send, 303)
	expired.h.Steps[0].After.Fields = signIn.Fields
	expired.add(cua.Step{Action: &cua.Action{Kind: cua.Back}, After: form("filled")})
	noForm := send
	noForm.Form = ""
	forced := submitted(form("filled"), cua.Action{Kind: cua.Click, Into: "button/send"}, cua.Target{}, 200)
	forced.h.Steps[0].Proposed = click(plus)
	forced.h.Steps[0].Target = plus
	forced.h.Steps[0].Rulings = []cua.Ruling{{Gate: "force_submit", Verdict: cua.Replace, Reason: "x"}}
	ticked := func(changes bool) *story {
		box := cua.Target{ID: "box/agree", Role: "checkbox", Input: true, Form: send.Form, Point: at(20, 20)}
		a, effect := click(box), &cua.Effect{}
		if changes {
			effect.Progress = []cua.Change{cua.ChangeForm}
		}
		s := submitted(form("filled"), click(send), send, 200)
		return s.add(cua.Step{Proposed: a, Action: &a, Target: box, Effect: effect, After: form("filled")})
	}
	undone := submitted(form("filled"), click(send), send,
		200).add(cua.Step{Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1,
		After: form("filled")})
	for _, c := range []struct {
		name string
		s    *story
		now  cua.Observation
		p    cua.Proposal
		done bool
	}{
		{"the same press with the form as it was", submitted(form("filled"), click(send), send, 200), form("filled"), proposal(send), true},
		{"one that was answered by a redirect", submitted(form("filled"), click(send), send, 303), form("filled"), proposal(send), true},
		{"one that a rewind undid", undone, form("filled"), proposal(send), true},
		{"one that a gate dispatched", forced, form("filled"), proposal(send), true},
		{"what a gate would dispatch", submitted(form("filled"), click(send), send, 200), form("filled"), cua.Proposal{Action: cua.Action{Kind: cua.Click, Into: "button/send"}}, true},
		{"Return in the focused field", submitted(focused, press("Return", ""), cua.Target{}, 200), focused, cua.Proposal{Action: press("Return", "")}, true},
		{"Return that a gate would press there", submitted(focused, press("Return", ""), cua.Target{}, 200), focused, cua.Proposal{Action: press("Return", "textbox/name")}, true},
		{"values have changed", submitted(form("filled"), click(send), send, 200), form("other"), proposal(send), false},
		{"a 503", submitted(form("filled"), click(send), send, 503), form("filled"), proposal(send), false},
		{"no answer yet", submitted(form("filled"), click(send), send, 0), form("filled"), proposal(send), false},
		{"a stepper in the form", submitted(form("filled"), click(plus), plus, 200), form("filled"), proposal(plus), false},
		{"load more in a form without a field", submitted(bare, click(send), send, 200), bare, proposal(send), false},
		{"a form whose only field is read-only", submitted(locked, click(send), send, 200), locked, proposal(send), false},
		{"a button in no form", submitted(none, click(noForm), noForm, 200), none, proposal(noForm), false},
		{"the next page of a list", submitted(form("filled"), click(next), next, 200), form("filled"), proposal(next), false},
		{"filled in again", retyped, form("filled"), proposal(send), false},
		{"ticked again", ticked(true), form("filled"), proposal(send), false},
		{"a tick that changed nothing", ticked(false), form("filled"), proposal(send), true},
		{"another button of the form", submitted(form("filled"), click(plus), plus, 200), form("filled"), proposal(send), false},
		{"signing in once more", submitted(signIn, click(send), send, 303), signIn, proposal(send), false},
		{"an answer that asks to sign in", expired, form("filled"), proposal(send), false},
		{"signing up once more", submitted(signUp, click(send), send, 303), signUp, proposal(send), true},
		{"a line break in a long field", submitted(long, press("Return", ""), cua.Target{}, 200), long, cua.Proposal{Action: press("Return", "")}, false},
		{"another page", submitted(form("filled"), click(send), send, 200), func() cua.Observation { o := form("filled"); o.URL += "/2"; return o }(), proposal(send), false},
		{"typing", submitted(form("filled"), click(send), send, 200), form("filled"), cua.Proposal{Action: cua.Action{Kind: cua.Type, Text: "x", Into: "textbox/name"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.turn()
			last := &turn.History.Steps[len(turn.History.Steps)-1]
			writes := last.After.Writes
			last.After = c.now
			last.After.Writes = writes
			turn.Now = turn.History.Now()
			r := review(t, Policy{}, turn, c.p)
			if (r.Verdict == cua.Refuse) != c.done {
				t.Fatalf("ruled %+v", r)
			}
			if !c.done {
				return
			}
			if r.Reason != ReasonDone || !slices.Equal(r.Evidence, []int{1}) ||
				!strings.Contains(r.Detail, "step 1") || !strings.Contains(r.Detail, "status") {
				t.Errorf("ruled %+v", r)
			}
			if strings.Contains(r.Detail, "abc") {
				t.Errorf("the detail has the token: %s", r.Detail)
			}
		})
	}
}

// To fill in a form again is no other act where the session that saw the answer has ended and the next one
// shows the form.
func TestNothingIsSentTwiceAfterAResume(t *testing.T) {
	send := button()
	with := func(o cua.Observation) cua.Observation { o.Forms = []cua.Form{{ID: "f"}}; return o }
	full, thanks := with(form("filled")), page("thanks")
	full.Fields[0].ValueDigest = cua.Digest("milk")
	empty, other := with(form("empty")), with(form("other"))
	other.Fields[0].ValueDigest = cua.Digest("bread")
	fill := func(o cua.Observation) cua.Step {
		return cua.Step{Action: &cua.Action{Kind: cua.Type, Into: "textbox/name", Text: "x"}, After: o}
	}
	sent := func(resumed ...cua.Resumption) *story {
		s := submitted(full, click(send), send, 200)
		s.h.Steps[0].After.Fields, s.h.Steps[0].After.Forms = nil, nil
		s.h.Resumed = resumed
		return s
	}
	again := func(o cua.Observation, fresh bool) cua.Resumption {
		return cua.Resumption{At: 1, Page: o, Fresh: fresh}
	}
	inside := cua.Proposal{Action: press("Return", "textbox/name")}
	for _, c := range []struct {
		name string
		s    *story
		p    cua.Proposal
		done bool
	}{
		{"filled in again in the next session", sent(again(empty, false)).add(fill(full)), proposal(send), true},
		{"and sent by Return", sent(again(empty, false)).add(fill(full)), inside, true},
		{"other values", sent(again(empty, false)).add(fill(other)), proposal(send), false},
		{"filled in again in the same session", sent().add(fill(full)), proposal(send), false},
		{"the next session shows the answer", sent(again(thanks, false)).add(fill(full)), proposal(send), false},
		{"somebody chose to go on", sent(again(empty, true)).add(fill(full)), proposal(send), false},
		{"somebody chose to go on after that", sent(again(empty, false), again(empty, true)).add(fill(full)), proposal(send), false},
	} {
		r := review(t, Policy{}, c.s.turn(), c.p)
		if (r.Verdict == cua.Refuse) != c.done || c.done && (r.Reason != ReasonDone ||
			!slices.Equal(r.Evidence, []int{1})) {
			t.Errorf("%s: ruled %+v", c.name, r)
		}
	}
}

func TestTheFence(t *testing.T) {
	send := button()
	s := submitted(form("filled"), click(send), send, 200)
	s.h.Steps = nil
	s.do(click(plainTarget()), plainTarget(), true)
	s.add(cua.Step{Proposed: click(send), Action: &cua.Action{Kind: cua.Click}, Target: send,
		After: func() cua.Observation { o := page("sent"); o.Writes = wrote(201); return o }()})
	s.do(click(plainTarget()), plainTarget(), true)
	s.h.Steps[2].After.Writes = nil
	back := func(n int) cua.Action { return cua.Action{Kind: cua.Rewind, Step: n} }
	agreed := back(1)
	agreed.Accept = true
	for _, c := range []struct {
		name string
		cfg  PolicyConfig
		p    cua.Proposal
		held bool
	}{
		{"past the step that sent", PolicyConfig{}, cua.Proposal{Action: back(1), By: "brain"}, true},
		{"to before the step that sent", PolicyConfig{}, cua.Proposal{Action: back(2), By: "brain"}, true},
		{"to after it", PolicyConfig{}, cua.Proposal{Action: back(3), By: "brain"}, false},
		{"with the config's consent", PolicyConfig{AllowCrossing: true}, cua.Proposal{Action: back(1), By: "brain"}, false},
		{"a person without consent", PolicyConfig{}, cua.Proposal{Action: back(1), By: cua.Person}, true},
		{"a person with consent", PolicyConfig{}, cua.Proposal{Action: agreed, By: cua.Person}, false},
		{"a brain cannot consent", PolicyConfig{}, cua.Proposal{Action: agreed, By: "brain"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, Policy{Config: c.cfg}, s.turn(), c.p)
			if (r.Verdict == cua.Refuse) != c.held {
				t.Fatalf("ruled %+v", r)
			}
			if c.held && (r.Reason != ReasonFence || !slices.Equal(r.Evidence, []int{2}) ||
				!strings.Contains(r.Detail, "step 2")) {
				t.Errorf("ruled %+v", r)
			}
		})
	}
}

// Whatever was sent: a form whose state never was one from which something was sent is never refused.
func TestANewStateIsNeverRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := begin(form("0"))
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			o := form(rapid.StringMatching(`[0-3]`).Draw(t, "state"))
			o.Writes = wrote(rapid.SampledFrom([]int{0, 200, 302, 404, 503}).Draw(t, "status"))
			a := click(button())
			s.add(cua.Step{Proposed: a, Action: &a, Target: button(), After: o})
		}
		now := form("new")
		turn := s.turn()
		turn.History.Steps[len(turn.History.Steps)-1].After = now
		turn.Now = now
		if r := review(t, Policy{}, turn, proposal(button())); r.Verdict != cua.Pass {
			t.Fatalf("ruled %+v", r)
		}
	})
}
