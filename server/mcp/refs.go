package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// refs numbers the elements that the client was told of. A ref belongs to one tab, one document and one
// identity, and is never reused: it never means another element.
type refs struct {
	byKey map[refKey]int
	all   []refKey // the n-th is e<n>
}

type refKey struct {
	tab          int
	document, id string
}

func keyOf(o *cua.Observation, id string) refKey {
	return refKey{o.Tab, cmp.Or(o.Document, cua.PageURL(o.URL)), id}
}

// of is the ref of the element of o with that identity.
func (r *refs) of(o *cua.Observation, id string) string {
	k := keyOf(o, id)
	n := r.byKey[k]
	if n == 0 {
		if r.byKey == nil {
			r.byKey = map[refKey]int{}
		}
		r.all = append(r.all, k)
		n = len(r.all)
		r.byKey[k] = n
	}
	return "e" + strconv.Itoa(n)
}

// find is the identity of the element that ref names on the page. The error tells the client what to do.
func (r *refs) find(ref string, now *cua.Observation) (string, error) {
	num, ok := strings.CutPrefix(ref, "e")
	n, err := strconv.Atoi(num)
	if !ok || err != nil || n < 1 || n > len(r.all) {
		return "", fmt.Errorf("target %q is no ref; want one of browser_snapshot, as e12%s", clip(ref, 40),
			r.near(ref, now))
	}
	k := r.all[n-1]
	if k != keyOf(now, k.id) {
		return "", fmt.Errorf("%s was on another page; call browser_snapshot for the refs of this one", ref)
	}
	return k.id, nil // the browser scrolls it into view, or says that it is gone
}

// near lists elements that share a word with a selector or text that is no ref; "" if there are none.
func (r *refs) near(text string, now *cua.Observation) string {
	words := cua.LabelWords(text)
	var out []string
	for _, e := range elements(now) {
		if len(out) < 3 && slices.ContainsFunc(cua.LabelWords(e.name+" "+e.role), func(w string) bool {
			return len(w) > 2 && slices.Contains(words, w)
		}) {
			out = append(out, r.of(now, e.id)+" ("+e.words()+")")
		}
	}
	if len(out) == 0 {
		return ""
	}
	return ". Near: " + strings.Join(out, ", ")
}

// element is one control of a page.
type element struct {
	id, role, name string
	state          string
	box            cua.Box
}

// words name e. Its name is the page's text, so it is quoted.
func (e element) words() string {
	if e.name == "" {
		return cmp.Or(e.role, "element")
	}
	return cmp.Or(e.role, "element") + " " + strconv.Quote(clip(e.name, 80))
}

// elements are the controls in view, then the fields that are not.
func elements(o *cua.Observation) []element {
	fields := map[string]*cua.Field{}
	for i := range o.Fields {
		fields[o.Fields[i].ID] = &o.Fields[i]
	}
	var out []element
	for i := range o.Marks {
		m := &o.Marks[i]
		e := element{id: m.ID, role: m.Role, name: cmp.Or(m.Name, m.Text), box: m.Box}
		e.state = fieldState(fields[m.ID]) + when(m.Disabled, " [disabled]") + when(m.Covered, " [covered]")
		delete(fields, m.ID)
		out = append(out, e)
	}
	for i := range o.Fields {
		if f := &o.Fields[i]; fields[f.ID] != nil {
			out = append(out, element{id: f.ID, role: f.Role, name: cmp.Or(f.Label, f.Name, f.Placeholder),
				box: f.Box, state: fieldState(f) + when(f.Disabled, " [disabled]") + " [out of view]"})
		}
	}
	return out
}

// fieldState is what f shows, never what was typed into it.
func fieldState(f *cua.Field) string {
	if f == nil {
		return ""
	}
	ticks := f.Type == "checkbox" || f.Type == "radio"
	out := when(ticks && f.Checked, " [checked]") + when(!ticks && f.Editable && !f.Empty, " [filled]") +
		when(f.Required, " [required]") + when(f.ReadOnly, " [readonly]")
	if f.Type == "select" {
		out += " = " + strconv.Quote(clip(f.Selected, 60))
		if len(f.Options) > 0 {
			out += fmt.Sprintf(" of %q", f.Options[:min(len(f.Options), 12)])
		}
		out += when(len(f.Options) > 12, fmt.Sprintf(" and %d more", len(f.Options)-12))
	}
	if f.Invalid != "" {
		out += " [invalid: " + strconv.Quote(clip(f.Invalid, 120)) + "]"
	}
	return out
}

func when(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// clip is text on one line of at most n bytes.
func clip(text string, n int) string {
	return cua.ClipBytes(cua.Flat(text), n)
}

// center is where the element of a ref is, for an action between two points.
func (r *refs) center(ref string, now *cua.Observation) (*cua.Point, error) {
	id, err := r.find(ref, now)
	if err != nil {
		return nil, err
	}
	for _, e := range elements(now) {
		if p, ok := e.box.CenterIn(now.Viewport); ok && e.id == id {
			return &p, nil
		}
	}
	return nil, errors.New(ref + " is out of view: call browser_scroll first")
}
