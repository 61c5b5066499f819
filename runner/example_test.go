package runner_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// presser is a brain: it presses the first control of the page, and is done once none is left.
type presser struct{}

func (presser) Decide(_ context.Context, t *cua.Turn) (cua.Decision, error) {
	if len(t.Now.Marks) == 0 {
		return cua.Decision{Action: cua.Action{Kind: cua.Done, Success: true, Text: "ordered"}}, nil
	}
	at := t.Now.Marks[0].Box.Center()
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Point: &at}}, nil
}

// A brain of one's own plays a page of one's own in Chromium. The journal below Dir records what happened.
func Example() {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Shop</title><button onclick="document.body.textContent='Ordered.'">Order</button>`)
	}))
	defer page.Close()
	ctx := context.Background()
	chromium, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer chromium.Close()
	session, err := chromium.NewSession(ctx, browser.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	runs, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(runs)
	r := runner.Runner{Brain: presser{}, Env: session, Config: runner.DefaultConfig(),
		Dir: filepath.Join(runs, "order"), Header: trajectories.Header{Episode: "order"}}
	result, err := r.Run(ctx, cua.Task{ID: "order", Goal: "Order", URL: page.URL})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.TerminationReason, result.Success, result.Steps)

	// Output: done true 2
}
