package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestModal: the topmost modal dialog that shows is known, and what lies in it.
func TestModal(t *testing.T) {
	const page = `<input aria-label=behind><button>out</button>`
	for _, tt := range []struct{ name, html, modal string }{
		{"none", ``, ""},
		{"an open dialog that is not modal", `<dialog open aria-label=D><input aria-label=inner></dialog>`, ""},
		{"a modal dialog", `<dialog id=d aria-label=D><input aria-label=inner></dialog><script>d.showModal()</script>`, "D"},
		{"one that is called so", `<div role=dialog aria-modal=true aria-label=D style="position:fixed;top:90px"><input aria-label=inner></div>`, "D"},
		{"one without a box", `<div role=dialog aria-modal=true aria-label=D><div style="position:fixed;top:90px"><input aria-label=inner></div></div>`, "D"},
		{"one that is called so and hidden", `<div role=dialog aria-modal=true aria-label=D style="display:none"><input aria-label=inner></div>`, ""},
		{"one that is moved out of view", `<div role=dialog aria-modal=true aria-label=D style="position:fixed;top:90px;left:-900px;width:300px"><input aria-label=inner></div>`, ""},
		{"one over another", `<div role=dialog aria-modal=true aria-label=A style="position:fixed;top:60px;width:300px;height:200px;background:#eee"></div>
<div role=dialog aria-modal=true aria-label=D style="position:fixed;top:90px;width:200px;height:100px;background:#ddd"><input aria-label=inner></div>`, "D"},
		{"one over another that comes later", `<div role=dialog aria-modal=true aria-label=D style="position:fixed;z-index:2;top:60px;width:300px;height:200px;background:#eee"><input aria-label=inner></div>
<div role=dialog aria-modal=true aria-label=B style="position:fixed;top:60px;width:300px;height:200px;background:#ddd"></div>`, "D"},
		{"the top layer over all", `<dialog id=d aria-label=D><input aria-label=inner></dialog><div role=dialog aria-modal=true aria-label=B style="position:fixed;z-index:9;top:60px;width:300px;height:200px"></div><script>d.showModal()</script>`, "D"},
		{"an alert in a shadow root", `<p id=h></p><script>h.attachShadow({mode:'open'}).innerHTML='<div role=alertdialog aria-modal=true aria-label=D style="position:fixed;top:90px"><input aria-label=inner></div>'</script>`, "D"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": page + tt.html}, nil)
			if (st.now.Modal != "") != (tt.modal != "") || !strings.Contains(st.now.Modal, tt.modal) {
				t.Fatalf("the modal dialog is %q, want %q", st.now.Modal, tt.modal)
			}
			if tt.modal == "" {
				return
			}
			in, behind := st.field("inner"), st.field("behind")
			if in.Dialog != st.now.Modal || behind.Dialog != "" || !st.now.Reachable(in.Dialog) ||
				st.now.Reachable(behind.Dialog) {
				t.Errorf("the field is in %q and the other in %q, the dialog is %q", in.Dialog, behind.Dialog,
					st.now.Modal)
			}
			if m, got := st.mark("inner"), st.locate(cua.Action{Kind: cua.Click,
				Mark: st.mark("inner").N}); m.Dialog != in.Dialog || got.Dialog != in.Dialog {
				t.Errorf("mark in %q, target in %q", m.Dialog, got.Dialog)
			}
		})
	}
}

// TestDialogsOverFrames: what lies in a frame is in the dialog that holds the frame, of whatever site the
// frame is.
func TestDialogsOverFrames(t *testing.T) {
	var srv string
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		far := strings.Replace(srv, "127.0.0.1", "localhost", 1)
		page := `<form aria-label=F><input aria-label=inner><button>Send</button></form>`
		if r.URL.Path == "/" {
			page = `<dialog id=d aria-label=D><iframe src=/in width=300 height=80></iframe><iframe src=` + far + `/in width=300 height=80></iframe></dialog><input aria-label=behind><script>d.showModal()</script>`
		}
		_, _ = w.Write([]byte("<!doctype html>" + page))
	})
	srv = server.URL
	st := &stage{t: t, s: openBlank(t, SessionOptions{SettleCap: patience}).Session, url: srv}
	st.open("/")
	n := 0
	for _, f := range st.now.Fields {
		if f.Name != "inner" {
			continue
		}
		n++
		form := st.now.FormOf(f.Form, f.Frame)
		if f.Dialog == "" || f.Dialog != st.now.Modal || form == nil || form.Dialog != f.Dialog ||
			form.Default == nil || form.Default.Dialog != f.Dialog || form.Default.Frame != f.Frame {
			t.Errorf("the field of %q is in %q, its form %+v; the dialog is %q", f.Frame, f.Dialog, form,
				st.now.Modal)
		}
		if got := st.locate(cua.Action{Kind: cua.Click, Point: at(f.Box)}); got.Dialog != f.Dialog {
			t.Errorf("the target is in %q", got.Dialog)
		}
		st.act(cua.Action{Kind: cua.Type, Into: f.ID, Text: "x"})
		if g := st.now.Focus; g == nil || g.ID != f.ID || g.Dialog != f.Dialog || g.Empty {
			t.Errorf("after typing the focus is %+v", g)
		}
	}
	if n != 2 {
		t.Fatalf("%d fields in frames: %+v", n, st.now.Fields)
	}
}

// TestCoveringControls: the marks of a layer over the target are known in document order.
func TestCoveringControls(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<button>under</button><div style="position:fixed;inset:0;background:#fffc"><h2>Cookies</h2><button>No</button> <iframe src=/in width=200 height=60></iframe> <button>Yes</button></div>`,
		"/in": `<button>Inner</button>`}, nil)
	var want []string
	for _, name := range []string{"No", "Yes", "Inner"} {
		want = append(want, st.mark(name).ID)
	}
	got := st.locate(cua.Action{Kind: cua.Click, Mark: st.mark("under").N})
	if !st.mark("under").Covered || got.Covering == nil || strings.Join(got.Covering.Controls,
		"|") != strings.Join(want, "|") {
		t.Errorf("covered by %+v, want the controls %q", got.Covering, want)
	}
}
