package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// colourful is a page that is told its colour, with a button that changes it to the next and back.
func colourful(color, body string) string {
	return `<title>` + color + `</title><body style="margin:0;background:` + color + `"><button id=b
		style="position:absolute;left:500px;top:300px;width:90px;height:40px;border:0;outline:0;background:#ccc">b</button>` + body
}

const toggling = `<script>let n = 0; b.addEventListener('click', () => { document.body.style.background = ++n % 2 ? '#fdd' : '#ddf' })</script>`

var pressB = cua.Action{Kind: cua.Click, Point: &cua.Point{X: 545, Y: 320}}

// Pages that look the same have the same frame, whatever number was drawn into each.
func TestEqualPagesHaveEqualFrames(t *testing.T) {
	ts := site(t, map[string]string{"/": colourful("#ddf", toggling), "/dead": colourful("#ddf", "")})
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			b := alone(t, Options{Path: path})
			e := openIn(t, b, SessionOptions{}, ts.URL)
			e.ok(pressB) // where the mouse is now shows on the page
			red := e.last.FrameSHA
			blue := e.ok(pressB).FrameSHA
			if red == blue || red == "" {
				t.Fatalf("the colours are %q and %q", red, blue)
			}
			for _, r := range []struct {
				name string
				a    cua.Action
				want string
			}{
				{"idle", cua.Action{Kind: cua.Wait, MS: 60}, blue},
				{"once more", cua.Action{Kind: cua.Wait, MS: 60}, blue},
				{"there", pressB, red},
				{"and back", pressB, blue},
				{"reload", cua.Action{Kind: cua.Reload}, blue},
				{"there again", pressB, red},
				{"another document that looks the same", cua.Action{Kind: cua.Navigate, URL: ts.URL + "/dead"}, blue},
				{"a press without effect", pressB, blue},
			} {
				out := e.act(r.a)
				if out.Failure != nil || out.After.FrameSHA != r.want {
					t.Errorf("%s: %v, frame %.8s by %s %q, want %.8s", r.name, out.Failure,
						out.After.FrameSHA, out.Settle.Frame, out.Settle.Why, r.want)
				}
			}
		})
	}
}

// Where a page has frames of other origins, windows, tabs and dialogs, each frame shows the page as it is.
func TestFramesOfWindowsAndDialogs(t *testing.T) {
	var port string
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{
			"/":       colourful("#ddf", toggling),
			"/outer":  colourful("#ddf", `<iframe style="position:fixed;inset:0;width:100%;height:100%;border:0" src="http://localhost:PORT/"></iframe>`),
			"/opener": colourful("#ddf", `<script>b.onclick = () => open('/dead')</script>`),
			"/dead":   colourful("#dfd", ""),
			"/alert":  colourful("#ddf", `<script>let n = 0; b.addEventListener('mousedown', () => { alert(1); document.body.style.background = '#fdd' })</script>`),
			"/ask":    colourful("#ddf", `<script>b.addEventListener('click', () => { document.body.style.background = confirm('?') ? '#fdd' : '#dfd' })</script>`),
		}[r.URL.Path]
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", strings.ReplaceAll(body, "PORT", port))
	})
	port = ts.URL[strings.LastIndex(ts.URL, ":")+1:]
	const red, green, blue = 0xffdddd, 0xddffdd, 0xddddff
	type step struct {
		a    cua.Action
		want int // the colour of the page; 0 is that there is no frame
		why  string
	}
	rows := []struct {
		name, path string
		steps      []step
	}{
		{"a frame of another origin", "/outer", []step{{pressB, red, frames.WhyFrames}, {pressB, blue, frames.WhyFrames}}},
		{"a window", "/opener", []step{{pressB, green, ""}, {pressB, green, ""}, {cua.Action{Kind: cua.CloseTab}, blue, ""}, {pressB, green, ""}}},
		{"tabs", "/", []step{{pressB, red, ""}, {cua.Action{Kind: cua.NewTab, URL: ts.URL + "/dead"}, green, ""},
			{cua.Action{Kind: cua.SwitchTab, Tab: 1}, red, ""}, {pressB, blue, ""}, {cua.Action{Kind: cua.SwitchTab, Tab: 2}, green, ""},
			{pressB, green, ""}, {cua.Action{Kind: cua.SwitchTab, Tab: 1}, blue, ""}}},
		{"an alert by a press", "/alert", []step{{pressB, red, ""}, {pressB, red, ""}}},
		{"a question by a press", "/ask", []step{{pressB, 0, ""}, {cua.Action{Kind: cua.AnswerDlg, Accept: true}, red, ""},
			{pressB, 0, ""}, {cua.Action{Kind: cua.AnswerDlg}, green, ""}}},
	}
	for name, path := range browsers(t) {
		b := alone(t, Options{Path: path})
		for _, r := range rows {
			t.Run(name+", "+r.name, func(t *testing.T) {
				e := openIn(t, b, SessionOptions{}, ts.URL+r.path)
				var out cua.Outcome
				for i, s := range r.steps {
					out = e.act(s.a)
					switch {
					case out.Failure != nil:
						t.Fatalf("step %d: %v", i, out.Failure)
					case s.want == 0 && out.After.Shot == nil && out.Settle.Frame == "none":
						continue
					case out.After.Shot == nil || corner(t, *out.After.Shot) != s.want:
						t.Fatalf("step %d: the frame by %s %q does not show %x, log %q", i, out.Settle.Frame,
							out.Settle.Why, s.want, out.Log)
					case s.why != "" && out.Settle.Why != s.why:
						t.Errorf("step %d: captured because %q, want %q", i, out.Settle.Why, s.why)
					}
				}
				t.Attr("odd", oddRow(t, r.name, name, out))
			})
		}
	}
}
