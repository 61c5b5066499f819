package browser

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// Workers of all kinds run, and none reaches a private address that the page itself does not reach.
func TestWorkersRunAndAreGuarded(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	private := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path)
	})
	ask := func(name string) string {
		return `fetch('` + private.URL + `/` + name + `',{mode:'no-cors'}).then(()=>'` + name + ` reached','x').catch(()=>'` + name + ` refused')`
	}
	scripts := map[string]string{
		"/own.js":     `onmessage=async()=>{postMessage(await ` + ask("own") + `)}`,
		"/nested.js":  `const w=new Worker('/own.js');w.onmessage=e=>postMessage(e.data.replace('own','nested'));onmessage=()=>w.postMessage(1)`,
		"/shared.js":  `onconnect=e=>{const p=e.ports[0];p.onmessage=async()=>{p.postMessage(await ` + ask("shared") + `)}}`,
		"/service.js": `onmessage=async e=>{e.source.postMessage(await ` + ask("service") + `)}`,
	}
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if s, ok := scripts[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, s)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>-</title><script>const say=e=>{document.title=e.data}
			const own=new Worker('/own.js'),nested=new Worker('/nested.js'),shared=new SharedWorker('/shared.js');
			own.onmessage=nested.onmessage=shared.port.onmessage=navigator.serviceWorker.onmessage=say;navigator.serviceWorker.register('/service.js')</script>
			<button onclick="own.postMessage(1)">own</button><button onclick="nested.postMessage(1)">nested</button><button onclick="shared.port.postMessage(1)">shared</button>
			<button onclick="navigator.serviceWorker.ready.then(r=>r.active.postMessage(1))">service</button>`)
	})
	e := openBlank(t, SessionOptions{Allow: []string{strings.TrimPrefix(ts.URL, "http://")}})
	e.reset(cua.Task{URL: ts.URL})
	for _, name := range []string{"own", "nested", "shared", "service"} {
		e.click(name)
		var got string
		if !poll(func() bool {
			got = pageValue(t, e.Session, "document.title")
			return strings.HasPrefix(got,
				name)
		}) || got != name+" refused" {
			t.Errorf("the page says %q, want %s refused", got, name)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) > 0 {
		t.Errorf("workers reached %q", seen)
	}
}
