package runner_test

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// replyRows are buttons whose result comes in a task that no timer or request of the page's begins.
var replyRows = []struct{ name, html string }{
	{"an imported script", `<button onclick="import('/module.js?'+(++k)).then(()=>{out.textContent='i'+k})">Go</button>`},
	{"a worker", `<script>const wk=new Worker('/worker.js');wk.onmessage=e=>{out.textContent=e.data}</script><button onclick="wk.postMessage(++k)">Go</button>`},
	{"a worker of its own", `<button onclick="const wk=new Worker('/worker.js');wk.onmessage=e=>{out.textContent=e.data};wk.postMessage(++k)">Go</button>`},
	{"a socket", `<script>const ws=new WebSocket('ws://'+location.host+'/socket');ws.onmessage=e=>{out.textContent=e.data}</script><button onclick="ws.send('a'+ ++k)">Go</button>`},
	{"a file", `<button onclick="const f=new FileReader();f.onload=()=>{out.textContent=f.result};f.readAsText(new Blob(['b'+ ++k]))">Go</button>`},
	{"a picture that is loaded first", `<button onclick="const i=new Image();i.onload=()=>{out.textContent='w'+ ++k};i.src='/i.svg?'+k">Go</button>`},
	{"an observer", `<button onclick="const d=document.createElement('div');d.textContent='x';out.after(d);new IntersectionObserver(()=>{out.textContent='seen'+ ++k}).observe(d)">Go</button>`},
	{"a server that pushes", `<script>new EventSource('/events').onmessage=e=>{out.textContent=e.data}</script><button onclick="fetch('/tell?'+ ++k)">Go</button>`},
	{"another page of the site", `<script>const a=new BroadcastChannel('q'),b=new BroadcastChannel('q');b.onmessage=e=>{out.textContent=e.data}</script><button onclick="a.postMessage('m'+ ++k)">Go</button>`},
	{"a promise of the browser's", `<button onclick="caches.open('a').then(()=>{out.textContent='v'+ ++k})">Go</button>`},
	{"a transition of views", `<button onclick="document.startViewTransition(()=>{out.textContent='v'+ ++k})">Go</button>`},
	{"an animation that ends", `<button onclick="out.animate({opacity:[0,1]},200).onfinish=()=>{out.textContent='v'+ ++k}">Go</button>`},
	{"an animation that is awaited", `<button onclick="out.animate({opacity:[0,1]},200).finished.then(()=>{out.textContent='v'+ ++k})">Go</button>`},
}

// A result is the action's by whatever way it comes: each press is progress at the time, none is taken
// for something that moves by itself, and none is waited for until the cap.
func TestResultsThatComeAnotherWay(t *testing.T) {
	t.Parallel() // most of it is waiting
	script := []cua.Scripted{click("Go"), click("Go"), click("Go"), click("Go")}
	for _, row := range replyRows {
		t.Run(row.name, func(t *testing.T) {
			tr := play(t, "off", cua.Task{ID: "reply", URL: replySite(t, `<script>k=0</script><p>`+row.html+`<p id=out>-`)}, script...)
			succeeded(t, tr, len(script))
			for i, s := range tr.History().Samples()[:len(script)] {
				if e := tr.Steps[i].Effect; !s.Progress || !e.Any() || tr.Steps[i].Settle.Capped {
					t.Errorf("step %d: progress %t, the effect is %+v, idle %+v, settled %+v", i+1,
						s.Progress, e, tr.Steps[i].Target.Idle, tr.Steps[i].Settle)
				}
			}
			if churn := tr.HistoryAt(len(script)).Churn(); len(churn.Parts) > 0 {
				t.Errorf("churn %v", churn)
			}
		})
	}
}

// replySite serves html and everything that answers it.
func replySite(t *testing.T, html string) string {
	told := make(chan string, 10)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/socket":
			echo(w, r)
		case "/module.js", "/i.svg":
			tick := time.NewTimer(80 * time.Millisecond)
			defer tick.Stop()
			<-tick.C
			if r.URL.Path == "/i.svg" {
				w.Header().Set("Content-Type", "image/svg+xml")
				fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`)
				return
			}
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "export const go=1")
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w,
				"onmessage=e=>{const t=Date.now();while(Date.now()-t<60);postMessage('worked '+e.data)}")
		case "/tell":
			told <- r.URL.RawQuery
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			for {
				select {
				case <-r.Context().Done():
					return
				case s := <-told:
					fmt.Fprintf(w, "data: %s\n\n", s)
					w.(http.Flusher).Flush()
				}
			}
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", calm, html)
		}
	}).URL
}

// echo answers each short text on a WebSocket with itself.
func echo(w http.ResponseWriter, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn,
		"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "+
			"Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	for in := bufio.NewReader(conn); ; {
		head := make([]byte, 6) // flags, masked length below 126, mask
		if _, err := io.ReadFull(in, head); err != nil || head[0]&0xf != 1 {
			return
		}
		text := make([]byte, head[1]&0x7f)
		if _, err := io.ReadFull(in, text); err != nil {
			return
		}
		for i := range text {
			text[i] ^= head[2+i%4]
		}
		if _, err := conn.Write(append([]byte{0x81, byte(len(text))}, text...)); err != nil {
			return
		}
	}
}
