package brain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The values of words.
const (
	wordsKept    = "kept"
	wordsNone    = "none"
	wordsWrong   = "wrong"
	wordsNegated = "negated"
)

func wordsValues() []string { return []string{wordsKept, wordsNone, wordsWrong, wordsNegated} }

// speak sets the thought of d, which the faults derived from said. Decisions with and without a fault get
// the same words, so the words do not reveal whether a fault occurred.
//
// The true target is the control that said is aimed at. Without one, or if the reply could not be parsed,
// a decision says nothing if the words are wrong or negated, and keeps its words if they are kept.
func (f Faults) speak(t *cua.Turn, said, d cua.Decision) cua.Decision {
	if f.Words == "" || f.Words == wordsKept && d.Failure != nil {
		return d
	}
	d.Thought, d.Action.Why = "", ""
	if d.Failure != nil {
		return d
	}
	target, ok := trueTarget(t.Now, said.Action)
	switch {
	case f.Words == wordsKept:
		d.Thought, d.Action.Why = said.Thought, said.Action.Why
		if target.name != "" && !holdsFolded(said.Thought+" "+said.Action.Why, target.name) {
			d.Thought = strings.TrimSpace(said.Thought + "\nMy target is " + target.name + ".")
		}
	case f.Words == wordsWrong && ok:
		if name := f.another(t, target); name != "" {
			d.Thought = "My target is " + name + "."
		}
	case f.Words == wordsNegated && target.name != "":
		d.Thought = "I must not press " + target.name + "."
	}
	return d
}

// holdsFolded reports whether text contains name, ignoring case.
func holdsFolded(text, name string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

// trueTarget is the control that an action is aimed at: the one that it names, the one at its point, or
// the focused field for a type or a key; false if there is none.
func trueTarget(o cua.Observation, a cua.Action) (element, bool) {
	keyboard := a.Kind == cua.Type || a.Kind == cua.Key
	switch {
	case !keyboard && !a.Kind.Pointer() && a.Kind != cua.Select:
		return element{}, false
	case a.Point != nil || a.Mark > 0 || a.Into != "":
		return aimed(o, a)
	case keyboard && o.Focus != nil:
		return fieldElement(*o.Focus), true
	}
	return element{}, false
}

func fieldElement(f cua.Field) element {
	return element{id: f.ID, name: cmp.Or(f.Name, f.Label, f.Placeholder), box: f.Box, field: true}
}

// another is the name of another control of the page, drawn by seed and step; "" if there is none.
func (f Faults) another(t *cua.Turn, target element) string {
	others := slices.DeleteFunc(elements(t.Now), func(e element) bool {
		return e.name == "" || e.id == target.id || strings.EqualFold(e.name, target.name)
	})
	if len(others) == 0 {
		return ""
	}
	return others[f.chance(t.Number, wordsName).IntN(len(others))].name
}
