package formats

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// place is where an action is done.
type place struct {
	locator string // the expression of a locator; "" is none that is known to be the only one
	point   *cua.Point
	// scroll is how far the page was scrolled when the point was chosen; nil is a page that does not scroll.
	scroll *cua.Scrolled
	// tag and kind are those of the element, empty says that it was a field without a value.
	tag, kind string
	empty     bool
}

// place finds what step i acted on: the control that a gate named, that at the point that a gate chose, that
// which the proposal was aimed at, or the focused one.
func (x *testWriter) place(i int) place {
	s, o := &x.t.Steps[i], x.history.Before(i)
	a, id := s.Action, s.Action.Into
	out := place{point: a.Point}
	blocked := false
	switch {
	case id != "":
	case s.Substituted() && a.Point != nil:
		id = smallestAt(&o, *a.Point)
	case !s.Substituted() && s.Target.ID != "":
		id = s.Target.ID
		if s.Target.Field != "" {
			id = s.Target.Field
		}
		out.tag, out.kind = s.Target.Tag, s.Target.Type
		blocked = s.Target.Covering != nil || s.Target.Disabled
	case a.Point == nil && a.Mark == 0 && o.Focus != nil && a.Kind != cua.Scroll:
		id = o.Focus.ID
	}
	if out.point == nil && !s.Substituted() {
		out.point = s.Target.Point
	}
	if o.Scroll.MaxY > 0 || o.Scroll.X > 0 {
		out.scroll = &o.Scroll
	}
	f, m := o.FieldByID(id), o.MarkByID(id)
	if f != nil {
		out.tag, out.kind, out.empty = f.Tag, f.Type, f.Empty
	}
	if !blocked { // a locator waits until its element can be pressed
		out.locator = x.locator(&o, f, m, s)
	}
	return out
}

// smallestAt is the identity of the smallest control at a point; "" is none.
func smallestAt(o *cua.Observation, p cua.Point) (id string) {
	least := -1.0
	take := func(b cua.Box, of string) {
		in := p.X >= b.X && p.X < b.X+b.W && p.Y >= b.Y && p.Y < b.Y+b.H
		if area := b.W * b.H; in && (least < 0 || area < least) {
			id, least = of, area
		}
	}
	for i := range o.Marks {
		take(o.Marks[i].Box, o.Marks[i].ID)
	}
	for i := range o.Fields {
		take(o.Fields[i].Box, o.Fields[i].ID)
	}
	return id
}

// ariaRoles are the roles of controls that a test finds by.
var ariaRoles = strings.Fields("button checkbox combobox gridcell link listbox menuitem menuitemcheckbox " +
	"menuitemradio option radio searchbox slider spinbutton switch tab textbox treeitem")

// roleless are the types of inputs that have no role by ARIA.
var roleless = strings.Fields("password date datetime-local month week time color file")

// locator finds a control by role and name, or by its label, if no other has the same.
func (x *testWriter) locator(o *cua.Observation, f *cua.Field, m *cua.Mark, s *cua.Step) string {
	role, name, kind, frame, disabled := s.Target.Role, s.Target.Name, s.Target.Type, s.Target.Frame, false
	switch {
	case f != nil:
		role, name, kind, frame, disabled = f.Role, f.Name, f.Type, f.Frame, f.Disabled
	case m != nil:
		role, name, kind, frame, disabled = m.Role, m.Name, m.Type, m.Frame, m.Disabled
	case s.Substituted() || !s.Target.Identified():
		return ""
	}
	scope := documentAt(frame)
	if scope == "" || disabled {
		return ""
	}
	if slices.Contains(ariaRoles, role) && !slices.Contains(roleless, kind) && sayable(name) &&
		x.alike(o, role, name, frame) < 2 {
		return fmt.Sprintf("%s.getByRole(%s, { name: %s, exact: true })", scope, single(role), quoted(name))
	}
	if f == nil || !sayable(f.Label) {
		return ""
	}
	same := 0
	for i := range o.Fields {
		if o.Fields[i].Frame == frame && strings.EqualFold(o.Fields[i].Label, f.Label) {
			same++
		}
	}
	if same > 1 {
		return ""
	}
	return fmt.Sprintf("%s.getByLabel(%s, { exact: true })", scope, quoted(f.Label))
}

// frameWord is a segment of the path of a frame: a number, or a name or a host, and the number among those
// of one name.
var frameWord = regexp.MustCompile(`^(?:([0-9]+)|([A-Za-z0-9_.-]+?)(?::([0-9]+))?)$`)

// documentAt is the expression of the document at the path of a frame; "" is one that a test cannot name.
func documentAt(frame string) string {
	out := "page"
	if frame == "" {
		return out
	}
	for word := range strings.SplitSeq(frame, "/") {
		m := frameWord.FindStringSubmatch(word)
		if m == nil {
			return ""
		}
		nth, selector := m[1], "iframe, frame"
		if m[2] != "" {
			selector = fmt.Sprintf(`iframe[name="%s"], iframe[src*="//%s"]`, m[2], m[2])
			if n, err := strconv.Atoi(m[3]); err == nil {
				nth = strconv.Itoa(n - 1)
			}
		}
		out += ".frameLocator(" + single(selector) + ")" + given(nth != "", ".nth("+nth+")")
	}
	return out
}

// alike counts the controls of that role and name in that frame, in all views of the document that the
// episode had: an observation has no marks outside of the viewport.
func (x *testWriter) alike(now *cua.Observation, role, name, frame string) int {
	seen := map[string]bool{}
	count := func(o *cua.Observation) {
		for i := range o.Marks {
			if m := &o.Marks[i]; m.Role == role && m.Name == name && m.Frame == frame {
				seen[m.ID] = true
			}
		}
		for i := range o.Fields {
			if f := &o.Fields[i]; f.Role == role && f.Name == name && f.Frame == frame {
				seen[f.ID] = true
			}
		}
	}
	count(now)
	for i := range len(x.t.Steps) {
		if o := x.history.Before(i); o.Document == now.Document && o.Document != "" {
			count(&o)
		}
	}
	return len(seen)
}

// maxName is how much of a name the probe records, characters.
const maxName = 200

func clipped(name string) bool { return utf8.RuneCountInString(name) >= maxName-1 }

// sayable reports whether a test may find a control by that name: it is whole and holds no secret.
func sayable(name string) bool { return name != "" && !clipped(name) && !secretMark.MatchString(name) }
