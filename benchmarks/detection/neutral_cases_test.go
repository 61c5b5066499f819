package detection_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// foreign is a run of somebody else's agent in the making, in the neutral form.
type foreign struct {
	r *rand.Rand
	// frames says that the writer knows pictures alone, and neither structure nor forms.
	frames bool
	page   struct{ url, text, form, pixels string }
	clock  int // 0: nothing moves by itself
	out    struct {
		ID       string           `json:"id"`
		Source   string           `json:"source"`
		Viewport []int            `json:"viewport"`
		Frame    string           `json:"final_observation_hash"`
		URL      string           `json:"final_url"`
		DOM      string           `json:"final_dom_hash,omitzero"`
		Form     string           `json:"final_form_hash,omitzero"`
		Steps    []map[string]any `json:"steps"`
	}
}

// do makes one step; change is what comes of it, nil is nothing.
func (f *foreign) do(kind string, fields map[string]any, change func()) {
	step := map[string]any{"index": len(f.out.Steps), "action_type": kind, "url": f.page.url,
		"observation_hash": f.frame()}
	if !f.frames {
		step["dom_hash"], step["form_hash"] = "d"+f.page.text, "f"+f.page.form
	}
	for k, v := range fields {
		step[k] = v
	}
	f.out.Steps = append(f.out.Steps, step)
	if change != nil {
		change()
	}
	if f.clock > 0 {
		f.clock++
	}
}

func (f *foreign) frame() string {
	return fmt.Sprint("o", f.page.url, f.page.text, f.page.form, f.page.pixels, f.clock)
}

func (f *foreign) line() []byte {
	f.out.Frame, f.out.URL = f.frame(), f.page.url
	if !f.frames {
		f.out.DOM, f.out.Form = "d"+f.page.text, "f"+f.page.form
	}
	b, err := json.Marshal(f.out)
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

// shows changes what the page says; moves where it is.
func (f *foreign) shows(format string, args ...any) func() {
	return func() { f.page.text = fmt.Sprintf(format, args...) }
}

func (f *foreign) moves(url string) func() {
	return func() { f.page.url, f.page.text = url, "page "+url }
}

// on is a place and what is there; two in five writers give one of the two alone.
func (f *foreign) on(name string, x, y float64, way int) map[string]any {
	out := map[string]any{}
	if way != 1 {
		out["x"], out["y"] = x, y
	}
	if way != 2 {
		out["target"] = "role=button name=" + name
	}
	return out
}

// foreignCase is one of the cases (docs/detection-errors.md#the-cases) as another agent would have recorded
// it.
type foreignCase struct {
	name string
	// steps is what the case is written for: frames alone are not enough everywhere.
	noFrames, noDOM bool
	play            func(f *foreign)
}

func foreignCases() []foreignCase {
	return []foreignCase{
		{name: "s1-dead-button", play: func(f *foreign) {
			way, x, y := f.r.IntN(3), 100+f.r.Float64()*900, 100+f.r.Float64()*500
			for range 24 {
				f.do("click", f.on("Go", x, y, way), nil)
			}
		}},
		{name: "s2-jitter", play: func(f *foreign) {
			way, x, y := 2*f.r.IntN(2), 100+f.r.Float64()*900, 100+f.r.Float64()*500
			for range 24 {
				f.do("click", f.on("Go", x+float64(f.r.IntN(11)-5), y+float64(f.r.IntN(11)-5), way), nil)
			}
		}},
		{name: "s3-two-pages", play: around(2)},
		{name: "s4-three-pages", play: around(3)},
		{name: "s5-dead-button-clock", noFrames: true, play: func(f *foreign) {
			f.clock = 1
			way := f.r.IntN(3)
			for range 24 {
				f.do("click", f.on("Go", 400, 300, way), nil)
			}
		}},
		{name: "s6-renumbered", play: func(f *foreign) {
			n := f.r.IntN(900)
			for i := range 24 {
				f.do("click", map[string]any{"target": fmt.Sprintf("#btn-%d", n+i), "x": 400, "y": 300}, nil)
			}
		}},
		{name: "s7-click-wait", play: func(f *foreign) {
			way, ms := f.r.IntN(3), 100+f.r.IntN(2000)
			for range 12 {
				f.do("click", f.on("Go", 400, 300, way), nil)
				f.do("wait", map[string]any{"wait_ms": ms}, nil)
			}
		}},
		{name: "s8-all-in-vain", play: func(f *foreign) {
			for i := range 24 {
				switch f.r.IntN(5) {
				case 0:
					f.do("click", f.on(fmt.Sprint("Thing ", i), 40*float64(i), 300, 0), nil)
				case 1:
					f.do("key", map[string]any{"text": []string{"Escape", "Tab", "Return"}[f.r.IntN(3)]}, nil)
				case 2:
					f.do("hover", map[string]any{"x": 30 * i, "y": 90}, nil)
				case 3:
					f.do("scroll", map[string]any{"text": fmt.Sprintf("0,%d", 100+i)}, nil)
				case 4:
					f.do("script", map[string]any{"text": fmt.Sprintf("document.title = %d", i)}, nil)
				}
			}
		}},
		{name: "s9-errors", play: func(f *foreign) {
			errors := []string{"element not found", "unknown key Hyper", "not allowed: http://depot.test/",
				"Timeout 5000ms exceeded", "net::ERR_CONNECTION_REFUSED"}
			f.r.Shuffle(len(errors), func(i, j int) { errors[i], errors[j] = errors[j], errors[i] })
			for i := range 24 {
				f.do([]string{"click", "key", "goto"}[i%3], map[string]any{"error": errors[i%3],
					"target": fmt.Sprint("t", i%3)}, nil)
			}
		}},
		{name: "h1-next", play: func(f *foreign) {
			way, moved := f.r.IntN(3), f.r.IntN(2) == 0
			for i := range 12 {
				change := f.shows("rows %d", i)
				if moved {
					change = f.moves(fmt.Sprint("https://shop.test/list?page=", i))
				}
				f.do("click", f.on("Next", 400, 300, way), change)
			}
		}},
		{name: "h2-next-month", play: func(f *foreign) {
			way := f.r.IntN(3)
			for i := range 12 {
				f.do("click", f.on("next month", 400, 300, way), f.shows("month %d", i))
			}
		}},
		{name: "h3-twelve-fields", play: func(f *foreign) {
			same, clicks := f.r.IntN(2) == 0, f.r.IntN(2) == 0
			for i := range 12 {
				field := map[string]any{"target": fmt.Sprintf("role=textbox name=Field %d", i), "x": 200,
					"y": 50 * i}
				if clicks {
					f.do("click", field, nil)
				}
				text := "n/a"
				if !same {
					text = fmt.Sprint("value ", i)
				}
				f.do("type", map[string]any{"text": text, "target": field["target"]},
					func() { f.page.form += text })
			}
		}},
		{name: "h4-slow-job", play: func(f *foreign) {
			f.do("click", f.on("Start", 400, 300, 0), f.shows("running"))
			for i := range 9 {
				f.do("wait", map[string]any{"wait_ms": 5000}, func() {
					if i == 8 {
						f.page.text = "done"
					}
				})
			}
		}},
		{name: "h5-endless-list", play: func(f *foreign) {
			for i := range 14 {
				f.do("scroll", map[string]any{"text": "0,600"}, func() {
					f.page.text = fmt.Sprint("list to ",
						min(i, 11))
				})
			}
		}},
		{name: "h7-stepper", play: func(f *foreign) {
			way := f.r.IntN(3)
			for i := range 10 {
				f.do("click", f.on("+", 400, 300, way), f.shows("count %d", i+1))
			}
		}},
		{name: "h8-six-searches", play: func(f *foreign) {
			live, url := f.r.IntN(2) == 0, f.r.IntN(2) == 0
			for i := range 6 {
				found := func() { f.page.text = fmt.Sprint("results ", i) }
				if url {
					found = f.moves(fmt.Sprint("https://shop.test/?q=word", i))
				}
				typed := func() { f.page.form = fmt.Sprint("word", i) }
				field := map[string]any{"target": "role=searchbox name=Search", "x": 300, "y": 40,
					"text": fmt.Sprint("word", i)}
				if live {
					f.do("type", field, func() { typed(); found() })
					continue
				}
				f.do("type", field, typed)
				f.do("key", map[string]any{"text": "Return"}, found)
			}
		}},
		{name: "h9-strokes", noDOM: true, play: func(f *foreign) {
			for i := range 10 {
				f.do("drag", map[string]any{"x": 100 + 3*i, "y": 100,
					"text": fmt.Sprintf("to %d,140", 140+3*i)}, func() { f.page.pixels += "/" })
			}
		}},
		{name: "h10-compare", noDOM: true, play: func(f *foreign) {
			if f.r.IntN(2) == 0 {
				fromTheTop(f)
				return
			}
			at := [2]int{}
			for i := range 6 {
				here := i % 2
				f.do("scroll", map[string]any{"text": "0,300", "x": 400, "y": 400},
					func() { at[here]++; f.page.pixels = fmt.Sprint(at[here]) })
				f.do("tab", map[string]any{"text": fmt.Sprint(2 - here)}, func() {
					f.page.url, f.page.pixels = fmt.Sprint("https://homes.test/", 1-here),
						fmt.Sprint(at[1-here])
				})
			}
		}},
	}
}

// fromTheTop reads two pages by turns, which open at their tops, one step further each time.
func fromTheTop(f *foreign) {
	for i := range 8 {
		for n := range i/2 + 1 {
			f.do("scroll", map[string]any{"text": "0,300", "x": 400, "y": 400},
				func() { f.page.pixels = fmt.Sprint(n + 1) })
		}
		f.do("click", map[string]any{"target": "role=link name=The other"},
			func() { f.page.url, f.page.pixels = fmt.Sprint("https://homes.test/", 1-i%2), "" })
	}
}

// around goes n pages in a circle.
func around(n int) func(*foreign) {
	return func(f *foreign) {
		way, moved := f.r.IntN(3), f.r.IntN(2) == 0
		f.page.url, f.page.text = "https://shop.test/0", "page 0"
		for i := range 24 {
			to := (i + 1) % n
			f.do("click", f.on(fmt.Sprint("See ", to), float64(200+50*to), 300, way), func() {
				f.page.text = fmt.Sprint("page ", to)
				if moved {
					f.page.url = fmt.Sprint("https://shop.test/", to)
				}
			})
		}
	}
}

// TestForeignCases writes each case in the neutral form as somebody else's agent would, with what
// other writers leave out, and asks the offline scorer.
func TestForeignCases(t *testing.T) {
	cfg := detecting(t)
	for _, c := range foreignCases() {
		task, err := tuned.FindTask(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) {
			for _, frames := range []bool{false, true} {
				if frames && c.noFrames || !frames && c.noDOM {
					continue
				}
				f := &foreign{r: rand.New(rand.NewPCG(seed, 1)), frames: frames}
				f.page.url, f.out.ID, f.out.Source, f.out.Viewport = "https://shop.test/", c.name, "by hand",
					[]int{1280, 720}
				c.play(f)
				t.Run(fmt.Sprintf("%s/%d frames=%v", c.name, seed, frames), func(t *testing.T) {
					due(t, task, "by hand", foreignScore(t, cfg, f.line()))
				})
			}
		}
	}
}

// foreignScore is what the detectors say of the one run in the neutral form that text holds.
func foreignScore(t *testing.T, cfg runner.Config, text []byte) score {
	t.Helper()
	var out score
	n := 0
	for run, err := range formats.Runs("-", formats.Neutral, bytes.NewReader(text), nil) {
		if err != nil {
			t.Fatal(err)
		}
		out, n = detected(detection.Detect(run, runner.Assemble(cfg), nil)), n+1
	}
	if n != 1 {
		t.Fatalf("%d runs were read, want one", n)
	}
	return out
}
