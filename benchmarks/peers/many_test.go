package peers_test

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

var (
	many      = flag.Int("many", 0, "how many episodes at once make many plays")
	manySteps = flag.Int("many.steps", 8, "how many steps each of them has")
)

// think is how long the brain of these episodes thinks.
const think = 2 * time.Second

// slow is a brain that thinks.
type slow struct{ runner.Brain }

func (s slow) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	timer := time.NewTimer(think)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return cua.Decision{}, ctx.Err()
	}
	return s.Brain.Decide(ctx, t)
}

// TestMany prints what many episodes at once in one browser take of memory, how many steps a second they
// make, and that none of their steps is lost: each is in its journal, dispatched, with an effect and a frame.
func TestMany(t *testing.T) {
	if *many == 0 {
		t.Skip("make many asks for it")
	}
	ts, points := peerPage(t)
	b := browsertest.Launch(t, browser.Options{})
	var script []cua.Scripted
	for i := range *manySteps {
		p := points[i%len(points)]
		script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Click,
			Point: &cua.Point{X: p[0], Y: p[1]}}})
	}
	at, err := url.Parse(ts.URL)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := b.Use()
	if err != nil {
		t.Fatal(err)
	}
	before := loadAverage()
	began := time.Now()
	dirs := make([]string, *many)
	var all sync.WaitGroup
	for i := range dirs {
		name := fmt.Sprintf("episode-%d", i)
		dirs[i] = filepath.Join(t.TempDir(), name)
		all.Go(func() {
			s, err := b.NewSession(t.Context(), browser.SessionOptions{Allow: []string{at.Host}})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			r := &runner.Runner{Brain: slow{brain.Scripted{Script: script}}, Env: s,
				Config: runner.DefaultConfig(), Dir: dirs[i], Header: trajectories.Header{Episode: name}}
			if _, err := r.Run(t.Context(), cua.Task{ID: "many", URL: ts.URL}); err != nil {
				t.Error(err)
			}
		})
	}
	peak, program := watchUse(t, b, &all)
	took := time.Since(began)
	good, cast := 0, 0
	for _, dir := range dirs {
		g, c := recorded(t, dir)
		good, cast = good+g, cast+c
	}
	want := *many * *manySteps
	fmt.Printf("\nepisodes at once\tsteps in the journals\tby screencast\tsteps/s\tat most, by thinking " +
		"alone\tbrowser, MB\teach, MB\tthis program, MB\tload average\n")
	fmt.Printf("%d\t%d of %d\t%d\t%.1f\t%.1f\t%d\t%.0f\t%d\t%s to %s\n", *many, good, want, cast,
		float64(good)/took.Seconds(), float64(*many)/think.Seconds(), peak>>20,
		float64(peak-empty.PSS)/float64(*many)/(1<<20), program>>20, before, loadAverage())
	if good != want {
		t.Errorf("%d of %d steps were lost", want-good, want)
	}
}

// watchUse waits for all and returns the most that the browser and this program held meanwhile, bytes.
func watchUse(t *testing.T, b *browser.Browser, all *sync.WaitGroup) (peak, program int64) {
	t.Helper()
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return peak, program
		case <-tick.C:
		}
		u, err := b.Use()
		own, ownErr := browser.TreeUse(os.Getpid(), 0)
		if err != nil || ownErr != nil {
			t.Errorf("the browser was not measured any more: %v, %v", err, ownErr)
			<-done
			return peak, program
		}
		peak, program = max(peak, u.PSS), max(program, own.PSS-u.PSS)
	}
}

// recorded counts the steps of a journal that were dispatched and have an effect and a frame, and those whose
// frame is of the screencast.
func recorded(t *testing.T, dir string) (good, cast int) {
	t.Helper()
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	for i := range tr.Steps {
		s := &tr.Steps[i]
		switch {
		case s.Action == nil || s.Action.Kind != cua.Click:
		case s.Failure != nil || s.After.FrameSHA == "" || !s.Effect.Any() && len(s.Effect.Presentation) == 0:
			t.Errorf("%s, step %d: %v, frame %.8s, effect %+v, settled %+v", filepath.Base(dir), s.N,
				s.Failure, s.After.FrameSHA, s.Effect, s.Settle)
		default:
			good++
			if s.Settle != nil && s.Settle.Why == "" {
				cast++
			}
		}
	}
	return good, cast
}
