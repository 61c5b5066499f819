package anthropic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Limits of the reading members (the vendor's): characters of a page, and matches of a find.
const (
	maxPage  = 50_000
	maxFound = 20
)

// line is the description of one element for the model.
type line struct {
	text  string
	words string // text that a find searches, lower case
	box   cua.Box
	seen  bool // in view
}

// lines are the elements of the page in document order: those in view, then fields out of view. Names come
// from the page and are quoted.
func (s *scene) lines() []line {
	fields := map[string]*cua.Field{}
	for i := range s.now.Fields {
		fields[s.now.Fields[i].ID] = &s.now.Fields[i]
	}
	var out []line
	for i := range s.now.Marks {
		m := &s.now.Marks[i]
		f := fields[m.ID]
		delete(fields, m.ID)
		out = append(out, s.line(m.ID, m.Role, m.Name, m.Box, f, states(m.Disabled, "disabled", m.Covered,
			"covered by another element")))
	}
	for i := range s.now.Fields {
		f := &s.now.Fields[i]
		if fields[f.ID] == nil {
			continue
		}
		_, seen := f.Box.CenterIn(s.now.Viewport)
		l := s.line(f.ID, f.Role, f.Name, f.Box, f, states(f.Disabled, "disabled", !seen, "out of view"))
		l.seen = seen
		out = append(out, l)
	}
	return out
}

func (s *scene) line(id, role, name string, box cua.Box, f *cua.Field, state []string) line {
	names := []string{name}
	if f != nil {
		name = named(f)
		names = []string{f.Name, f.Label, f.Placeholder, f.Group, f.NameAttr}
		state = append(state, fieldState(f)...)
	}
	text := fmt.Sprintf("%s %s [%s]", role, brain.Quoted(brain.Line(name, 160), 200),
		s.refs.to(s.now, s.tabs.current(), id, role, name, box))
	if len(state) > 0 {
		text += " (" + strings.Join(state, ", ") + ")"
	}
	return line{text: text, words: strings.ToLower(role + " " + strings.Join(names, " ")), box: box,
		seen: true}
}

// named is the name of a field for people.
func named(f *cua.Field) string {
	for _, s := range []string{f.Label, f.Name, f.Placeholder} {
		if s != "" {
			return s
		}
	}
	return ""
}

// states are the texts whose condition is true. pairs is a list of condition, text, condition, text.
func states(pairs ...any) []string {
	var out []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i].(bool) {
			out = append(out, pairs[i+1].(string))
		}
	}
	return out
}

// maxOptions is the maximum number of options of a list in one line.
const maxOptions = 25

// fieldState is the state of a field. It never has the content, which is not in an observation.
func fieldState(f *cua.Field) []string {
	ticks := f.Type == "checkbox" || f.Type == "radio"
	out := states(ticks && f.Checked, "checked", ticks && !f.Checked, "not checked",
		!ticks && f.Editable && f.Empty, "empty", !ticks && f.Editable && !f.Empty && f.Selected == "",
		"filled", f.Required, "required", f.ReadOnly, "read only")
	if f.Group != "" {
		out = append(out, "of "+brain.Quoted(brain.Line(f.Group, 80), 100))
	}
	if f.Type == "select" {
		var options []string
		for _, o := range f.Options[:min(len(f.Options), maxOptions)] {
			options = append(options, brain.Quoted(brain.Line(o, 60), 80))
		}
		if n := len(f.Options) - len(options); n > 0 {
			options = append(options, fmt.Sprintf("%d more", n))
		}
		out = append(out, "selected "+brain.Quoted(brain.Line(f.Selected, 60), 80),
			"options "+strings.Join(options, " "))
	}
	if f.Invalid != "" {
		out = append(out, "invalid: "+brain.Quoted(brain.Line(f.Invalid, 120), 140))
	}
	return out
}

// tree is the result of a read_page: the elements, flat and in document order. An observation has no tree,
// so depth has no effect. With a reference it is that element and those inside its box.
func (s *scene) tree(filter, ref string) string {
	var b strings.Builder
	all := s.lines()
	var inside cua.Box
	if e, stale := s.refs.find(ref, s.tabs.current(), s.now); ref != "" {
		if stale != "" {
			return stale
		}
		inside = e.boxAt(s.now)
	}
	hidden := 0
	for _, l := range all {
		switch {
		case ref != "" && !inside.Contains(l.box.Center()):
		case !l.seen && filter != "all" && ref == "":
			hidden++
		default:
			b.WriteString(l.text + "\n")
		}
	}
	if b.Len() == 0 {
		b.WriteString("No interactive element is in view.\n")
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "Fields out of view: %d; filter all lists them.\n", hidden)
	}
	return b.String()
}

// found is the result of a find: the elements that share most words with the query, best first.
func (s *scene) found(query string) string {
	words := strings.Fields(cua.FoldName(query))
	type match struct {
		line
		score int
	}
	var out []match
	for _, l := range s.lines() {
		m := match{line: l}
		for _, w := range words {
			if slices.ContainsFunc(meant(w), func(w string) bool { return strings.Contains(l.words, w) }) {
				m.score++
			}
		}
		if m.score > 0 {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return b.score - a.score })
	var b strings.Builder
	for _, m := range out[:min(len(out), maxFound)] {
		b.WriteString(m.text + "\n")
	}
	if len(out) == 0 {
		b.WriteString("No element matches.\n")
	}
	return b.String()
}

// meant are the words of roles and names that a word of a query may mean; none for words without meaning.
func meant(word string) []string {
	switch word {
	case "the", "a", "an", "to", "of", "for", "in", "on", "with", "and", "or":
		return nil
	case "field", "input", "box", "textbox":
		return []string{word, "textbox", "searchbox", "spinbutton", "combobox"}
	case "dropdown", "select", "list", "menu":
		return []string{word, "combobox", "listbox"}
	case "tick", "check":
		return []string{word, "checkbox"}
	}
	return []string{word}
}
