package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// inShadow is a script that puts html into a shadow root.
func inShadow(mode, html string) string {
	return `<my-form tabindex=0 aria-label=go style="display:inline-block"></my-form><script>
document.querySelector('my-form').attachShadow({mode:'` + mode + `'}).innerHTML='` + html + `'</script>`
}

// frameSends are the ways in which a click posts into a frame: what the page around it holds, and what the
// frame holds. AT is the address that is posted to.
var frameSends = []struct{ name, page, frame string }{
	{"form with a target", `<form method=post action=AT target=sink><button>go</button></form>`, ""},
	{"target of the control", `<form method=post action=/wrong><button formaction=AT formtarget=sink>go</button></form>`, ""},
	{"form.submit()", `<form id=f method=post action=AT target=sink></form><button onclick="f.submit()">go</button>`, ""},
	{"form.requestSubmit()", `<form id=f method=post action=AT target=sink></form><button onclick="f.requestSubmit()">go</button>`, ""},
	{"submit() by a timer", `<form id=f method=post action=AT target=sink></form><button onclick="setTimeout(()=>f.submit(),50)">go</button>`, ""},
	{"form made for it", `<button onclick="const f=document.createElement('form');f.method='post';f.action='AT';f.target='sink';document.body.append(f);f.submit();f.remove()">go</button>`, ""},
	{"shadow root", inShadow("open", `<form method=post action=AT target=sink><button>go</button></form>`), ""},
	{"closed shadow root", inShadow("closed", `<form method=post action=AT target=sink><button>go</button></form>`), ""},
	{"new shadow root", `<p id=h></p><button onclick="const r=h.attachShadow({mode:'closed'});r.innerHTML='<form method=post action=AT target=sink></form>';r.firstChild.requestSubmit()">go</button>`, ""},
	{"form of the frame", "", `<form method=post action=AT><button>go</button></form>`},
	{"shadow root of the frame", "", inShadow("open", `<form method=post action=AT><button>go</button></form>`)},
}

// A click that posts into a frame is over when the answer shows, and the write is on record, wherever the
// frame and the answer are from.
func TestWritesIntoFrames(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		far := strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)
		var i int
		switch _, _ = fmt.Sscanf(r.FormValue("i"), "%d", &i); r.URL.Path {
		case "/":
			page := strings.ReplaceAll(frameSends[i].page, "AT", r.FormValue("to"))
			fmt.Fprintf(w, "<!doctype html><iframe name=sink src='%s' width=300 height=60></iframe>%s",
				r.FormValue("from"), strings.ReplaceAll(page, "FAR", far))
		case "/in":
			fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(frameSends[i].frame, "AT", "/send"))
		case "/send":
			late := time.NewTimer(150 * time.Millisecond) // the page must be seen to wait
			defer late.Stop()
			select {
			case <-late.C:
			case <-r.Context().Done():
			}
			fmt.Fprint(w, "<!doctype html><p>answered "+r.Method)
		}
	})
	far := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	e := openBlank(t, SessionOptions{SettleCap: patience})
	st := &stage{t: t, s: e.Session, url: srv.URL}
	for i, k := range frameSends {
		for _, at := range []struct{ name, from, to string }{
			{"same site", fmt.Sprintf("%s/in?i=%d", srv.URL, i), srv.URL + "/send"},
			{"another site", fmt.Sprintf("%s/in?i=%d", far, i), far + "/send"},
			{"blank frame and another site", "about:blank", far + "/send"},
		} {
			if k.frame != "" && at.from == "about:blank" {
				continue
			}
			t.Run(k.name+", "+at.name, func(t *testing.T) {
				st.t = t
				st.open(fmt.Sprintf("/?i=%d&from=%s&to=%s", i, strings.ReplaceAll(at.from, "?",
					"%3f"), at.to))
				out := st.click("go")
				if want := []cua.Write{{Method: "POST", URL: at.to,
					Status: 200}}; !slices.Equal(out.After.Writes, want) {
					t.Errorf("writes %+v, want %+v; settle %+v", out.After.Writes, want, out.Settle)
				}
				if !shows(st, out.After, "answered POST") {
					t.Errorf("observed before the answer: %+v, %v", out.Settle, out.After.DOMParts)
				}
			})
		}
	}
}
