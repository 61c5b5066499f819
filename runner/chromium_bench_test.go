package runner_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/perceptual"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// formPage is a static form of twelve fields with some text around it.
func formPage() string {
	html := calm + `<style>label{display:block;margin:8px}</style><h1>Register</h1><p style="margin:8px">All fields are needed.</p><form>`
	for i := range 12 {
		html += fmt.Sprintf(`<label>Field %d <input name=f%d></label>`, i+1, i+1)
	}
	return html + `<button>Send</button></form>`
}

// alternating clicks a field and types a character into it, over and over.
func alternating(o cua.Observation, n int) []cua.Action {
	var out []cua.Action
	for i := range n {
		f := o.Fields[i/2%len(o.Fields)]
		c := f.Box.Center()
		if i%2 == 0 {
			out = append(out, cua.Action{Kind: cua.Click, Point: &c})
		} else {
			out = append(out, cua.Action{Kind: cua.Type, Text: string(rune('a' + i%26))})
		}
	}
	return out
}

// benchSteps is how many steps one round has; rounds of both kinds take turns, so that a machine
// that is busy slows down both.
const benchSteps = 50

// BenchmarkStep is one whole step on a static form page (turn, decision, locate, review, intent,
// input, settling, evidence, frame, effect, journal with sync) beside the bare input, page state and
// frame by the same way in the same run. The medians are reported: ms/step, bare-ms/step, their
// ratio, and the parts of a step by stage.
func BenchmarkStep(b *testing.B) {
	url := pages(b, map[string]string{"/": formPage()}).URL
	task := cua.Task{ID: "bench", URL: url}
	env := session(b)
	var whole, bare []float64
	var timings []cua.Timing
	for round := 0; b.Loop(); round++ {
		o, err := env.Reset(b.Context(), task)
		if err != nil {
			b.Fatal(err)
		}
		actions := alternating(o, benchSteps)
		for _, a := range actions {
			start := time.Now()
			out, err := env.Act(b.Context(), a)
			if err != nil || out.Failure != nil {
				b.Fatalf("%s: %v, %v", a.Kind, err, out.Failure)
			}
			bare = append(bare, ms(time.Since(start)))
		}
		steps, times := wholeSteps(b, env, task, actions)
		for _, s := range steps {
			timings = append(timings, s.Timing)
		}
		whole = append(whole, times...)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(whole), "ms/step")
	b.ReportMetric(median(bare), "bare-ms/step")
	b.ReportMetric(median(whole)/median(bare), "ratio")
	for _, stage := range []struct {
		name string
		of   func(cua.Timing) float64
	}{
		{"turn", func(t cua.Timing) float64 { return t.Turn }}, {"decide", func(t cua.Timing) float64 { return t.Decide }},
		{"locate", func(t cua.Timing) float64 { return t.Locate }}, {"review", func(t cua.Timing) float64 { return t.Review }},
		{"intent", func(t cua.Timing) float64 { return t.Intent }}, {"act", func(t cua.Timing) float64 { return t.Act }},
		{"verify", func(t cua.Timing) float64 { return t.Verify }},
		{"dispatch", func(t cua.Timing) float64 { return t.Dispatch }}, {"settle", func(t cua.Timing) float64 { return t.Settle }},
		{"observe", func(t cua.Timing) float64 { return t.Observe }},
	} {
		var v []float64
		for _, t := range timings {
			v = append(v, stage.of(t))
		}
		b.ReportMetric(median(v), stage.name+"-ms")
	}
}

// wholeSteps plays actions through the machine and takes the time from one recorded step to the next.
func wholeSteps(b *testing.B, env runner.Env, task cua.Task, actions []cua.Action) (steps []cua.Step,
	times []float64) {
	var script []cua.Scripted
	for _, a := range actions {
		script = append(script, cua.Scripted{Action: a})
	}
	cfg := runner.DefaultConfig()
	last := time.Time{}
	r := &runner.Runner{Brain: brain.Scripted{Script: script}, Env: env, Config: cfg,
		Dir:    filepath.Join(b.TempDir(), "episode"),
		Header: trajectories.Header{Episode: "episode"}, Watch: func(s *cua.Step) {
			if !last.IsZero() && s.Action != nil && !s.Action.Kind.Ends() {
				times = append(times, ms(time.Since(last)))
				steps = append(steps, *s)
			}
			last = time.Now()
		}}
	if _, err := r.Run(b.Context(), task); err != nil {
		b.Fatal(err)
	}
	if len(times) < len(actions)-1 {
		b.Fatalf("%d of %d steps were made", len(times)+1, len(actions))
	}
	return steps, times
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// BenchmarkPolicy is all that is decided between two steps, after 200 steps as a real page records
// them: signals, incident, form state, notes, and all gates.
func BenchmarkPolicy(b *testing.B) {
	url := pages(b, map[string]string{"/": formPage()}).URL
	task := cua.Task{ID: "bench", URL: url}
	for i := range 12 {
		task.Fields = append(task.Fields, cua.PlanValue{Label: fmt.Sprintf("Field %d", i+1), Value: "value"})
	}
	tr := play(b, "off", cua.Task{ID: "bench", URL: url}, click("Field 1"), typed("Field 1", "a"),
		click("Field 2"), click("Send"))
	succeeded(b, tr, 4)
	h := tr.HistoryAt(4)
	for len(h.Steps) < 200 {
		s := h.Steps[len(h.Steps)%4]
		s.N, s.Decision = len(h.Steps)+1, len(h.Steps)+1
		h.Steps = append(h.Steps, s)
	}
	asm := runner.Assemble(runner.DefaultConfig())
	p := cua.Proposal{Action: h.Steps[3].Proposed, Target: h.Steps[3].Target, By: "scripted"}
	b.Run("turn", func(b *testing.B) {
		for b.Loop() {
			asm.Turn(task, h, nil)
		}
	})
	b.Run("detectors", func(b *testing.B) {
		for b.Loop() {
			asm.Detectors.Detect(h)
		}
	})
	turn := asm.Turn(task, h, nil)
	b.Run("gates", func(b *testing.B) {
		for b.Loop() {
			for _, g := range asm.Gates { // also those that would not be asked any more
				g.Review(turn, p)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			asm.Review(asm.Turn(task, h, nil), p)
		}
	})
}

// BenchmarkFrameToEvidence is what one changed frame of a real page costs: decoding, comparison by
// tiles, fingerprint.
func BenchmarkFrameToEvidence(b *testing.B) {
	url := pages(b, map[string]string{"/": formPage()}).URL
	tr := play(b, "off", cua.Task{ID: "bench", URL: url}, click("Field 1"), typed("Field 1", "a"))
	succeeded(b, tr, 2)
	shot := func(o cua.Observation) *cua.Shot {
		data, err := tr.Blob(o.FrameSHA)
		if err != nil {
			b.Fatal(err)
		}
		return &cua.Shot{Data: data}
	}
	cfg := runner.DefaultConfig().Perceptual
	before, after := shot(tr.Steps[0].After), shot(tr.Steps[1].After)
	old, err := perceptual.Decode(before, cfg)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := perceptual.Decode(after, cfg)
		if err != nil {
			b.Fatal(err)
		}
		if d := perceptual.Compare(old, f, perceptual.CompareOptions{}, cfg); len(d.Changed) == 0 {
			b.Fatal("the frames do not differ")
		}
		f.Fingerprint(old)
	}
	b.ReportMetric(float64(len(after.Data)), "bytes")
}
