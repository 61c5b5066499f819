package browser

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/cua"
)

// kinds are the headless shell and the full browser, each where it is installed, with these options.
func kinds(t *testing.T, o Options, run func(t *testing.T, b *Browser)) {
	t.Helper()
	for name, path := range map[string]string{"shell": shared.Info().Path, "full": fullBrowser} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(path); err != nil || name == "full" && !shared.Info().Shell {
				t.Skip("there is no second browser here")
			}
			o.Path = path
			run(t, alone(t, o))
		})
	}
}

// fullBrowser is where the full browser is installed.
const fullBrowser = "/usr/lib/chromium/chromium"

// bothBrowsers are the headless shell and the full browser, each where it is installed.
func bothBrowsers(t *testing.T, run func(t *testing.T, b *Browser)) {
	t.Helper()
	t.Run("shell", func(t *testing.T) { run(t, shared) })
	t.Run("full", func(t *testing.T) {
		if _, err := os.Stat(fullBrowser); err != nil || os.Getenv("CUA_BROWSER") != "" ||
			!shared.Info().Shell {
			t.Skip("there is no second browser here, or one was asked for")
		}
		run(t, alone(t, Options{Path: fullBrowser}))
	})
}

// prey hears what arrives at a port over TCP and UDP, and answers each request with nothing.
type prey struct {
	port string
	mu   sync.Mutex
	came []string // the path of a request, or what else came
}

func newVictim(t *testing.T) *prey {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(tcp.Addr().String())
	udp, err := net.ListenPacket("udp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	v := &prey{port: port}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			running.Go(func() { v.answer(c) })
			t.Cleanup(func() { c.Close() })
		}
	})
	running.Go(func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 2048)); err != nil {
				return
			}
			v.hear("udp")
		}
	})
	t.Cleanup(func() { tcp.Close(); udp.Close() })
	return v
}

func (v *prey) hear(what string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !slices.Contains(v.came, what) {
		v.came = append(v.came, what)
	}
}

func (v *prey) answer(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	first, err := r.Peek(1)
	switch {
	case err != nil:
		v.hear("a connection")
		return
	case first[0] < 'A' || first[0] > 'Z':
		v.hear("tcp") // neither HTTP nor a proxy's
		return
	}
	req, err := http.ReadRequest(r)
	if err != nil {
		v.hear("half a request")
		return
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), ".")
	v.hear(name)
	fmt.Fprint(c,
		"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}

func (v *prey) heard() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(slices.Values(v.came))
}

// fate is what becomes of a kind of traffic to a host that is listed.
type fate int

const (
	arrives fate = iota
	shut
	either
)

// traffic are the ways in which a page can make a browser send something; B is the victim's http address, H
// its host:port, W the page's own server. What the victim hears of each, once it is allowed, is its name. Of
// those that are shut for good it hears nothing, and for a few it depends on the kind of browser.
var traffic = []struct {
	name   string
	js     string
	listed fate
}{
	{"fetch", `await fetch(B+'/fetch',{mode:'no-cors'})`, arrives},
	{"post", `await fetch(B+'/post',{mode:'no-cors',method:'POST',body:'x'.repeat(1e5)})`, arrives},
	{"cors", `await fetch(B+'/cors',{method:'PUT',body:'x',headers:{'x-a':'1'}})`, arrives},
	{"keepalive", `await fetch(B+'/keepalive',{mode:'no-cors',keepalive:true,method:'POST',body:'x'})`, arrives},
	{"redirected", `await fetch(W+'/to?'+B+'/redirected',{mode:'no-cors'})`, arrives},
	{"xhr", `await new Promise(d=>{const x=new XMLHttpRequest;x.onloadend=d;x.open('GET',B+'/xhr');x.send()})`, arrives},
	{"syncxhr", `const x=new XMLHttpRequest;x.open('GET',B+'/syncxhr',false);x.send()`, arrives},
	{"beacon", `navigator.sendBeacon(B+'/beacon','x');await pause(300)`, arrives},
	{"img", `await el('img',{src:B+'/img'})`, arrives},
	{"srcset", `await el('img',{srcset:B+'/srcset 1x'})`, arrives},
	{"script", `await el('script',{src:B+'/script'})`, arrives},
	{"module", `await el('script',{type:'module',src:B+'/module'})`, arrives},
	{"import", `await import(B+'/import')`, arrives},
	{"css", `await el('link',{rel:'stylesheet',href:B+'/css'})`, arrives},
	{"cssimport", `style('@import url('+B+'/cssimport)');await pause(300)`, arrives},
	{"background", `style('body{background:url('+B+'/background)}');await pause(300)`, arrives},
	{"cursor", `style('body{cursor:url('+B+'/cursor),auto}');await pause(300)`, arrives},
	{"font", `await new FontFace('f','url('+B+'/font)').load()`, arrives},
	{"iframe", `await el('iframe',{src:B+'/iframe'})`, arrives},
	{"srcdocimg", `await el('iframe',{sandbox:'allow-scripts',srcdoc:'<img src='+B+'/srcdocimg>'})`, arrives},
	{"srcdocfetch", `await el('iframe',{sandbox:'allow-scripts',srcdoc:'<script>fetch("'+B+'/srcdocfetch",{mode:"no-cors",method:"POST",body:"x"})</'+'script>'});await pause(300)`, arrives},
	{"srcdocgo", `await el('iframe',{sandbox:'allow-scripts',srcdoc:'<script>location="'+B+'/srcdocgo"</'+'script>'});await pause(300)`, arrives},
	{"srcdocform", `await el('iframe',{sandbox:'allow-scripts allow-forms',srcdoc:'<form method=post action='+B+'/srcdocform></form><script>document.forms[0].submit()</'+'script>'});await pause(300)`, arrives},
	{"object", `await el('object',{data:B+'/object',type:'image/png'})`, arrives},
	{"embed", `await el('embed',{src:B+'/embed',type:'image/png'})`, arrives},
	{"video", `await el('video',{src:B+'/video',preload:'auto'})`, arrives},
	{"poster", `el('video',{poster:B+'/poster'});await pause(300)`, arrives},
	{"audio", `new Audio(B+'/audio').load();await pause(300)`, arrives},
	{"track", `const v=document.createElement('video');v.crossOrigin='anonymous';const k=document.createElement('track');k.src=B+'/track';k.default=true;v.append(k);document.body.append(v);k.track.mode='showing';await pause(300)`, arrives},
	{"svgimage", `document.body.insertAdjacentHTML('beforeend','<svg><image href="'+B+'/svgimage"/></svg>');await pause(300)`, arrives},
	{"inputimage", `await el('input',{type:'image',src:B+'/inputimage'})`, arrives},
	{"prefetch", `await el('link',{rel:'prefetch',href:B+'/prefetch'})`, arrives},
	{"preload", `await el('link',{rel:'preload',as:'image',href:B+'/preload'})`, arrives},
	{"modulepreload", `await el('link',{rel:'modulepreload',href:B+'/modulepreload'})`, arrives},
	{"eventsource", `await new Promise(d=>{const e=new EventSource(B+'/eventsource');e.onerror=d;e.onopen=d})`, arrives},
	{"websocket", `await new Promise(d=>{const e=new WebSocket(B.replace('http','ws')+'/websocket');e.onerror=d;e.onopen=d})`, arrives},
	{"worker", `await blob('fetch("'+B+'/worker",{mode:"no-cors"}).finally(()=>postMessage(1))')`, arrives},
	{"importscripts", `await blob('try{importScripts("'+B+'/importscripts")}catch{};postMessage(1)')`, arrives},
	{"sharedworker", `const w=new SharedWorker('data:text/javascript,'+encodeURIComponent('onconnect=e=>fetch("'+B+'/sharedworker",{mode:"no-cors"}).finally(()=>e.ports[0].postMessage(1))'));await new Promise(d=>w.port.onmessage=d)`, arrives},
	{"serviceworker", `const r=await navigator.serviceWorker.register('/sw.js?'+B+'/serviceworker');await pause(500);await r.unregister()`, arrives},
	{"worklet", `const c=new OfflineAudioContext(1,1,8000);await c.audioWorklet.addModule(B+'/worklet')`, either},
	{"ping", `const a=document.createElement('a');a.href='#x';a.ping=B+'/ping';document.body.append(a);a.click();await pause(300)`, either},
	{"form", `const f=document.createElement('form');f.target=(await frame()).name;f.method='post';f.action=B+'/form';document.body.append(f);f.submit();await pause(300)`, arrives},
	{"refresh", `const u=new Blob(['<meta http-equiv=refresh content="0;url='+B+'/refresh">'],{type:'text/html'});await el('iframe',{src:URL.createObjectURL(u)});await pause(500)`, arrives},
	{"csp", `await el('iframe',{src:W+'/csp?'+B+'/csp'});await pause(300)`, arrives},
	{"popup", `open(B+'/popup');await pause(500)`, arrives},
	{"speculation", `spec({prefetch:[{source:'list',urls:[B+'/speculation'],eagerness:'immediate'}]});await pause(500)`, shut},
	{"prerender", `spec({prerender:[{source:'list',urls:[B+'/prerender'],eagerness:'immediate'}]});await pause(500)`, shut},
	{"preconnect", `el('link',{rel:'preconnect',href:B});el('link',{rel:'dns-prefetch',href:B});await pause(500)`, shut},
	{"stun", `await ice({urls:'stun:'+H})`, shut},
	{"turnudp", `await ice({urls:'turn:'+H+'?transport=udp',username:'u',credential:'c'})`, shut},
	{"turntcp", `await ice({urls:'turn:'+H+'?transport=tcp',username:'u',credential:'c'})`, shut},
	{"turntls", `await ice({urls:'turns:'+H+'?transport=tcp',username:'u',credential:'c'})`, shut},
	{"fedcm", `await navigator.credentials.get({identity:{providers:[{configURL:B+'/fedcm.json',clientId:'1'}]}})`, shut},
	{"webtransport", `await new WebTransport('https://'+H+'/webtransport').ready`, shut},
	{"payment", `await new PaymentRequest([{supportedMethods:B+'/payment'}],{total:{label:'x',amount:{currency:'USD',value:'1'}}}).canMakePayment()`, shut},
	{"fetchlater", `fetchLater(B+'/fetchlater',{activateAfter:0});await pause(300)`, shut},
	{"fencedframe", `const f=document.createElement('fencedframe');f.config=new FencedFrameConfig(B+'/fencedframe');document.body.append(f);await pause(300)`, shut},
	{"attribution", `await el('img',{src:W+'/x',attributionsrc:B+'/attribution'});await pause(300)`, shut},
}

// toolbox is what the scripts of traffic use. Each of them has its own limit: what a browser does not do is
// not waited for.
const toolbox = `const pause=ms=>new Promise(d=>setTimeout(d,ms));
const el=(n,a)=>new Promise(d=>{const e=document.createElement(n);e.onload=e.onerror=e.onloadeddata=d;for(const k in a)e.setAttribute(k,a[k]);document.body.append(e)});
const style=t=>{const s=document.createElement('style');s.textContent=t;document.head.append(s)};
const blob=t=>new Promise(d=>{const w=new Worker(URL.createObjectURL(new Blob([t])));w.onmessage=w.onerror=d});
const frame=async()=>{const f=document.createElement('iframe');f.name='f'+Math.random();document.body.append(f);return f};
const spec=o=>{const s=document.createElement('script');s.type='speculationrules';s.textContent=JSON.stringify(o);document.head.append(s)};
const ice=async s=>{const p=new RTCPeerConnection({iceServers:[s]});p.createDataChannel('x');await p.setLocalDescription(await p.createOffer());await pause(1000);p.close()};
const kind=(name,f)=>Promise.race([f().then(()=>name+': done',e=>name+': '+e.name),pause(4000).then(()=>name+': unanswered')]);
`

// hostile is a page on a server of its own that sends all kinds of traffic when it is told to.
func hostile(t *testing.T) string {
	var page strings.Builder
	page.WriteString("<!doctype html><meta charset=utf-8><title>hostile</title><body><script>" + toolbox +
		"\nconst W=location.origin;window.attack=async(B,H)=>{const all=[];\n")
	for _, k := range traffic {
		fmt.Fprintf(&page, "all.push(kind(%q,async()=>{%s}));\n", k.name, k.js)
	}
	page.WriteString("return (await Promise.all(all)).join('\\n')}</script>")
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page.String())
		case "/to":
			http.Redirect(w, r, r.URL.RawQuery, http.StatusFound)
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, "fetch(%q,{mode:'no-cors'}).catch(()=>{})", r.URL.RawQuery)
		case "/csp":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "img-src 'none'; report-uri "+r.URL.RawQuery)
			fmt.Fprint(w, "<img src=/x>")
		}
	}).URL
}

// Nothing of what a page can send arrives where it was not allowed to, and the same page reaches a host that
// is listed.
func TestNothingLeavesThatWasNotAllowed(t *testing.T) {
	const rebound = "rebound.example.com"
	home := hostile(t)
	own := strings.TrimPrefix(home, "http://")
	bothBrowsers(t, func(t *testing.T, b *Browser) {
		for _, row := range []struct {
			name, host string
			allow      func(victim string) []string
			resolved   bool // the name is asked for
			reason     string
		}{
			{"a public name that resolves to this machine", rebound, func(string) []string { return nil }, true, cua.ReasonPrivate},
			{"an address of this machine", "127.0.0.1", func(string) []string { return nil }, false, cua.ReasonPrivate},
			{"a host beside the list", rebound, func(string) []string { return []string{own} }, false, cua.ReasonHost},
			{"a host that is listed", rebound, func(v string) []string { return []string{own, v} }, true, ""},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel() // each row waits for what never arrives
				v := newVictim(t)
				var mu sync.Mutex
				var asked []string
				resolve := func(_ context.Context, name string) ([]netip.Addr, error) {
					mu.Lock()
					defer mu.Unlock()
					asked = append(asked, name)
					return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
				}
				host := row.host + ":" + v.port
				s, err := b.NewSession(t.Context(), SessionOptions{Open: true, Resolve: resolve})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { s.Close() })
				e := env{s, t}
				e.reset(cua.Task{URL: home, Allow: row.allow(host)})
				told := pageValue(t, s, fmt.Sprintf("attack('http://%s',%q)", host, host))
				came := v.heard()
				if row.reason == "" {
					for _, k := range traffic {
						if got := slices.Contains(came, k.name); got && k.listed == shut || !got &&
							k.listed == arrives {
							t.Errorf("%s: arrived %v", k.name, got)
						}
					}
					if slices.Contains(came, "udp") || !slices.Contains(came, "tcp") {
						t.Errorf("TURN: %q, want tcp and not udp", came)
					}
					t.Logf("%d kinds arrived: %q", len(came), came)
					return
				}
				if len(came) > 0 {
					t.Errorf("arrived: %q\n%s", came, strings.ReplaceAll(told, `\n`, "\n"))
				}
				mu.Lock()
				defer mu.Unlock()
				if slices.Contains(asked, rebound) != row.resolved {
					t.Errorf("the name was asked for: %v", !row.resolved)
				}
				if slices.ContainsFunc(asked, func(name string) bool { return name != rebound }) {
					t.Errorf("names that the page did not ask for: %q", asked)
				}
				n := 0
				for _, d := range s.Denials() {
					if d.Host == host && d.Reason == row.reason {
						n += d.Count
					}
				}
				if n < 20 {
					t.Errorf("%d denials of %s", n, row.reason)
				}
				t.Logf("%d denials", n)
			})
		}
	})
}

// A page with sandboxed frames that have no address of their own starts, and its load does not wait for a
// guard that cannot attach.
func TestSandboxedFramesDoNotHoldThePageUp(t *testing.T) {
	v := newVictim(t)
	frame := `<iframe sandbox="allow-scripts allow-forms" srcdoc="<script>
		fetch('http://127.0.0.1:` + v.port + `/read',{mode:'no-cors'});
		fetch('http://127.0.0.1:` + v.port + `/write',{mode:'no-cors',method:'POST',body:'x'});
		setTimeout(()=>location='http://127.0.0.1:` + v.port + `/go')</script>"></iframe>`
	ts := site(t, map[string]string{"/": "<title>framed</title>" + strings.Repeat(frame, 3),
		"/plain": oneButton})
	bothBrowsers(t, func(t *testing.T, b *Browser) {
		s, err := b.NewSession(t.Context(), SessionOptions{Open: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		start := func(path string) (cua.Observation, time.Duration) {
			began := time.Now()
			o := env{s, t}.reset(cua.Task{URL: ts.URL + path})
			return o, time.Since(began)
		}
		start("/plain") // the first page of a browser is slow
		_, plain := start("/plain")
		o, took := start("/")
		title(t, o, "framed")
		if o.PartialLoad {
			t.Error("the page was stopped before it was complete")
		}
		if took > max(2*time.Second, 20*plain) { // on a busy machine any page takes longer
			t.Errorf("it started within %v, a page without frames within %v", took, plain)
		}
		t.Logf("it started within %v, a page without frames within %v", took, plain)
	})
	if came := v.heard(); len(came) > 0 {
		t.Errorf("arrived: %q", came)
	}
}

// What belongs to no session, as what a browser asks of its vendor, gets nowhere and is counted.
func TestTheBrowsersOwnTrafficIsBlocked(t *testing.T) {
	v := newVictim(t)
	bothBrowsers(t, func(t *testing.T, b *Browser) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		made, err := cdp.Call(ctx, b.root, target.CreateTarget,
			target.CreateTargetParams{URL: "http://127.0.0.1:" + v.port + "/own"})
		if err != nil {
			t.Fatal(err)
		}
		var all []cua.Denial
		own := func(d cua.Denial) bool { return d.Host == "127.0.0.1:"+v.port }
		if !poll(func() bool {
			all = append(all, b.blocked.Denials()...)
			return slices.ContainsFunc(all,
				own)
		}) {
			t.Error("the browser's own request did not come to the proxy")
		}
		if _, err := cdp.Call(ctx, b.root, target.CloseTarget, target.CloseTargetParams(made)); err != nil {
			t.Error(err)
		}
		t.Logf("blocked: %v", all)
	})
	if came := v.heard(); len(came) > 0 {
		t.Errorf("arrived: %q", came)
	}
}
