package browser

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/faulttable"
)

// faultRow is a row of the fault table and how it is played.
type faultRow struct {
	faulttable.Row
	play func(t *testing.T) (got string, took time.Duration)
}

func fault(n int, fault, want string, play func(t *testing.T) (string, time.Duration)) faultRow {
	return faultRow{faulttable.Row{N: n, Fault: fault, Want: want}, play}
}

// within is r with an upper bound on its time, after with a lower one.
func (r faultRow) within(d time.Duration) faultRow { r.Within = d; return r }
func (r faultRow) after(d time.Duration) faultRow  { r.After = d; return r }

// TestFaultTable plays the rows of the fault table that are about the browser. Rows whose time has an upper
// bound, and those about processes and memory, are played alone. Rows that wait for a time to pass do so
// together, however many processors there are, and the rest is played meanwhile.
func TestFaultTable(t *testing.T) {
	var rest []faultRow
	for _, r := range slices.Concat(crashRows(), hangRows(), dialogRows(), loadRows(), siteRows(),
		sizeRows()) {
		if r.Within > 0 {
			r.Run(t, r.play)
		} else {
			rest = append(rest, r)
		}
	}
	for _, r := range processRows() {
		r.Run(t, r.play)
	}
	var waiting sync.WaitGroup
	for _, r := range slices.Concat(endlessRows(), slowRows(), deafRows()) {
		waiting.Go(func() { r.Run(t, r.play) })
	}
	for _, r := range rest {
		r.Run(t, r.play)
	}
	waiting.Wait()
}

// told is a step in the words of the table.
func told(out cua.Outcome) string {
	var says []string
	if out.Failure != nil {
		says = append(says, string(out.Failure.Kind))
	}
	says = append(says, out.Settle.Faults...)
	o := out.After
	if o.NavError != "" {
		says = append(says, o.NavError)
	}
	if len(o.Alerts) > 0 {
		says = append(says, "alerts "+strings.Join(o.Alerts, " "))
	}
	if o.Dialog != nil {
		says = append(says, o.Dialog.Type+" open")
	}
	if out.Failure == nil || out.Failure.Kind.End() == "" {
		says = append(says, "shows "+o.Title)
	}
	return strings.Join(says, ", ")
}

// timed does a, and says the outcome and how long it took.
func (e env) timed(a cua.Action) (string, time.Duration) {
	e.t.Helper()
	began := time.Now()
	out := e.act(a)
	return told(out), time.Since(began)
}

// press clicks on what has that name, as timed.
func (e env) press(name string) (string, time.Duration) {
	e.t.Helper()
	return e.timed(e.at(cua.Action{Kind: cua.Click}, name))
}

// alone launches a browser for one row. It is closed with all its processes at the end of the test.
func alone(t *testing.T, o Options) *Browser {
	t.Helper()
	b, err := Launch(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if left := leftovers(b.profile.Dir); left != "" {
			t.Error("left behind:", left)
		}
	})
	return b
}

// on opens a session of b on the page at url.
func on(t *testing.T, b *Browser, o SessionOptions, url string) env {
	t.Helper()
	s, err := b.NewSession(t.Context(), anyServer(o))
	if err != nil {
		t.Fatal(err)
	}
	e := env{s, t}
	e.reset(cua.Task{URL: url})
	return e
}

// tap counts the commands of each kind that are sent to a browser.
type tap struct {
	chromedp.Transport

	mu   sync.Mutex
	sent map[string]int
}

func (p *tap) Write(ctx context.Context, m *cdproto.Message) error {
	p.mu.Lock()
	p.sent[string(m.Method)]++
	p.mu.Unlock()
	return p.Transport.Write(ctx, m)
}

// count is how many commands of one kind were sent since the last count of that kind.
func (p *tap) count(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.sent[method]
	p.sent[method] = 0
	return n
}

// tapped is a browser of its own and its tap.
func tapped(t *testing.T) (*Browser, *tap) {
	t.Helper()
	p := &tap{sent: map[string]int{}}
	b := alone(t, Options{wrap: func(tr chromedp.Transport) chromedp.Transport {
		p.Transport = tr
		return p
	}})
	return b, p
}
