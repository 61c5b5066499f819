package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Recovery says what loop recovery does about the calls of a client.
type Recovery string

// The values of Recovery.
const (
	// Advise does each call as it is and offers another one in its result.
	Advise Recovery = "advise"
	// Act does something else in place of a call that repeats itself without effect, and says so.
	Act Recovery = "act"
	// Off says nothing.
	Off Recovery = "off"
)

// Recoveries are the values of Recovery, the default first.
func Recoveries() []string { return []string{string(Advise), string(Act), string(Off)} }

// Config is c as an episode has it whose brain is an MCP client. Substitutions that do more than the call
// allowed (send a form, reload, go back) rule in shadow: they are offered, never done. Where nothing is left
// to try, the breaker pauses in place of the row that asks a person: many clients cannot pass a question on,
// and the pause keeps the browser open for browser_rollback. It also names the loop as its reason.
func (r Recovery) Config(c runner.Config) (runner.Config, error) {
	switch r {
	case Off:
		return c.Arm("off")
	case Act:
		c.Shadow = append(slices.Clone(c.Shadow), "force_submit", string(cua.PressSubmit),
			string(cua.ReloadPage), string(cua.RewindReason), string(cua.AskUser))
	case Advise:
		c.Shadow = append(slices.Clone(c.Shadow), "force_fill", "force_submit", "rescue")
	default:
		return c, fmt.Errorf("mcp: the recovery is one of %s, not %q", strings.Join(Recoveries(), ", "), r)
	}
	c.Recovery.Attended = true // the episode pauses, and the client is told
	c.Recovery.Offered = true  // as "next" of a result
	return c, c.Validate()
}

// Limits are those of an episode whose brain is an MCP client: the time between its calls does not count.
func Limits(c runner.Config) runner.Config {
	c.Recovery.Limits.MaxSteps, c.Recovery.Limits.MaxWallMS = 1000, 0
	return c
}

// Play is one episode to be played.
type Play struct {
	Task   cua.Task
	Config runner.Config
	Brain  runner.Brain
	Attend func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error)
	Watch  func(*cua.Step)
	// Begin is called with the episode's folder once that is known.
	Begin func(dir string)
}

// Options are what a Server is made of. Play must be set.
type Options struct {
	// Config is the result of Recovery.Config.
	Config runner.Config
	// Play plays an episode in a browser of its own until it ends.
	Play func(ctx context.Context, p *Play) (trajectories.RunResult, error)
	// Task is what every episode has in common: allow list, subresources, secrets' origins.
	Task cua.Task
	// Secrets are the names of the secrets that clients may have typed as <secret:NAME>; Play and Job have
	// their values.
	Secrets []string
	// Version is that of the program.
	Version string
	// Idle is how long a browser waits for the next call before it is closed; 0 is 15 minutes.
	Idle time.Duration
	// Sessions is how many browsers may be open at a time; 0 is 8.
	Sessions int
	// Job plays a whole task by a brain of the server; nil is none: run_task is not offered then.
	Job func(ctx context.Context, j *Job) (trajectories.RunResult, error)
	// Brains are those that run_task may name, the default first.
	Brains []string
	// Running is how many such tasks may run at a time; 0 is 2.
	Running int
	// Detect is the tool detect_loops; nil is none.
	Detect Detect
}

// Server offers the tools. It is safe for concurrent use.
type Server struct {
	o     Options
	tools *sdk.Server
	ctx   context.Context // ends with Close
	stop  context.CancelFunc

	mu    sync.Mutex
	seats map[string]*seat
	jobs  map[string]*job
	begun int       // jobs so far
	more  []*Server // of the other tokens of Handler
}

// New is a server without browsers: one is opened by the first browser_navigate of a session.
func New(o Options) *Server {
	o.Idle, o.Sessions = cmp.Or(o.Idle, 15*time.Minute), cmp.Or(o.Sessions, 8)
	o.Running = cmp.Or(o.Running, 2)
	s := &Server{o: o, seats: map[string]*seat{}, jobs: map[string]*job{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.tools = sdk.NewServer(&sdk.Implementation{Name: "cua-runner", Version: o.Version},
		&sdk.ServerOptions{Instructions: o.instructions()})
	s.addActing()
	s.addReading()
	s.addEpisode()
	s.addJobs()
	s.addLoops()
	return s
}

// instructions are what a client's model is told first.
func (o *Options) instructions() string {
	if len(o.Secrets) == 0 {
		return instructions
	}
	names := make([]string, len(o.Secrets))
	for i, n := range o.Secrets {
		names[i] = "<secret:" + n + ">"
	}
	return instructions + ` Secrets of the person you work for are typed by name: the text ` +
		strings.Join(names, ", ") + ` types the value, which you are never shown. Each is typed on its own ` +
		`site alone.`
}

const instructions = `Drives a browser. Begin with browser_navigate. Elements are named by the refs of ` +
	`browser_snapshot. The result of each call says what it changed, so a snapshot after each call is not ` +
	`needed. Read the notes: they say what was repeated without effect, and "next" names another call.`

// Serve answers one client until it leaves or ctx ends.
func (s *Server) Serve(ctx context.Context, t sdk.Transport) error {
	if err := s.tools.Run(ctx, t); err != nil && ctx.Err() == nil {
		return fmt.Errorf("mcp: serving: %w", err)
	}
	return ctx.Err()
}

// Close ends all episodes and waits until their journals are sealed and their browsers closed.
func (s *Server) Close() {
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.more {
		other.Close()
	}
	for _, st := range s.seats {
		st.wait()
	}
	for _, j := range s.jobs {
		<-j.done
	}
}

// mainSession is the session of calls that name none.
const mainSession = "main"

// seat is the session with that name, which may have no browser yet.
func (s *Server) seat(name string) (*seat, error) {
	name = cmp.Or(name, mainSession)
	if len(name) > 64 {
		return nil, fmt.Errorf("session: the name has %d bytes, at most 64 are taken", len(name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.seats[name]; st != nil {
		return st, nil
	}
	if len(s.seats) >= s.o.Sessions {
		for n, st := range s.seats {
			if st.idle() {
				delete(s.seats, n)
			}
		}
	}
	if len(s.seats) >= s.o.Sessions {
		return nil, fmt.Errorf("session: %d browsers are open, the most that may be: browser_close one",
			len(s.seats))
	}
	s.seats[name] = &seat{name: name, server: s}
	return s.seats[name], nil
}
