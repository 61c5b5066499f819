package runner_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func hover(name string) cua.Scripted { return on(name, cua.Action{Kind: cua.Hover}) }

func at(kind cua.Kind, x, y float64) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: kind, Point: &cua.Point{X: x, Y: y}}}
}

func wheel(x, y, dy float64) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Scroll, Point: &cua.Point{X: x, Y: y}, DY: dy}}
}

func twice(s cua.Scripted) []cua.Scripted { return []cua.Scripted{s, s} }

// seat is one of several things that show only by their colour that they were pressed.
func seats(n int) (html string) {
	html = `<style>i{display:inline-block;width:40px;height:40px;background:#ddd;margin:30px;cursor:pointer}.on{background:green}</style>`
	for i := range n {
		html += fmt.Sprintf(`<i aria-label="seat %d" onclick="this.classList.toggle('on')"></i>`, i+1)
	}
	return html
}

// stepRows say of each step of a script whether it is progress (P) or not (.), and of what class a change
// of one of them has to be.
var stepRows = []struct {
	name, html string
	script     []cua.Scripted
	want       string
	class      cua.Change
}{
	// Attention.
	{"a menu that hovering opens", `<style>li ul{display:none}li:hover ul{display:block}</style><ul><li><button type=button>Menu</button><ul><li><a href=#a>Item</a></ul></ul>`,
		twice(hover("Menu")), "P.", cua.ChangeDOM},
	{"a button that hovering colours", `<style>button:hover{background:red}</style><button>Dead</button>`, twice(hover("Dead")), "..", cua.ChangeHover},
	{"a button that hovering colours slowly", `<style>button{transition:background .2s,box-shadow .2s}button:hover{background:red;box-shadow:0 0 0 6px blue}</style><button>Dead</button>`,
		[]cua.Scripted{click("Dead"), click("Dead"), click("Dead")}, "...", ""},
	{"a tip of the style sheet's", `<style>button{position:relative}button:hover::after{content:'a tip';position:absolute;left:0;top:40px;background:yellow}</style><button>Dead</button>`,
		[]cua.Scripted{hover("Dead"), click("Dead")}, "P.", cua.ChangePixels},
	{"a tip of a script's", `<button onmouseenter="tip.textContent='a tip'" onmouseleave="tip.textContent=''">Dead</button><p id=tip>`,
		[]cua.Scripted{hover("Dead"), click("Dead")}, "P.", cua.ChangeDOM},
	{"a word that is selected", `<p style="font-size:30px">Some words to select</p>`,
		[]cua.Scripted{at(cua.DoubleClick, 40, 60), at(cua.DoubleClick, 40, 60), at(cua.Click, 600, 400),
			at(cua.TripleClick, 40, 60)}, "....", cua.ChangeFocusPixels},
	{"what a drag selects", `<p style="font-size:30px">Some words to select</p>`,
		[]cua.Scripted{{Action: cua.Action{Kind: cua.Drag, Point: &cua.Point{X: 20, Y: 60},
			To: &cua.Point{X: 200, Y: 60}}}}, ".", cua.ChangeFocusPixels},
	{"all of a field selected", `<p><label>Name <input value="abc def"></label>`, []cua.Scripted{click("Name"), key("ctrl+a"), key("ctrl+a"), key("Left")}, "....", cua.ChangeFocusPixels},
	{"a ring that a script draws", `<style>.f{outline:3px solid red}</style><button onfocus="this.className='f'" onblur="this.className=''">Dead</button>`, twice(click("Dead")), "..", cua.ChangeFocus},
	{"a ripple", `<style>.r{position:absolute;width:30px;height:30px;background:#0004;animation:r .3s forwards}@keyframes r{to{opacity:0}}</style>
		<button style="position:relative" onmousedown="const r=document.createElement('span');r.className='r';this.append(r);r.onanimationend=()=>r.remove()">Dead</button>`,
		[]cua.Scripted{click("Dead"), click("Dead"), click("Dead")}, "...", ""},
	{"a page that notes what is used", `<button onmousedown="document.body.className='mouse'" onkeydown="document.body.className='key'">Dead</button>`,
		[]cua.Scripted{click("Dead"), key("Tab"), click("Dead")}, "...", ""},
	{"the browser's own hint", `<form><label>Name <input required></label><button>Send</button></form>`,
		[]cua.Scripted{click("Send"), click("Send"), click("Send")}, "P..", cua.ChangeForm},
	// What only shows by its look.
	{"another thing coloured", `<style>.on{background:red}</style><button onclick="t.classList.toggle('on')">Go</button><p id=t style="width:99px;height:60px;position:absolute;left:600px;top:300px">x`,
		[]cua.Scripted{click("Go"), click("Go"), click("Go")}, "PPP", cua.ChangePixels},
	{"a button that colours itself", `<style>.on{background:red}</style><button onclick="this.classList.toggle('on')">Go</button>`,
		[]cua.Scripted{click("Go"), click("Go"), click("Go")}, "PPP", cua.ChangePixels},
	{"seats that are chosen", seats(5), []cua.Scripted{click("seat 1"), click("seat 2"), click("seat 3"), click("seat 4")}, "PPPP", cua.ChangePixels},
	{"the next picture", `<img id=g style="width:300px;height:200px;position:absolute;left:500px;top:200px" src="/i0.svg"><script>k=0</script><button onclick="g.src='/i'+(++k%5)+'.svg'">Next</button>`,
		[]cua.Scripted{click("Next"), click("Next"), click("Next")}, "PPP", cua.ChangePixels},
	// States.
	{"aria-pressed", `<button aria-pressed=false onclick="this.setAttribute('aria-pressed',this.getAttribute('aria-pressed')!='true')">Like</button>`, twice(click("Like")), "PP", cua.ChangeDOM},
	{"aria-expanded", `<button aria-expanded=false onclick="this.setAttribute('aria-expanded','true')">More</button>`, twice(click("More")), "P.", cua.ChangeDOM},
	{"aria-checked", `<div role=checkbox tabindex=0 aria-checked=false aria-label=Tick onclick="this.setAttribute('aria-checked','true')">x</div>`, twice(click("Tick")), "P.", cua.ChangeForm},
	{"disabled", `<button onclick="o.disabled=!o.disabled">Go</button><button id=o>Other</button>`, twice(click("Go")), "PP", cua.ChangeDOM},
	{"a value attribute", `<button onclick="o.setAttribute('value',o.value+'x')">Go</button><input id=o>`, twice(click("Go")), "PP", cua.ChangeForm},
	{"a progress bar", `<button onclick="o.value+=10">Go</button><progress id=o max=100 value=0></progress>`, twice(click("Go")), "PP", cua.ChangeDOM},
	{"details", `<details><summary>More</summary>text</details>`, twice(click("More")), "PP", cua.ChangeDOM},
	{"a dialog element", `<dialog id=d>Hello <button onclick="d.close()">Close</button></dialog><button onclick="d.showModal()">Open</button>`, []cua.Scripted{click("Open"), click("Close")}, "PP", cua.ChangeDOM},
	{"a popover", `<div id=d popover>Hello</div><button popovertarget=d>Open</button>`, []cua.Scripted{click("Open")}, "P", cua.ChangeDOM},
	{"a list that opens", `<label>Size <select><option>Small<option>Large</select></label>`, twice(click("Size")), "..", ""},
	// Around the page.
	{"an alert", `<button onclick="alert('no')">Go</button>`, []cua.Scripted{click("Go")}, "P", cua.ChangeDialog},
	{"a question", `<button onclick="setTimeout(()=>confirm('Sure?'))">Go</button>`, []cua.Scripted{click("Go")}, "P", cua.ChangeDialog},
	{"a page that asks before it is left", `<script>onbeforeunload=e=>e.preventDefault()</script><a href="/other">Go</a>`, []cua.Scripted{click("Go")}, "P", cua.ChangeURL},
	{"a new tab", `<a href="/other" target=_blank>Go</a>`, []cua.Scripted{click("Go")}, "P", cua.ChangeTab},
	{"a download", `<a href="/file">Go</a>`, twice(click("Go")), "PP", cua.ChangeDownload},
	{"a fragment", `<a href="#x">Go</a>`, twice(click("Go")), "P.", cua.ChangeURL},
	{"a link to where one is", `<a href="/">Home</a>`, twice(click("Home")), "..", ""},
	// Requests.
	{"a write", `<button onclick="fetch('/b',{method:'POST'})">Go</button>`, twice(click("Go")), "PP", cua.ChangeWrite},
	{"a write in a frame", `<iframe srcdoc="<button onclick=&quot;fetch('/b',{method:'POST'})&quot;>Go</button>"></iframe>`, twice(click("Go")), "PP", cua.ChangeWrite},
	{"a write that is turned down", `<button onclick="fetch('/500',{method:'POST'})">Go</button>`, twice(click("Go")), "..", ""},
	{"a beacon", `<button onclick="navigator.sendBeacon('/b','x')">Go</button>`, twice(click("Go")), "..", ""},
	{"a request that outlives the page", `<button onclick="fetch('/b',{method:'POST',keepalive:true})">Go</button>`, twice(click("Go")), "..", ""},
	{"a request that reads", `<button onclick="fetch('/b')">Go</button>`, twice(click("Go")), "..", ""},
	{"a query that is posted", `<button onclick="fetch('/graphql',{method:'POST',body:'{}'})">Go</button>`, twice(click("Go")), "..", ""},
	{"a write to another site", `<button onclick="fetch('ELSEWHERE/b',{method:'POST',mode:'no-cors'})">Go</button>`, twice(click("Go")), "..", ""},
	// Scrolling.
	{"a frame that scrolls", `<iframe style="width:300px;height:200px" srcdoc="<p style='height:500px;background:linear-gradient(red,blue)'>x"></iframe>`,
		[]cua.Scripted{wheel(100, 100, 300), wheel(100, 100, 900), wheel(100, 100, 900)}, "PP.",
		cua.ChangeScroll},
	{"a container that scrolls", `<div style="width:300px;height:200px;overflow:auto"><p style="height:3000px">x</div>`,
		[]cua.Scripted{wheel(100, 100, 100), wheel(100, 100, 100), wheel(600, 400, 100)}, "PP.",
		cua.ChangeScroll},
	{"two containers", `<div style="width:300px;height:200px;overflow:auto"><p style="height:150px">x</div><div style="width:300px;height:200px;overflow:auto"><p style="height:3000px">x</div>`,
		[]cua.Scripted{wheel(100, 300, 100), wheel(100, 100, 900), wheel(100, 100, 900),
			wheel(100, 300, 100)}, "PP.P", cua.ChangeScroll},
	{"a key that scrolls a container", `<div style="width:600px;height:500px;overflow:auto"><p style="height:3000px">x</div>`,
		[]cua.Scripted{at(cua.Click, 100, 300), key("Page_Down"), key("Page_Down")}, ".PP", cua.ChangeScroll},
	// Renders.
	{"a dead button that is made again", `<div id=a></div><script>let n=0;const rid=()=>Math.random().toString(36).slice(2,7);function r(){n++;a.innerHTML='<div id='+rid()+' class=c'+n+'><button type=button id='+rid()+' onclick="r()">Dead</button></div>'}r()</script>`,
		[]cua.Scripted{click("Dead"), click("Dead"), click("Dead"), click("Dead")}, "....", ""},
	{"a dead canvas", `<canvas width=300 height=200 style="border:1px solid" onclick="0"></canvas>`, []cua.Scripted{at(cua.Click, 100, 100), at(cua.Click, 200, 100)}, "..", ""},
}

// progressOf marks each step: P for progress, a dot for none, ? for not known; and reports whether one of
// them has the class.
func progressOf(steps []cua.Step, class cua.Change) (marks string, seen bool) {
	seen = class == ""
	for _, s := range steps {
		switch {
		case s.Effect == nil:
			marks += "?"
		case s.Effect.Any():
			marks += "P"
		default:
			marks += "."
		}
		seen = seen || s.Effect.Has(class)
	}
	return marks, seen
}

// What is progress and what is not, step by step on real pages. Where an input falls between two frames of a
// busy machine is chance: a row that comes out otherwise is played again, twice at most.
func TestStepsOnRealPages(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, row := range stepRows {
		t.Run(row.name, func(t *testing.T) {
			var tr *trajectories.Trajectory
			got, seen := "", false
			for range 3 {
				url := stepSite(t, row.html)
				tr = play(t, "off", cua.Task{ID: "effect", URL: url, ReadEndpoints: []string{"/graphql"}},
					row.script...)
				succeeded(t, tr, len(row.script))
				if got, seen = progressOf(tr.Steps[:len(row.script)], row.class); got == row.want && seen {
					break
				}
				t.Logf("progress was %s", got)
			}
			if got != row.want || !seen {
				t.Errorf("progress is %s, want %s with %q", got, row.want, row.class)
			}
			if t.Failed() {
				for _, s := range tr.Steps[:len(row.script)] {
					t.Logf("step %d: %+v, tiles %+v, writes %v, settled %+v", s.N, s.Effect, tiles(s.Effect),
						s.After.Writes, s.Settle)
				}
			}
		})
	}
}

// stepSite serves html, and what the rows link and ask for.
func stepSite(t *testing.T, html string) string {
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", calm, strings.ReplaceAll(html, "ELSEWHERE",
				strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)))
		case "/other":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>other")
		case "/500":
			w.WriteHeader(http.StatusInternalServerError)
		case "/file":
			w.Header().Set("Content-Disposition", "attachment")
			fmt.Fprint(w, "x")
		default:
			if strings.HasSuffix(r.URL.Path, ".svg") {
				w.Header().Set("Content-Type", "image/svg+xml")
				fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#%c00"/></svg>`, "05a9f"[r.URL.Path[2]-'0'])
			}
		}
	})
	return srv.URL
}
