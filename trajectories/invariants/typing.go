package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// typedTwice looks at what gates typed, chose and ticked. What the brain itself types is its own business, but
// counts as what a field holds.
func typedTwice(j *Journal) []found {
	var out []found
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ok := substitution(s)
		if !ok {
			continue
		}
		now := h.Before(i)
		f := receiver(&now, s)
		if f == nil {
			continue
		}
		switch a := s.Action; {
		case r.Reason == string(cua.RetargetClick) && a.Text == s.Proposed.Text: // what is typed is the brain's, the gate says where
		case a.Kind == cua.Click && a.Into != "" && f.Type == "checkbox":
			if ticked(j.Header.Task, f) {
				out = append(out, found{s.N, fmt.Sprintf("pressed the box %q, which was as it should be", calls(f))})
			}
		case (a.Kind == cua.Type || a.Kind == cua.Select) && a.Text != "":
			if why := j.again(h, i, f); why != "" {
				out = append(out, found{s.N, fmt.Sprintf("%s %q: %s", map[cua.Kind]string{cua.Type: "typed again into", cua.Select: "chose again in"}[a.Kind], calls(f), why)})
			}
		}
	}
	return out
}

// ticked says whether the box f shows what the plan value of its very label wants.
func ticked(t cua.Task, f *cua.Field) bool {
	return slices.ContainsFunc(t.Fields, func(v cua.PlanValue) bool {
		if !labelled(f, v.Label) {
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

// again says why the text that step i puts into f should not have been put there; "" when nothing speaks against it.
func (j *Journal) again(h cua.History, i int, f *cua.Field) string {
	a := j.Steps[i].Action
	p := passage{id: f.ID, text: a.Text, page: sheetOf(h.Before(i).URL)}
	p.read(h, i)
	switch {
	case shows(f, a.Text) || !p.spelled.blank() && contentsOf(f) == p.spelled:
		return "it holds the value already" + p.since()
	case p.landed:
		return "the value had landed" + p.since() + ", and since then the field showed no other one"
	}
	if n := j.vain(h, i, f); n >= j.bounds().FormCtl.Attempts {
		return fmt.Sprintf("that was tried in this document (%d times) and the field has stayed as it is", n)
	}
	return ""
}

// passage follows one text in one field of one page over the live steps.
type passage struct {
	id, text, page string
	// landed says that the field has shown the text, and nothing else since but emptiness after it was sent.
	landed bool
	// at is the number of the step after which it first did, 0 from the start.
	at int
	// spelled is what the page made of the text when it was typed into the field; blank is unknown.
	spelled contents
	sent    bool
}

func (p *passage) since() string {
	if p.at == 0 {
		return " from the start"
	}
	return fmt.Sprintf(" since step %d", p.at)
}

// read goes through what was seen before step i.
func (p *passage) read(h cua.History, i int) {
	before := &h.Start
	p.see(before, before, 0)
	live := cua.Live(h.Steps[:i])
	for k := range live {
		s := &live[k]
		p.spelling(before, s)
		p.see(before, &s.After, s.N)
		before = &s.After
	}
	now := h.Before(i)
	p.see(before, &now, p.at)
}

// spelling notes what the page made of the text, where s typed it into the field and the field changed.
func (p *passage) spelling(before *cua.Observation, s *cua.Step) {
	if s.Action == nil || s.Action.Text != p.text || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select || sheetOf(s.After.URL) != p.page {
		return
	}
	was, is := receiver(before, s), visible(&s.After, p.id)
	if was == nil || was.ID != p.id || is == nil || contentsOf(is) == contentsOf(was) || contentsOf(is).blank() {
		return
	}
	p.spelled = contentsOf(is)
}

// see takes in o, which followed before by step n.
func (p *passage) see(before, o *cua.Observation, n int) {
	f := visible(o, p.id)
	if f == nil || sheetOf(o.URL) != p.page {
		return
	}
	c := contentsOf(f)
	switch {
	case shows(f, p.text) || !p.spelled.blank() && c == p.spelled:
		if !p.landed {
			p.at = n
		}
		p.landed, p.sent = true, false
	case c.blank() && p.landed && (p.sent || before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)):
		p.sent = true
	default:
		p.landed, p.sent = false, false
	}
}

// vain counts the gate's earlier attempts to put the text of step i into f, in this document, that changed
// nothing in the field, if it still shows what it showed then. Each gate bounds its own: loop recovery comes when the page has
// gone another way since.
func (j *Journal) vain(h cua.History, i int, f *cua.Field) int {
	a, now, n := j.Steps[i].Action, h.Before(i), 0
	by, _ := substitution(&j.Steps[i])
	for k := h.Fresh(); k < i; k++ {
		s := &j.Steps[k]
		if r, ok := substitution(s); !ok || r.Gate != by.Gate || s.Action.Kind != a.Kind || s.Action.Text != a.Text || s.After.Document != now.Document {
			continue
		}
		before := h.Before(k)
		was, is := receiver(&before, s), visible(&s.After, f.ID)
		if was != nil && was.ID == f.ID && is != nil && contentsOf(was) == contentsOf(is) && contentsOf(is) == contentsOf(f) {
			n++
		}
	}
	return n
}

// wrongField looks at what gates typed and chose.
func wrongField(j *Journal) []found {
	var out []found
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		if _, ok := substitution(s); !ok || s.Action.Kind != cua.Type && s.Action.Kind != cua.Select || s.Action.Text == "" {
			continue
		}
		now := h.Before(i)
		if f := receiver(&now, s); f != nil {
			if why := misplaced(j.Header.Task, &now, f, s.Action.Text); why != "" {
				out = append(out, found{s.N, why})
			}
		}
	}
	return out
}

// misplaced says why text does not belong in f; "" when nothing says so.
func misplaced(t cua.Task, now *cua.Observation, f *cua.Field, text string) string {
	own := planned(t, text)
	var labels []string
	for _, v := range own {
		labels = append(labels, fmt.Sprintf("%q", v.Label))
	}
	what := "the planned value " + strings.Join(labels, ", ")
	if v, ok := claimed(t, f, text); ok {
		return fmt.Sprintf("typed %s into %q, which is the field of %q", what, calls(f), v.Label)
	}
	secret := cua.SecretName(text) != "" || slices.ContainsFunc(own, func(v cua.PlanValue) bool { return cua.SaysSecret(v.Label) })
	if secret && !asksFor(f, own) {
		return fmt.Sprintf("typed %s, which is a secret, into %q, which asks for none", what, calls(f))
	}
	for _, v := range own {
		if owned(f, own) || mentions(f, v.Label) {
			break
		}
		for k := range now.Fields {
			g := &now.Fields[k]
			if g.ID != f.ID && labelled(g, v.Label) && !g.Disabled && !g.ReadOnly {
				return fmt.Sprintf("typed %s into %q, although its own field is on the page", what, calls(f))
			}
		}
	}
	return ""
}

// asksFor says whether f is one for secrets, or speaks of one of values.
func asksFor(f *cua.Field, values []cua.PlanValue) bool {
	return takesSecrets(f) || slices.ContainsFunc(values, func(v cua.PlanValue) bool { return mentions(f, v.Label) })
}
