package formctl

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceFill replaces a click on a field whose planned value is pending with typing that value,
// replacing what is there. A select gets its option; checkboxes and radio buttons are
// clicked as proposed.
type ForceFill struct{ Config Config }

// ReasonFill is the gate's reason.
const ReasonFill = "fill_pending_value"

// Name is "force_fill".
func (ForceFill) Name() string { return "force_fill" }

// Review replaces or passes. It passes once the same typing did not land (Config.Attempts).
func (g ForceFill) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || !p.Action.Kind.Pressing() || t.Now.Dialog != nil {
		return pass
	}
	f := fieldOf(t.Now, p.Target)
	if f == nil {
		return pass
	}
	for _, v := range t.Form.Pending() {
		if v.Field != f.ID || holds(*f, v.Value) {
			continue
		}
		a, ok := fill(*f, v.Value)
		evidence, again := g.mayTry(t, a, v.Value)
		if !ok || !again {
			return pass
		}
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonFill, Action: &a, Evidence: evidence,
			Detail: fmt.Sprintf("filled in the planned value %q instead of only clicking its field", clean(v.Label))}
	}
	return pass
}

// fieldOf is the visible field that a target is or belongs to; nil when it is none.
func fieldOf(o cua.Observation, target cua.Target) *cua.Field {
	for i := range o.Fields {
		if id := o.Fields[i].ID; id != "" && (id == target.Field || target.Field == "" && id == target.ID) {
			return &o.Fields[i]
		}
	}
	return nil
}

// fill is the action that puts value into f; false for fields that are clicked.
func fill(f cua.Field, value string) (cua.Action, bool) {
	switch {
	case !accepts(f, value):
		return cua.Action{}, false
	case f.Type == "select":
		for _, o := range f.Options {
			if sameText(o, value) {
				value = o
			}
		}
		return cua.Action{Kind: cua.Select, Into: f.ID, Text: value}, true
	case f.Type == "checkbox" || f.Type == "radio" || !f.Editable:
		return cua.Action{}, false
	}
	return cua.Action{Kind: cua.Type, Into: f.ID, Text: wire(f, value), Clear: true}, true
}

// mayTry says whether a may be substituted once more in this document, and which steps tried it.
func (g ForceFill) mayTry(t *cua.Turn, a cua.Action, value string) (evidence []int, ok bool) {
	missed := 0
	for _, s := range t.History.Steps[t.History.Fresh():] {
		r, ruled := s.Ruled()
		if !ruled || r.Gate != g.Name() || s.Action == nil || s.After.Document != t.Now.Document ||
			s.Action.Kind != a.Kind || s.Action.Into != a.Into || s.Action.Text != a.Text {
			continue
		}
		evidence = append(evidence, s.N)
		if f := fieldOf(s.After, cua.Target{ID: a.Into}); f == nil || !holds(*f, value) {
			missed++
		}
	}
	return evidence, missed < g.Config.Attempts && len(evidence) < g.Config.Fills
}

// clean is a label fit for one line.
func clean(label string) string { return strings.Join(strings.Fields(label), " ") }
