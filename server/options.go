package server

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"runtime"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Play is one episode to be played.
type Play struct {
	Tenant string
	// Dir is the run folder. Resume says that its journal is there already.
	Dir    string
	Resume bool
	Task   cua.Task
	Config runner.Config
	// Brain and Director name who decides; "" is the default, and none.
	Brain, Director string
	// Secrets are the values by name, the same map that the runner and the browser use.
	Secrets map[string]string
	// Header has the id, the name and the arm.
	Header trajectories.Header
	// MaxSteps is Runner.MaxSteps.
	MaxSteps int
	// Begin is called with each runner of the episode before it starts. More than one runner plays it where
	// its browser ends meanwhile.
	Begin func(*runner.Runner)
}

// Refusal is why a request is not accepted.
type Refusal struct {
	// Location is the place in the request, as body.brain.
	Location string
	// Message holds no value of the request.
	Message string
}

func (r *Refusal) Error() string { return r.Location + ": " + r.Message }

// Player has the browsers and the brains.
type Player interface {
	// Check says why the brains or the hosts of a request are not accepted; the error is a *Refusal.
	Check(r *Request) error
	// Play runs or resumes an episode. The error is one of the machine: nothing was recorded then, or not
	// all.
	Play(ctx context.Context, p *Play) (trajectories.RunResult, error)
}

// Options are what a server is made of. Tenants must be set, and Player where Dir is.
type Options struct {
	// Dir is the folder of the episodes; "" is none: the server shows what Show adds and runs nothing itself.
	Dir     string
	Tenants []Tenant
	Player  Player
	// Hosts are the values of the header Host that are accepted: host or host:port. nil accepts any.
	Hosts []string
	// Brain decides where a request names none.
	Brain string
	// Running and Queued cap the episodes of all tenants; 0 is the number of CPUs, and 256.
	Running, Queued int
	// PostsPerSecond and PostsBurst bound the POSTs of a token; 0 is 10 and 20.
	PostsPerSecond float64
	PostsBurst     int
	// StreamsPerEpisode and Streams bound the event streams; 0 is 32 and 256.
	StreamsPerEpisode, Streams int
	// Grace is how long the current steps may take when the server shuts down; 0 is 30 s.
	Grace time.Duration
	// Secret is the value of a secret of the server's; "" is none.
	Secret func(name string) string
	// Brains describes the brains for GET /v1/brains; nil is an empty list.
	Brains func() any
	// Detect scores neutral trajectories; nil is none.
	Detect Lines
	// Guard judges the steps of an agent elsewhere before it makes them; nil is none. Each call begins
	// without a history.
	Guard Lines
	// Exports are the formats of GET export; Export writes one.
	Exports map[string]Export
	// View is the viewer; nil is none.
	View http.Handler
	// Log says a line about what the server does; nil is nobody.
	Log func(string)
	// Build names the version of the program.
	Build string
	// Now and Random are the clock and the chance of ids; nil is time.Now and crypto/rand.
	Now    func() time.Time
	Random io.Reader
}

// Lines answers the JSON lines of in: it calls line with each answer.
type Lines func(ctx context.Context, in io.Reader, line func(any) error) error

// Export is a form in which a trajectory leaves.
type Export struct {
	MediaType string
	Write     func(w io.Writer, t *trajectories.Trajectory) error
}

// withDefaults is o with the defaults in place of zeros.
func (o Options) withDefaults() Options {
	set(&o.Running, runtime.NumCPU())
	set(&o.Queued, 256)
	set(&o.PostsPerSecond, 10)
	set(&o.PostsBurst, 20)
	set(&o.StreamsPerEpisode, 32)
	set(&o.Streams, 256)
	set(&o.Grace, 30*time.Second)
	for i := range o.Tenants {
		set(&o.Tenants[i].Running, 4)
		set(&o.Tenants[i].Queued, 64)
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Secret == nil {
		o.Secret = func(string) string { return "" }
	}
	return o
}

// set gives a zero the default.
func set[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}
