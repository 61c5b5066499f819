package browser

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestDefaultButton: the control that Return activates is the first submit control of the form in tree order,
// as HTML says.
func TestDefaultButton(t *testing.T) {
	for _, tt := range []struct {
		name, html, want string
		disabled         bool
	}{
		{"the only one", `<form>IN<button>Go</button></form>`, "Go", false},
		{"the first of two", `<form>IN<button>Go</button><button>No</button></form>`, "Go", false},
		{"no plain button", `<form>IN<button type=button>No</button><input type=button value=No><input type=reset><input type=submit value=Go></form>`, "Go", false},
		{"below the fold", `<form>IN<p style="height:3000px"><button>Go</button></form>`, "Go", false},
		{"hidden", `<form><button style="display:none">Go</button>IN<button>No</button></form>`, "Go", false},
		{"disabled", `<form><button disabled>Go</button>IN<button>No</button></form>`, "Go", true},
		{"outside of the form and before it", `<button form=f>Go</button><form id=f>IN<button>No</button></form>`, "Go", false},
		{"outside of the form and after it", `<form id=f>IN</form><button form=f>Go</button>`, "Go", false},
		{"an image", `<form>IN<input type=image alt=Go width=9 height=9><button>No</button></form>`, "Go", false},
		{"an image after a button", `<form>IN<button>Go</button><input type=image alt=No width=9 height=9></form>`, "Go", false},
		{"an image of another form", `<form id=g></form><input type=image form=g alt=No width=9 height=9><form>IN<button>Go</button></form>`, "Go", false},
		{"a field that is named like what holds them", `<form>IN<input name=elements><button>Go</button></form>`, "Go", false},
		{"and a radio button", `<form>IN<input name=elements><input type=radio name=r><button>Go</button></form>`, "Go", false},
		{"none", `<form>IN<button type=button>No</button></form>`, "", false},
		{"no form", `<div>IN<button>No</button></div>`, "", false},
		{"an outer shadow tree", `<p id=h></p><script>h.attachShadow({mode:'open'}).innerHTML='<form>IN<button>Go</button></form>'</script><form><button>No</button></form>`, "Go", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": strings.ReplaceAll(tt.html, "IN",
				"<input aria-label=it>")}, nil)
			f := st.field("it")
			form := st.now.FormOf(f.Form, f.Frame)
			if form == nil {
				t.Fatalf("no form %q among %+v", f.Form, st.now.Forms)
			}
			if tt.want == "" {
				if form.Default != nil {
					t.Errorf("the default is %+v", form.Default)
				}
				return
			}
			d := form.Default
			if d == nil || d.Name != tt.want || d.Disabled != tt.disabled || !d.Submit || d.Input ||
				d.Form != f.Form {
				t.Fatalf("the default is %+v", d)
			}
			if m := st.now.MarkByID(d.ID); m != nil && m.Control() != *d {
				t.Errorf("as a mark %+v\nas the default %+v", m.Control(), *d)
			}
		})
	}
}

// TestFormTexts: a message in or beside a form is a new text of it; what its controls hold, a count and a
// clock are none.
func TestFormTexts(t *testing.T) {
	const form = `<main><p id=before></p><form><label>Zip <input id=zip></label><p id=in></p><select id=s><option>a<option>b</select><button id=b>Send</button></form><p id=after></p></main><footer><p id=far></p></footer>`
	const loose = `<main><p id=before></p><div><label>Zip <input id=zip></label><p id=in></p><div><select id=s><option>a<option>b</select></div><button id=b>Send</button></div><p id=after></p></main><footer><p id=far></p></footer>`
	for _, page := range []struct{ name, html string }{{"form", form}, {"no form", loose}} {
		st := newStage(t, map[string]string{"/": page.html}, nil)
		for _, tt := range []struct {
			name, js string
			adds     bool
		}{
			{"in it", "document.getElementById('in').textContent='Zu lang'", true},
			{"before it", "before.textContent='Too long'", true},
			{"after it", "after.textContent='長すぎます'", true},
			{"nested beside it", "after.innerHTML='<span><b>Too</b> long</span>'", true},
			{"far from it", "far.textContent='Too long'", false},
			{"hidden in it", "document.getElementById('in').innerHTML='<span style=\"display:none\">Too long</span>'", false},
			{"a typed value", "zip.value='Too long'", false},
			{"another option", "s.selectedIndex=1", false},
			{"another name of its button", "b.textContent='Sending'", false},
			{"a count", "after.textContent='12:04'", false},
		} {
			t.Run(page.name+" "+tt.name, func(t *testing.T) {
				before := st.open("/").Forms
				st.eval("void(" + tt.js + ")")
				st.act(cua.Action{Kind: cua.Wait, MS: 1})
				if len(before) != 1 || len(st.now.Forms) != 1 {
					t.Fatalf("forms %+v, then %+v", before, st.now.Forms)
				}
				added := slices.ContainsFunc(st.now.Forms[0].Texts,
					func(s string) bool { return !slices.Contains(before[0].Texts, s) })
				if added != tt.adds {
					t.Errorf("new text: %t, want %t", added, tt.adds)
				}
			})
		}
	}
}

// TestWorking: a page that tells of a job under way is known, and one that tells of none or whose job is
// done.
func TestWorking(t *testing.T) {
	for _, tt := range []struct {
		name, html string
		working    bool
	}{
		{"a bar without end", `<progress></progress>`, true},
		{"half a bar", `<progress value=5 max=10></progress>`, true},
		{"a full bar", `<progress value=10 max=10></progress>`, false},
		{"a hidden bar", `<progress hidden></progress>`, false},
		{"a bar by role", `<div role=progressbar aria-valuenow=40>40 %</div>`, true},
		{"by role, without end", `<div role=progressbar>…</div>`, true},
		{"by role, full", `<div role=progressbar aria-valuenow=7 aria-valuemax=7>done</div>`, false},
		{"a busy part", `<section aria-busy=true>Results</section>`, true},
		{"no longer busy", `<section aria-busy=false>Results</section>`, false},
		{"in a shadow root", `<x-job><template shadowrootmode=open><progress></progress></template></x-job>`, true},
		{"in a frame", `<iframe srcdoc="<p aria-busy=true>Loading</p>"></iframe>`, true},
		{"a meter is no job", `<meter value=0.3></meter>`, false},
		{"text alone", `<p>Loading…</p>`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if st := newStage(t, map[string]string{"/": tt.html}, nil); st.now.Working != tt.working {
				t.Errorf("working %t, want %t", st.now.Working, tt.working)
			}
		})
	}
}

// TestNotices: what the page announces and shows is known, and goes with it.
func TestNotices(t *testing.T) {
	for _, tt := range []struct {
		name, html string
		n          int
	}{
		{"alert", `<p role=alert>Too long</p>`, 1},
		{"status is advice", `<p role=status>Saved</p>`, 0},
		{"live region", `<p aria-live=polite>Saved</p><p aria-live=assertive>Failed</p>`, 2},
		{"so is output", `<output>done</output>`, 0},
		{"message of a field", `<input aria-errormessage=m><p id=m>Too long</p>`, 1},
		{"hidden message of a field", `<input aria-errormessage=m><p id=m hidden>Too long</p>`, 0},
		{"empty", `<p role=alert></p>`, 0},
		{"hidden", `<p role=alert hidden>Too long</p>`, 0},
		{"switched off", `<p aria-live=off>news</p>`, 0},
		{"two alike", `<p role=alert>Too long</p><p role=alert>Too long</p>`, 1},
		{"a toast without a role", `<div style="position: fixed; bottom: 0">Too long</div>`, 1},
		{"a paragraph without one", `<div>Too long</div>`, 0},
		{"in a frame", `<iframe srcdoc="<p role=alert>Too long</p>"></iframe>`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			if len(st.now.Notices) != tt.n {
				t.Errorf("notices %q, want %d", st.now.Notices, tt.n)
			}
		})
	}
	st := newStage(t, map[string]string{"/": `<input aria-label=a aria-errormessage=m><input aria-label=b aria-errormessage=n><p id=m>Too long</p><p id=n hidden>Too short</p>`}, nil)
	if a, b := st.field("a"), st.field("b"); a.Invalid != "Too long" || b.Invalid != "" {
		t.Errorf("invalid %q and %q", a.Invalid, b.Invalid)
	}
}

// TestAnswered: requests of any method that the action caused and that the site answered well are counted.
func TestAnswered(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<button onclick="fetch('/ok')">get</button><button onclick="fetch('/ok',{method:'POST'})">post</button>
<button onclick="const x=new XMLHttpRequest;x.open('GET','/ok');x.send()">xhr</button><button onclick="fetch('/ok').then(()=>fetch('/ok'))">two</button><button onclick="fetch('/bad')">bad</button>
<button onclick="fetch('/moved')">moved</button><button onclick="fetch('http://localhost:1/x').catch(()=>{})">elsewhere</button><button>dead</button><a href=/next>link</a><a href=/gone>gone</a>
<form method=post action=/ok><button>send</button></form>`, "/next": "next",
		"/poll": `<button>dead</button><p id=n>0</p><script>setInterval(()=>fetch('/ok').then(()=>{n.textContent++}),20)</script>`}, func(m *http.ServeMux) {
		m.HandleFunc("/ok", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html>fine"))
		})
		m.HandleFunc("/bad", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
		m.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/ok",
				http.StatusFound)
		})
	})
	for name, want := range map[string]int{"get": 1, "post": 1, "xhr": 1, "two": 2, "bad": 0, "moved": 1,
		"elsewhere": 0, "dead": 0, "link": 1, "gone": 0, "send": 1} {
		st.open("/")
		if st.click(name); st.now.Answered != want {
			t.Errorf("%s: %d answered, want %d", name, st.now.Answered, want)
		}
	}
	st.open("/")
	if st.act(cua.Action{Kind: cua.Reload}); st.now.Answered != 1 {
		t.Errorf("reload: %d answered", st.now.Answered)
	}
	st.open("/poll")
	st.await("n.textContent>3")
	if st.click("dead"); st.now.Answered != 0 {
		t.Errorf("a page that polls by itself: %d answered", st.now.Answered)
	}
}
