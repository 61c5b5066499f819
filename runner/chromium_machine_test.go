package runner_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// A submit that navigates changes everything: nobody is warned that nothing happened, whatever
// moved or had the focus on the page before.
func TestASubmitThatNavigatesIsObserved(t *testing.T) {
	for _, row := range []struct {
		name, page string
		script     []cua.Scripted
	}{
		{"a click", calm + `<form action=/done><p><label>Name <input name=n></label><p><button>Submit</button></form>`,
			[]cua.Scripted{typed("Name", "x"), click("Submit")}},
		{"Return in the field", calm + `<form action=/done><p><label>Name <input name=n></label><p><button>Submit</button></form>`,
			[]cua.Scripted{typed("Name", "x"), key("Return")}},
		{"a button as large as the page", calm + `<style>button{width:760px;height:440px}button:hover{background:orange}</style>
			<form action=/done><label>Name <input name=n></label><button>Submit</button></form>`,
			[]cua.Scripted{typed("Name", "x"), click("Submit")}},
		{"a page that moves", calm + `<style>@keyframes m{to{left:450px}}#m{position:absolute;left:10px;top:300px;width:300px;height:300px;background:teal;animation:m 2s infinite alternate}</style>
			<div id=m></div><form action=/done><p><label>Name <input name=n></label><p><button>Submit</button></form>`,
			[]cua.Scripted{typed("Name", "x"), {Action: cua.Action{Kind: cua.Key, Keys: "Return"}}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": row.page, "/done": calm + `<p>Thank you.`}).URL
			tr := play(t, "-form_controller", cua.Task{ID: "submit", URL: url}, row.script...)
			succeeded(t, tr, 2)
			s := tr.Steps[1]
			if !strings.HasPrefix(s.After.URL, url+"/done") {
				t.Fatalf("the page is %s", s.After.URL)
			}
			if s.EffectObserved == nil || !*s.EffectObserved || strings.Contains(s.Feedback,
				"no observed effect") {
				t.Errorf("observed %v (%s), the brain is told %q", s.EffectObserved, s.EffectReason,
					s.Feedback)
			}
			if !s.Effect.Has(cua.ChangeURL) || !s.Effect.Has(cua.ChangePixels) {
				t.Errorf("the effect is %+v, want another URL and other pixels", s.Effect)
			}
		})
	}
}

// A submit that is dead is told, also where the press turns a focus ring on.
func TestADeadSubmitIsTold(t *testing.T) {
	const form = `<form onsubmit="return false"><p><label>Name <input name=n></label><p><button%s>Submit</button></form>`
	for _, row := range []struct {
		name, says string
		script     []cua.Scripted
		observed   bool
	}{
		{"a second press", "", []cua.Scripted{click("Submit"), click("Submit")}, false},
		{"a first press", "", []cua.Scripted{click("Submit")}, false},
		{"Return", "", []cua.Scripted{click("Submit"), key("Return")}, false},
		{"Return, and the button says so", ` onclick="this.textContent='Sending…'"`, []cua.Scripted{click("Name"), key("Return")}, true},
		{"a press, and the button says so", ` onclick="this.textContent='Sending…'"`, []cua.Scripted{click("Submit")}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": calm + fmt.Sprintf(form, row.says)}).URL
			tr := play(t, "-form_controller", cua.Task{ID: "dead", URL: url}, row.script...)
			succeeded(t, tr, len(row.script))
			s := tr.Steps[len(row.script)-1]
			told := strings.Contains(s.Feedback, "no observed effect")
			if s.EffectObserved == nil || *s.EffectObserved != row.observed || told == row.observed {
				t.Errorf("observed %v (%s), the brain is told %q", s.EffectObserved, s.EffectReason,
					s.Feedback)
			}
		})
	}
}

// A change while the brain was thinking is not an effect of the next action.
func TestIdleChangesAreNotTheActionsDoing(t *testing.T) {
	for _, row := range []struct{ name, later string }{
		{"a text", `out.textContent='News'`},
		{"a value", `document.querySelector('input').value='filled'`},
		{"the address", `history.pushState({},'','/elsewhere')`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var thinking atomic.Bool
			done := make(chan struct{})
			srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/thinking":
					fmt.Fprint(w, thinking.Load())
					return
				case "/told":
					close(done)
					return
				}
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprintf(w, `<!doctype html>%s<p><button type=button>Dead</button><p><input><p id=out>-<script>
					const tell=setInterval(()=>fetch('/thinking').then(r=>r.text()).then(yes=>{if(yes!='true'||window.told)return;window.told=true;clearInterval(tell);%s;fetch('/told')}),50)
					</script>`, calm, row.later)
			})
			script := []cua.Scripted{click("Dead"), click("Dead")}
			tr := playWith(t, "off", cua.Task{ID: "idle", URL: srv.URL},
				slowBrain{brain.Scripted{Script: script}, func() { thinking.Store(true) }, done})
			succeeded(t, tr, 2)
			if idle := tr.Steps[1].Target.Idle; !idle.Any() {
				t.Fatal("nothing changed while the brain was thinking")
			}
			if e := tr.Steps[1].Effect; e == nil || e.Any() {
				t.Errorf("the second dead click has the effect %+v, tiles %+v", e, tiles(e))
			}
		})
	}
}

// A form in a frame, or in a shadow root, is filled like any other: the form controller types where
// the brain only clicks, and the values are read back from the page.
func TestFormsInFramesAndShadowRoots(t *testing.T) {
	t.Parallel() // most of it is waiting
	const form = `<form action=/done target=_top><p><label>User name <input name=u></label><p><label>Password <input type=password name=p></label><p><button>Sign in</button></form>`
	shadow := func(html string) string {
		return `<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML=` + "`" + html + "`" + `</script>`
	}
	other := strings.Replace(pages(t, map[string]string{"/form": calm + form}).URL, "127.0.0.1",
		"localhost", 1)
	for _, row := range []struct {
		name  string
		pages map[string]string
		frame bool
	}{
		{"in the page", map[string]string{"/": calm + form}, false},
		{"in a frame", map[string]string{"/": calm + `<p>Above<iframe src=/form width=500 height=400></iframe>`, "/form": calm + form}, true},
		{"in a frame in a frame", map[string]string{"/": calm + `<iframe src=/middle width=600 height=500></iframe>`,
			"/middle": calm + `<p>Middle<iframe src=/form width=500 height=400></iframe>`, "/form": calm + form}, true},
		{"in a frame of another site", map[string]string{"/": calm + `<p>Above<iframe src="` + other + `/form" width=500 height=400></iframe>`}, true},
		{"in a shadow root", map[string]string{"/": calm + shadow(form)}, false},
		{"in a shadow root in a frame", map[string]string{"/": calm + `<p>Above<iframe src=/form width=500 height=400></iframe>`, "/form": calm + shadow(form)}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.pages["/done"] = calm + `<p>Welcome`
			url := pages(t, row.pages).URL
			task := cua.Task{ID: "form", URL: url, Allow: []string{strings.TrimPrefix(other, "http://")},
				Fields: []cua.PlanValue{{Label: "User name", Value: "alice"},
					{Label: "Password", Value: "hunter2"}}}
			tr := play(t, "default", task, click("User name"), click("Password"), click("User name"))
			succeeded(t, tr, 3)
			for i, want := range []string{"alice", "hunter2"} {
				s := tr.Steps[i]
				if !s.Substituted() || s.Action.Text != want {
					t.Fatalf("step %d did %+v (%+v), want %q typed by the form controller", i+1, s.Action,
						s.Rulings, want)
				}
				f := s.After.Focus
				if f == nil || f.ValueDigest != cua.Digest(want) || (f.Frame != "") != row.frame {
					t.Fatalf("step %d left the focus on %+v, want the field that holds %q", i+1, f, want)
				}
				if !s.Effect.Has(cua.ChangeForm) || len(s.Effect.AtTarget) == 0 {
					t.Errorf("step %d has the effect %+v, want the form changed at the target", i+1, s.Effect)
				}
			}
			if s := tr.Steps[2]; s.Effect.Any() {
				t.Errorf("a click into a filled field has the effect %+v, tiles %+v", s.Effect,
					tiles(s.Effect))
			}
		})
	}
}
