package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// frameOf is a PNG that does not pack: about as large as a screenshot of a busy page.
func frameOf(t *testing.T, seed uint64) []byte {
	t.Helper()
	chance := rand.New(rand.NewPCG(seed, 1))
	img := image.NewRGBA(image.Rect(0, 0, 1280, 800))
	for y := range 800 {
		for x := range 1280 {
			img.Set(x, y, color.RGBA{240, 240, uint8(240 + chance.IntN(2)), 255})
		}
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return b.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// filmed is a study of 42 cells in a folder, each episode of 40 steps of which every other one was ruled on.
func filmed(t *testing.T) *benchmarks.Study {
	t.Helper()
	p := studytest.Plan(1)
	p.Tasks = []string{"pagination", "stepper", "twelve-fields", "date-picker", "slow-save", "load-more",
		"busy-twice", "t1-login", "t3-tab-only", "t4-dead-submit", "t6-dead-button", "t8-overlay", "t9-fold",
		"t13-wrong-turn"}
	p.Arms = append(p.Arms, benchmarks.Arm{Name: "classic", Config: p.Arms[0].Config})
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	must(t, err)
	cells, err := s.Plan.Cells()
	must(t, err)
	frames := [][]byte{frameOf(t, 1), frameOf(t, 2), frameOf(t, 3)}
	for i, c := range cells {
		r := benchmarks.Result{Cell: c, End: cua.EndDone, Solvable: true, Steps: 40}
		r.Episode = trajectories.EpisodeID(c.Task, c.Arm, c.Seed, 1)
		if i%3 == 0 {
			r.Success, r.Lenient, r.Reward = true, true, 1
		}
		episode(t, s.EpisodeDir(r.Episode), c, frames)
		s.Results = append(s.Results, r)
	}
	return s
}

func episode(t *testing.T, dir string, c benchmarks.Cell, frames [][]byte) {
	t.Helper()
	screen := cua.Size{W: 1280, H: 800}
	w, err := trajectories.Create(dir, trajectories.Header{Episode: filepath.Base(dir), Arm: c.Arm,
		Toggles: cua.AllOn(), Viewport: screen, Config: json.RawMessage(`{}`),
		Task: cua.Task{ID: c.Task, Goal: "Do what the page asks for, and say so.", URL: "http://127.0.0.1/"}})
	must(t, err)
	look := func(n int) cua.Observation {
		sha, err := w.Blob(frames[n%len(frames)])
		must(t, err)
		url := fmt.Sprintf("http://127.0.0.1/%s/page/%d", c.Task, n)
		return cua.Observation{URL: url, Title: "Page", Viewport: screen, FrameSHA: sha}
	}
	must(t, w.Start(look(0)))
	thought := strings.Repeat("The field still lacks its value, so I press it once more. ", 6)
	for n := 1; n <= 40; n++ {
		a := cua.Action{Kind: cua.Click, Point: &cua.Point{X: float64(20 * n), Y: 300}}
		s := cua.Step{N: n, Decision: n, Proposed: a, Action: &a, Thought: thought, By: "model",
			After: look(n), Feedback: "Nothing changed.",
			Effect: &cua.Effect{Progress: []cua.Change{cua.ChangePixels},
				Tiles: &cua.TileDiff{Cols: 40, Rows: 25, Changed: cua.TileSet{3, 4, 43, 44, 900}}}}
		for _, gate := range []string{"limits", "policy", "done", "force_fill", "spiral", "rescue"} {
			s.Rulings = append(s.Rulings, cua.Ruling{Gate: gate, Verdict: cua.Pass})
		}
		if n%2 == 0 {
			s.Action = &cua.Action{Kind: cua.Key, Keys: "Tab"}
			s.Rulings[5] = cua.Ruling{Gate: "rescue", Verdict: cua.Replace,
				Reason: string(cua.TabToNextField), Detail: thought, Action: s.Action}
		}
		must(t, w.Intent(cua.Intent{Number: n, Action: *s.Action}))
		must(t, w.Step(&s))
	}
	must(t, w.End(trajectories.End{Reason: cua.EndDone, Totals: trajectories.Totals{Steps: 40}}))
	must(t, w.Close())
}

// A page of 42 long episodes is small, as its frames lie beside it; in one file they are in it. In a real
// browser it shows them, does not scroll sideways on a narrow screen, and its plots follow a dark one.
func TestThePageOfAStudyIsSmallAndFits(t *testing.T) {
	s := filmed(t)
	var beside, single, elsewhere bytes.Buffer
	must(t, WritePage(&beside, s, PageOptions{}))
	must(t, WritePage(&single, s, PageOptions{SingleFile: true}))
	must(t, WritePage(&elsewhere, s, PageOptions{Folder: filepath.Join(s.Dir, "..", "a b", "c")}))
	if beside.Len() > 2<<20 || strings.Contains(beside.String(), "data:image") {
		t.Errorf("%d bytes for %d cells", beside.Len(), len(s.Results))
	}
	if n := strings.Count(single.String(), `src="data:image/png`); n != 3 || strings.Contains(single.String(), "file:") {
		t.Errorf("%d frames in the single file", n)
	}
	if !strings.Contains(elsewhere.String(), ` src="../../study/runs/`) {
		t.Error("a page elsewhere does not lead to the study")
	}
	must(t, os.WriteFile(filepath.Join(s.Dir, "report.html"), beside.Bytes(), 0o644))
	web := httptest.NewServer(http.FileServer(http.Dir(s.Dir)))
	defer web.Close()
	b := browsertest.Launch(t, browser.Options{Flags: []string{"blink-settings=preferredColorScheme=0"}})
	session, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: cua.Size{W: 420, H: 900}})
	must(t, err)
	defer session.Close()
	_, err = session.Reset(t.Context(), cua.Task{URL: web.URL + "/report.html"})
	must(t, err)
	for _, row := range []struct{ name, script, want string }{
		{"it does not scroll sideways", `document.documentElement.scrollWidth - innerWidth`, `0`},
		{"results come first", `[...document.querySelectorAll("h2")].slice(0, 2).map(h => h.textContent)`, `["Success by arm","What to bear in mind"]`},
		{"every table scrolls in its box", `[...document.querySelectorAll("table")].filter(t => !t.closest(".scroll")).length`, `0`},
		{"dark plots have light words", `getComputedStyle(document.querySelector(".plots text")).fill`, `"rgb(228, 232, 240)"`},
		{"its frames load where an episode is opened", `(async () => { const d = document.querySelector(".film details"); d.open = true;
			const i = d.querySelector(".shot img"); i.scrollIntoView();
			if (!i.complete) await new Promise(r => { i.onload = i.onerror = r; });
			return i.naturalWidth; })()`, `1280`},
	} {
		got, err := session.Ask(t.Context(), row.script)
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, want %s (%v)", row.name, got, row.want, err)
		}
	}
}

// linear is a colour as light, 0 to 1.
func linear(c color.RGBA) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if x := float64(v) / 255; x <= 0.04045 {
			out[i] = x / 12.92
		} else {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// sight is how an eye mixes light (G. M. Machado, M. M. Oliveira and L. Fernandes, 2009).
var sight = map[string][9]float64{
	"all colours": {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"no red":      {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"no green":    {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"no blue":     {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// seen is where an eye sees a colour in CIELAB.
func seen(c color.RGBA, eye [9]float64) [3]float64 {
	l := linear(c)
	var m [3]float64
	for i := range m {
		m[i] = min(max(eye[3*i]*l[0]+eye[3*i+1]*l[1]+eye[3*i+2]*l[2], 0), 1)
	}
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	x, y, z := f((0.4124*m[0]+0.3576*m[1]+0.1805*m[2])/0.9505), f(0.2126*m[0]+0.7152*m[1]+0.0722*m[2]),
		f((0.0193*m[0]+0.1192*m[1]+0.9505*m[2])/1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// People who see fewer colours can tell the arms apart, on a light page and on a dark one.
func TestArmsAreToldApartByEveryEye(t *testing.T) {
	for name, eye := range sight {
		for i, a := range shades {
			for _, b := range shades[:i] {
				p, q := seen(a, eye), seen(b, eye)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 15 {
					t.Errorf("%s: %v and %v are %.0f apart", name, a, b, d)
				}
			}
		}
	}
	light := func(c color.RGBA) float64 {
		l := linear(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05
	}
	for _, c := range shades {
		for ground, g := range map[string]color.RGBA{"light": {255, 255, 255, 255},
			"dark": {0x1a, 0x1f, 0x29, 255}} {
			if r := max(light(c)/light(g), light(g)/light(c)); r < 3 {
				t.Errorf("%v on a %s page has a contrast of %.1f", c, ground, r)
			}
		}
	}
}

// An arm has one colour in all plots, also where it comes to nothing.
func TestAnArmKeepsItsColour(t *testing.T) {
	_, rep := plotted(t)
	plots, err := rep.Plots()
	must(t, err)
	for _, p := range plots {
		var svg bytes.Buffer
		must(t, p.WriteSVG(&svg))
		for i, a := range rep.Arms {
			c := shade(i)
			name, hex := ">"+strings.ReplaceAll(a.Arm, "<b>", "&lt;b&gt;"),
				fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B)
			if !strings.Contains(svg.String(), hex) || !strings.Contains(svg.String(), name) {
				t.Errorf("%s has no %s in its colour", p.Name, a.Arm)
			}
		}
	}
}
