package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

// relay is the brain of an episode of a study that is played by an MCP client. The server's episode is that
// of the study: its turns go to the server, and the calls of the client are its decisions.
type relay struct {
	inner brain.Brain // decides what the client calls
	plain brain.Brain // the same without faults
	fail  func(error) // is told what is wrong with the study itself
	reach reach       // the client's way to the server

	begun sync.Once
	plays chan *mcp.Play
	over  chan struct{} // closed when the episode has ended
	left  chan struct{} // closed when the client has left
	play  *mcp.Play
	ctx   context.Context // of the server's episode

	result trajectories.RunResult // set before over

	mu    sync.Mutex
	turn  *cua.Turn // the newest: what the client's brain is shown
	sizes []int     // characters of each result
	tale  []string  // the calls, for a reader
}

// caller calls tools.
type caller interface {
	CallTool(context.Context, *sdk.CallToolParams) (*sdk.CallToolResult, error)
	Close() error
}

// reach joins a client to a server until ctx ends.
type reach func(context.Context, *mcp.Server) (caller, error)

// inMemory is the way of a client in the process of the server.
func inMemory(ctx context.Context, s *mcp.Server) (caller, error) {
	ours, theirs := sdk.NewInMemoryTransports()
	return joined(ctx, s, ours, theirs, "")
}

// joined is the SDK's client at one end of a connection whose other end is served.
func joined(ctx context.Context, s *mcp.Server, ours, theirs sdk.Transport, version string) (caller, error) {
	go s.Serve(ctx, theirs) //nolint:errcheck // the client sees how it ends
	return sdkClient(ctx, ours, version)
}

// sdkClient is the SDK's client at one end of a connection.
func sdkClient(ctx context.Context, ours sdk.Transport, version string) (caller, error) {
	self := &sdk.Implementation{Name: "study", Version: "1"}
	return sdk.NewClient(self, nil).Connect(ctx, ours, &sdk.ClientSessionOptions{ProtocolVersion: version})
}

func newRelay(inner, plain brain.Brain, fail func(error)) *relay {
	return &relay{inner: inner, plain: plain, fail: fail, reach: inMemory, plays: make(chan *mcp.Play, 1),
		over: make(chan struct{}), left: make(chan struct{})}
}

// begin makes r the runner's brain, person and viewer; what it returns is called after the episode.
func (r *relay) begin(run *runner.Runner) func() {
	run.Watch = func(s *cua.Step) { r.play.Watch(s) }
	run.Attend = func(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
		ctx, done := r.joined(ctx)
		defer done()
		got, err := r.play.Attend(ctx, c)
		if r.ctx.Err() != nil { // the client has closed the browser, which ends the episode as it is
			return trajectories.PauseChoice{Kind: trajectories.ChooseStop}, nil
		}
		return got, err
	}
	return func() {
		if t, err := trajectories.Read(run.Dir); err == nil && t.End != nil {
			r.result.TerminationReason = t.End.Reason
		}
		close(r.over)
		r.begun.Do(func() { close(r.left) }) // it had no turn
		<-r.left
	}
}

// Decide is the decision that the next call is.
func (r *relay) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	r.mu.Lock()
	r.turn = t
	r.mu.Unlock()
	r.begun.Do(func() { go r.client(t.Task) })
	if r.play == nil {
		select {
		case r.play = <-r.plays:
		case <-r.left:
			return cua.Decision{}, errors.New("the client left before its first page")
		}
	}
	ctx, done := r.joined(ctx)
	defer done()
	return r.play.Brain.Decide(ctx, t)
}

// joined is ctx that also ends with the server's episode.
func (r *relay) joined(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// client plays the task through the tools of a server of its own.
func (r *relay) client(task cua.Task) {
	defer close(r.left)
	allow := task.Allow
	if u, err := url.Parse(task.URL); err == nil && len(allow) == 0 { // as an operator lists a local page
		allow = []string{u.Host}
	}
	s := mcp.New(mcp.Options{Task: cua.Task{Allow: allow}, Version: "study",
		Play: func(ctx context.Context, p *mcp.Play) (trajectories.RunResult, error) {
			p.Begin("")
			r.ctx = ctx
			r.plays <- p
			<-r.over
			return r.result, nil
		}})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	session, err := r.reach(ctx, s)
	if err != nil {
		r.fail(err)
		return
	}
	defer session.Close()
	c := &scriptedClient{relay: r, session: session, ctx: ctx}
	if err := c.solve(task); err != nil {
		r.fail(fmt.Errorf("%s: %w\n%s", task.ID, err, strings.Join(r.tale, "\n")))
	}
}

// scriptedClient decides by a brain what to call, and knows elements by the refs in results alone.
type scriptedClient struct {
	*relay
	session caller
	ctx     context.Context

	refs  []listed // the elements of the page, in the order of the newest snapshot
	last  mcp.Result
	made  int      // entries of a script that were made
	owing cua.Kind // what the fault kept from being done; "" is nothing
}

// listed is an element as a snapshot names it.
type listed struct{ words, ref string }

var snapshotLine = regexp.MustCompile(`^([-+~]) (.*?) \[ref=(e\d+)\]`)

// call calls a tool and takes in the refs of the result.
func (c *scriptedClient) call(tool string, arguments args) error {
	got, err := c.session.CallTool(c.ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return err
	}
	text := got.Content[0].(*sdk.TextContent).Text
	asked, _ := json.Marshal(arguments)
	c.tale = append(c.tale, fmt.Sprintf("%s %s: %.300q", tool, asked, text))
	if got.StructuredContent == nil {
		return fmt.Errorf("%s %s: %s", tool, asked, text)
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err != nil {
		return err
	}
	c.sizes = append(c.sizes, max(len([]rune(text)), len([]rune(string(raw)))))
	c.last = mcp.Result{}
	if err := json.Unmarshal(raw, &c.last); err != nil {
		return err
	}
	if c.last.Snapshot != "" && tool != "browser_find" {
		c.refs = nil
	}
	for _, line := range append(strings.Split(c.last.Snapshot, "\n"), c.last.Changes...) {
		m := snapshotLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at := slices.IndexFunc(c.refs, func(l listed) bool { return l.ref == m[3] })
		switch gone := m[1] == "-" && c.last.Snapshot == ""; {
		case gone && at >= 0:
			c.refs = slices.Delete(c.refs, at, at+1)
		case gone:
		case at >= 0: // it is where it was
			c.refs[at].words = m[2]
		default:
			c.refs = append(c.refs, listed{m[2], m[3]})
		}
	}
	return nil
}

// solve plays the task until its episode ends.
func (c *scriptedClient) solve(task cua.Task) error {
	about := args{"goal": task.Goal}
	var fields []args
	for _, f := range task.Fields {
		fields = append(fields, args{"label": f.Label, "value": f.Value})
	}
	if fields != nil {
		about["fields"] = fields
	}
	if err := c.call("browser_task", about); err != nil {
		return err
	}
	if err := c.call("browser_navigate", args{"url": task.URL}); err != nil {
		return err
	}
	for c.last.Ended == "" {
		if err := c.step(); err != nil {
			return err
		}
	}
	return nil
}

// step makes the first of the calls that the last result offers, or else what the brain decides.
func (c *scriptedClient) step() error {
	if len(c.last.Next) > 0 {
		n := c.last.Next[0]
		return c.settled(c.call(n.Tool, n.Arguments))
	}
	if c.last.Outcome == mcp.Paused {
		return c.call("browser_close", nil)
	}
	c.mu.Lock()
	t := *c.turn
	c.mu.Unlock()
	t.Decision = c.made + 1 // followed calls and looks are no decisions of the brain
	meant, err := c.plain.Decide(c.ctx, &t)
	if err != nil {
		return err
	}
	d, err := c.inner.Decide(c.ctx, &t)
	if err != nil {
		return err
	}
	if d.Failure != nil { // the script's element is not on the page
		c.made++
		return c.call("browser_snapshot", nil)
	}
	tool, arguments, err := c.translated(d.Action, &t)
	switch {
	case errors.Is(err, errLooked):
		return nil
	case errors.Is(err, errNoCall):
		c.tale = append(c.tale, err.Error())
		return c.call("browser_done", args{"answer": err.Error(), "success": false})
	case err != nil:
		return err
	}
	if c.owing = ""; meant.Action.Kind != d.Action.Kind {
		c.owing = meant.Action.Kind
	} else {
		c.made++
	}
	return c.settled(c.call(tool, arguments))
}

// settled notes that what the fault kept from being done has been done by another way.
func (c *scriptedClient) settled(err error) error {
	c.mu.Lock()
	steps := c.turn.History.Steps
	c.mu.Unlock()
	if n := len(steps); err == nil && c.owing != "" && n > 0 && steps[n-1].HasAction() &&
		steps[n-1].Action.Kind == c.owing {
		c.owing = ""
		c.made++
	}
	return err
}
