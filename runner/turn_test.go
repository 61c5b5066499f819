package runner_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// travelled is a history of n steps through a shop of 50 pages: of six steps one goes to another page, three
// act on the page, one looks and one sends something.
func travelled(n int) cua.History {
	page := func(i int) cua.Observation {
		o := cua.Observation{URL: fmt.Sprintf("https://shop.test/list?q=lamp&page=%d", i%50), Title: "Lamps",
			Viewport: cua.Size{W: 1280, H: 800}, Document: fmt.Sprint("d", i), DOMParts: map[string]string{},
			DOMDigest: fmt.Sprint(i), FormDigest: fmt.Sprint("f", i)}
		for k := range 40 {
			o.DOMParts[fmt.Sprintf("main/section[%d]/ul", k)] = fmt.Sprint(i, k)
		}
		for k := range 12 {
			b := cua.Box{X: 10, Y: float64(10 + 40*k), W: 200, H: 30}
			o.Fields = append(o.Fields, cua.Field{ID: fmt.Sprint("textbox|", k), Role: "textbox",
				Label: fmt.Sprint("Field ", k), Form: "f", Editable: true, Box: b})
			o.Marks = append(o.Marks, cua.Mark{N: k + 1, ID: fmt.Sprint("textbox|", k), Role: "textbox",
				Name: fmt.Sprint("Field ", k), Form: "f", Box: b})
		}
		return o
	}
	h := cua.History{Start: page(0)}
	for i := range n {
		s := cua.Step{N: i + 1, Decision: i + 1, By: "bench",
			Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}, After: h.Now(),
			Target: cua.Target{ID: fmt.Sprint("button|", i%7), Role: "button",
				Name: fmt.Sprint("Button ", i%7), Form: "f", Point: &cua.Point{X: 50, Y: 60}}}
		s.After.Writes = nil
		s.Proposed = cua.Action{Kind: cua.Click, Point: s.Target.Point}
		switch i % 6 {
		case 0:
			s.After, s.Effect.Progress = page(i/6+1), []cua.Change{cua.ChangeURL}
		case 1:
			s.Proposed = cua.Action{Kind: cua.Find, Text: "price"}
		case 2:
			s.Target.Submit, s.After.Writes = true, []cua.Write{{Method: "POST",
				URL: "https://shop.test/cart", Status: 200}}
		default:
			s.After.DOMDigest = fmt.Sprint("step ", i)
		}
		s.Action = &s.Proposed
		h.Steps = append(h.Steps, s)
	}
	return h
}

// dark is an environment that cannot take the frame of its second page.
type dark struct {
	runner.Env
	acts int
}

func (d *dark) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := d.Env.Act(ctx, a)
	if d.acts++; d.acts == 1 {
		out.After.Shot, out.After.FrameSHA = nil, ""
	}
	return out, err
}

// seenFrames plays script against env and requires that the turns had so many frames. The result is the last
// turn.
func seenFrames(t *testing.T, env runner.Env, script []cua.Scripted, want []int) *cua.Turn {
	t.Helper()
	b := &asked{Brain: overseen(t, brain.Scripted{Script: script})}
	r := &runner.Runner{Brain: b, Env: env, Config: runner.DefaultConfig(),
		Dir: filepath.Join(t.TempDir(), "frames"), Header: trajectories.Header{Episode: "frames"}}
	_, err := r.Run(t.Context(), cua.Task{ID: "frames", URL: envtest.URL("p0")})
	check(t, err)
	var got []int
	for _, turn := range b.turns {
		got = append(got, len(turn.Frames))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the turns have %v frames, want %v", got, want)
	}
	return b.turns[len(b.turns)-1]
}

// A page without a frame is not shown by the frame of the page before it, and the frames begin again with the
// next one. A rewind that is refused leaves the page, and with it the frame and the checkpoint of the page.
func TestFramesOfTurns(t *testing.T) {
	press := cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Next"}
	counter := func() *envtest.Env {
		return &envtest.Env{Site: one(envtest.Control{Name: "Next", Type: "button", Counts: true})}
	}
	t.Run("a page without a frame", func(t *testing.T) {
		seenFrames(t, &dark{Env: counter()}, []cua.Scripted{press, press, press}, []int{1, 0, 1, 2})
	})
	t.Run("a refused rewind", func(t *testing.T) {
		last := seenFrames(t, counter(), []cua.Scripted{press, rewindTo(7), press}, []int{1, 2, 2, 3})
		s := last.History.Steps
		if was, is := s[0].After.Checkpoint, s[1].After.Checkpoint; is == "" || is != was {
			t.Errorf("the checkpoint is %q, want %q", is, was)
		}
	})
}

// BenchmarkTurns is what the turns of a run cost, each made as the history grows: with the ledger in them,
// without it, and with the text that a model is shown. ms/turn is the mean of all, of which the last is about
// twice.
func BenchmarkTurns(b *testing.B) {
	for _, n := range []int{200, 1000} {
		h := travelled(n)
		task := cua.Task{Goal: "Order a lamp", URL: h.Start.URL, Fields: []cua.PlanValue{{Label: "Field 3",
			Value: "x"}}}
		for _, row := range []struct {
			name           string
			ledger, prompt bool
		}{{"bare", false, false}, {"ledger", true, false}, {"prompt", true, true}} {
			b.Run(fmt.Sprintf("%s/steps=%d", row.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c := runner.DefaultConfig()
					c.Toggles.Ledger = row.ledger
					a := runner.Assemble(c)
					for i := range n + 1 {
						t := a.Turn(task, cua.History{Start: h.Start, Steps: h.Steps[:i:i]}, nil)
						if row.prompt {
							brain.PromptOf(t, brain.DefaultPrompt())
						}
					}
				}
				b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*(n+1)), "ms/turn")
			})
		}
	}
}
