package browser

import (
	"context"
	"errors"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/benchmarks/peers"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// TestBareContender is the bare parts of a step as a contender of make bench, in a process of its own: input,
// one trip to the page, a frame, by the way that the runner uses.
func TestBareContender(t *testing.T) {
	config, is, err := peers.Configured()
	if err != nil {
		t.Fatal(err)
	}
	if !is {
		t.Skip("make bench starts it")
	}
	b := alone(t, Options{Path: config.Browser})
	at, err := url.Parse(config.URL)
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.NewSession(t.Context(), SessionOptions{Allow: []string{at.Host}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := peers.Serve(os.Stdin, os.Stdout, bareContender{config, s, t.Context()}); err != nil {
		t.Fatal(err)
	}
}

type bareContender struct {
	peers.Config
	s   *Session
	ctx context.Context
}

func (c bareContender) Steps(n int) ([]float64, error) {
	if _, err := c.s.Reset(c.ctx, cua.Task{URL: c.URL}); err != nil {
		return nil, err
	}
	t, err := c.s.here()
	if err != nil {
		return nil, err
	}
	var ms []float64
	for i := range n {
		began := time.Now()
		p := c.Points[i%len(c.Points)]
		if err := bareParts(c.ctx, t, cua.Point{X: p[0], Y: p[1]}); err != nil {
			return nil, err
		}
		if i > 0 {
			ms = append(ms, float64(time.Since(began).Microseconds())/1000)
		}
	}
	return ms, nil
}

var errBare = errors.New("the bare parts make no episode")

func (c bareContender) Open(int) error    { return errBare }
func (c bareContender) Episode(int) error { return errBare }

// bareParts are a click, one trip to the page and a frame.
func bareParts(ctx context.Context, t *tab, p cua.Point) error {
	if err := t.arm(cua.Action{Kind: cua.Click, Point: &p}); err != nil {
		return err
	}
	t.begin()
	if err := t.input.fling(ctx, p, input.MouseButtonLeft, 1, nil); err != nil {
		return err
	}
	s, err := t.probe.step(ctx, settleCap, stepInput{from: t.frames.FirstTag, releases: t.input.releases()})
	if err != nil {
		return err
	}
	_, err = t.frames.Take(ctx, frames.Want{Tag: s.Tag, Why: s.Why})
	return err
}
