package envtest

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg" // frames may be JPEG
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Open makes a fresh environment that shows site. url is where a page of it is found.
type Open func(t *testing.T, site Site) (env runner.Env, url func(page string) string)

// Conformance is what every environment must do. open is called once for each subtest.
func Conformance(t *testing.T, open Open) {
	for _, row := range slices.Concat(startRows, inputRows, travelRows, lifeRows) {
		t.Run(row.name, func(t *testing.T) {
			env, url := open(t, trialSite)
			row.run(&trial{t: t, env: env, url: url})
		})
	}
}

// row is one thing that an environment must do.
type row struct {
	name string
	run  func(*trial)
}

// trialSite is the site of the suite.
var trialSite = Site{Start: "form", Pages: map[string]Page{
	"form": {Title: "Form", Text: "Fill in the form.", Controls: []Control{
		{Name: "name", Type: "text", Label: "Name"},
		{Name: "code", Type: "password", Label: "Code"},
		{Name: "agree", Type: "checkbox", Label: "I agree"},
		{Name: "size", Type: "select", Label: "Size", Options: []string{"Small", "Large"}},
		{Name: "Dead", Type: "button", Dead: true},
		{Name: "Plus", Type: "button", Counts: true},
		{Name: "Next", Type: "link", To: "next"},
		{Name: "Save", Type: "submit", To: "next", Needs: []string{"name"}, Error: "Name is missing"},
	}},
	"next":  {Title: "Next", Text: "The next page.", Controls: []Control{{Name: "Back to the form", Type: "link", To: "form"}}},
	"other": {Title: "Other", Controls: []Control{{Name: "Post", Type: "button", Writes: true}, {Name: "Slow", Type: "button", To: "next", After: 1}, {Name: "Keys only", Type: "submit", KeyboardOnly: true, To: "next"}, {Name: "word", Type: "text", Label: "Word"}}},
	"clock": {Title: "Clock", Clock: true, Controls: []Control{{Name: "Dead", Type: "button", Dead: true}}},
}}

// nowhere is a host that nobody serves.
const nowhere = "127.0.0.1:1"

// patience bounds what has to be soon.
const patience = 10 * time.Second

// trial is one environment under test and what it last showed.
type trial struct {
	t   *testing.T
	env runner.Env
	url func(page string) string
	now cua.Observation
}

func (r *trial) reset(page string) {
	r.t.Helper()
	o, err := r.env.Reset(r.t.Context(), cua.Task{ID: "conformance", URL: r.url(page),
		Allow: []string{nowhere}})
	if err != nil {
		r.t.Fatalf("reset: %v", err)
	}
	r.now = o
}

// try does a; an error of the environment ends the test, a failed step does not.
func (r *trial) try(a cua.Action) cua.Outcome {
	r.t.Helper()
	out, err := r.env.Act(r.t.Context(), a)
	if err != nil {
		r.t.Fatalf("%s: %v", a.Kind, err)
	}
	r.now = out.After
	return out
}

// act does a, which must succeed.
func (r *trial) act(a cua.Action) {
	r.t.Helper()
	if out := r.try(a); out.Failure != nil {
		r.t.Fatalf("%s: %v (%q)", a.Kind, out.Failure, out.Log)
	}
}

// on is a at the centre of the element with that name.
func (r *trial) on(name string, a cua.Action) cua.Action {
	r.t.Helper()
	at, err := cua.Scripted{Action: a, On: name}.Resolve(r.now)
	if err != nil {
		r.t.Fatal(err)
	}
	return at
}

func (r *trial) click(name string) { r.t.Helper(); r.act(r.on(name, cua.Action{Kind: cua.Click})) }

func (r *trial) key(keys string) { r.t.Helper(); r.act(cua.Action{Kind: cua.Key, Keys: keys}) }

func (r *trial) locate(a cua.Action) cua.Target {
	r.t.Helper()
	t, err := r.env.Locate(r.t.Context(), a)
	if err != nil {
		r.t.Fatalf("locate: %v", err)
	}
	return t
}

// field is the one with that label.
func (r *trial) field(label string) cua.Field {
	r.t.Helper()
	for _, f := range r.now.Fields {
		if f.Label == label {
			return f
		}
	}
	r.t.Fatalf("no field %q on the page: %+v", label, r.now.Fields)
	return cua.Field{}
}

func (r *trial) mark(name string) cua.Mark {
	r.t.Helper()
	for _, m := range r.now.Marks {
		if m.Name == name {
			return m
		}
	}
	r.t.Fatalf("no mark %q on the page: %+v", name, r.now.Marks)
	return cua.Mark{}
}

func (r *trial) holds(label, value string) {
	r.t.Helper()
	f := r.field(label)
	if f.ValueDigest != cua.Digest(value) || f.Empty != (value == "") {
		r.t.Errorf("field %s is %+v, want that it holds %q", label, f, value)
	}
}

func (r *trial) focused(label string) {
	r.t.Helper()
	f := r.now.Focus
	if f == nil || f.ID != r.field(label).ID {
		r.t.Errorf("the focus is on %+v, want %s", f, label)
	}
}

func (r *trial) titled(want string) {
	r.t.Helper()
	if r.now.Title != want {
		r.t.Errorf("the page is %q at %s, want %q", r.now.Title, r.now.URL, want)
	}
}

// same checks that nothing of the page's content is other than before.
func (r *trial) same(before cua.Observation) {
	r.t.Helper()
	a, b := r.now, before
	if a.URL != b.URL || a.Title != b.Title || a.Document != b.Document || a.FormDigest != b.FormDigest ||
		a.DOMDigest != b.DOMDigest ||
		a.Tabs != b.Tabs || a.Tab != b.Tab || a.Scroll != b.Scroll || len(a.Writes) > 0 {
		r.t.Errorf("the page was\n%+v\nand is now\n%+v", b, a)
	}
}

// failed checks a failure that is the page's.
func (r *trial) failed(got *cua.Failure, want cua.FailureKind) {
	r.t.Helper()
	if got == nil || got.Kind != want || got.Detail == "" {
		r.t.Errorf("the failure is %v, want %s with a detail", got, want)
	}
}

// refused checks that err carries such a failure.
func (r *trial) refused(err error, want cua.FailureKind) {
	r.t.Helper()
	var f *cua.Failure
	if !errors.As(err, &f) {
		r.t.Errorf("the error is %v, want a failure %s", err, want)
		return
	}
	r.failed(f, want)
}

// evidence checks what every observation must carry.
func (r *trial) evidence() {
	r.t.Helper()
	o := r.now
	if o.URL == "" || o.Title == "" || o.Document == "" || o.DOMDigest == "" || len(o.DOMParts) == 0 {
		r.t.Errorf("URL, title, document, digest or parts are missing: %+v", o)
	}
	if o.Viewport.W <= 0 || o.Viewport.H <= 0 || o.Tabs != 1 || o.Tab != 1 {
		r.t.Errorf("viewport %v, tabs %d, tab %d", o.Viewport, o.Tabs, o.Tab)
	}
	if o.Dialog != nil || o.NavError != "" || o.PartialLoad || len(o.Alerts) > 0 {
		r.t.Errorf("a fault where none was: %+v", o)
	}
	ids := map[string]bool{}
	for i, m := range o.Marks {
		if m.N != i+1 || m.ID == "" || m.Role == "" || m.Box.Empty() || ids[m.ID] {
			r.t.Errorf("mark %d is %+v", i+1, m)
		}
		ids[m.ID] = true
	}
	if len(o.Fields) > 0 && o.FormDigest == "" {
		r.t.Error("no form digest")
	}
	for _, f := range o.Fields {
		if !ids[f.ID] || f.Role == "" || f.Name == "" || f.Type == "" || f.Box.Empty() ||
			strings.Contains(f.ID, "\n") {
			r.t.Errorf("field %+v is not whole, or no mark", f)
		}
	}
	r.frame()
}

// frame checks the shot. Its fingerprint is for the runner to make.
func (r *trial) frame() {
	r.t.Helper()
	o := r.now
	if o.Shot == nil {
		r.t.Fatal("no frame")
	}
	size, kind, err := image.DecodeConfig(bytes.NewReader(o.Shot.Data))
	if err != nil || o.Shot.Mime != "image/"+kind || size.Width != o.Viewport.W ||
		size.Height != o.Viewport.H {
		r.t.Errorf("the frame of %v is %s, said to be %s, %d×%d: %v", o.Viewport, kind, o.Shot.Mime,
			size.Width, size.Height, err)
	}
	if o.FrameSHA != "" && o.FrameSHA != frameName(o.Shot) || o.Fingerprint != nil {
		r.t.Errorf("the frame's hash is %q, its fingerprint %v", o.FrameSHA, o.Fingerprint)
	}
}

// soon runs f, which has to return before patience ends.
func (r *trial) soon(what string, f func(context.Context)) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	select {
	case <-done:
	case <-ctx.Done():
		r.t.Fatalf("%s did not return", what)
	}
}
