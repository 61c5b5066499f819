package browser

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// settleKind is a page with one button. done is the part of the page's text that must be there when the
// step is observed; took is how long the page itself needs after the press, ms; want is what is waited
// for.
type settleKind struct {
	name string
	html string
	done string
	took float64
	want string
}

var settleKinds = []settleKind{
	{"instant", `<button onclick="out.textContent='done'">go</button><p id=out>-</p>`, "done", 0, ""},
	{"dom after 300 ms", `<button onclick="setTimeout(()=>out.textContent='done',300)">go</button><p id=out>-</p>`, "done", 300, "timer"},
	{"css transition", `<style>#b{transition:margin-left .25s;width:50px}#b.x{margin-left:200px}</style><button onclick="b.className='x'">go</button><div id=b>box</div><p id=out>-</p>
<script>b.addEventListener('transitionend',()=>out.textContent='done')</script>`, "done", 250, "transition"},
	{"fetch 500 ms", `<button onclick="fetch('/slow?ms=500').then(r=>r.text()).then(t=>out.textContent=t)">go</button><p id=out>-</p>`, "done", 500, "fetch"},
	{"xhr, async chain", `<button id=g>go</button><p id=out>-</p><script>g.onclick=async()=>{await new Promise(r=>setTimeout(r,80));
const x=new XMLHttpRequest();x.open('GET','/slow?ms=100');x.onload=async()=>{const j=await (await fetch('/slow?ms=60&json=1')).json();requestAnimationFrame(()=>{out.textContent=j.v})};x.send()}</script>`, "done", 240, "timer xhr fetch frame"},
	{"picture", `<img id=g><button onclick="g.onerror=()=>out.textContent='done';g.src='/slow?ms=60'">go</button><p id=out>-</p>`,
		"done", 60, "load"},
	{"navigation", `<a href="/next">go</a><p id=out>-</p>`, "arrived", 0, "navigation"},
	{"form post", `<form method=post action="/next"><button>go</button></form><p id=out>-</p>`, "arrived", 0, "navigation"},
	{"spinner", `<style>@keyframes s{to{transform:rotate(1turn)}}#s{width:24px;height:24px;background:red;animation:s 1s linear infinite}</style><div id=s></div><button onclick="out.textContent='done'">go</button><p id=out>-</p>`, "done", 0, ""},
	{"poll", `<button onclick="out.textContent='done'">go</button><p id=out>-</p><script>(async function p(){await fetch('/slow?ms=150');setTimeout(p,50)})()</script>`, "done", 0, ""},
	{"ticker", `<p id=t>0</p><button onclick="out.textContent='done'">go</button><p id=out>-</p><script>let n=0;setInterval(()=>{t.textContent=++n},30)</script>`, "done", 0, ""},
	{"message scheduler", `<button id=g>go</button><p id=out>-</p><script>const c=new MessageChannel;let q=[];c.port1.onmessage=()=>q.shift()();const later=f=>{q.push(f);c.port2.postMessage(0)};
g.onclick=()=>later(()=>later(()=>setTimeout(()=>{out.textContent='done'},60)))</script>`, "done", 60, "timer"},
	{"started ticker", `<button id=g>go</button><p id=t>0</p><p id=out>-</p><script>let n=0;g.onclick=()=>{out.textContent='done';setInterval(()=>{t.textContent=++n},50)}</script>`, "done", 50, "timer"},
	{"drawn by an interval", `<button id=g>go</button><p id=out>-</p><script>g.onclick=()=>{const began=performance.now();
const i=setInterval(()=>{const t=performance.now()-began;out.style.marginLeft=t+'px';if(t>300){clearInterval(i);out.textContent='done'}},13)}</script>`, "done", 300, "timer"},
	{"drawn by an interval for ever", `<button id=g>go</button><p id=t>0</p><p id=out>-</p><script>let n=0;g.onclick=()=>{out.textContent='done';setInterval(()=>{t.textContent=++n},13)}</script>`, "done", 500, "timer"},
}

func slowServer(mux *http.ServeMux) {
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
		if r.FormValue("json") != "" {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"v":"done"}`)
			return
		}
		fmt.Fprint(w, "done")
	})
	mux.HandleFunc("/next", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>next</title><p id=out>arrived</p>")
	})
}

// waits says whether that is what the page made us wait for. Which of the two ways in which a
// navigation shows is seen first is the browser's affair.
func (k *settleKind) waits(got []string) bool {
	if k.want == "navigation" {
		return len(got) > 0 && !slices.ContainsFunc(got, func(s string) bool {
			return s != "navigation" &&
				s != "load"
		})
	}
	return strings.Join(got, " ") == k.want
}

// settleTrials is how many steps each kind of page is tested with.
var settleTrials = flag.Int("settles", 5, "how many steps of each kind of page the settle table has")

// TestSettleTable shows that a step is never observed too early, that it waits for nothing but what the
// action set off, and tells what the waiting costs beyond what the page needs. Each row is an attribute of
// its test (make settle prints them as a table).
func TestSettleTable(t *testing.T) {
	pages := map[string]string{"/": "<p>start</p>"}
	for i, k := range settleKinds {
		pages[fmt.Sprintf("/k%d", i)] = k.html
	}
	st := newStage(t, pages, slowServer)
	for i, k := range settleKinds {
		t.Run(k.name, func(t *testing.T) {
			st.t = t
			var over []float64
			early, capped, other := 0, 0, 0
			for range *settleTrials {
				st.act(cua.Action{Kind: cua.Navigate, URL: fmt.Sprintf("%s/k%d", st.url, i)})
				out := st.click("go")
				if !shows(st, out.After, k.done) {
					early++
					t.Errorf("observed too early: settle %+v, parts %v", out.Settle, out.After.DOMParts)
				}
				if out.Settle.Capped {
					capped++
					t.Errorf("capped: %+v", out.Settle)
				}
				if !k.waits(out.Settle.For) {
					other++
					t.Errorf("waits for %v, want %q", out.Settle.For, k.want)
				}
				over = append(over, out.SettleMS-k.took)
			}
			slices.Sort(over)
			says := fmt.Sprintf("%d of %d", len(over)-early, len(over))
			if early+capped+other > 0 {
				says += fmt.Sprintf(" (too early %d, capped %d, waited for something else %d)", early,
					capped, other)
			}
			t.Attr("settle", fmt.Sprintf("%s|%s|%.1f ms|%.1f ms|%s", k.name, says, over[len(over)/2],
				over[len(over)-1], k.want))
		})
	}
}

// shows says whether the observation was made of a page that shows text in a region of its own.
func shows(st *stage, o cua.Observation, text string) bool {
	st.t.Helper()
	return slices.Contains(slices.Collect(maps.Values(o.DOMParts)), st.digestOf(text))
}

// A frame that is half loaded when nothing else is open holds the end of a step up until it has loaded,
// and no longer.
func TestSettleFrame(t *testing.T) {
	begun, rest := make(chan bool, 1), make(chan bool)
	st := newStage(t, map[string]string{"/": "<div id=at></div>"}, func(mux *http.ServeMux) {
		mux.HandleFunc("/half", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><p>half"+strings.Repeat(" ", 4096))
			w.(http.Flusher).Flush()
			begun <- true
			select {
			case <-rest:
			case <-r.Context().Done():
			}
			fmt.Fprint(w, "<p>whole")
		})
	})
	st.eval("void(at.innerHTML='<iframe src=/half></iframe>')")
	<-begun
	st.await("at.firstChild.contentDocument?.querySelector('p')")
	// By then the settle waits. Where it does not yet, this shows nothing and fails nothing.
	time.AfterFunc(300*time.Millisecond, func() { close(rest) })
	out := st.act(cua.Action{Kind: cua.Wait, MS: 1})
	if out.Settle.Capped || out.Settle.MS >= int(maxSettleCap.Milliseconds()) {
		t.Errorf("the load of the frame woke nobody: settled %+v", out.Settle)
	}
}

// TestReopenedDocuments: document.open() removes all listeners, also those of the probe. The effect of the
// next press is still waited for.
func TestReopenedDocuments(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<button onclick="rewrite()">write</button><script>function rewrite() {
		document.open();
		document.write('<button onclick="setTimeout(() => { out.textContent = 1 }, 300)">go</button><p id=out>0</p>');
		document.close();
	}</script>`}, nil)
	st.click("write")
	for range 2 {
		out := st.click("go")
		if !shows(st, out.After, "1") || !slices.Equal(out.Settle.For, []string{"timer"}) {
			t.Errorf("settle %+v, parts %v", out.Settle, out.After.DOMParts)
		}
	}
}
