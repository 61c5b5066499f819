package runner_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// prompted is a brain that keeps how long its prompts were, by step.
type prompted struct {
	runner.Brain
	read  runner.Brain // the same with its requests read, which takes time: now and then
	bytes []int
}

// readEach is how many steps lie between two requests that are read; the whole history is read in these.
const readEach = 50

func (p *prompted) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	p.bytes = append(p.bytes, len(brain.PromptOf(t, brain.DefaultPrompt()).Text))
	if t.Number%readEach == 0 {
		return p.read.Decide(ctx, t)
	}
	return p.Brain.Decide(ctx, t)
}

// frameBytes is how much longer than need be the frames of a heavy environment are: several times what a step
// may keep.
const frameBytes = 16 << 10

// heavy has frames of some size, as browsers have.
type heavy struct{ runner.Env }

func (h heavy) Reset(ctx context.Context, task cua.Task) (cua.Observation, error) {
	o, err := h.Env.Reset(ctx, task)
	return weighed(o), err
}

func (h heavy) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := h.Env.Act(ctx, a)
	out.After = weighed(out.After)
	return out, err
}

// weighed is o with a frame that has something behind its end, where no decoder reads on.
func weighed(o cua.Observation) cua.Observation {
	if o.Shot != nil {
		o.Shot = &cua.Shot{Mime: o.Shot.Mime, Data: append(slices.Clone(o.Shot.Data),
			make([]byte, frameBytes)...)}
	}
	return o
}

// heap is what is in use after everything else was given back, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers let go of
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// stepBytes is how much memory a step may keep: two thirds of it were measured, and of what is bigger than
// it, a frame or the elements of a page that stayed as it was, nothing may stay.
const stepBytes = 8 << 10

// A run of a thousand steps and more needs memory for what it records of each step and for nothing else, and
// its prompts stay within their budget.
func TestLongRuns(t *testing.T) {
	press := func(on string) cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: on} }
	next, tour := []cua.Scripted{press("Next")}, []cua.Scripted{press("Send"), press("Next")}
	for _, row := range []struct {
		name   string
		site   envtest.Site
		script []cua.Scripted // played again and again
		steps  int
	}{
		{"each press changes the page", one(envtest.Control{Name: "Next", Type: "button", Counts: true}), next, 1000},
		{"no press changes anything", one(envtest.Control{Name: "Next", Type: "button", Dead: true}), next, 1000},
		{"through many pages, with something sent from each", sixty(), tour, 1500},
	} {
		t.Run(row.name, func(t *testing.T) {
			if testing.Short() && row.steps > 1000 {
				t.Skip("it takes a while")
			}
			c, err := runner.DefaultConfig().Arm("detectors")
			check(t, err)
			c.Toggles.Ledger = true
			c.Viewport, c.Recovery.Limits.MaxSteps = cua.Size{W: 320, H: 320}, 0
			script := make([]cua.Scripted, row.steps)
			for i := range script {
				script[i] = row.script[i%len(row.script)]
			}
			heaps := map[int]float64{}
			b := &prompted{Brain: brain.Scripted{Script: script}, read: overseen(t,
				brain.Scripted{Script: script})}
			r := &runner.Runner{Brain: b, Env: heavy{&envtest.Env{Site: row.site}}, Config: c,
				Dir:    filepath.Join(t.TempDir(), "long"),
				Header: trajectories.Header{Episode: "long"}, Watch: func(s *cua.Step) {
					if s.N%(row.steps/4) == 0 {
						heaps[s.N] = heap()
					}
				}}
			res, err := r.Run(t.Context(), cua.Task{ID: "long", Goal: "press Next", URL: envtest.URL("p0")})
			check(t, err)
			if res.Steps != row.steps+1 {
				t.Fatalf("%s after %d steps", res.TerminationReason, res.Steps)
			}
			for from := row.steps / 4; from < row.steps; from += row.steps / 4 {
				to := from + row.steps/4
				grew := (heaps[to] - heaps[from]) / float64(to-from)
				t.Logf("steps %d to %d: %.1f KiB in use, %.1f KiB a step", from, to,
					heaps[to]/1024, grew/1024)
				if grew > stepBytes {
					t.Errorf("from step %d to %d each keeps %.1f KiB", from, to, grew/1024)
				}
			}
			longest, budget := slices.Max(b.bytes), brain.DefaultPrompt().Bytes
			t.Logf("prompts: %d bytes at step 100, %d at the last, at most %d of %d", b.bytes[99],
				b.bytes[row.steps-1], longest, budget)
			if longest > budget {
				t.Errorf("a prompt has %d bytes of %d", longest, budget)
			}
		})
	}
}

// one is a site of one page: the button, and fields beside it.
func one(button envtest.Control) envtest.Site {
	p := envtest.Page{Title: "List", Controls: []envtest.Control{button}}
	for i := range 7 {
		p.Controls = append(p.Controls, envtest.Control{Name: fmt.Sprint("field", i), Type: "text",
			Label: fmt.Sprint("Field ", i)})
	}
	return envtest.Site{Start: "p0", Pages: map[string]envtest.Page{"p0": p}}
}

// sixty is a ring of sixty pages, each with a button that sends something and a link to the next.
func sixty() envtest.Site {
	s := envtest.Site{Start: "p0", Pages: map[string]envtest.Page{}}
	for i := range 60 {
		p := one(envtest.Control{Name: "Next", Type: "link", To: fmt.Sprint("p", (i+1)%60)}).Pages["p0"]
		p.Controls = append(p.Controls[:6], envtest.Control{Name: "Send", Type: "button", Writes: true,
			Counts: true})
		s.Pages[fmt.Sprint("p", i)] = p
	}
	return s
}
