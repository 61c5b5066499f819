package brain

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// sim is a page in pure Go that is driven turn by turn: what the browser and the runner do to
// a real one, without both. Elements stand below each other, 40 px each, in a 1280×800 viewport.
type sim struct {
	title, url, text string
	els              []*el
	focus            *el
	dialog           *cua.Dialog
	scrollY          float64
	later            func()              // runs at the next wait
	mask             func(string) string // what a field makes of typed text; nil leaves it
	navError         string
	writes           []cua.Write
	gone, ahead      []sheetOf // pages behind this one and after it
}

// sheetOf is a page that was left.
type sheetOf struct {
	url, text string
	els       []*el
}

// travel goes to another page: an address shows an empty one, as a site's front page without links.
func (s *sim) travel(a cua.Action) *cua.Failure {
	here := sheetOf{s.url, s.text, s.els}
	to := sheetOf{url: a.URL, text: "Nothing here"}
	switch a.Kind {
	case cua.Navigate:
		s.gone, s.ahead = append(s.gone, here), nil
	case cua.Back:
		if len(s.gone) == 0 {
			return &cua.Failure{Kind: cua.FailNav, Detail: "there is no page to go to"}
		}
		to, s.gone, s.ahead = s.gone[len(s.gone)-1], s.gone[:len(s.gone)-1], append(s.ahead, here)
	case cua.Forward:
		if len(s.ahead) == 0 {
			return &cua.Failure{Kind: cua.FailNav, Detail: "there is no page to go to"}
		}
		to, s.ahead, s.gone = s.ahead[len(s.ahead)-1], s.ahead[:len(s.ahead)-1], append(s.gone, here)
	}
	s.url, s.focus = to.url, nil
	s.text, s.els = to.text, to.els
	return nil
}

// el is one element: a field when typ is set, a button otherwise.
type el struct {
	name, role, typ, placeholder, label  string
	value                                string
	options                              []string
	checked, disabled, readOnly, covered bool
	required                             bool
	deaf                                 bool // a click does nothing
	press                                func()
}

func (e *el) field() bool { return e.typ != "" }

func field(label, typ string) *el { return &el{label: label, name: label, typ: typ} }
func holder(placeholder string) *el {
	return &el{placeholder: placeholder, name: placeholder, typ: "text"}
}
func button(name string, press func()) *el {
	return &el{name: name, role: "button", press: press}
}

const rowHeight = 40

func (s *sim) box(i int) cua.Box {
	return cua.Box{X: 100, Y: float64(20+i*rowHeight) - s.scrollY, W: 200, H: 30}
}

func (e *el) id(i int) string { return fmt.Sprintf("%s|%s|%d", e.role, e.name, i) }

func (s *sim) observe() cua.Observation {
	o := cua.Observation{URL: s.url, Title: s.title, Document: "d", Viewport: cua.Size{W: 1280, H: 800},
		Dialog: s.dialog, Writes: s.writes, NavError: s.navError}
	o.Scroll = cua.Scrolled{Y: s.scrollY, MaxY: max(0, float64(20+len(s.els)*rowHeight-800))}
	var dom, form strings.Builder
	fmt.Fprintf(&dom, "%s|", s.text)
	for i, e := range s.els {
		b := s.box(i)
		fmt.Fprintf(&dom, "%s,%v;", e.name, e.disabled)
		if e.field() {
			f := cua.Field{ID: e.id(i), Role: e.role, Name: e.name, Label: e.label,
				Placeholder: e.placeholder, Type: e.typ, Form: "f", Box: b, Tag: "input",
				Editable: !slices.Contains([]string{"select", "checkbox", "radio"}, e.typ) && !e.readOnly,
				Empty:    e.value == "", ValueDigest: cua.Digest(e.value), Options: e.options,
				Checked: e.checked, Disabled: e.disabled, ReadOnly: e.readOnly, Required: e.required}
			if e.typ == "select" {
				f.Selected = e.value
			}
			if n := cua.SecretName(e.value); n != "" {
				f.ValueDigest, f.Secret = "", n
			}
			fmt.Fprintf(&form, "%s=%s,%v;", f.ID, e.value, e.checked)
			o.Fields = append(o.Fields, f)
			if s.focus == e {
				o.Focus = &f
			}
		}
		if b.Y+b.H > 0 && b.Y < 800 {
			o.Marks = append(o.Marks, cua.Mark{N: len(o.Marks) + 1, ID: e.id(i), Role: e.role, Name: e.name,
				Type: e.typ, Box: b,
				Disabled: e.disabled, Covered: e.covered, Form: "f"})
		}
	}
	o.FormDigest, o.DOMDigest = cua.Digest(form.String()), cua.Digest(dom.String())
	return o
}

func (s *sim) at(p *cua.Point) (int, *el) {
	for i, e := range s.els {
		if p != nil && s.box(i).Contains(*p) {
			return i, e
		}
	}
	return -1, nil
}

// aim is the element that a is aimed at: by name, or by place.
func (s *sim) aim(a cua.Action) (int, *el) {
	for i, e := range s.els {
		if a.Into != "" && e.id(i) == a.Into {
			return i, e
		}
	}
	return s.at(a.Point)
}

// act does a to the page and says what an extract found.
func (s *sim) act(a cua.Action) (string, *cua.Failure) {
	_, e := s.aim(a)
	switch a.Kind {
	case cua.Click:
		if e == nil || e.disabled || e.deaf || e.covered {
			return "", nil
		}
		s.focus = nil
		switch {
		case e.typ == "checkbox":
			e.checked = !e.checked
		case e.field():
			s.focus = e
		}
		if e.press != nil {
			e.press()
		}
	case cua.Type:
		if s.focus != nil && !s.focus.readOnly {
			if a.Clear {
				s.focus.value = ""
			}
			s.focus.value += a.Text
			if s.mask != nil {
				s.focus.value = s.mask(s.focus.value)
			}
		}
	case cua.Select:
		if e == nil || !slices.Contains(e.options, a.Text) {
			return "", &cua.Failure{Kind: cua.FailNotFound, Detail: "no such option"}
		}
		e.value = a.Text
	case cua.Scroll:
		s.scrollY = min(max(0, s.scrollY+a.DY), max(0, float64(20+len(s.els)*rowHeight-800)))
	case cua.Wait:
		if f := s.later; f != nil {
			s.later = nil
			f()
		}
	case cua.AnswerDlg:
		s.dialog = nil
	case cua.Navigate, cua.Back, cua.Forward:
		return "", s.travel(a)
	case cua.Extract:
		lines := []string{s.text}
		for _, e := range s.els {
			lines = append(lines, e.name)
		}
		return strings.Join(lines, "\n"), nil
	}
	return "", nil
}

func (s *sim) target(a cua.Action) cua.Target {
	i, e := s.aim(a)
	if e == nil {
		return cua.Target{}
	}
	t := cua.Target{ID: e.id(i), Role: e.role, Name: e.name, Type: e.typ, Box: s.box(i), Point: a.Point}
	if e.field() {
		t.Field, t.Editable = t.ID, e.typ == "text" || e.typ == "password"
	}
	return t
}

// effect is the simplest one: digests that differ.
func effect(b, a cua.Observation) *cua.Effect {
	var e cua.Effect
	for c, differs := range map[cua.Change]bool{cua.ChangeURL: a.URL != b.URL,
		cua.ChangeForm: a.FormDigest != b.FormDigest,
		cua.ChangeDOM:  a.DOMDigest != b.DOMDigest, cua.ChangeScroll: a.Scroll.Y != b.Scroll.Y} {
		if differs {
			e.Progress = append(e.Progress, c)
		}
	}
	slices.Sort(e.Progress)
	return &e
}

// play runs b against s until it says done or limit steps are made.
func play(t *testing.T, b Brain, s *sim, task cua.Task, limit int) []cua.Step {
	t.Helper()
	return playWith(t, b, s, task, limit, around{}).Steps
}

// around is what a runner has beside the brain; the zero one says and refuses nothing.
type around struct {
	advise func(cua.History) []cua.Note
	// refuse says why a done is not accepted; "" accepts it.
	refuse func() cua.DoneCode
}

func playWith(t *testing.T, b Brain, s *sim, task cua.Task, limit int, r around) cua.History {
	t.Helper()
	h := cua.History{Start: s.observe()}
	for n := 1; n <= limit; n++ {
		turn := &cua.Turn{Task: task, History: h, Now: h.Now(), Number: n, Decision: n}
		if r.advise != nil {
			turn.Notes = r.advise(h)
		}
		d, err := b.Decide(context.Background(), turn)
		if err != nil {
			t.Fatalf("step %d: %v", n, err)
		}
		if err := d.Action.Validate(turn.Now.Viewport); err != nil && d.Failure == nil {
			t.Fatalf("step %d: invalid action %+v: %v", n, d.Action, err)
		}
		a := d.Action
		step := cua.Step{N: n, Decision: n, Proposed: a, Action: &a, Thought: d.Thought, By: d.By,
			Notes: turn.Notes, Target: s.target(a), After: h.Now(), Failure: d.Failure}
		if a.Kind == cua.Done && r.refuse != nil {
			step.DoneRejected = r.refuse()
		}
		switch {
		case d.Failure != nil || step.DoneRejected != "":
			step.Action = nil
		case !a.Kind.Ends():
			step.Feedback, step.Failure = s.act(a)
			step.After = s.observe()
			step.Effect = effect(turn.Now, step.After)
		}
		h.Steps = append(h.Steps, step)
		if step.Action != nil && a.Kind.Ends() {
			break
		}
	}
	return h
}

// told writes steps as a person would: "click Username, type, click Sign in, done".
func told(steps []cua.Step) string {
	var out []string
	for _, s := range steps {
		w := string(s.Proposed.Kind)
		if s.Target.Name != "" {
			w += " " + s.Target.Name
		}
		if s.Proposed.Kind == cua.Type || s.Proposed.Kind == cua.Select {
			w += "=" + s.Proposed.Text
		}
		if s.Proposed.Kind == cua.Done && !s.Proposed.Success {
			w += " failed"
		}
		if n := len(out); n > 0 && strings.TrimRight(strings.SplitN(out[n-1], " ×", 2)[0], " ") == w {
			k := 1
			fmt.Sscanf(strings.TrimPrefix(out[n-1], w+" ×"), "%d", &k)
			out[n-1] = fmt.Sprintf("%s ×%d", w, k+1)
			continue
		}
		out = append(out, w)
	}
	return strings.Join(out, ", ")
}

func fields(pairs ...string) []cua.PlanValue {
	var out []cua.PlanValue
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, cua.PlanValue{Label: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// page shows text instead of the elements that were there.
func (s *sim) page(text string, els ...*el) { s.text, s.els, s.focus = text, els, nil }

func (s *sim) has(values map[string]string) bool {
	got := map[string]string{}
	for _, e := range s.els {
		if e.field() {
			got[e.name] = e.value
		}
	}
	return maps.Equal(got, values)
}
