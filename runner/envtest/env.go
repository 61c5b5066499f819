package envtest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/cua"
)

// Env is a scripted environment. It is deterministic: the same actions give
// the same observations.
type Env struct {
	Site Site
	// Down makes Reset fail as an unreachable server does.
	Down bool

	state  state
	closed bool
}

// state is everything that an action can change.
type state struct {
	page    string
	visits  int
	values  map[string]string // by page/control
	focus   string            // control name, "" is the body
	counts  map[string]int
	errors  string
	ticks   int
	writes  []cua.Write
	pending string // page that a slow press leads to
	waits   int
	failed  string // net:: error of the error page that is shown
	tabs    int
	last    cua.Observation
}

// view is the viewport of every page.
var view = cua.Size{W: 320, H: 320}

// Reset opens the start page.
func (e *Env) Reset(ctx context.Context, task cua.Task) (cua.Observation, error) {
	if err := e.ready(ctx); err != nil {
		return cua.Observation{}, err
	}
	if e.Down {
		return cua.Observation{}, fmt.Errorf("envtest: opening %s: net::ERR_CONNECTION_REFUSED", task.Page())
	}
	start := e.Site.Start
	for name := range e.Site.Pages {
		if task.Page() == URL(name) {
			start = name
		}
	}
	visits := e.state.visits
	if e.state.page != "" {
		visits++
	}
	e.state = state{page: start, values: map[string]string{}, counts: map[string]int{}, tabs: 1,
		visits: visits}
	return e.observe(), nil
}

// Locate finds the control at the action's point, mark or identity.
func (e *Env) Locate(ctx context.Context, a cua.Action) (cua.Target, error) {
	t := cua.Target{}
	if err := e.ready(ctx); err != nil {
		return t, err
	}
	if e.page().Clock {
		e.state.ticks++
		t.Idle.Parts = []string{"clock"}
	}
	p, fail := e.aim(a)
	if fail != nil {
		return t, fail
	}
	if p == nil {
		return t, nil
	}
	t.Point, t.ID = p, cua.PointID(*p)
	for i, c := range e.page().Controls {
		if e.shown(c) && box(i).Contains(*p) {
			t.ID, t.Role, t.Name, t.Type, t.Box, t.Form = id(c), c.role(), name(c), c.Type, box(i), "form"
			t.Text, t.Input, t.Submit, t.Clickable = c.text(), c.field(), c.Type == "submit", true
			if c.field() {
				t.Editable, t.Field = true, id(c)
			}
		}
	}
	return t, nil
}

// Act does what the script says.
func (e *Env) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if err := e.ready(ctx); err != nil {
		return cua.Outcome{}, err
	}
	if err := a.Validate(view); err != nil {
		return cua.Outcome{}, fmt.Errorf("envtest: doing an action: %w", err)
	}
	if a.Kind.Ends() || a.Kind == cua.Rewind {
		return cua.Outcome{}, fmt.Errorf("envtest: doing an action: %s is not for the page", a.Kind)
	}
	e.state.writes = nil
	if a.Kind == cua.Wait {
		e.wait()
		return cua.Outcome{After: e.observe(), Settle: cua.Settle{Frame: "scripted"}}, nil
	}
	fail := e.act(a)
	return cua.Outcome{After: e.observe(), Failure: fail, Settle: cua.Settle{Frame: "scripted"}}, nil
}

// Denials are none: a scripted page asks for nothing.
func (e *Env) Denials() []cua.Denial { return nil }

// Close ends the session.
func (e *Env) Close() error { e.closed = true; return nil }

// ready reports whether e can be called at all.
func (e *Env) ready(ctx context.Context) error {
	if e.closed {
		return errors.New("envtest: the session is closed")
	}
	return ctx.Err()
}

// aim is where a goes: the centre of its mark or of the control that it names; nil is nowhere.
func (e *Env) aim(a cua.Action) (*cua.Point, *cua.Failure) {
	marks := e.state.last.Marks
	i := a.Mark - 1
	switch {
	case a.Point != nil:
		return a.Point, nil
	case a.Into != "":
		i = slices.IndexFunc(marks, func(m cua.Mark) bool { return m.ID == a.Into })
	case a.Mark == 0:
		return nil, nil
	}
	if i < 0 || i >= len(marks) {
		return nil, &cua.Failure{Kind: cua.FailNotFound, Detail: "nothing is " +
			cmp.Or(a.Into, "mark "+strconv.Itoa(a.Mark))}
	}
	c := marks[i].Box.Center()
	return &c, nil
}

func (e *Env) page() Page { return e.Site.Pages[e.state.page] }

// value is what c holds: a select that nobody has touched its first option.
func (e *Env) value(c Control) string {
	v := e.state.values[e.key(c)]
	if v == "" && c.Type == "select" && len(c.Options) > 0 {
		return c.Options[0]
	}
	return v
}

func (e *Env) key(c Control) string { return e.state.page + "/" + c.Name }

func (e *Env) shown(c Control) bool { return !c.Hidden || e.state.focus == c.Name }

func (e *Env) wait() {
	if e.state.pending == "" {
		return
	}
	if e.state.waits--; e.state.waits <= 0 {
		e.open(e.state.pending)
	}
}

func (e *Env) open(page string) {
	e.state.page, e.state.focus, e.state.errors, e.state.pending, e.state.failed = page, "", "", "", ""
	e.state.visits++
}

// Observation of the page as it is.
func (e *Env) observe() cua.Observation {
	o := cua.Observation{URL: URL(e.state.page), Title: e.page().Title, Viewport: view,
		Tabs: e.state.tabs, Tab: 1, Document: "d" + strconv.Itoa(e.state.visits), Writes: e.state.writes,
		NavError: e.state.failed}
	form := ""
	var sends *cua.Control
	for i, c := range e.page().Controls {
		if !e.shown(c) {
			continue
		}
		m := cua.Mark{N: len(o.Marks) + 1, ID: id(c), Role: c.role(), Name: name(c), Text: c.text(),
			Type: c.Type, Input: c.field(), Submit: c.Type == "submit", Form: "form", Box: box(i)}
		o.Marks = append(o.Marks, m)
		if m.Submit && sends == nil {
			sends = new(m.Control())
		}
		if !c.field() {
			continue
		}
		v := e.value(c)
		f := cua.Field{ID: id(c), Role: c.role(), Name: name(c), Label: c.Label, Placeholder: c.Placeholder,
			NameAttr: c.Name, Tag: c.tag(), Type: c.Type, Form: "form", Box: box(i), Editable: true,
			Empty: v == "", ValueDigest: cua.Digest(v), Options: c.Options, Selected: v}
		if c.Type != "select" {
			f.Selected = ""
		}
		f.Checked = c.Type == "checkbox" && v != ""
		o.Fields = append(o.Fields, f)
		form += f.ID + "=" + f.ValueDigest + ";"
		if e.state.focus == c.Name {
			o.Focus = &o.Fields[len(o.Fields)-1]
		}
	}
	if len(o.Marks) > 0 {
		o.Forms = []cua.Form{{ID: "form", Default: sends}}
		if e.state.errors != "" {
			o.Forms[0].Texts = []string{cua.Digest(e.state.errors)}
		}
	}
	o.FormDigest = cua.Digest(form)
	o.DOMParts = map[string]string{"main": cua.Digest(fmt.Sprint(e.page().Text, e.state.errors,
		e.state.counts))}
	if e.page().Clock {
		o.DOMParts["clock"] = strconv.Itoa(e.state.ticks)
	}
	o.DOMDigest = cua.Digest(fmt.Sprint(o.DOMParts))
	o.Shot = &cua.Shot{Data: frame(o), Mime: "image/png"}
	o.State = e.pageState(o)
	e.state.last = o
	return o
}

// frame paints one tile for each part of the observation, so that different states look different.
func frame(o cua.Observation) []byte {
	img := image.NewGray(image.Rect(0, 0, view.W, view.H))
	paint := func(b cua.Box, what string) {
		h := fnv.New32a()
		h.Write([]byte(what))
		r := image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H))
		draw.Draw(img, r, image.NewUniform(color.Gray{Y: uint8(h.Sum32())}), image.Point{}, draw.Src)
	}
	for _, f := range o.Fields {
		paint(f.Box, f.ID+f.ValueDigest)
	}
	if o.Focus != nil {
		b := o.Focus.Box
		paint(cua.Box{X: b.X, Y: b.Y, W: b.W, H: 2}, "focus")
	}
	paint(cua.Box{X: 260, Y: 10, W: 50, H: 50}, o.URL+o.DOMParts["main"])
	if c, ok := o.DOMParts["clock"]; ok {
		paint(cua.Box{X: 260, Y: 100, W: 20, H: 20}, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("envtest: encoding a frame: " + err.Error())
	}
	return b.Bytes()
}

// URL is where the scripted site has its page of that name.
func URL(page string) string { return "http://scripted.test/" + page }

func id(c Control) string { return c.role() + "|" + c.Name }

func name(c Control) string {
	for _, n := range []string{c.Label, c.Placeholder, c.Name} {
		if n != "" {
			return n
		}
	}
	return ""
}

func box(i int) cua.Box { return cua.Box{X: 10, Y: float64(10 + 36*i), W: 200, H: 30} }

// Values are what the fields hold, by page/name: the truth that a test compares with.
func (e *Env) Values() map[string]string { return maps.Clone(e.state.values) }

// Page is the name of the page that is open.
func (e *Env) Page() string { return e.state.page }
