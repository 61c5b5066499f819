package runner_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// healthyRow is a page and a long run on it that gets somewhere.
type healthyRow struct {
	name, html string
	script     []cua.Scripted
	// title is that of the page at the end.
	title string
}

// months is a calendar of bare cells without roles: two signs turn it.
const months = `<style>.g{display:grid;grid-template-columns:repeat(7,40px);position:absolute;left:100px;top:160px}.g div{height:30px}
.t{position:absolute;left:100px;top:100px;width:280px;display:flex;justify-content:space-between}.t span{width:40px;text-align:center;cursor:pointer}</style>
<div class=t><span onclick="turn(-1)">‹</span><b id=b></b><span onclick="turn(1)">›</span></div><div class=g id=g></div><script>
let m=0;function turn(n){m+=n;const d=new Date(2026,2+m,1),last=new Date(2026,3+m,0).getDate();b.textContent=d.toLocaleString('en',{month:'long'});
g.replaceChildren(...Array.from({length:(d.getDay()+6)%7+last},(_,i)=>{const c=document.createElement('div'),n=i+1-(d.getDay()+6)%7;c.textContent=n>0?n:'';return c}));
document.title='turned '+m}turn(0)</script>`

// spinner shows its number in a field; its signs are no buttons.
const spinner = `<div style="position:absolute;left:100px;top:100px"><span style="padding:10px" onclick="n.value--">−</span><input id=n value=0 size=3 readonly aria-label=Guests>
<span style="padding:10px" onclick="document.title='guests '+ ++n.value">+</span></div>`

// longList has rows that are alike but for their number.
const longList = `<div id=l style="position:absolute;left:100px;top:100px;width:400px;height:500px;overflow:auto"></div><script>
l.innerHTML=Array.from({length:200},(_,i)=>'<p style="height:24px;margin:0">Row '+i+', a history of the harbour</p>').join('');
l.onscroll=()=>{document.title='at '+l.scrollTop}</script>`

// editor undoes and does again what was typed, word by word.
const editor = `<div id=e contenteditable role=textbox aria-label=Text style="position:absolute;left:100px;top:160px;width:500px;height:200px;border:1px solid"></div>
<div style="position:absolute;left:100px;top:100px"><button type=button onmousedown="event.preventDefault()" onclick="go(-1)">Undo</button> <button type=button onmousedown="event.preventDefault()" onclick="go(1)">Redo</button></div><script>
const was=[''];let i=0;e.oninput=()=>{if(was[i]!==e.textContent){was.length=++i;was.push(e.textContent)}};
function go(n){i=Math.max(0,Math.min(was.length-1,i+n));e.textContent=was[i];document.title=i+' of '+(was.length-1)}</script>`

// grid is edited in place: a press makes a field of a cell, Return puts its text back.
const grid = `<style>td{width:160px;height:28px;border:1px solid #ccc}</style><table id=t style="position:absolute;left:100px;top:100px;border-collapse:collapse"></table><script>
let n=0;for(let i=0;i<12;i++){const r=t.insertRow();r.insertCell().textContent='Item '+(i+1);const c=r.insertCell();c.textContent='0';
c.onclick=()=>{if(c.firstElementChild)return;const f=document.createElement('input');f.value=c.textContent;f.size=8;c.replaceChildren(f);f.focus();f.select();
f.onkeydown=e=>{if(e.key==='Enter'){c.textContent=f.value;document.title='saved '+ ++n}}}}</script>`

func healthyRows() []healthyRow {
	var words, cells []cua.Scripted
	for i := range 10 {
		words = append(words, typed("", fmt.Sprintf("word%d ", i)))
	}
	for i := range 12 {
		cells = append(cells, at(cua.Click, 340, 115+31*float64(i)), typed("", fmt.Sprint(10+i)),
			key("Return"))
	}
	return []healthyRow{
		{"the next month, thirteen times", months, times(13, at(cua.Click, 360, 110)), "turned 13"},
		{"plus, fifteen times", spinner, times(15, on("+", cua.Action{Kind: cua.Click})), "guests 15"},
		{"twenty scrolls of a long list", longList, times(20, wheel(300, 300, 200)), "at 4000"},
		{"undo and redo, ten times each", editor, slices.Concat([]cua.Scripted{click("Text")}, words, repeatClick("Undo", 10), repeatClick("Redo", 10)), "10 of 10"},
		{"twelve rows of a grid, edited in place", grid, cells, "saved 12"},
	}
}

// leftAlone checks that an episode was played as it was asked for: no gate had a ruling, and nothing was
// taken for a loop.
func leftAlone(t *testing.T, tr *trajectories.Trajectory, n int) {
	t.Helper()
	succeeded(t, tr, n)
	for i := range tr.Steps[:n] {
		s := &tr.Steps[i]
		if r, ruled := s.Ruled(); ruled || s.RecoveryReason != "" || !s.HasAction() {
			t.Errorf("step %d was ruled %+v", s.N, r)
		}
	}
	if a := alarms(tr); len(a) > 0 {
		t.Errorf("alarms: %q", a)
	}
	if tr.End == nil || tr.End.Reason != cua.EndDoneFailed { // so ends a script
		t.Errorf("the end is %+v", tr.End)
	}
}

// A long run that gets somewhere is left alone, however much its steps are alike.
func TestHealthyLongRuns(t *testing.T) {
	for _, row := range healthyRows() {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // much of it is waiting
			site := pages(t, map[string]string{"/": calm + row.html})
			tr := play(t, "default", cua.Task{ID: "healthy", URL: site.URL}, row.script...)
			leftAlone(t, tr, len(row.script))
			if got := tr.Steps[len(tr.Steps)-1].After.Title; got != row.title {
				t.Errorf("the page ends as %q, want %q", got, row.title)
			}
			story(t, tr)
		})
	}
}

// polls is how often a job is asked for until it is done, and pollMS the wait between two looks, long enough
// to say that the brain waits.
const (
	polls  = 14
	pollMS = 1000
)

// polled serves html and a job, which is done when it was asked for polls times; with reloads, each page is
// one asking.
func polled(t *testing.T, html string, reloads bool) string {
	var asked atomic.Int32
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := asked.Load()
		if r.URL.Path == "/job" {
			n = asked.Add(1)
		}
		status := "Queued"
		if n >= polls {
			status = "Ready"
		}
		if r.URL.Path == "/" {
			if reloads {
				asked.Add(1) // the first one opens the page
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			status = "<!doctype html>" + calm + strings.ReplaceAll(html, "STATUS", status)
		}
		fmt.Fprint(w, status)
	}).URL
}

// reloading asks for the page again.
var reloading = cua.Scripted{Action: cua.Action{Kind: cua.Reload}}

// Polling is waiting, by whatever way the server is asked, as long as it answers.
func TestPollingIsLeftAlone(t *testing.T) {
	t.Parallel() // most of it is waiting
	const show = `.then(r=>r.text()).then(x=>{o.textContent=x})`
	for _, row := range []struct {
		name, html string
		ask        cua.Scripted
	}{
		{"a button that fetches", `<p id=o>STATUS</p><button type=button onclick="fetch('/job')` + show + `">Refresh</button>`, click("Refresh")},
		{"a button with an XMLHttpRequest", `<p id=o>STATUS</p><button type=button onclick="const r=new XMLHttpRequest();r.open('GET','/job');r.onload=()=>{o.textContent=r.responseText};r.send()">Refresh</button>`, click("Refresh")},
		{"a reload", `<p id=o>STATUS</p>`, reloading},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // it is nearly all waiting
			script := slices.Repeat([]cua.Scripted{row.ask, wait(pollMS)}, polls)
			url := polled(t, row.html, !strings.Contains(row.html, "button"))
			tr := play(t, "default", cua.Task{ID: "poll", URL: url}, script...)
			leftAlone(t, tr, len(script))
			for i := 0; i < len(script); i += 2 {
				if n := tr.Steps[i].After.Answered; n != 1 {
					t.Errorf("step %d: %d requests were answered, want 1", i+1, n)
				}
			}
			last, before := tr.Steps[len(script)-1].After, tr.Steps[len(script)-3].After
			if last.DOMDigest == before.DOMDigest {
				t.Error("the job was never done")
			}
			story(t, tr)
		})
	}
}

// A press that asks nothing, or is answered badly, is no poll for being waited for: it is a loop like any
// other.
func TestWhatIsNoPolling(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, row := range []struct{ name, html string }{
		{"an answer of 500", `<button type=button onclick="fetch('/bad')">Refresh</button>`},
		{"an answer of 404", `<button type=button onclick="fetch('/gone')">Refresh</button>`},
		{"no answer", `<button type=button onclick="fetch('/cut').catch(()=>{})">Refresh</button>`},
		{"another site", `<button type=button onclick="fetch('ELSEWHERE',{mode:'no-cors'})">Refresh</button>`},
		{"no request", `<button type=button>Refresh</button>`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // it is nearly all waiting
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/bad":
					w.WriteHeader(http.StatusInternalServerError)
				case "/gone":
					http.NotFound(w, r)
				case "/cut":
					panic(http.ErrAbortHandler)
				default:
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
					elsewhere := strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)
					fmt.Fprint(w, "<!doctype html>", calm, strings.ReplaceAll(row.html, "ELSEWHERE",
						elsewhere))
				}
			}).URL
			const due = 8 // a stuck run has a soft signal by then (docs/detection-errors.md#the-cases)
			tr := play(t, "detectors", cua.Task{ID: "poll", URL: url},
				slices.Repeat([]cua.Scripted{click("Refresh"), wait(pollMS)}, due/2)...)
			for i := 0; i < due; i += 2 {
				if n := tr.Steps[i].After.Answered; n != 0 {
					t.Errorf("step %d: %d requests were answered well", i+1, n)
				}
			}
			if !slices.ContainsFunc(tr.Steps[due].Signals,
				func(s cua.Signal) bool { return s.Level.AtLeast(cua.Soft) }) {
				t.Errorf("no alarm after %d steps", due)
			}
			story(t, tr)
		})
	}
}
