package cua

import (
	"fmt"
	"strings"
)

// Scripted is one line of a script: an action, and where it goes by the words a
// person would use for it. Oracles and the scripted brain are lists of these.
type Scripted struct {
	Action
	// On names the element: a name ("Sign in"), or role=ROLE name=NAME. It is looked up
	// among the marks and fields of the turn's observation, exact names first, then names
	// that contain it, case ignored. "" leaves the action as it stands.
	On string `json:"on,omitzero"`
	// Nth chooses among several that match equally, from 1; 0 is the first.
	Nth int `json:"nth,omitzero"`
	// Thought is what the scripted brain says it thinks.
	Thought string `json:"thought,omitzero"`
}

// Resolve is the action with its place found in o. The error names what was
// looked for: the page has no such element inside the viewport.
func (s Scripted) Resolve(o Observation) (Action, error) {
	a := s.Action
	if s.On == "" {
		return a, nil
	}
	role, name := splitOn(s.On)
	var exact, loose []Box
	consider := func(r string, box Box, names ...string) {
		if role != "" && !strings.EqualFold(role, r) || box.Empty() {
			return
		}
		for _, n := range names {
			if n != "" && strings.EqualFold(strings.TrimSpace(n), name) {
				exact = append(exact, box)
				return
			}
		}
		for _, n := range names {
			if n != "" && strings.Contains(strings.ToLower(n), strings.ToLower(name)) {
				loose = append(loose, box)
				return
			}
		}
	}
	for _, f := range o.Fields {
		consider(f.Role, f.Box, f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr)
	}
	fields := map[string]bool{}
	for _, f := range o.Fields {
		fields[f.ID] = true
	}
	for _, m := range o.Marks {
		if !fields[m.ID] {
			consider(m.Role, m.Box, m.Name)
		}
	}
	found := exact
	if len(found) == 0 {
		found = loose
	}
	nth := max(s.Nth, 1)
	if len(found) < nth {
		return Action{}, fmt.Errorf("no element %q (number %d) on the page", s.On, nth)
	}
	p := found[nth-1].Center()
	a.Point = &p
	return a, nil
}

// splitOn reads "role=ROLE name=NAME"; anything else is a name.
func splitOn(on string) (role, name string) {
	rest, ok := strings.CutPrefix(on, "role=")
	if !ok {
		return "", strings.TrimPrefix(on, "name=")
	}
	role, name, _ = strings.Cut(rest, " name=")
	return role, name
}
