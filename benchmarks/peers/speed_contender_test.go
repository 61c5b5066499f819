package peers_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/peers"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestSpeedContender is the runner as a contender of make bench, in a process of its own.
func TestSpeedContender(t *testing.T) {
	config, is, err := peers.Configured()
	if err != nil {
		t.Fatal(err)
	}
	if !is {
		t.Skip("make bench starts it")
	}
	b := browsertest.Launch(t, browser.Options{Path: config.Browser, Unlimited: config.Name == "unlimited"})
	c := &contender{Config: config, t: t, b: b}
	if err := peers.Serve(os.Stdin, os.Stdout, c); err != nil {
		t.Fatal(err)
	}
}

// contender plays scripts through the whole machine: turn, decision, locate, review, intent, input, settling,
// evidence, frame, hashes, journal with sync.
type contender struct {
	peers.Config
	t    *testing.T
	b    *browser.Browser
	held *browser.Session
	runs atomic.Int64
}

func (c *contender) session(ctx context.Context) (*browser.Session, error) {
	at, err := url.Parse(c.URL)
	if err != nil {
		return nil, err
	}
	return c.b.NewSession(ctx, browser.SessionOptions{Allow: []string{at.Host}, Capture: c.Name == "capture"})
}

// play runs an episode of n steps in s and says how long each but the first took.
func (c *contender) play(ctx context.Context, s *browser.Session, n int) (ms []float64, err error) {
	var script []cua.Scripted
	for i := range n {
		p := c.Points[i%len(c.Points)]
		script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Click,
			Point: &cua.Point{X: p[0], Y: p[1]}}})
	}
	// The run folders stay until the process ends, as those of users do. Where files were removed in the last
	// minutes, ext4 takes longer to create one: it searches past their inodes.
	name := fmt.Sprint("episode-", c.runs.Add(1))
	dir := filepath.Join(c.t.TempDir(), name)
	done, last := 0, time.Time{}
	r := &runner.Runner{Brain: brain.Scripted{Script: script}, Env: s,
		Config: runner.DefaultConfig(), Dir: dir,
		Header: trajectories.Header{Episode: name}, Watch: func(step *cua.Step) {
			if step.Action == nil || step.Action.Kind != cua.Click {
				return
			}
			if done++; step.Failure != nil || !step.Effect.Any() && len(step.Effect.Presentation) == 0 {
				err = errors.Join(err, fmt.Errorf("step %d: %v, effect %+v", step.N, step.Failure,
					step.Effect))
			}
			now := time.Now()
			if !last.IsZero() {
				ms = append(ms, float64(now.Sub(last).Microseconds())/1000)
			}
			last = now
		}}
	if _, runErr := r.Run(ctx, cua.Task{ID: "bench", URL: c.URL}); runErr != nil {
		return nil, runErr
	}
	if err == nil && done != n {
		err = fmt.Errorf("%d of %d clicks were made", done, n)
	}
	return ms, err
}

func (c *contender) Steps(n int) ([]float64, error) {
	if c.held == nil {
		var err error
		if c.held, err = c.session(c.t.Context()); err != nil {
			return nil, err
		}
	}
	return c.play(c.t.Context(), c.held, n)
}

func (c *contender) Open(n int) error {
	for range n {
		s, err := c.session(c.t.Context())
		if err != nil {
			return err
		}
		if _, err := c.play(c.t.Context(), s, 1); err != nil {
			return err
		}
	}
	return nil
}

func (c *contender) Episode(n int) error {
	s, err := c.session(c.t.Context())
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = c.play(c.t.Context(), s, n)
	return err
}
