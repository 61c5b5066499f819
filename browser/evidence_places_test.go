package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// everyField are fields that take text, each in its own way.
var everyField = map[string]string{
	"input":           `<input aria-label="input">`,
	"textarea":        `<textarea aria-label="textarea"></textarea>`,
	"password":        `<input type=password aria-label="password">`,
	"number":          `<input type=number aria-label="number">`,
	"search":          `<input type=search aria-label="search">`,
	"contenteditable": `<div contenteditable aria-label="contenteditable" style="border:1px solid;min-height:20px"></div>`,
	"plain text":      `<div contenteditable="plaintext-only" role=textbox aria-label="plain text" style="border:1px solid;min-height:20px"></div>`,
}

// TestOneCharacterInEveryField: whatever takes text shows each character in the form digest.
func TestOneCharacterInEveryField(t *testing.T) {
	var page strings.Builder
	for _, html := range everyField {
		page.WriteString(html + "<br>")
	}
	st := newStage(t, map[string]string{"/": page.String()}, nil)
	for name := range everyField {
		t.Run(name, func(t *testing.T) {
			st.t = t
			st.seesTyping(st.field(name))
		})
	}
}

// seesTyping types twice into f, at its place and by its identity, and checks that each character
// shows in the form digest and that the focus and the target are f.
func (st *stage) seesTyping(f cua.Field) {
	st.t.Helper()
	p := f.Box.Center()
	if got := st.locate(cua.Action{Kind: cua.Click, Point: &p}); got.ID != f.ID || got.Field != f.ID ||
		got.Frame != f.Frame || !got.Editable {
		st.t.Errorf("located %+v, want %s", got, f.ID)
	}
	st.act(cua.Action{Kind: cua.Click, Point: &p})
	if st.now.Focus == nil || st.now.Focus.ID != f.ID || st.now.Focus.Box != f.Box {
		st.t.Fatalf("the focus is %+v, want %s", st.now.Focus, f.ID)
	}
	seen := map[string]bool{st.now.FormDigest: true}
	for _, a := range []cua.Action{{Kind: cua.Type, Text: "7"}, {Kind: cua.Type, Text: "7", Into: f.ID}} {
		if st.act(a); seen[st.now.FormDigest] {
			st.t.Errorf("typing one character with %+v does not show in the form digest", a)
		}
		seen[st.now.FormDigest] = true
	}
}

// TestEvidenceInEveryPlace: fields, marks, focus and typed characters are seen in frames of the same
// and of another site, in open shadow trees, and in each inside of the other.
func TestEvidenceInEveryPlace(t *testing.T) {
	leaf := `<body style="margin:0">` + everyField["input"] + `<button>leaf</button>`
	site := farSite(t, leaf)
	frame := func(attr string) string { return `<iframe ` + attr + ` style="width:400px;height:120px"></iframe>` }
	shadow := func(inner string) string {
		return `<p>before</p><div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML=` + "`" + inner + "`" + `</script>`
	}
	places := map[string]string{
		"top": leaf, "frame": frame(`src="/leaf"`), "far": frame(`src="` + site + `"`), "shadow": shadow(leaf),
		"written": frame(`srcdoc='` + leaf + `'`), "sandbox": frame(`sandbox="allow-scripts" src="/leaf"`),
		"nested": frame(`src="/frame"`), "far-nested": frame(`src="/far"`),
		"frame-in-shadow": shadow(frame(`src="/leaf"`)), "far-in-shadow": shadow(frame(`src="` + site + `"`)),
		"shadow-in-frame": frame(`src="/shadow"`), "frame-in-shadow-in-frame": frame(`src="/frame-in-shadow"`),
		"far-in-shadow-in-frame": frame(`src="/far-in-shadow"`),
	}
	pages := map[string]string{"/": "start", "/leaf": leaf}
	for name, html := range places {
		pages["/"+name] = html
	}
	st := newStage(t, pages, nil)
	for name := range places {
		t.Run(name, func(t *testing.T) {
			st.t = t
			st.open("/" + name)
			if m := st.mark("leaf"); m.Covered || m.Frame != st.field("input").Frame {
				t.Errorf("mark: %+v", m)
			}
			st.seesTyping(st.field("input"))
		})
	}
}

// TestFramesBesideEachOther: a frame in a shadow tree is in no list of the window's, and takes the
// place of none that is.
func TestFramesBesideEachOther(t *testing.T) {
	far := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><body style="margin:0"><input aria-label="%s">`, r.URL.Path[1:])
	})
	site := strings.Replace(far.URL, "127.0.0.1", "localhost", 1)
	frame := func(src string) string { return `<iframe src="` + src + `" style="width:300px;height:60px"></iframe>` }
	st := newStage(t, map[string]string{"/one": `<input aria-label=one>`, "/two": `<input aria-label=two>`,
		"/": frame("/one") + `<div id=h></div>` + frame(site+"/four") + `<script>h.attachShadow({mode:'open'}).innerHTML='` + frame("/two") + frame(site+"/three") + `'</script>`}, nil)
	frames := map[string]bool{}
	for _, name := range []string{"one", "two", "three", "four"} {
		f := st.field(name)
		frames[f.Frame] = true
		st.seesTyping(f)
	}
	if len(frames) != 4 {
		t.Errorf("frames %v, want four", frames)
	}
	for i, f := range st.now.Fields {
		if want := []string{"one", "two", "three", "four"}[i]; f.Name != want {
			t.Errorf("field %d is %q, want %q: the order is the document's", i+1, f.Name, want)
		}
	}
}

// TestScrollIn: how far things are scrolled is known of the document, of the container and of the
// frame that the action is in, also for keys, which have no place.
func TestScrollIn(t *testing.T) {
	const tall = `<p style="height:3000px;margin:0">x</p>`
	far := farSite(t, `<body style="margin:0">`+tall)
	box := func(inner string) string {
		return `<body style="margin:0"><div style="width:400px;height:300px;overflow:auto">` + inner + `</div>`
	}
	pages := map[string]string{"/": tall, "/box": box(tall), "/leaf": `<body style="margin:0">` + tall, "/inner": box(tall),
		"/frame":     `<body style="margin:0"><iframe src=/leaf style="border:0;width:400px;height:300px"></iframe>` + tall,
		"/far":       `<body style="margin:0"><iframe src="` + far + `" style="border:0;width:400px;height:300px"></iframe>` + tall,
		"/marked":    box(`<button>first</button>`+tall) + box(`<button>second</button>`+tall),
		"/box-frame": `<body style="margin:0"><iframe src=/inner style="border:0;width:500px;height:400px"></iframe>` + tall}
	st := newStage(t, pages, nil)
	wheel := cua.Action{Kind: cua.Scroll, Point: &cua.Point{X: 100, Y: 100}, DY: 200}
	for _, tt := range []struct {
		path string
		want cua.Scrolled
	}{
		{"/", cua.Scrolled{Y: 200}}, {"/box", cua.Scrolled{ContainerY: 200}}, {"/frame", cua.Scrolled{ContainerY: 200}},
		{"/far", cua.Scrolled{ContainerY: 200}}, {"/box-frame", cua.Scrolled{ContainerY: 200}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			st.t = t
			st.open(tt.path)
			st.act(wheel)
			got := st.now.Scroll
			if got.MaxY = 0; got != tt.want {
				t.Errorf("scrolled %+v, want %+v", got, tt.want)
			}
			st.act(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1000, Y: 600}})
			if got := st.now.Scroll; got.ContainerY != tt.want.ContainerY && tt.path == "/box" {
				t.Errorf("after a click elsewhere the container is at %v", got.ContainerY)
			}
		})
	}
	st.t = t
	st.open("/marked")
	down := cua.Action{Kind: cua.Scroll, Mark: st.mark("second").N, DY: 200}
	before := st.locate(down)
	if before.Idle.Page != nil && before.Idle.Page.Scroll.ContainerY != 0 {
		t.Errorf("before it scrolls the marked container is at %v", before.Idle.Page.Scroll)
	}
	if st.act(down); st.now.Scroll.ContainerY != 200 {
		t.Errorf("the marked container is at %+v", st.now.Scroll)
	}
	st.open("/box")
	st.act(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 100, Y: 100}})
	st.act(cua.Action{Kind: cua.Key, Keys: "Page_Down"})
	if st.now.Scroll.ContainerY < 100 {
		t.Errorf("after a page key %+v", st.now.Scroll)
	}
}
