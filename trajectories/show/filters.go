package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// filterGroup are the things of one kind that a page can be filtered by.
type filterGroup struct {
	Name    string
	Options []filterOption
}

// filterOption is one of them. Its number, from 1, stands on each item that has it: what a journal wrote is
// never part of what the script compares.
type filterOption struct {
	Number, Count int
	Text          string
}

// filters gathers what items can be filtered by, group by group.
type filters struct {
	groups []filterGroup
	n      int
}

// has counts one more item with that text in the group and returns the number.
func (f *filters) has(group, text string) int {
	at := slices.IndexFunc(f.groups, func(g filterGroup) bool { return g.Name == group })
	if at < 0 {
		at = len(f.groups)
		f.groups = append(f.groups, filterGroup{Name: group})
	}
	g := &f.groups[at]
	i := slices.IndexFunc(g.Options, func(o filterOption) bool { return o.Text == text })
	if i < 0 {
		i = len(g.Options)
		f.n++
		g.Options = append(g.Options, filterOption{Number: f.n, Text: text})
	}
	g.Options[i].Count++
	return g.Options[i].Number
}

// tag is one thing that an item has.
type tag struct{ group, text string }

// numbers counts an item with these tags, each once, and returns their numbers as an attribute holds them.
func (f *filters) numbers(tags []tag) string {
	var out []string
	for i, t := range tags {
		if t.text != "" && !slices.Contains(tags[:i], t) {
			out = append(out, fmt.Sprint(f.has(t.group, t.text)))
		}
	}
	return strings.Join(out, " ")
}

// filtered gives each card the numbers of what it can be filtered by, and returns the choices.
func (d *deck) filtered() []filterGroup {
	f := &filters{groups: []filterGroup{{Name: "step"}, {Name: "signal"}, {Name: "reason"},
		{Name: "failure"}}}
	steps := map[int]*cua.Step{}
	for i := range d.t.Steps {
		steps[d.t.Steps[i].N] = &d.t.Steps[i]
	}
	for i := range d.Cards {
		c := &d.Cards[i]
		c.Tags = f.numbers(stepTags(steps[c.N], c))
	}
	return slices.DeleteFunc(f.groups, func(g filterGroup) bool { return len(g.Options) == 0 })
}

func stepTags(s *cua.Step, c *card) []tag {
	out := []tag{{"step", c.Label}}
	if s.Action != nil && !s.Action.Kind.Ends() && s.Effect != nil && !s.Effect.Any() {
		out = append(out, tag{"step", "no effect"})
	}
	if c.Incident.Text != "" {
		out = append(out, tag{"step", "in an incident"})
	}
	for _, g := range s.Signals {
		out = append(out, tag{"signal", string(g.Shape)})
	}
	out = append(out, tag{"reason", string(s.RecoveryReason)}, tag{"reason", string(s.DoneRejected)})
	if s.Failure != nil {
		out = append(out, tag{"failure", string(s.Failure.Kind)})
	}
	return out
}
