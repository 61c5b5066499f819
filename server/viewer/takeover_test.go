package viewer_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

const canary = "typed-by-hand-canary"

// login is a site that wants a person: the brain does not know the password.
type login struct {
	*httptest.Server
	mu     sync.Mutex
	in     bool
	clicks []cua.Point
}

func newLogin(t *testing.T) *login {
	l := &login{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch {
		case r.URL.Path == "/click":
			var p cua.Point
			_ = json.NewDecoder(r.Body).Decode(&p)
			l.clicks = append(l.clicks, p)
		case r.Method == http.MethodPost:
			l.in = r.FormValue("user") == "alice" && r.FormValue("word") == canary
			http.Redirect(w, r, "/", http.StatusSeeOther)
		case l.in:
			fmt.Fprint(w, "<!doctype html><title>Welcome</title><h1>Welcome, alice</h1>")
		default:
			fmt.Fprint(w, `<!doctype html><title>Sign in</title><style>body{margin:0}input,button{position:absolute;
				left:100px;width:300px;height:40px}</style><form method=post><input name=user aria-label=User style="top:100px">
				<input name=word type=password aria-label=Password style="top:200px"><button style="top:300px">Sign in</button></form>
				<script>addEventListener("pointerdown", (e) => fetch("/click", {method: "POST",
				body: JSON.stringify({x: e.clientX, y: e.clientY})}))</script>`)
		}
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *login) reward() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in {
		return 1
	}
	return 0
}

// pressed takes the places that were pressed.
func (l *login) pressed() []cua.Point {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.clicks
	l.clicks = nil
	return out
}

const live = `document.getElementById("live").textContent === "Live"`

// pausedAfterOne lets an episode that has just begun come to a pause, which p asks for after its first step.
func (s *site) pausedAfterOne(p person) {
	s.t.Helper()
	s.let(1)
	p.sees(steps + ` === 1`)
	p.pauses()
	s.let(1)
}

// takesOver takes the browser of the episode once it is paused.
func (p person) takesOver() {
	p.t.Helper()
	p.state("Paused")
	p.presses("#takeover")
	p.sees(live)
}

// spot presses the page that is in the person's hands, at a place of its own.
func (p person) spot(x, y float64) {
	p.t.Helper()
	var at cua.Point
	must(p.t, json.Unmarshal([]byte(p.ask(fmt.Sprintf(`(() => { const c = document.getElementById("screen");
		c.scrollIntoView({block: "center"}); const r = c.getBoundingClientRect(), w = 1280, h = 800;
		const s = Math.min(r.width / w, r.height / h);
		return {x: r.x + (r.width - w * s) / 2 + %g * s, y: r.y + (r.height - h * s) / 2 + %g * s}; })()`, x, y))), &at))
	p.do(cua.Action{Kind: cua.Click, Point: &at})
}

// A stuck run is watched, paused and taken over; the person signs in by hand, also after a reload, and hands
// back; the run ends with reward 1, and what was typed is in no file.
func TestAPersonSignsIn(t *testing.T) {
	s, b, site := serve(t), chromium(t), newLogin(t)
	s.player.real, s.player.reward = b, site.reward
	id := s.beginAt("stuck", site.URL)
	p, other := s.at(b, id, wide), s.at(b, id, wide)
	s.let(2)
	p.sees(steps + ` === 2`)
	p.pauses()
	s.let(1)
	p.takesOver()
	p.sees(`document.activeElement.id === "keys"`)
	other.sees(`document.getElementById("stage").textContent === "A person has the browser."`)
	other.sees(`["takeover", "handback", "continue", "back"].every((id) => document.getElementById(id).disabled)`)
	p.spot(200, 120)
	p.keys(strings.Split("alice", "")...)
	p.do(cua.Action{Kind: cua.Reload})
	p.sees(live)
	p.sees(`document.activeElement.id === "keys"`)
	p.keys("Tab")
	p.keys(strings.Split(canary, "")...)
	p.keys("Return")
	p.sees(live)
	p.keys("control+alt+Escape")
	p.sees(`document.activeElement.id === "handback"`)
	for n := 0; site.reward() != 1; n++ {
		if n > 2000 {
			t.Fatal("nobody signs in")
		}
		p.sees("true")
	}
	p.keys("Return")
	p.sees(`document.getElementById("hands").hidden && document.activeElement !== document.body`)
	s.let(3)
	p.state("Ended: success")
	other.state("Ended: success")
	tr, err := trajectories.Read(filepath.Join(s.dir, "a", id))
	must(t, err)
	if tr.End.Reward == nil || *tr.End.Reward != 1 {
		t.Errorf("the end is %+v, want reward 1", tr.End)
	}
	must(t, filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), canary) {
			t.Errorf("what was typed is in %s", path)
		}
		return err
	}))
}

// A person who hands the browser back does not take it again: the socket closes and the episode continues
// before the answer comes, and until then the page knows only that the browser was its own.
func TestHandingBackIsFinal(t *testing.T) {
	var takeovers atomic.Int32
	var given atomic.Bool
	looked := make(chan struct{}, 100)
	s := serve(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch path.Base(r.URL.Path) {
			case "takeover":
				takeovers.Add(1)
				next.ServeHTTP(w, r)
			case "handback": // its answer comes after the page has heard that the episode continues
				late := httptest.NewRecorder()
				next.ServeHTTP(late, r)
				given.Store(true)
				<-looked
				maps.Copy(w.Header(), late.Header())
				w.WriteHeader(late.Code)
				_, _ = w.Write(late.Body.Bytes())
			default:
				next.ServeHTTP(w, r)
				if given.Load() && strings.Count(r.URL.Path, "/") == 3 {
					looked <- struct{}{}
				}
			}
		})
	})
	b, site := chromium(t), newLogin(t)
	s.player.real, s.player.reward = b, site.reward
	p := s.at(b, s.beginAt("corner", site.URL), wide)
	s.pausedAfterOne(p)
	p.takesOver()
	p.presses("#handback")
	p.sees(`document.getElementById("hands").hidden`)
	s.let(2)
	p.sees(steps + ` === 4`)
	p.state("Running")
	if n := takeovers.Load(); n != 1 {
		t.Errorf("the browser was taken over %d times", n)
	}
}

// A press in the frame is a press on the page, within a pixel, at any zoom and letterboxed; and
// nothing is wider than a narrow screen.
func TestPressesLandWhereTheyAreMade(t *testing.T) {
	s, b, site := serve(t), chromium(t), newLogin(t)
	s.player.real, s.player.reward = b, site.reward
	id := s.beginAt("corner", site.URL)
	for i, row := range []struct {
		name string
		size cua.Size
		zoom float64
	}{
		{"50 %", cua.Size{W: 2560, H: 1600}, 0.5}, {"100 %", wide, 1}, {"200 %", cua.Size{W: 640, H: 400}, 2},
		{"letterboxed", cua.Size{W: 1600, H: 500}, 1}, {"420 px wide", cua.Size{W: 420, H: 800}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := s.at(zoomed(t, row.zoom), id, row.size)
			p.t = t
			if i == 0 {
				s.pausedAfterOne(p)
			}
			p.takesOver()
			if got := p.ask(`document.documentElement.scrollWidth > innerWidth`); got != "false" {
				t.Error("the page is wider than the screen")
			}
			site.pressed()
			for n := range 10 {
				m := 2*n + n%2 // places of both parities, from edge to edge
				want := cua.Point{X: float64(450 + 41*m), Y: float64(5 + 39*m)}
				p.spot(want.X, want.Y)
				var got []cua.Point
				for tries := 0; len(got) == 0 && tries < 400; tries++ {
					p.sees("true")
					got = site.pressed()
				}
				if len(got) != 1 || math.Abs(got[0].X-want.X) > 1 || math.Abs(got[0].Y-want.Y) > 1 {
					t.Fatalf("pressed %v, the page heard %v", want, got)
				}
			}
			p.presses("#handback")
			s.let(1)
			p.sees(`document.getElementById("hands").hidden`)
			p.sees(fmt.Sprint(steps, " === ", 3+2*i)) // the pause comes while the brain decides
			if i < 4 {
				p.pauses()
				s.let(1)
			}
		})
	}
}
