package browser

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

// painter is a page whose background is the number of presses it got, and which says in which
// animation frame it painted the last one.
const painter = `<body style="margin:0;background:#000000"><script>
let n = 0, then = null, busy = 0;
const color = () => '#' + n.toString(16).padStart(6, '0');
addEventListener('mousedown', () => {
  n++;
  document.body.style.background = color();
  then = new Promise(r => requestAnimationFrame(t => {
    for (const end = performance.now() + busy; performance.now() < end;);
    r(performance.timeOrigin + t);
  }));
}, true);
</script>`

// What moves by itself on a page, away from the corner that tells the presses.
const (
	spinner = `<style>@keyframes turn { to { transform: rotate(1turn) } }</style>
<div style="position:absolute;left:600px;top:300px;width:50px;height:50px;background:red;animation:turn 1s linear infinite"></div>`
	ticker = `<p id=c style="position:absolute;left:600px;top:300px;background:#fff">0<script>setInterval(() => c.textContent++, 40)</script>`
	busy   = `<script>busy = 25</script>`
	hot    = `<style>#h { position:absolute;left:500px;top:300px;width:300px;height:200px;background:#eee } #h:hover { background:#fff } #h:active { background:#ddd }</style><div id=h></div>`
)

// paintOf is the time that a page's promise gave.
func paintOf(t testing.TB, js string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(js, 64)
	if err != nil {
		t.Fatalf("%q is no time: %v", js, err)
	}
	return v
}

// TestFramesFresh is the rule of spec/perceptual.md: a fresh frame in each of 1,000 trials at random
// times after the frame before, in the way that sessions take them. The browsers share the trials.
func TestFramesFresh(t *testing.T) {
	all := browsers(t)
	for name, path := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := bareBrowser(t, path)
			for _, tt := range []struct {
				name   string
				html   string
				trials int
				moving bool // what the probe would say
			}{
				{"still page", painter, 1000 / len(all), false},
				{"button that reacts to the mouse", painter + hot, 100, false},
				{"busy page", painter + busy, 50, false},
				{"spinner that the probe reports", painter + spinner, 50, true},
				{"spinner that nobody reports", painter + spinner, 100, false},
				{"busy page with a spinner", painter + spinner + busy, 50, false},
				{"ticker that the probe reports", painter + ticker, 50, true},
				{"ticker that nobody reports", painter + ticker, 100, false},
			} {
				if testing.Short() {
					tt.trials = min(tt.trials, 50)
				}
				t.Run(tt.name, func(t *testing.T) {
					b := openTab(t, root)
					b.load(tt.html)
					hows, took := fresh(t, b, tt.trials, tt.moving)
					t.Logf("%d of %d fresh, %v a step, %v", tt.trials, tt.trials, took/time.Duration(tt.trials), hows)
				})
			}
		})
	}
}

// fresh clicks and takes frames at random times, and fails on the first that is stale.
func fresh(t *testing.T, b *bare, trials int, moving bool) (map[how]int, time.Duration) {
	t.Helper()
	f := newFrames(b.s, b.view, SessionOptions{}.Screencast)
	defer f.close()
	if err := f.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	in := newPointer(b.s, f.arm)
	defer in.close()
	pause(t, 150*time.Millisecond) // a first thought: what moves by itself has shown it
	took, hows := time.Duration(0), map[how]int{}
	for i := 1; i <= trials; i++ {
		pause(t, time.Duration(rand.IntN(17000))*time.Microsecond)
		start := time.Now()
		if err := in.click(t.Context(), cua.Point{X: 640, Y: 400}, input.MouseButtonLeft, 1, nil); err != nil {
			t.Fatal(err)
		}
		shot, by, err := f.take(t.Context(), want{Paint: paintOf(t, b.eval("then")), Capture: moving})
		if err != nil {
			t.Fatal(err)
		}
		took += time.Since(start)
		hows[by]++
		if got := corner(t, shot); got != i {
			t.Fatalf("trial %d (%s) shows press %d", i, by, got)
		}
	}
	return hows, took
}

// pause lets real time pass: what is tested is a race with the browser's own clock.
func pause(t testing.TB, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// picture is a page with text, borders, gradients and translucent parts.
const picture = `<body style="margin:0;font:17px serif"><h1>Pixels</h1><p>The quick brown fox — ßäöü 漢字
<div style="width:300px;height:90px;background:linear-gradient(37deg,red,#0f08,blue);border:1px dotted #123456"></div>
<input value="a field"> <button>a button</button> <select><option>one</select>
<div style="position:fixed;right:3px;bottom:3px;width:50px;height:50px;background:#fe0102;border-radius:9px"></div>
<button id=b onclick="this.textContent += '!'" style="position:fixed;left:900px;top:300px">press</button>`

// TestFramesExact says that a screencast's frame is the screenshot, pixel by pixel.
func TestFramesExact(t *testing.T) {
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBare(t, path)
			b.load(picture)
			f := newFrames(b.s, b.view, true)
			defer f.close()
			if err := f.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			cast := castFrame(t, b, f)
			shot, by, err := f.take(t.Context(), want{Capture: true})
			if err != nil || by != byReuse {
				t.Errorf("the screenshot of a page that stands still came by %q, %v; it must be equal to the frame", by, err)
			}
			p, q := framePixels(t, cast), framePixels(t, shot)
			if p.Bounds() != q.Bounds() || p.Bounds().Dx() != b.view.W || p.Bounds().Dy() != b.view.H {
				t.Fatalf("sizes %v and %v, want %v", p.Bounds(), q.Bounds(), b.view)
			}
			if string(p.Pix) != string(q.Pix) {
				n, most := 0, 0
				for i := range p.Pix {
					if d := int(p.Pix[i]) - int(q.Pix[i]); d != 0 {
						n, most = n+1, max(most, d, -d)
					}
				}
				t.Errorf("%d of %d values differ, by %d at most", n, len(p.Pix), most)
			}
			t.Logf("bytes: screencast %d, screenshot %d, equal %v", len(cast.Data), len(shot.Data), string(cast.Data) == string(shot.Data))
		})
	}
}

// castFrame presses the button until the screencast sends a frame of the press. It asks not whether
// take would trust the frame: on a machine too busy to paint in time it never does.
func castFrame(t *testing.T, b *bare, f *frames) cua.Shot {
	t.Helper()
	const press = "document.getElementById('b').click(), new Promise(r => requestAnimationFrame(t => r(performance.timeOrigin + t)))"
	for range 60 {
		pause(t, 60*time.Millisecond)
		_ = f.arm(t.Context())
		paint := paintOf(t, b.eval(press))
		came := awaitFrame(t, f)
		if came == nil || came.shown <= paint+1 { // one of before the press
			f.rest()
			continue
		}
		f.mu.Lock()
		f.last = came.png
		f.mu.Unlock()
		f.rest()
		return cua.Shot{Data: came.png, Mime: "image/png"}
	}
	t.Fatal("no press gave a frame of its own")
	return cua.Shot{}
}

// awaitFrame is the first frame since arm, nil where none comes within a second: a frame that the
// screencast holds back from before has to be acknowledged first, which rest does.
func awaitFrame(t *testing.T, f *frames) *frame {
	t.Helper()
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		f.mu.Lock()
		wake, came := f.wake, f.first
		f.mu.Unlock()
		if came != nil {
			return came
		}
		select {
		case <-wake:
		case <-timer.C:
			return nil
		}
	}
}

// TestFramesReuse says that a click that paints nothing gives the bytes of the frame before, and
// that this was not assumed: the next click that does paint is seen.
func TestFramesReuse(t *testing.T) {
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBare(t, path)
			b.load(strings.Replace(painter, "n++", "if (!window.dead) n++", 1))
			f := newFrames(b.s, b.view, true)
			defer f.close()
			if err := f.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			in := newPointer(b.s, f.arm)
			defer in.close()
			hows, presses, took := map[how]int{}, 0, time.Duration(0)
			for i := range 60 {
				dead := i%3 != 0
				b.eval("void (window.dead = " + strconv.FormatBool(dead) + ")")
				if !dead {
					presses++
				}
				start := time.Now()
				if err := in.click(t.Context(), cua.Point{X: 640, Y: 400}, input.MouseButtonLeft, 1, nil); err != nil {
					t.Fatal(err)
				}
				shot, by, err := f.take(t.Context(), want{Paint: paintOf(t, b.eval("then")), Still: dead && i%2 == 0})
				if err != nil {
					t.Fatal(err)
				}
				if dead {
					hows[by]++
					took += time.Since(start)
				}
				if got := corner(t, shot); got != presses {
					t.Fatalf("step %d (dead %v, by %s) shows press %d, want %d", i, dead, by, got, presses)
				}
			}
			t.Logf("40 dead clicks: %v, %v each", hows, took/40)
			if hows[byReuse] < 20 {
				t.Errorf("only %d of 40 dead clicks were proven to have painted nothing: %v", hows[byReuse], hows)
			}
		})
	}
}

// TestFramesScroll says that a frame after a turn of the wheel shows where the page was scrolled to.
func TestFramesScroll(t *testing.T) {
	const rows = `<body style="margin:0"><script>
for (let i = 0; i < 60; i++) document.body.insertAdjacentHTML('beforeend',
  '<div style="height:100px;background:#' + i.toString(16).padStart(6, '0') + '"></div>');
let then = null;
const next = () => { then = new Promise(r => addEventListener('scroll', () =>
  requestAnimationFrame(t => r(performance.timeOrigin + t)), { once: true, capture: true })) };
</script>`
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openBare(t, path)
			b.load(rows)
			f := newFrames(b.s, b.view, true)
			defer f.close()
			if err := f.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			in := newPointer(b.s, f.arm)
			defer in.close()
			for i := 1; i <= 40; i++ {
				pause(t, time.Duration(rand.IntN(17000))*time.Microsecond)
				b.eval("next()")
				if err := in.scroll(t.Context(), cua.Point{X: 640, Y: 400}, 0, 100); err != nil {
					t.Fatal(err)
				}
				shot, by, err := f.take(t.Context(), want{Paint: paintOf(t, b.eval("then"))})
				if err != nil {
					t.Fatal(err)
				}
				if got := corner(t, shot); got != i {
					t.Fatalf("after turn %d a frame by %s shows row %d", i, by, got)
				}
			}
		})
	}
}
