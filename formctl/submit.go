package formctl

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceSubmit sends a form whose values are all in when the brain clicks something
// submit-shaped a second time without effect: by the form's own submit control that means the same, or by
// Return where the form has no control of its own. At most once for each state of the form.
type ForceSubmit struct{ Config Config }

// ReasonSubmit is the gate's reason.
const ReasonSubmit = "submit_filled_form"

// Name is "force_submit".
func (ForceSubmit) Name() string { return "force_submit" }

// ReasonBox is the reason of a refusal: the form's submit control is disabled, and a box that must
// be ticked is not. Nobody ticks it unasked.
const ReasonBox = "required_box_unticked"

// Review replaces or passes. Where the form's submit control is disabled it presses nothing, and
// says once for each state of the form which required box is not ticked.
func (g ForceSubmit) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || !p.Action.Kind.Pressing() || t.Now.Dialog != nil || !t.Form.AllLanded() || !submitShaped(p.Target) {
		return pass
	}
	form, ok := formOf(t, p.Target)
	if !ok {
		return pass
	}
	earlier, tried := g.clicks(t.History, p.Target, form)
	if earlier == 0 || tried {
		return pass
	}
	if box := unticked(t.Now, p.Target, form); box != "" {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: ReasonBox, Evidence: []int{earlier},
			Detail: fmt.Sprintf("the form cannot be sent: its submit control is disabled, and %q must be ticked and is not", box)}
	}
	a, how := submission(t, p.Target, form)
	if how == "" {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonSubmit, Action: &a, Evidence: []int{earlier},
		Detail: fmt.Sprintf("%s: all planned values are in, and clicking %q had no effect before", how, clean(p.Target.Name))}
}

// place is a form where it is: identities of forms are told apart only within one frame.
type place struct{ form, frame string }

// unticked names the required box of the form that is not ticked while its submit control is disabled;
// "" where there is none.
func unticked(o cua.Observation, target cua.Target, form place) string {
	disabled := target.Submit && target.Disabled
	for _, m := range o.Marks {
		if m.Submit && form == (place{m.Form, m.Frame}) {
			if !m.Disabled {
				return ""
			}
			disabled = true
		}
	}
	if !disabled {
		return ""
	}
	for _, f := range o.Fields {
		if form == (place{f.Form, f.Frame}) && f.Required && !f.Checked && f.Type == "checkbox" && !f.Disabled {
			return clean(cmp.Or(f.Label, f.Name, f.NameAttr, f.IDAttr, "a box"))
		}
	}
	return ""
}

// submitShaped reads the target's own markup and name, never the brain's words. A thing named
// like a submit button counts although it is none by its role, unless it takes text.
func submitShaped(t cua.Target) bool {
	return t.SubmitShaped() || t.Identified() && !t.Editable && t.Field == "" && cua.SaysSubmit(t.Name)
}

// clicks looks at the steps since the form is in its state: the newest submit-shaped click
// without effect (0 is none) on the target or in its form, and whether the gate has acted there.
func (g ForceSubmit) clicks(h cua.History, target cua.Target, form place) (earlier int, tried bool) {
	now := h.Now()
	var candidates []int
	for i := len(h.Steps) - 1; i >= 0; i-- {
		s := &h.Steps[i]
		before := &h.Start
		if i > 0 {
			before = &h.Steps[i-1].After
		}
		if len(h.Resumed) > 0 {
			page := h.Before(i)
			before = &page
		}
		if before.FormDigest != now.FormDigest || before.URL != now.URL && before.FormKey() != now.FormKey() {
			continue
		}
		if r, ok := s.Ruled(); ok && r.Gate == g.Name() {
			tried = true
		}
		if s.Dispatched() && s.Proposed.Kind.Pressing() && submitShaped(s.Target) && alikeAimed(s.Target, target, form) {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return 0, tried
	}
	samples := h.Samples()
	for _, i := range candidates {
		if samples[i].Acting && samples[i].Idle() {
			return samples[i].Step.N, tried
		}
	}
	return 0, tried
}

// alikeAimed says whether an earlier click was on the target itself, or on something of its form.
func alikeAimed(earlier, target cua.Target, form place) bool {
	return earlier.ID == target.ID || earlier.Form != "" && form == (place{earlier.Form, earlier.Frame})
}

// formOf is the form that the target submits: its own, else the one that the landed values are
// in, if all visible ones are in one.
func formOf(t *cua.Turn, target cua.Target) (form place, found bool) {
	if target.Form != "" {
		return place{target.Form, target.Frame}, true
	}
	for _, v := range t.Form.Values {
		f := fieldOf(t.Now, cua.Target{ID: v.Field})
		if v.Field == "" || f == nil {
			continue
		}
		is := place{f.Form, f.Frame}
		if found && is != form {
			return place{}, false
		}
		form, found = is, true
	}
	return form, found
}

// submission is how the form is sent: how is "" when there is no other way than the click. Return is none
// where the form has any submit control, for it would press the first of them, whatever that is.
func submission(t *cua.Turn, target cua.Target, form place) (a cua.Action, how string) {
	var own []cua.Mark
	has := target.Submit
	for _, m := range t.Now.Marks {
		if !m.Submit || form != (place{m.Form, m.Frame}) {
			continue
		}
		has = true
		if m.ID != target.ID && !m.Disabled && !m.Covered && !m.Box.Empty() {
			own = append(own, m)
		}
	}
	if m, ok := meant(own, target.Name); ok {
		at := m.Box.Center()
		return cua.Action{Kind: cua.Click, Point: &at}, "pressed the form's own submit control"
	}
	into := lastLine(t.Now, form)
	if has || into == "" || t.History.ReturnTried() {
		return cua.Action{}, ""
	}
	return cua.Action{Kind: cua.Key, Keys: "Return", Into: into}, "pressed Return in the form"
}

// lastLine is the ID of the form's last field of one line, from which Return would send it; "" is none.
func lastLine(o cua.Observation, form place) string {
	id := ""
	for _, f := range o.Fields {
		if form == (place{f.Form, f.Frame}) && f.SingleLine() {
			id = f.ID
		}
	}
	return id
}

// meant is the one control among marks that says what name says: by the same words, else by words of
// sending. Nothing that removes, pays or goes back stands for anything else. There must be one alone: of
// two, who knows which one was meant.
func meant(marks []cua.Mark, name string) (cua.Mark, bool) {
	for _, same := range []func(m cua.Mark) bool{
		func(m cua.Mark) bool { return sameText(m.Name, name) },
		func(m cua.Mark) bool {
			return !cua.Unasked(m.Name) && !cua.SaysRetreat(m.Name) && sameSending(m.Name, name)
		},
	} {
		if i := slices.IndexFunc(marks, same); i >= 0 {
			return marks[i], !slices.ContainsFunc(marks[i+1:], same)
		}
	}
	return cua.Mark{}, false
}

// sending are words of sending a form. Those that name a purpose stand for one another only within a group;
// the others, the last group, stand for any. What
// leads to a purchase is in none.
var sending = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(log ?in|sign ?in)\b`),
	regexp.MustCompile(`(?i)\b(register|sign ?up|join|create (?:an |my )?account)\b`),
	regexp.MustCompile(`(?i)\b(search|find)\b`),
	regexp.MustCompile(`(?i)\b(submit|send|save|post|confirm|continue|next|apply|proceed|update|go|ok|done|finish)\b`),
}

// sameSending says whether two names say the same of what is done with the form.
func sameSending(a, b string) bool {
	of := func(name string) int {
		return slices.IndexFunc(sending, func(r *regexp.Regexp) bool { return r.MatchString(name) })
	}
	whatever, i, j := len(sending)-1, of(a), of(b)
	return i >= 0 && j >= 0 && (i == j || i == whatever || j == whatever)
}
