package invariants

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

var (
	// retreat names controls that take a form back instead of sending it.
	retreat = regexp.MustCompile(`(?i)\b(back|previous|close|skip)\b`)
	// declines is what a layer offers to somebody who wants none of it.
	declines = regexp.MustCompile(`(?i)^\W*cancel\W*$|\b(not|don.t|no|never|without|only|necessary|essential|required|reject|decline|refuse|deny|disagree|close|dismiss|hide|keep)\b`)
	// consents is what may be pressed where a layer offers nothing else.
	consents = regexp.MustCompile(`(?i)^\W*(i )?(accept|agree)\b`)
)

// neverUnasked looks at what gates pressed: nothing that costs, removes, publishes, gives up or agrees, unless it is what the
// brain aimed at or spoke of, or the task plans it. Return presses the button that the form has first.
func neverUnasked(j *Journal) []found {
	var out []found
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ok := substitution(s)
		if !ok {
			continue
		}
		now := h.Before(i)
		m, how := hit(&now, s), "pressed"
		if s.Action.PressesReturn() {
			m, how = defaultButton(&now, s), "pressed Return, which presses"
		}
		if m == nil || asked(j.Header.Task, s, m) || !barred(&now, s, r, m) {
			continue
		}
		out = append(out, found{s.N, fmt.Sprintf("%s %s %q, of which the brain had said nothing", r.Gate, how, strings.Join(strings.Fields(m.Name), " "))})
	}
	return out
}

// hit is the interactive element that s pressed; nil when it pressed none.
func hit(o *cua.Observation, s *cua.Step) *cua.Mark {
	if !s.Action.Kind.Pressing() {
		return nil
	}
	return pressed(o, s)
}

// defaultButton is what Return in a field of one line presses: the first submit control of its form. Nil is none. Return
// on a control presses that.
func defaultButton(o *cua.Observation, s *cua.Step) *cua.Mark {
	f := receiver(o, s)
	if f == nil {
		return pressed(o, s)
	}
	if !f.SingleLine() || f.Form == "" {
		return nil
	}
	for i := range o.Marks {
		if m := &o.Marks[i]; m.Submit && m.Form == f.Form && m.Frame == f.Frame {
			return m
		}
	}
	return nil
}

// asked says whether the brain aimed at m or named it, or the task does: among its values, or in quotes in its text.
func asked(t cua.Task, s *cua.Step, m *cua.Mark) bool {
	if s.Target.ID != "" && s.Target.ID == m.ID || s.Target.Name != "" && folded(s.Target.Name) == folded(m.Name) {
		return true
	}
	name := strings.Join(labelWords(m.Name), " ")
	spoken := func(text string) bool {
		return name != "" && strings.Contains(" "+strings.Join(labelWords(text), " ")+" ", " "+name+" ")
	}
	quoted := name != "" && strings.Contains(folded(t.Goal), `"`+folded(m.Name)+`"`)
	return quoted || spoken(s.Thought) || spoken(s.Proposed.Why) || slices.ContainsFunc(t.Fields, func(v cua.PlanValue) bool {
		return slices.Equal(labelWords(v.Label), labelWords(m.Name)) || folded(v.Value) == folded(m.Name)
	})
}

// barred says whether m's name keeps a gate that ruled r from pressing it unasked.
func barred(now *cua.Observation, s *cua.Step, r cua.Ruling, m *cua.Mark) bool {
	c := s.Target.Covering
	switch {
	case r.Reason != string(cua.DismissOverlay):
		sends := r.Gate == "force_submit" || r.Reason == string(cua.PressReturnForSubmit)
		return cua.Unasked(m.Name) || sends && retreat.MatchString(m.Name) || r.Reason == string(cua.RetargetClick) && cua.SaysRisk(m.Name)
	case !cua.Unasked(m.Name) || declines.MatchString(m.Name):
		return false
	case c == nil || !consents.MatchString(m.Name) || cua.SaysRisk(c.Name) || cua.Unasked(c.Name):
		return true
	}
	return slices.ContainsFunc(now.Marks, func(o cua.Mark) bool { // it may say no where this one says yes
		return o.ID != m.ID && !o.Covered && !o.Disabled && (o.Role == "button" || o.Role == "link") && o.ID != s.Target.ID && c.Box.Contains(o.Box.Center())
	})
}
