package browser

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// fewTrials is how many they are if nobody asks for more.
const fewTrials = 5

// freshTrials is how many steps each kind of page is tested with; 1,000 take minutes.
var freshTrials = flag.Int("fresh", fewTrials, "how many frames of each kind of page are tested")

// freshPause is how long each step waits besides its random wait, as a brain thinks.
var freshPause = flag.Duration("fresh.pause", 0, "how long each step of TestFramesFresh waits")

// freshPages are pages on which the n-th step shows the colour n in the first pixel.
var freshPages = []struct {
	name string
	html string
	step func(e env, n int) cua.Action // nil presses in the middle
	want func(n int) int               // nil is n
}{
	{name: "hover", html: pressed + `<style>#h{position:absolute;left:500px;top:300px;width:300px;height:200px;background:#eee}
		#h:hover{background:#fff} #h:active{background:#ddd}</style><div id=h></div>`},
	{name: "one pixel", html: `<div id=p style="position:fixed;left:0;top:0;width:1px;height:1px;background:#000"></div>
		<script>let n = 0; addEventListener('mousedown', () => { p.style.background = color(++n) })</script>`},
	{name: "no change", html: strings.Replace(pressed, "n++", "if (++k % 3 === 1) n++", 1), want: func(n int) int { return (n + 2) / 3 }},
	{name: "typing", html: `<textarea autofocus style="position:absolute;left:600px;top:300px" oninput="show(this.value.length)"></textarea>`,
		step: func(env, int) cua.Action { return cua.Action{Kind: cua.Type, Text: "a"} }},
	{name: "timer", html: strings.Replace(pressed, "show(n)", "setTimeout(() => show(n), 60)", 1)},
	{name: "clock", html: pressed + `<p id=c style="position:absolute;left:600px;top:300px;background:#fff">0<script>setInterval(() => c.textContent++, 40)</script>`},
	{name: "spinner", html: pressed + `<style>@keyframes turn { to { transform: rotate(1turn) } }</style>
		<div style="position:absolute;left:600px;top:300px;width:50px;height:50px;background:red;animation:turn 1s linear infinite"></div>`},
	{name: "animation frames", html: pressed + `<i id=r style="position:absolute;left:600px;top:300px;width:50px;height:50px;background:red"></i>
		<script>(function turn(at) { r.style.top = 300 + at / 10 % 99 + 'px'; requestAnimationFrame(turn) })(0)</script>`},
	{name: "scroll", html: `<script>for (let i = 0; i < 3000; i++) document.body.insertAdjacentHTML('beforeend', '<div style="height:100px;background:' + color(i) + '"></div>')</script>`,
		step: func(env, int) cua.Action { return cua.Action{Kind: cua.Scroll, DY: 100} }},
	{name: "navigation", step: func(_ env, n int) cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 640, Y: 400}} },
		html: `<a id=a style="position:fixed;inset:0;display:block"></a><script>const n = +location.hash.slice(1) || +new URLSearchParams(location.search).get('n') || 0; show(n); a.href = '?n=' + (n + 1)</script>`},
	{name: "frame", html: `<style>iframe{position:fixed;inset:0;width:100%;height:100%;border:0}</style><iframe src="/?inner"></iframe>`},
	{name: "frame around", html: `<style>iframe{position:fixed;left:100px;top:100px;width:90%;height:80%;border:0}</style><iframe src="/?asking"></iframe>
		<script>addEventListener('message', (e) => show(e.data))</script>`},
	{name: "busy", html: strings.Replace(pressed, "show(n)", "show(n); requestAnimationFrame(() => { for (const end = performance.now() + 25; performance.now() < end;); })", 1)},
}

// pressed is a page whose background is the number of presses that it got.
const pressed = `<script>let n = 0, k = 0; addEventListener('mousedown', () => { n++; show(n) }, true)</script>`

const freshHead = `<!doctype html><body style="margin:0;background:#000000"><script>const color = (n) => '#' + n.toString(16).padStart(6, '0');
	const show = (n) => { document.body.style.background = color(n) };</script>`

// TestFramesFresh says that the frame after a step shows what the step did, on thirteen kinds of page, in
// both browsers, in one session and in four at once, and in one session whose frame rate has no limit. Full
// Chromium has four at once only if asked for another number than fewTrials. The steps begin at random
// moments of the browser's own clock. Each row is an attribute of its test (make fresh prints them as a
// table).
func TestFramesFresh(t *testing.T) {
	for _, row := range freshBrowsers(t) {
		name, b := row.name, alone(t, row.options)
		for _, sessions := range row.sessions {
			t.Run(fmt.Sprintf("%s, %d at once", name, sessions), func(t *testing.T) {
				for _, p := range freshPages {
					t.Run(p.name, func(t *testing.T) {
						ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
							body := p.html
							switch r.URL.RawQuery {
							case "inner":
								body = pressed
							case "asking":
								body = strings.Replace(pressed, "show(n)", "parent.postMessage(n)", 1)
							}
							w.Header().Set("Content-Type", "text/html; charset=utf-8")
							fmt.Fprint(w, freshHead, body)
						})
						if p.step == nil {
							p.step = func(env, int) cua.Action {
								return cua.Action{Kind: cua.Click,
									Point: &cua.Point{X: 640, Y: 400}}
							}
						}
						if p.want == nil {
							p.want = func(n int) int { return n }
						}
						var all sync.WaitGroup
						c := freshCount{ways: map[string]int{}}
						each := max(*freshTrials/sessions, 2) // the first frame has none before it
						for range sessions {
							all.Go(func() { c.steps(t, b, ts.URL, each, p.step, p.want) })
						}
						all.Wait()
						n := each * sessions
						t.Attr("fresh", fmt.Sprintf("%s|%s|%d|%d of %d|%s|%.0f ms", p.name, name, sessions,
							c.fresh, n, c.says(), c.median()))
						if c.fresh != n {
							t.Errorf("%d of %d frames are fresh", c.fresh, n)
						}
					})
				}
			})
		}
	}
}

// freshBrowser is a browser and the numbers of sessions in which it is tested.
type freshBrowser struct {
	name     string
	options  Options
	sessions []int
}

func freshBrowsers(t *testing.T) (out []freshBrowser) {
	for _, name := range slices.Sorted(maps.Keys(browsers(t))) {
		path := browsers(t)[name]
		sessions := []int{1, 4}
		if name == "new headless" && *freshTrials == fewTrials {
			sessions = []int{1} // its sessions take longest; make fresh has four of them at once too
		}
		out = append(out, freshBrowser{name, Options{Path: path}, sessions},
			freshBrowser{name + " unlimited", Options{Path: path, Unlimited: true}, []int{1}})
	}
	return out
}

// TestFrameRate says how often a page is drawn: 60 times a second, or as often as it can be. It reads the
// times of the frames themselves: with a limit they are multiples of 16.7 ms apart on any machine.
func TestFrameRate(t *testing.T) {
	const page = `<script>let last = 0, least = 1e9, n = 0;
		requestAnimationFrame(function frame(at) {
			if (last && at > last) least = Math.min(least, at - last);
			last = at;
			if (++n < 60) requestAnimationFrame(frame); else document.title = least.toFixed(1);
		})</script>`
	for _, row := range []struct {
		name      string
		unlimited bool
	}{{"60 frames a second", false}, {"no limit", true}} {
		t.Run(row.name, func(t *testing.T) {
			b := alone(t, Options{Path: shared.Info().Path, Unlimited: row.unlimited})
			e := openIn(t, b, SessionOptions{}, site(t, map[string]string{"/": page}).URL)
			title := ""
			for title == "" && t.Context().Err() == nil {
				title = e.act(cua.Action{Kind: cua.Wait, MS: 50}).After.Title
			}
			least, err := strconv.ParseFloat(title, 64)
			if err != nil || (least < 12) != row.unlimited {
				t.Errorf("the closest two frames are %q ms apart", title)
			}
		})
	}
}

// freshCount is the outcome of the steps on one kind of page.
type freshCount struct {
	mu    sync.Mutex
	fresh int
	ways  map[string]int // how the frames were got, and why they were captured
	took  []float64      // ms
}

// says is how the frames were got, the usual way first.
func (c *freshCount) says() string {
	var out []string
	for _, way := range slices.SortedFunc(maps.Keys(c.ways),
		func(a, b string) int { return c.ways[b] - c.ways[a] }) {
		out = append(out, fmt.Sprintf("%s %d", way, c.ways[way]))
	}
	return strings.Join(out, ", ")
}

// median is of the time of a step, ms; 0 without steps.
func (c *freshCount) median() float64 {
	if len(c.took) == 0 {
		return 0
	}
	slices.Sort(c.took)
	return c.took[len(c.took)/2]
}

// steps takes steps in a session of its own. A frame that shows another step is logged and not counted; a
// step that fails ends it.
func (c *freshCount) steps(t *testing.T, b *Browser, url string, trials int, step func(env, int) cua.Action,
	want func(int) int) {
	s, err := b.NewSession(t.Context(), anyServer(SessionOptions{}))
	if err != nil {
		t.Error(err)
		return
	}
	defer s.Close()
	e := env{s, t}
	if _, err := s.Reset(t.Context(), cua.Task{URL: url}); err != nil {
		t.Error(err)
		return
	}
	for n := 1; n <= trials; n++ {
		pause(t, *freshPause+time.Duration(rand.IntN(17000))*time.Microsecond)
		out, err := s.Act(t.Context(), step(e, n))
		if err != nil || out.Failure != nil || out.After.Shot == nil {
			t.Errorf("step %d: %v, %v, %q", n, err, out.Failure, out.Log)
			return
		}
		shows := corner(t, *out.After.Shot)
		c.mu.Lock()
		c.ways[strings.TrimSpace(out.Settle.Frame+" "+out.Settle.Why)]++
		c.took = append(c.took, out.DispatchMS+out.SettleMS+out.ObserveMS)
		if shows == want(n) {
			c.fresh++
		} else {
			t.Logf("step %d shows %d, want %d: %+v, dispatch %.0f, settle %.0f, observe %.0f ms, "+
				"scrolled to %v", n, shows, want(n), out.Settle, out.DispatchMS, out.SettleMS, out.ObserveMS,
				out.After.Scroll)
		}
		c.mu.Unlock()
	}
}

// pause lets real time pass: what is tested is a race with the browser's own clock.
func pause(t testing.TB, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
