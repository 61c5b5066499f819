package browser

import (
	"bytes"
	"context"
	"image/jpeg"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// takenOver is a person who has the browser of a session.
type takenOver struct {
	t      *testing.T
	inputs chan cua.Input
	shown  chan cua.LiveView
	ended  chan error
}

func (e env) takeOver(t *testing.T) *takenOver {
	p := &takenOver{t: t, inputs: make(chan cua.Input), shown: make(chan cua.LiveView, 1000),
		ended: make(chan error, 1)}
	go func() {
		p.ended <- e.TakeOver(t.Context(), p.inputs, func(v cua.LiveView) { p.shown <- v })
	}()
	return p
}

// sees waits until the person is shown what holds.
func (p *takenOver) sees(what string, holds func(cua.LiveView) bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		select {
		case v := <-p.shown:
			if holds(v) {
				return
			}
		case err := <-p.ended:
			p.t.Fatalf("the takeover ended before %s: %v", what, err)
		case <-ctx.Done():
			p.t.Fatalf("never shown: %s", what)
		}
	}
}

func (p *takenOver) does(inputs ...cua.Input) {
	for _, in := range inputs {
		p.inputs <- in
	}
}

func (p *takenOver) presses(x, y float64) {
	p.does(cua.Input{Type: cua.InputMove, X: x, Y: y}, cua.Input{Type: cua.InputDown, X: x, Y: y},
		cua.Input{Type: cua.InputUp, X: x, Y: y})
}

func (p *takenOver) givesBack() {
	p.t.Helper()
	close(p.inputs)
	if err := <-p.ended; err != nil {
		p.t.Fatal(err)
	}
}

func picture(v cua.LiveView) bool { return len(v.JPEG) > 0 }

// A person's input arrives in its order and as it was meant, and the session continues from the page that
// they leave.
func TestTakeOver(t *testing.T) {
	const field = `<input id=f style="position:absolute;left:0;top:0;width:200px;height:40px">`
	key := func(name string, held ...string) cua.Input {
		return cua.Input{Type: cua.InputKey, Key: name, Modifiers: held}
	}
	log := func(event, what string) string {
		return `<body style="margin:0;height:3000px"><script>addEventListener("` + event +
			`", (e) => { document.title += ` + what + ` + "|" }, {passive: true})</script>`
	}
	at := func(kind cua.InputKind, in cua.Input) cua.Input {
		in.Type, in.X, in.Y = kind, 100.5, 50
		return in
	}
	for _, row := range []struct {
		name, page string
		inputs     []cua.Input
		title      string
	}{
		{"a press of the right button with Shift", log("mousedown", "[e.clientX, e.clientY, e.button, e.shiftKey]"),
			[]cua.Input{at(cua.InputDown, cua.Input{Button: "right", Modifiers: []string{"Shift"}})},
			"100,50,2,true|"},
		{"a double press", log("dblclick", "e.detail"), []cua.Input{at(cua.InputDown, cua.Input{}), at(cua.InputUp, cua.Input{}),
			at(cua.InputDown, cua.Input{Clicks: 2}), at(cua.InputUp, cua.Input{Clicks: 2})}, "2|"},
		{"a move with a button held", log("mousemove", "(e.buttons || '')"), []cua.Input{at(cua.InputDown, cua.Input{}),
			{Type: cua.InputMove, X: 200, Y: 60}}, "|1|"},
		{"the wheel", log("wheel", "[e.deltaX, e.deltaY]"), []cua.Input{at(cua.InputWheel, cua.Input{DY: 120})}, "0,120|"},
		{"a place outside is the edge", log("mousedown", "[e.clientX, e.clientY]"),
			[]cua.Input{{Type: cua.InputDown, X: -5, Y: 1e9}}, "0,799|"},
		{"keys", log("keydown", "[e.key, e.ctrlKey]"), []cua.Input{key("a"), key("A", "Shift"), key("ArrowLeft"),
			key("b", "Control")}, "a,false|Shift,false|A,false|ArrowLeft,false|Control,true|b,true|"},
		{"text of an input method", field + log("input", "f.value"), []cua.Input{key("Tab"),
			{Type: cua.InputText, Text: "日本"}, key("é"), {Type: cua.InputPaste, Text: "x y"}}, "日本|日本é|日本éx y|"},
		{"what is no input changes nothing", log("keydown", "e.key"), []cua.Input{key("NoSuchKey"),
			{Type: "fly"}, {Type: cua.InputText}, key("z")}, "z|"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := open(t, SessionOptions{}, site(t, map[string]string{"/": row.page}).URL)
			p := e.takeOver(t)
			p.sees("a picture", func(v cua.LiveView) bool {
				got, err := jpeg.DecodeConfig(bytes.NewReader(v.JPEG))
				return err == nil && got.Width == v.View.W && got.Height == v.View.H && v.Tab == 1 &&
					v.Tabs == 1
			})
			p.does(row.inputs...)
			p.givesBack()
			title(t, e.ok(cua.Action{Kind: cua.Observe}), row.title)
		})
	}
}

// A window that opens is followed, a dialog is answered by its keys, and a page that rests stays live.
func TestWindowsAndDialogsOfATakeover(t *testing.T) {
	ts := site(t, map[string]string{
		"/": `<body style="margin:0;height:500px" onclick="window.open('/other')">one`,
		"/other": `<title>two</title><body style="height:500px" onclick="setTimeout(() => {
			document.title = [confirm('sure?'), prompt('who?', 'me'), confirm('again?')].join() })">two`,
	})
	e := open(t, SessionOptions{}, ts.URL)
	p := e.takeOver(t)
	p.sees("a picture", picture)
	p.presses(50, 50)
	p.sees("the window", func(v cua.LiveView) bool { return picture(v) && v.Tab == 2 && v.Tabs == 2 })
	p.sees("the next picture", picture)
	p.presses(50, 50)
	for _, row := range []struct{ message, key string }{{"sure?", "Enter"}, {"who?", "Enter"},
		{"again?", "Escape"}} {
		p.sees(row.message, func(v cua.LiveView) bool {
			return v.Dialog != nil && v.Dialog.Message == row.message
		})
		p.does(cua.Input{Type: cua.InputKey, Key: row.key})
	}
	p.sees("no dialog", func(v cua.LiveView) bool { return v.Dialog == nil })
	p.givesBack()
	o := e.ok(cua.Action{Kind: cua.Observe})
	title(t, o, "true,me,false")
	if o.Tab != 2 {
		t.Errorf("the session is at tab %d, want the one that was left", o.Tab)
	}
}

// A person can take over a page that shows a dialog: it may be why they are needed.
func TestADialogIsTakenOver(t *testing.T) {
	e := open(t, SessionOptions{}, site(t, map[string]string{"/": dialogPage}).URL)
	e.click("confirm")
	p := e.takeOver(t)
	p.sees("the dialog", func(v cua.LiveView) bool { return v.Dialog != nil && v.Dialog.Message == "sure?" })
	p.does(cua.Input{Type: cua.InputKey, Key: "Enter"})
	p.sees("a picture without it", func(v cua.LiveView) bool { return picture(v) && v.Dialog == nil })
	p.givesBack()
	title(t, e.ok(cua.Action{Kind: cua.Observe}), "confirm true")
}

// A person who has taken over the browser is told when the session ends.
func TestATakeoverEndsWithItsSession(t *testing.T) {
	e := open(t, SessionOptions{}, site(t, map[string]string{"/": "x"}).URL)
	p := e.takeOver(t)
	p.sees("a picture", picture)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.ended
}
