package browser

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

func at(b cua.Box) *cua.Point { p := b.Center(); return &p }

// TestLocateTargets: what an action is aimed at, by point and by mark.
func TestLocateTargets(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<style>body{margin:0}#veil{position:fixed;left:0;top:200px;width:400px;height:100px;background:#0008}canvas{position:absolute;top:400px;left:0}
#drawn{opacity:0;position:absolute}#gone{display:none}</style>
<div style="height:200px"><label for=a>City</label> <input id=a> <button disabled>Dead</button> <form><button>Send it</button></form><p id=prose>Some prose</p>
<label><input type=checkbox id=gone>Terms</label></div>
<div style="height:100px"><button id=under style="width:200px;height:60px">Under</button></div><div id=veil role=dialog aria-label="Cookies">We use cookies</div><canvas width=100 height=100></canvas>
<div id=fake style="cursor:pointer;width:60px;position:absolute;top:550px">Fake</div>`}, nil)
	var x, y float64
	if _, err := fmt.Sscan(st.eval("(r=>(r.x+10)+' '+(r.y+5))(prose.getBoundingClientRect())"), &x,
		&y); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		a    cua.Action
		want func(got cua.Target) error
	}{
		{"a label belongs to its field", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 10, Y: 10}}, func(g cua.Target) error {
			return check(g.Editable && g.Field == st.field("a").ID && g.ID == g.Field &&
				g.Role == "textbox" && g.Name == "City")
		}},
		{"a disabled button", cua.Action{Kind: cua.Click, Mark: st.mark("Dead").N}, func(g cua.Target) error {
			return check(g.Disabled && g.Role == "button" && !g.Submit && g.Point != nil)
		}},
		{"a submit button", cua.Action{Kind: cua.Click, Mark: st.mark("Send").N}, func(g cua.Target) error { return check(g.Submit && g.Form != "" && g.SubmitShaped()) }},
		{"prose", cua.Action{Kind: cua.Click, Point: &cua.Point{X: x, Y: y}}, func(g cua.Target) error {
			return check(g.Identified() && g.Tag == "p" && !g.Editable && g.Covering == nil)
		}},
		{"a drawn checkbox", cua.Action{Kind: cua.Click, Mark: st.mark("Terms").N}, func(g cua.Target) error { return check(g.Role == "checkbox" && g.Covering == nil) }},
		{"under a veil, by mark", cua.Action{Kind: cua.Click, Mark: st.mark("Under").N}, covered("Under")},
		{"under a veil, by point", cua.Action{Kind: cua.Click, Point: at(st.mark("Under").Box)}, covered("Under")},
		{"on the veil itself", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 350, Y: 290}}, func(g cua.Target) error { return check(g.Covering == nil && g.Role == "dialog") }},
		{"a canvas is a place", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 50, Y: 452}}, func(g cua.Target) error { return check(g.ID == "@6,56" && g.Role == "canvas") }},
		{"nothing is a place", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 900, Y: 700}}, func(g cua.Target) error { return check(g.ID == "@112,87" && !g.Identified()) }},
		{"a hand cursor", cua.Action{Kind: cua.Click, Mark: st.mark("Fake").N}, func(g cua.Target) error { return check(g.Identified() && g.Name == "Fake") }},
		{"an action without a place", cua.Action{Kind: cua.Key, Keys: "Tab"}, func(g cua.Target) error { return check(g.ID == "" && g.Point == nil && !g.Idle.Any()) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st.t = t
			if got := st.locate(tt.a); tt.want(got) != nil {
				t.Errorf("got %+v, covering %+v", got, got.Covering)
			}
		})
	}
	if m := st.mark("Under"); !m.Covered {
		t.Errorf("the mark is not covered: %+v", m)
	}
	_, err := st.s.Locate(t.Context(), cua.Action{Kind: cua.Click, Into: `button "Nowhere"`})
	var failure *cua.Failure
	if !errors.As(err, &failure) || failure.Kind != cua.FailNotFound {
		t.Errorf("an unknown identity: %v", err)
	}
}

func check(ok bool) error {
	if !ok {
		return errors.New("not as wanted")
	}
	return nil
}

func covered(name string) func(cua.Target) error {
	return func(g cua.Target) error {
		return check(g.Name == name && g.Covering != nil && g.Covering.Role == "dialog" &&
			g.Covering.Name == "Cookies" && g.Covering.Box.H == 100)
	}
}

// TestIdleChanges: what changed since the last look is told apart by cause.
func TestIdleChanges(t *testing.T) {
	st := newStage(t, map[string]string{
		"/still": `<button>go</button><p id=out>-</p>`,
		"/clock": `<button>go</button><p id=clock>0</p><script>let n=0;setInterval(()=>{clock.textContent=++n},10)</script>`,
		"/":      `<p>start</p>`,
	}, nil)
	key := cua.Action{Kind: cua.Key, Keys: "Shift"}
	t.Run("nothing", func(t *testing.T) {
		st.t = t
		st.open("/still")
		st.click("go")
		if got := st.locate(key); got.Idle.Any() || got.Idle.Shot != nil {
			t.Errorf("idle changes of a still page: %+v", got.Idle)
		}
	})
	t.Run("late effect", func(t *testing.T) {
		// The cap is far from the timer, so that no busy machine brings the two together.
		st := newStageWith(t, SessionOptions{SettleCap: 50 * time.Millisecond}, map[string]string{
			"/": `<button onclick="setTimeout(()=>{out.textContent='late'},2000)">go</button><p id=out>-</p>`}, nil)
		out := st.click("go")
		if slices.Contains(out.Settle.For, "timer") || out.Settle.Capped {
			t.Errorf("waited for a timer beyond the cap: %+v", out.Settle)
		}
		st.await("out.textContent=='late'")
		got := st.locate(key).Idle
		if !slices.Equal(got.Parts, []string{"p"}) || !slices.Equal(got.Caused, got.Parts) ||
			got.Shot == nil {
			t.Errorf("late effect: %+v", got)
		}
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		if len(st.now.Ambient.Parts) > 0 {
			t.Errorf("a late effect is ambient: %+v", st.now.Ambient)
		}
	})
	t.Run("clock", func(t *testing.T) {
		st.t = t
		st.open("/clock")
		st.click("go")
		st.await("clock.textContent!='" + st.eval("clock.textContent") + "'")
		got := st.locate(key).Idle
		if !slices.Equal(got.Parts, []string{"p"}) || len(got.Caused) > 0 || got.Shot == nil {
			t.Errorf("ticking clock: %+v", got)
		}
	})
}

// TestWrites: state-changing requests that the action caused are recorded with their answers, and
// nothing else is.
func TestWrites(t *testing.T) {
	var polls, ads atomic.Int64
	status := func(mux *http.ServeMux) {
		mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/poll" {
				polls.Add(1)
			} else if strings.HasPrefix(r.URL.Path, "/api/seen") {
				ads.Add(1)
			}
			code := 200
			_, _ = fmt.Sscanf(r.URL.Query().Get("code"), "%d", &code)
			w.WriteHeader(code)
		})
	}
	st := newStage(t, map[string]string{"/": `<script>setInterval(()=>fetch('/api/poll',{method:'POST'}),40)</script>
<button onclick="fetch('/api/save?x=1',{method:'post'})">fetch</button><button onclick="let x=new XMLHttpRequest;x.open('PUT','/api/put?code=422');x.send()">xhr</button>
<button onclick="fetch(new Request('/api/del',{method:'DELETE'})).then(()=>fetch('/api/then?code=500',{method:'POST'}))">chain</button>
<button onclick="fetch('/api/get')">read</button><button onclick="navigator.sendBeacon('/api/beacon','x')">beacon</button>
<button onclick="fetch('/api/search',{method:'POST'})">endpoint</button><button onclick="fetch('/api/keep',{method:'POST',keepalive:true})">outlive</button>
<button onclick="fetch(new Request('/api/keep',{method:'POST',keepalive:true}))">kept</button><button onclick="fetch(far+'/api/far',{method:'POST',mode:'no-cors'})">far</button>
<button onclick="fetch(far+'/api/far',{method:'POST',mode:'no-cors'});location='/done'">far and away</button>
<script>const far='http://localhost:'+location.port</script><iframe style="width:90px;height:30px" src="/ad"></iframe>
<button onclick="fetch('/api/away',{method:'POST'}).then(()=>{location='/done'})">leave</button>
<form method=post action="/done"><button>form</button></form>`, "/done": `<p id=out>done</p>`, "/ad": `<p>ad<script>let n=0;setInterval(()=>{fetch('/api/seen'+ n++,{method:'POST'});fetch('http://localhost:'+location.port+'/api/ad',{method:'POST',mode:'no-cors'})},30)</script>`}, status)
	tests := []struct{ click, want string }{
		{"fetch", "POST /api/save 200"},
		{"xhr", "PUT /api/put 422"},
		{"chain", "DELETE /api/del 200, POST /api/then 500"},
		{"read", ""},
		{"beacon", ""},
		{"endpoint", ""},
		{"outlive", ""},
		{"kept", ""},
		{"far", ""},
		{"far and away", ""},
		{"form", "POST /done 200"},
		{"leave", "POST /api/away 200"},
	}
	for _, tt := range tests {
		t.Run(tt.click, func(t *testing.T) {
			st.t = t
			st.now = st.reset(cua.Task{URL: st.url + "/", ReadEndpoints: []string{"/api/search"}})
			p, a := polls.Load(), ads.Load()
			// one may be of the page before
			if !poll(func() bool { return polls.Load() > p+1 && ads.Load() > a+1 }) {
				t.Fatal("the page does not poll")
			}
			st.act(cua.Action{Kind: cua.Wait, MS: 1})
			out := st.click(tt.click)
			var got []string
			for _, w := range out.After.Writes {
				got = append(got, fmt.Sprintf("%s %s %d", w.Method,
					strings.TrimPrefix(w.URL, st.url), w.Status))
			}
			if s := strings.Join(got, ", "); s != tt.want {
				t.Errorf("writes %q, want %q", s, tt.want)
			}
		})
	}
}

// TestLocateSendsNews: a document leaves out what it shows if nothing of it has changed since the last look.
func TestLocateSendsNews(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<style></style><input id=a><input type=checkbox id=c>
<select id=s><option>1<option>2</select><input type=file id=f><p id=out>-</p><iframe src="/in"></iframe>
<input type=radio name=r aria-label=A><input type=radio name=r aria-label=B hidden id=b><input type=radio name=r checked hidden>
<div><select id=n style="display:none"><option>S<option>M</select><div role=combobox tabindex=0>S</div></div>
<div contenteditable>Hello <span class=x>draft</span></div><p style="height:2000px">`,
		"/in": `<input id=b>`}, nil)
	st.open("/")
	p := st.s.active.probe
	ask := func(since int) (same []bool) {
		t.Helper()
		expr := exprLocate(locateArgs{Probe: probeArgs{Since: since}})
		got, err := eval[located](t.Context(), p.open()[0], expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range got.Probe.flatten() {
			same = append(same, q.Same)
		}
		return same
	}
	both := []bool{true, true} // the page and its frame, which tells all with it
	for _, tt := range []struct {
		name, change string
		want         []bool
	}{
		{"nothing", "0", both},
		{"a value", "a.value = 'x'", []bool{false, false}},
		{"a tick", "c.checked = true", []bool{false, false}},
		{"a choice", "s.selectedIndex = 1", []bool{false, false}},
		{"a file", `let d = new DataTransfer; d.items.add(new File(['x'], 'x.txt')); f.files = d.files`,
			[]bool{false, false}},
		{"a radio button that is hidden", "b.checked = true", []bool{false, false}},
		{"a select that is hidden behind another control", "n.selectedIndex = 1", []bool{false, false}},
		{"an editable text by a style", "document.styleSheets[0].insertRule('.x { display: none }')",
			[]bool{false, false}},
		{"the frame's value", "frames[0].b.value = 'x'", []bool{true, false}},
		{"scrolled", "scrollTo(0, 5)", []bool{false, false}},
		{"an address", "history.replaceState(0, '', '#x')", []bool{false, false}},
		{"text", "out.textContent = 'late'", []bool{false, false}},
	} {
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		if got := ask(p.looks.last); !slices.Equal(got, both) {
			t.Fatalf("before %s: the same %v", tt.name, got)
		}
		if got := ask(p.looks.last - 1); slices.Contains(got, true) {
			t.Errorf("since another look: the same %v", got)
		}
		st.eval(tt.change)
		if got := ask(p.looks.last); !slices.Equal(got, tt.want) {
			t.Errorf("%s: the same %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestLooksUnchanged: what answers to locate say is compared with the documents that answered the look.
func TestLooksUnchanged(t *testing.T) {
	still := []probeRaw{{Doc: "a"}, {Doc: "b"}}
	for _, tt := range []struct {
		name      string
		look, now []probeRaw
		last      int
		some, all bool
	}{
		{"all", still, []probeRaw{{Doc: "a", Same: true}, {Doc: "b", Same: true}}, 1, true, true},
		{"one has changed", still, []probeRaw{{Doc: "a"}, {Doc: "b", Same: true}}, 1, true, false},
		{"none", still, still, 1, false, false},
		{"one does not answer", still, []probeRaw{{Doc: "a", Same: true}}, 1, true, false},
		{"one has not answered the look", still, []probeRaw{{Doc: "a", Same: true}, {Doc: "c", Same: true}},
			1, true, false},
		{"one moves by itself", []probeRaw{{Doc: "a", Busy: true}}, still, 0, false, false},
		{"a frame in the page", []probeRaw{{Doc: "a", Children: still[1:]}},
			[]probeRaw{{Doc: "a", Same: true, Children: []probeRaw{{Doc: "b", Same: true}}}}, 1, true, true},
	} {
		var l looks
		l.next()
		l.keep(tt.look)
		var now []located
		for _, q := range tt.now {
			now = append(now, located{Probe: q})
		}
		if some, all := l.unchanged(now); some != tt.some || all != tt.all || l.last != tt.last {
			t.Errorf("%s: %t, %t, last %d, want %t, %t, %d", tt.name, some, all, l.last, tt.some, tt.all,
				tt.last)
		}
	}
}

// TestLocateTellsAllOfIt: where one document or one container has changed, the whole page is given as it is
// now, also if it is asked again; else none is. A frame that is elsewhere takes the target with it.
func TestLocateTellsAllOfIt(t *testing.T) {
	tab := cua.Action{Kind: cua.Key, Keys: "Tab"}
	st := newStage(t, map[string]string{"/": `<style></style><button>Out</button><iframe src="/in"></iframe>
<iframe src="` + farSite(t, `<input aria-label=Far>`) + `" style="box-sizing:border-box"></iframe>
<div id=box style="overflow:auto;height:100px;position:absolute;top:400px;left:5px"><button>Deep</button><p style="height:500px"></div>
<script>if (location.search) box.scrollTop = 7</script>`,
		"/in": `<input id=b aria-label=Inner>`}, nil)
	on := func(mark string) func() cua.Action {
		return func() cua.Action { return cua.Action{Kind: cua.Click, Mark: st.mark(mark).N} }
	}
	for _, tt := range []struct {
		name, path, change string
		a                  func() cua.Action
		want               string  // changes, marks of the page that is given
		x                  float64 // by how much the target is further to the right than it was
		scrolled           float64
	}{
		{"nothing", "/", "0", func() cua.Action { return tab }, "[], none", 0, 0},
		{"a value in a frame", "/", "frames[0].b.value = 'x'", func() cua.Action { return tab }, "[form], 4", 0, 0},
		{"a container, and a mark in it", "/", "box.scrollTop = 7", on("Deep"), "[], 4", 0, 7},
		{"a container that was scrolled, and a mark in it", "/?scrolled", "0", on("Deep"), "[], 4", 0, 7},
		{"a container that was scrolled, and a point in it", "/?scrolled", "0", func() cua.Action {
			return cua.Action{Kind: cua.Click, Point: at(st.mark("Deep").Box)}
		}, "[], 4", 0, 7},
		{"a container that was scrolled, and a mark elsewhere", "/?scrolled", "0", on("Out"), "[], none", 0, 0},
		{"a container, and a mark elsewhere", "/", "box.scrollTop = 7", on("Out"), "[], 4", 0, 0},
		{"a frame of another site is gone", "/", "document.querySelectorAll('iframe')[1].remove()",
			func() cua.Action { return tab }, "[form], 3", 0, 0},
		{"a frame has more padding, and a mark in it", "/",
			"document.styleSheets[0].insertRule('iframe[style] { padding-left: 50px }')", on("Far"), "[], none", 50, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st.t = t
			st.open(tt.path)
			if n := len(st.now.Marks); n != 4 {
				t.Fatalf("%d marks, want 4: %+v", n, st.now.Marks)
			}
			st.eval(tt.change)
			for range 2 {
				a := tt.a()
				got := st.locate(a)
				is, scrolled, x := fmt.Sprintf("%v, none", got.Idle.Changes), 0.0, 0.0
				if page := got.Idle.Page; page != nil {
					is = fmt.Sprintf("%v, %d", got.Idle.Changes, len(page.Marks))
					scrolled = page.Scroll.ContainerY
				}
				if a.Mark > 0 {
					x = got.Box.X - st.now.Marks[a.Mark-1].Box.X
				}
				if is != tt.want || scrolled != tt.scrolled || x != tt.x {
					t.Errorf("got %s, scrolled by %v, moved by %v, want %s, %v, %v", is, scrolled, x, tt.want,
						tt.scrolled, tt.x)
				}
			}
		})
	}
}

// TestLocateCountsOnce: a canvas draws by itself if it has changed in two intervals without an action. How
// often it is asked for within one does not matter.
func TestLocateCountsOnce(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<canvas id=c width=90 height=90></canvas>
<script>let n = 0; function draw() { c.getContext('2d').fillRect(0, 0, ++n * 5, 9) }</script>`}, nil)
	for interval, want := range []bool{false, true} {
		for range 3 {
			st.eval("draw()")
			st.locate(cua.Action{Kind: cua.Key, Keys: "Tab"})
		}
		o := st.act(cua.Action{Kind: cua.Wait, MS: 1}).After
		if got := len(o.Ambient.Parts) > 0; got != want {
			t.Errorf("interval %d: draws by itself %t, want %t: %v", interval, got, want, o.Ambient.Parts)
		}
	}
}
