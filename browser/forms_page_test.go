package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// equalForm is a form that nothing but its place tells apart.
const equalForm = `<form method=post action=/send><label>City <input name=city></label> <button>Send</button></form>`

// Equal forms in a page, in a shadow root of it and in frames of this and of another site are four, and what
// lies in one of them says so alike: its field, its mark, the focus, and what an action is aimed at by place
// or by name.
func TestFormsAreToldApartOverFrames(t *testing.T) {
	var srv string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			far := strings.Replace(srv, "127.0.0.1", "localhost", 1)
			fmt.Fprintf(w, `<!doctype html><form hidden action=/send><input name=city></form><iframe src=/in width=400 height=60></iframe><iframe src=%s/in width=400 height=60></iframe>
<p id=h></p><div id=app></div><script>h.attachShadow({mode:'open'}).innerHTML='%[2]s';function render(){app.innerHTML='<div id=r'+Math.random()+'>%[2]s<button onclick="render()">Again</button></div>'}render()</script>`, far, equalForm)
		case "/in":
			fmt.Fprint(w, "<!doctype html>"+equalForm)
		}
	})
	srv = server.URL
	st := &stage{t: t, s: openBlank(t, SessionOptions{SettleCap: patience}).Session, url: srv}
	st.open("/")
	forms := func() (out []string) {
		for _, f := range st.now.Fields {
			out = append(out, f.Form)
		}
		return out
	}
	first := forms()
	different := slices.Compact(slices.Sorted(slices.Values(first)))
	if len(first) != 4 || len(different) != 4 || slices.Contains(first, "") {
		t.Fatalf("the forms are %q", first)
	}
	for _, f := range st.now.Fields {
		if frameOf(f.Form) != f.Frame {
			t.Errorf("the form %q is in the frame %q", f.Form, f.Frame)
		}
		send := slices.IndexFunc(st.now.Marks, func(m cua.Mark) bool {
			return m.Name == "Send" &&
				m.Form == f.Form
		})
		if send < 0 || st.now.Marks[send].Frame != f.Frame {
			t.Errorf("no control of the form %q sends it: %+v", f.Form, st.now.Marks)
			continue
		}
		m := st.now.Marks[send]
		for name, a := range map[string]cua.Action{
			"field by place": {Kind: cua.Click, Point: at(f.Box)}, "field by name": {Kind: cua.Type, Into: f.ID, Text: "x"},
			"control by place": {Kind: cua.Click, Point: at(m.Box)}, "control by number": {Kind: cua.Click, Mark: m.N},
		} {
			if got := st.locate(a); got.Form != f.Form || got.Frame != f.Frame {
				t.Errorf("%s of %q: aimed at %+v", name, f.Form, got)
			}
		}
	}
	for _, f := range slices.Clone(st.now.Fields) {
		st.act(cua.Action{Kind: cua.Click, Point: at(f.Box)})
		if st.now.Focus == nil || st.now.Focus.ID != f.ID || st.now.Focus.Form != f.Form {
			t.Errorf("the focus is %+v, want that of %q", st.now.Focus, f.Form)
		}
		if got := forms(); !slices.Equal(got, first) {
			t.Errorf("with the focus in %q the forms are %q, were %q", f.Form, got, first)
		}
		st.click("Again")
		if got := forms(); !slices.Equal(got, first) {
			t.Errorf("made again, the forms are %q, were %q", got, first)
		}
	}
}

// Equal forms of one document are numbered as they lie in it, wherever the focus is and however far it is
// scrolled.
func TestEqualFormsKeepTheirNumbers(t *testing.T) {
	st := newStage(t, map[string]string{"/": strings.Repeat(equalForm+`<p style="height:900px">`, 3)}, nil)
	first := []string{st.now.Fields[0].Form, st.now.Fields[1].Form, st.now.Fields[2].Form}
	if first[0] == first[1] || first[1] == first[2] {
		t.Fatalf("the forms are %q", first)
	}
	for i := range slices.Backward(first) {
		st.act(cua.Action{Kind: cua.Type, Into: st.now.Fields[i].ID, Text: "x"})
		st.eval("void(document.body.append(document.createElement('p')))") // the page is walked anew
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		for j, f := range st.now.Fields {
			if f.Form != first[j] {
				t.Errorf("with the focus in form %d, form %d is %q, was %q", i, j, f.Form, first[j])
			}
		}
	}
}
