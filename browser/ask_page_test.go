package browser

import (
	"bytes"
	"image/png"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestAPageIsTheScriptsBeforeItIsSeen(t *testing.T) {
	begun := make(chan struct{})
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow": // is answered when the script's promise has been fulfilled
			select {
			case <-begun:
			case <-r.Context().Done():
			}
		case "/begun":
			close(begun)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `<!doctype html><title>loaded</title>
				<script>onload = () => { window.ready = true }</script><button>go</button>`)
		}
	})
	e := openBlank(t, SessionOptions{})
	o, value, err := e.Begin(t.Context(), cua.Task{URL: ts.URL}, `(async () => {
		fetch('/slow').then(() => { document.title += ' and settled' });
		await new Promise((r) => setTimeout(r, 30)); document.title = 'begun';
		setTimeout(() => fetch('/begun'), 100); return {ready: window.ready} })()`)
	if err != nil || string(value) != `{"ready":true}` {
		t.Errorf("value %s, error %v; want the promise's value, after the load", value, err)
	}
	title(t, o, "begun and settled")
	e.click("go")
	if value, err := e.Ask(t.Context(), "document.title"); err != nil || string(value) != `"begun and settled"` {
		t.Errorf("asked: %s, %v", value, err)
	}
	if _, err := e.Ask(t.Context(), "nowhere.to.be.found"); err == nil ||
		!strings.Contains(err.Error(), "nowhere is not defined") {
		t.Errorf("a script that throws: %v", err)
	}
	if _, _, err := e.Begin(t.Context(), cua.Task{URL: ts.URL}, `(() => { throw new Error('not today') })()`); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("a page that does not begin: %v", err)
	}
	title(t, e.reset(cua.Task{URL: ts.URL}), "loaded") // the script was that episode's
}

func TestNothingIsAskedWhileADialogIsOpen(t *testing.T) {
	ts := site(t, map[string]string{"/": `<button onclick="alert('wait')">go</button><button onclick="prompt('name')">ask</button>`})
	e := open(t, SessionOptions{}, ts.URL)
	if o := e.click("ask"); o.Dialog == nil {
		t.Fatal("no dialog")
	}
	if value, err := e.Ask(t.Context(), "1"); value != nil || err != nil {
		t.Errorf("asked beside a dialog: %s, %v; want nothing", value, err)
	}
}

func TestADialogIsNotWaitedForBeforeAPageIsSeen(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title>loaded</title><script>onload = () => setTimeout(() => prompt('first'), 100)</script>`})
	e := openBlank(t, SessionOptions{})
	o, value, err := e.Begin(t.Context(), cua.Task{URL: ts.URL}, `new Promise(() => {})`)
	if err != nil || value != nil || o.Dialog == nil || o.Dialog.Message != "first" {
		t.Errorf("value %s, error %v, dialog %+v; want the page with its dialog and no value", value,
			err, o.Dialog)
	}
}

func TestScaleMakesFramesLargerAndNothingElse(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title></title><button style="position:absolute;left:201px;top:101px;width:30px;height:20px"
		onclick="document.title=innerWidth+'x'+innerHeight">b</button>`})
	b, err := Launch(t.Context(), Options{Path: os.Getenv("CUA_BROWSER"), Scale: 1.5})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	session, err := b.NewSession(t.Context(), anyServer(SessionOptions{Viewport: cua.Size{W: 332, H: 214}}))
	if err != nil {
		t.Fatal(err)
	}
	e := env{session, t}
	e.reset(cua.Task{URL: ts.URL})
	o := e.ok(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 229, Y: 119}})
	title(t, o, "332x214")
	if o.Viewport != (cua.Size{W: 332, H: 214}) || o.Marks[0].Box != (cua.Box{X: 201, Y: 101, W: 30, H: 20}) {
		t.Errorf("viewport %v, box %v; want CSS pixels", o.Viewport, o.Marks[0].Box)
	}
	shot, err := png.DecodeConfig(bytes.NewReader(o.Shot.Data))
	if err != nil || shot.Width != 498 || shot.Height != 321 {
		t.Errorf("the frame is %dx%d (%v), want 498x321", shot.Width, shot.Height, err)
	}
}
