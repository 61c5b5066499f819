package runner_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// aside puts something far from the button under test.
const aside = `style="position:absolute;left:480px;top:300px;`

// flashing is a GIF of three colours, each shown for as long.
func flashing(each time.Duration) string {
	var g gif.GIF
	pal := color.Palette{color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}, color.RGBA{0, 255, 0, 255}}
	for i := range pal {
		img := image.NewPaletted(image.Rect(0, 0, 60, 60), pal)
		for j := range img.Pix {
			img.Pix[j] = uint8(i)
		}
		g.Image, g.Delay = append(g.Image, img), append(g.Delay, int(each/(10*time.Millisecond)))
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		panic(err)
	}
	return "data:image/gif;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// slides are three pictures side by side in a window of one.
func slides(w, h int, script string) string {
	s := fmt.Sprintf(`<div id=w style="position:absolute;left:%dpx;top:150px;width:%dpx;height:%dpx;overflow:auto"><div id=q style="display:flex;width:%dpx;transition:transform .15s">`,
		max(0, 600-w), w, h, 3*w)
	for _, c := range []string{"red", "blue", "green"} {
		s += fmt.Sprintf(`<div style="width:%dpx;height:%dpx;background:%s"></div>`, w, h, c)
	}
	return s + `</div></div><script>{let i=0;` + script + `}</script>`
}

const circle = `width:24px;height:24px;border:4px solid #ccc;border-top-color:#333;border-radius:50%;animation:s 1s linear infinite`
const turning = `@keyframes s{to{transform:rotate(1turn)}}`
const smil = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect x="10" y="10" width="40" height="40" fill="red"><animate attributeName="x" from="0" to="40" dur="0.4s" repeatCount="indefinite"/></rect></svg>`

// pace is how long the brain thinks before each step of a dead button, and the first step that must not be
// progress even at the time.
type pace struct {
	think time.Duration
	from  int
}

var (
	// toldPace is the pace where the page says what moves, or the brain waits for it.
	toldPace = pace{0, 1}
	// seenPace is the pace where what moves must have been seen to move in two intervals in which nobody
	// acted. What has two states shows in half of the intervals: one run in 50,000 has not seen it by then.
	seenPace = pace{0, 20}
	// slowPace is that of what moves less often than ten times a second. A brain that answers at once has
	// taken 20 steps before such a thing has moved twice.
	slowPace = pace{time.Second / 8, 20}
)

// pushes is the row of which no timer or request of the page tells why it moves.
const pushes = "what the server pushes"

// restless is what moves by itself on pages, beside what a person works with.
var restless = []struct {
	name, html string
	pace       pace
}{
	{"pictures that rotate", `<img id=q ` + aside + `width:300px;height:200px"><script>{const w=['red','blue','green'].map(c=>'data:image/svg+xml,'+encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="'+c+'"/></svg>'));let i=0;q.src=w[0];setInterval(()=>{q.src=w[++i%3]},130)}</script>`, slowPace},
	{"a sliding carousel", slides(400, 200, `setInterval(()=>{q.style.transform='translateX('+(-400*(++i%3))+'px)'},250)`), slowPace},
	{"a carousel as wide as the page", slides(790, 340, `setInterval(()=>{q.style.transform='translateX('+(-790*(++i%3))+'px)'},250)`), slowPace},
	{"a carousel that scrolls", slides(400, 200, `setInterval(()=>{w.scrollLeft=400*(++i%3)},90)`), seenPace},
	{"a spinner", `<style>` + turning + `</style><div ` + aside + circle + `"></div>`, toldPace},
	{"a spinner that has no element", `<style>` + turning + `#s::before{content:'';display:block;` + circle + `}</style><div id=s ` + aside + `"></div>`, toldPace},
	{"a square that turns and has no element", `<style>` + turning + `#s::before{content:'';display:block;width:64px;height:64px;background:#333;animation:s 1s linear infinite}</style><div id=s ` + aside + `"></div>`, toldPace},
	{"a spinner in a shadow tree", `<div id=sh ` + aside + `"></div><script>sh.attachShadow({mode:'open'}).innerHTML='<style>` + turning + `i{display:block;` + circle + `}</style><i></i>'</script>`, toldPace},
	{"a spinner that is drawn", `<div ` + aside + `">` + smil + `</div>`, toldPace},
	{"a drawn picture", `<img id=si ` + aside + `"><script>si.src='data:image/svg+xml,'+encodeURIComponent('` + smil + `')</script>`, seenPace},
	{"a GIF", `<img ` + aside + `" src="` + flashing(50*time.Millisecond) + `">`, toldPace},
	{"a slow GIF", `<img ` + aside + `" src="` + flashing(400*time.Millisecond) + `">`, toldPace},
	{"a GIF of a style sheet", `<style>#q{background:url(/flash.gif)}</style><div id=q ` + aside + `width:60px;height:60px"></div>`, seenPace},
	{"a video", `<video id=v muted ` + aside + `width:200px;height:200px"></video><script>{const c=document.createElement('canvas');c.width=c.height=200;let x=0;(function d(){c.getContext('2d').fillStyle='hsl('+(x+=7)+',90%,50%)';c.getContext('2d').fillRect(0,0,200,200);requestAnimationFrame(d)})();v.srcObject=c.captureStream();v.play()}</script>`, seenPace},
	{"a canvas", `<canvas id=c width=200 height=200 ` + aside + `"></canvas><script>{let x=0;(function d(){c.getContext('2d').fillStyle='hsl('+(x+=7)+',90%,50%)';c.getContext('2d').fillRect(0,0,200,200);requestAnimationFrame(d)})()}</script>`, seenPace},
	{"a marquee", `<marquee ` + aside + `width:300px">breaking news breaking news</marquee>`, toldPace},
	{"what blinks", `<style>@keyframes b{50%{opacity:0}}</style><p ` + aside + `animation:b .3s steps(1) infinite">blink</p>`, toldPace},
	{"what blinks by script", `<p id=q ` + aside + `">new</p><script>setInterval(()=>{q.style.visibility=q.style.visibility?'':'hidden'},90)</script>`, seenPace},
	{"what comes and goes", `<p id=q>new</p><script>setInterval(()=>{q.hidden=!q.hidden},90)</script><p>after</p>`, seenPace},
	{"a banner that moves the page", `<div id=q></div><script>setInterval(()=>{q.innerHTML=q.innerHTML?'':'<h3>Sale</h3>'},170)</script><p>after</p><p>after that</p>`, slowPace},
	{"a feed", `<ul id=q ` + aside + `height:200px;overflow:auto"></ul><script>{let n=0;setInterval(()=>{const l=document.createElement('li');l.textContent='event '+ ++n;q.prepend(l)},80)}</script>`, seenPace},
	{"a long feed", `<ul id=q ` + aside + `height:200px;overflow:auto"></ul><script>{let n=0;const f=()=>{const l=document.createElement('li');l.textContent='event '+ ++n;q.prepend(l)};while(n<110)f();setInterval(()=>{f();while(n%60<1&&q.children.length>120)q.lastChild.remove()},10)}</script>`, seenPace},
	{"a growing feed", `<ul id=q ` + aside + `height:200px;overflow:auto"></ul><script>{let n=0;const f=()=>{const l=document.createElement('li');l.textContent='event '+ ++n;q.prepend(l)};while(n<92)f();setInterval(f,80)}</script>`, seenPace},
	{"a clock in the title", `<script>{let n=0;setInterval(()=>{document.title='t'+ ++n},50)}</script>`, toldPace},
	{"a clock by animation frame", `<p id=q ` + aside + `">0</p><script>{let n=0;(function d(){q.textContent=++n;requestAnimationFrame(d)})()}</script>`, seenPace},
	{"a clock that a timer winds up", `<p id=q ` + aside + `">0</p><script>onload=()=>{let n=0;setTimeout(function f(){q.textContent=++n;setTimeout(f,60)},60)}</script>`, seenPace},
	{"a clock that renders again", `<div id=q ` + aside + `"></div><script>{let n=0;setInterval(()=>{q.innerHTML='<div class=c'+n+' id=i'+n+'><b>'+(++n)+'</b></div>'},50)}</script>`, seenPace},
	{"a clock in a frame", `<iframe ` + aside + `" srcdoc="<p id=q>0</p><script>let n=0;setInterval(()=>{q.textContent=++n},50)</script>"></iframe>`, seenPace},
	{"a clock in a shadow tree", `<div id=h ` + aside + `"></div><script>{const r=h.attachShadow({mode:'open'});r.innerHTML='<p>0</p>';let n=0;setInterval(()=>{r.firstChild.textContent=++n},50)}</script>`, seenPace},
	{"what is polled", `<p id=q ` + aside + `">0</p><script>{(async function d(){for(let n=0;;n++){await fetch('/poll?'+n);q.textContent=n;await new Promise(r=>setTimeout(r,50))}})()}</script>`, seenPace},
	{pushes, `<p id=q ` + aside + `">0</p><script>new EventSource('/pushed').onmessage=e=>{q.textContent=e.data}</script>`, pace{0, 6}},
	{"a progress bar", `<progress id=q max=100 ` + aside + `"></progress><script>{let n=0;setInterval(()=>{q.value=(n+=7)%100},50)}</script>`, seenPace},
}

// restlessSite serves html, and what it polls and is sent. Each message that is sent is offered to pushed,
// which may be nil.
func restlessSite(t *testing.T, html string, pushed chan<- struct{}) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/pushed":
			w.Header().Set("Content-Type", "text/event-stream")
			tick := time.NewTicker(40 * time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				fmt.Fprintf(w, "data: %d\n\n", i)
				w.(http.Flusher).Flush()
				select {
				case pushed <- struct{}{}:
				default:
				}
				select {
				case <-r.Context().Done():
					return
				case <-tick.C:
				}
			}
		case "/flash.gif":
			b, _ := base64.StdEncoding.DecodeString(strings.SplitN(flashing(50*time.Millisecond), ",", 2)[1])
			w.Header().Set("Content-Type", "image/gif")
			_, _ = w.Write(b)
		case "/poll":
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html>", calm, html)
		}
	}).URL
}

// pushedBrain decides after three more messages of the server, so the page changes before each action. That
// is how the runner learns that no action is the cause, and no real brain answers at once.
type pushedBrain struct {
	brain.Scripted
	pushed <-chan struct{}
}

func (b pushedBrain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	for range 3 {
		select {
		case <-b.pushed:
		case <-ctx.Done():
			return cua.Decision{}, ctx.Err()
		}
	}
	return b.Scripted.Decide(ctx, t)
}

// thinkingBrain takes a while to decide, as real brains do. One that answers at once leaves a page no time in
// which it moves and nobody acts.
type thinkingBrain struct {
	brain.Scripted
	think time.Duration
}

func (b thinkingBrain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	select {
	case <-time.After(b.think):
	case <-ctx.Done():
	}
	return b.Scripted.Decide(ctx, t)
}

// A dead button beside what moves by itself has no effect: what is not known at the time is known in
// hindsight, and the page is one state throughout.
func TestDeadBesideWhatMoves(t *testing.T) {
	for _, row := range restless {
		t.Run(row.name, func(t *testing.T) {
			for _, wrong := range deadBeside(t, row.name, row.html, row.pace) {
				t.Error(wrong)
			}
		})
	}
}

// deadBeside presses a dead button beside html, and says where that was taken for progress.
func deadBeside(t *testing.T, name, html string, p pace) (wrong []string) {
	t.Helper()
	presses := p.from + 5
	script := slices.Repeat([]cua.Scripted{click("Dead")}, presses)
	pushed := make(chan struct{})
	var b runner.Brain = thinkingBrain{brain.Scripted{Script: script}, p.think}
	if name == pushes {
		b = pushedBrain{brain.Scripted{Script: script}, pushed}
	}
	tr := playWith(t, "off", cua.Task{ID: "dead",
		URL: restlessSite(t, `<p><button type=button>Dead</button>`+html, pushed)}, b)
	succeeded(t, tr, presses)
	nodes := map[string]bool{}
	for i, s := range tr.History().Samples()[:presses] {
		e := tr.Steps[i].Effect
		if !s.Idle() || i+1 >= p.from && e.Any() {
			wrong = append(wrong,
				fmt.Sprintf("step %d is progress: at the time %v, parts %v, in hindsight %t; %v", i+1,
					e.Progress, e.Parts, s.Progress, tiles(e)))
		}
		nodes[s.After] = true
	}
	// A feed is another page once it has become longer. Where a canvas moves, the picture says which state it
	// is (cua.NodeBy), and this one goes through all colours, dark ones and bright ones.
	if len(nodes) > 1 && !strings.HasSuffix(name, "feed") && name != "a canvas" {
		wrong = append(wrong, fmt.Sprintf("%d states of one page", len(nodes)))
	}
	return wrong
}

// A button that works has an effect each time, whatever moves beside it.
func TestWorkingBesideWhatMoves(t *testing.T) {
	script := []cua.Scripted{click("Next"), click("Next"), click("Next"), click("Next")}
	for i := 0; i < len(restless); i += 3 { // what masks one of them masks the others alike
		row := restless[i]
		t.Run(row.name, func(t *testing.T) {
			tr := play(t, "off", cua.Task{ID: "works", URL: restlessSite(t, `<p><button type=button onclick="out.textContent='page '+ ++k">Next</button><p id=out>-<script>k=0</script>`+row.html, nil)}, script...)
			succeeded(t, tr, len(script))
			for i, s := range tr.History().Samples()[:len(script)] {
				if !s.Progress || !s.New {
					t.Errorf("step %d: progress %t, new %t, the effect is %+v", i+1, s.Progress, s.New,
						tr.Steps[i].Effect)
				}
			}
		})
	}
}

// A loop of the page's own that writes the page anew in each frame shows what a press has changed: the
// loop moves nothing by itself. That it does not is known once it has written what was there while nobody
// acted, so the brain thinks for some frames.
func TestLoopThatRenders(t *testing.T) {
	for name, write := range map[string]string{"text": "out.textContent=v",
		"elements": "out.innerHTML='<b>'+v+'</b>'"} {
		t.Run(name, func(t *testing.T) {
			url := restlessSite(t, `<p><button type=button onclick="v++">Go</button> <button type=button>Dead</button><p id=out `+aside+`">-<script>v=0;(function f(){`+write+`;requestAnimationFrame(f)})()</script>`, nil)
			script := []cua.Scripted{click("Go"), click("Go"), click("Dead"), click("Go"), click("Dead"),
				click("Go")}
			tr := playWith(t, "off", cua.Task{ID: "loop", URL: url},
				thinkingBrain{brain.Scripted{Script: script}, 100 * time.Millisecond})
			succeeded(t, tr, len(script))
			for i, s := range tr.History().Samples()[:len(script)] {
				if want := script[i].On == "Go"; s.Progress != want {
					t.Errorf("step %d: progress %t, want %t; the effect is %+v, idle %+v, ambient %v", i+1,
						s.Progress, want, tr.Steps[i].Effect, tr.Steps[i].Target.Idle,
						tr.Steps[i].After.Ambient)
				}
			}
		})
	}
}

// In a frame of another site all is as on the page itself: what moves by itself, what replies, what is
// made again, and who is who.
func TestInAFrameOfAnotherSite(t *testing.T) {
	inner := `<body style="margin:0"><p><button type=button>Dead</button> <button type=button onclick="setTimeout(()=>{out.textContent='n'+ ++k},100)">Live</button><p id=out>-<div id=a></div>
		<script>k=0;{let n=0;setInterval(()=>{a.innerHTML='<b id=i'+n+'>'+(++n)+'</b>'},50)}</script><style>` + turning + `</style><div style="` + circle + `"></div>`
	var outer string
	srv := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasPrefix(r.Host, "localhost") {
			fmt.Fprint(w, "<!doctype html>", inner)
			return
		}
		fmt.Fprint(w, "<!doctype html>", calm, strings.ReplaceAll(outer, "SITE",
			strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)))
	})
	frame := `<iframe src="SITE/" style="width:600px;height:400px"></iframe>`
	for name, html := range map[string]string{"in the document": `<p>Outer</p>` + frame,
		"in a shadow tree": `<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='` + frame + `'</script>`} {
		t.Run(name, func(t *testing.T) {
			outer = html
			script := []cua.Scripted{click("Dead"), click("Dead"), click("Live"), click("Dead"),
				click("Live"), click("Dead"), click("Dead")}
			tr := play(t, "off", cua.Task{ID: "far", URL: srv.URL,
				Allow: []string{strings.Replace(srv.URL, "http://127.0.0.1", "localhost", 1)}}, script...)
			succeeded(t, tr, len(script))
			ids := map[string]bool{}
			for i, s := range tr.History().Samples()[:len(script)] {
				if want := script[i].On == "Live"; s.Progress != want {
					t.Errorf("step %d: progress %t, want %t; the effect is %+v, idle %+v, tiles %v", i+1,
						s.Progress, want, tr.Steps[i].Effect, tr.Steps[i].Target.Idle,
						tiles(tr.Steps[i].Effect))
				}
				ids[tr.Steps[i].Target.ID] = true
			}
			if len(ids) != 2 {
				t.Errorf("two buttons have the identities %v", ids)
			}
		})
	}
}
