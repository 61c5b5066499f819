package cua

import (
	"fmt"
	"slices"
	"strings"
)

// Scripted is one line of a script: an action and its target, named as a person would. Oracles and the
// scripted brain use lists of these.
type Scripted struct {
	Action
	// On names the element: a name ("Sign in"), or role=ROLE name=NAME. It is looked up among the marks and
	// fields of the turn's observation, ignoring case: first exact names, then names that contain it. ""
	// leaves the action as it is.
	On string `json:"on,omitzero"`
	// Nth chooses among equal matches, from 1; 0 is the first.
	Nth int `json:"nth,omitzero"`
	// Thought is the scripted brain's thought.
	Thought string `json:"thought,omitzero"`
}

// Resolve is the action with its place in o. The error names the element that is not inside the viewport.
func (s Scripted) Resolve(o Observation) (Action, error) {
	a := s.Action
	if s.On == "" {
		return a, nil
	}
	l := lookup{}
	l.role, l.name = splitOn(s.On)
	fields := map[string]bool{}
	for _, f := range o.Fields {
		l.consider(f.Role, f.Box, f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr)
		fields[f.ID] = true
	}
	for _, m := range o.Marks {
		if !fields[m.ID] {
			l.consider(m.Role, m.Box, m.Name)
		}
	}
	found := l.exact
	if len(found) == 0 {
		found = l.loose
	}
	nth := max(s.Nth, 1)
	if len(found) < nth {
		return Action{}, fmt.Errorf("no element %q (number %d) on the page", s.On, nth)
	}
	p := found[nth-1].Center()
	a.Point = &p
	return a, nil
}

// lookup collects the boxes of the elements with a name, and of those whose name contains it.
type lookup struct {
	role, name   string // "" is any role
	exact, loose []Box
}

func (l *lookup) consider(role string, box Box, names ...string) {
	if l.role != "" && !strings.EqualFold(l.role, role) || box.Empty() {
		return
	}
	is := func(n string) bool { return n != "" && strings.EqualFold(strings.TrimSpace(n), l.name) }
	has := func(n string) bool {
		return n != "" && strings.Contains(strings.ToLower(n),
			strings.ToLower(l.name))
	}
	switch {
	case slices.ContainsFunc(names, is):
		l.exact = append(l.exact, box)
	case slices.ContainsFunc(names, has):
		l.loose = append(l.loose, box)
	}
}

// splitOn parses "role=ROLE name=NAME"; anything else is a name.
func splitOn(on string) (role, name string) {
	rest, ok := strings.CutPrefix(on, "role=")
	if !ok {
		return "", strings.TrimPrefix(on, "name=")
	}
	role, name, _ = strings.Cut(rest, " name=")
	return role, name
}
