package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// typedTwice looks at what gates typed, chose and ticked. Text that the brain itself types is not judged, but
// counts as what a field holds.
func typedTwice(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
	f := receiver(j.before(i), s)
	if f == nil {
		return
	}
	a := s.Action
	puts := (a.Kind == cua.Type || a.Kind == cua.Select) && a.Text != ""
	switch {
	case coded(r, cua.RetargetClick) && a.Text == s.Proposed.Text: // the brain says what, the gate only where
	case a.Kind == cua.Click && a.Into != "" && f.Type == "checkbox" && ticked(j.Header.Task, f):
		say("pressed the box %q, which was as it should be", calls(f))
	case puts:
		if why := j.again(i, f); why != "" {
			say("put a value into %q again (%s): %s", calls(f), a.Kind, why)
		}
	}
}

// ticked reports whether the box f shows what the plan value of its very label wants.
func ticked(t cua.Task, f *cua.Field) bool {
	return slices.ContainsFunc(t.Fields, func(v cua.PlanValue) bool {
		if !Labelled(f, v.Label) {
			return false
		}
		switch folded(v.Value) {
		case "true", "yes", "on", "checked", "ticked", "1":
			return f.Checked
		case "false", "no", "off", "unchecked", "unticked", "0":
			return !f.Checked
		}
		return false
	})
}

// again says why the text that step i puts into f should not have been put there; "" when nothing speaks
// against it.
func (j *Journal) again(i int, f *cua.Field) string {
	a := j.Steps[i].Action
	p := passage{id: f.ID, text: a.Text, page: sheetOf(j.before(i).URL)}
	p.read(j, i)
	switch {
	case shows(f, a.Text) || !p.spelled.blank() && contentsOf(f) == p.spelled:
		return "it holds the value already"
	case p.landed:
		return "the value had landed, and since then the field showed no other one"
	}
	if n := j.vain(i, f); n >= j.bounds().FormCtl.Attempts {
		return fmt.Sprintf("that was tried in this document (%d times) and the field has stayed as it is", n)
	}
	return ""
}

// passage follows one text in one field of one page over the live steps.
type passage struct {
	id, text, page string
	// landed says that the field has shown the text, and nothing else since but emptiness after it was sent.
	landed bool
	// spelled is what the page made of the text when it was typed into the field; blank is unknown.
	spelled contents
	sent    bool
}

// read goes through what was seen before step i.
func (p *passage) read(j *Journal, i int) {
	before := &j.Start
	p.see(before, before)
	live := cua.Live(j.Steps[:i])
	for k := range live {
		s := &live[k]
		p.spelling(before, s)
		p.see(before, &s.After)
		before = &s.After
	}
	p.see(before, j.before(i))
}

// spelling notes what the page made of the text, where s typed it into the field and the field changed.
func (p *passage) spelling(before *cua.Observation, s *cua.Step) {
	a := s.Action
	puts := a != nil && a.Text == p.text && (a.Kind == cua.Type || a.Kind == cua.Select)
	if !puts || sheetOf(s.After.URL) != p.page {
		return
	}
	was, is := receiver(before, s), s.After.FieldByID(p.id)
	if was == nil || was.ID != p.id || is == nil {
		return
	}
	if c := contentsOf(is); c != contentsOf(was) && !c.blank() {
		p.spelled = c
	}
}

// see takes in o, which followed before.
func (p *passage) see(before, o *cua.Observation) {
	f := o.FieldByID(p.id)
	if f == nil || sheetOf(o.URL) != p.page {
		return
	}
	c, sent := contentsOf(f), before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)
	switch {
	case shows(f, p.text) || !p.spelled.blank() && c == p.spelled:
		p.landed, p.sent = true, false
	case c.blank() && p.landed && (p.sent || sent):
		p.sent = true
	default:
		p.landed, p.sent = false, false
	}
}

// vain counts the gate's earlier attempts to put the text of step i into f, in this document, that changed
// nothing in the field, if it still shows what it showed then. Each gate bounds its own: loop recovery comes
// when the page has gone another way since.
func (j *Journal) vain(i int, f *cua.Field) int {
	by, _ := j.Steps[i].Ruled()
	c, document, n := contentsOf(f), j.before(i).Document, 0
	for k := j.HistoryAt(i).Fresh(); k < i; k++ {
		s := &j.Steps[k]
		r, _ := s.Ruled()
		same := s.Substituted() && r.Gate == by.Gate && s.After.Document == document && j.did(k) == j.did(i)
		was, is := j.before(k).FieldByID(f.ID), s.After.FieldByID(f.ID)
		if same && was != nil && is != nil && contentsOf(was) == c && contentsOf(is) == c {
			n++
		}
	}
	return n
}

// wrongField looks at what gates typed and chose, and at where it came to be.
func wrongField(j *Journal, i int, s *cua.Step, r cua.Ruling, say sayer) {
	if s.Action.Kind != cua.Type && s.Action.Kind != cua.Select || s.Action.Text == "" {
		return
	}
	now := j.before(i)
	f := receiver(now, s)
	if f == nil {
		if s.Action.Into != "" {
			say("%s typed into a field that the page does not show", r.Gate)
		}
		return
	}
	if why := misplaced(j.Header.Task, now, f, s.Action.Text); why != "" {
		say("%s", why)
	} else if g := strayed(now, &s.After, f); g != nil {
		say("typed a planned value into %q, which stayed as it was, and %q took it", calls(f), calls(g))
	}
}

// strayed is the field that changed its contents in place of f; nil when f changed or nothing did. Another
// document has other fields.
func strayed(before, after *cua.Observation, f *cua.Field) *cua.Field {
	is := after.FieldByID(f.ID)
	if before.Document != after.Document || is == nil || contentsOf(is) != contentsOf(f) {
		return nil
	}
	for k := range after.Fields {
		g := &after.Fields[k]
		if was := before.FieldByID(g.ID); was != nil && contentsOf(was) != contentsOf(g) {
			return g
		}
	}
	return nil
}

// misplaced says why text does not belong in f; "" when nothing says so.
func misplaced(t cua.Task, now *cua.Observation, f *cua.Field, text string) string {
	if why := unfit(t, f, text); why != "" {
		return fmt.Sprintf("typed a planned value into %q, which %s", calls(f), why)
	}
	own := planned(t, text)
	for _, v := range own {
		if owned(f, own) || mentions(f, v.Label) {
			break
		}
		for k := range now.Fields {
			g := &now.Fields[k]
			if g.ID != f.ID && Labelled(g, v.Label) && !g.Disabled && !g.ReadOnly {
				return fmt.Sprintf("typed the value of %q into %q past its own field", v.Label, calls(f))
			}
		}
	}
	return ""
}

// unfit says why f is no field for text, whatever else is on the page; "" when nothing says so.
func unfit(t cua.Task, f *cua.Field, text string) string {
	own := planned(t, text)
	if v, ok := claimed(t, f, text); ok {
		return fmt.Sprintf("is the field of %q", v.Label)
	}
	says := func(v cua.PlanValue) bool { return cua.SaysSecret(v.Label) }
	asks := func(v cua.PlanValue) bool { return mentions(f, v.Label) }
	secret := cua.SecretName(text) != "" || slices.ContainsFunc(own, says)
	if secret && !takesSecrets(f) && !slices.ContainsFunc(own, asks) {
		return "asks for no secret"
	}
	return ""
}
