package browser

import (
	"time"

	"github.com/chromedp/chromedp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
)

// Options say which browser to start and how. The zero value is good.
type Options struct {
	// Path is the browser's executable; "" looks for the usual names and places, the
	// headless shell first when no window is asked for.
	Path string
	// Headed opens a window on the user's display.
	Headed bool
	// NoSandbox switches Chromium's sandbox off. It is recorded in Info; nothing else
	// switches it off, not even being root.
	NoSandbox bool
	// ProfileRoot is the folder in which the profile folder is made; "" is the system's
	// folder for temporary files.
	ProfileRoot string
	// Scale is how many pixels of a frame one CSS pixel is along each side, in every session; 0 is 1. It
	// belongs to the browser because a session whose scale is another than its browser's is resized for each
	// screenshot, and input that comes meanwhile lands elsewhere.
	Scale float64
	// MaxMB is how much memory the browser with all its processes may hold, MiB; 0 is no cap. Over it the
	// renderer that holds the most is ended, and the episode whose page that was ends with a failure of kind
	// site_fault. A browser without a session that holds more than half of it takes no further session: its
	// error is one of a browser that is gone. It needs /proc.
	MaxMB int
	// Unlimited draws a frame as soon as there is something new to draw; without it there are 60 frames a
	// second, and a step waits for the next one. A page that never rests (an animation without end) then
	// keeps more than one core busy for as long as it is open.
	Unlimited bool
	// Flags are added to the command line last, each without its leading dashes.
	Flags []string

	// wrap stands between us and the browser, for tests that make commands fail.
	wrap func(chromedp.Transport) chromedp.Transport
}

// SessionOptions say how one episode's session is set up. The zero value is good.
type SessionOptions struct {
	// Viewport in CSS pixels; the zero Size is 1280×800.
	Viewport cua.Size
	// Allow are the hosts that documents may come from beside the start page's, with those that
	// the task lists (cua.AllowList). Open admits any public host while neither lists one.
	Allow []string
	Open  bool
	// Resolve finds the addresses of host names; nil asks the machine.
	Resolve egress.Resolver
	// Record keeps each request of the session; nil keeps none. Faults are the network faults that its
	// proxy plays; nil is none.
	Record *egress.Recorder
	Faults *egress.Faults
	// Fixtures is the folder whose files an upload may take; "" allows none.
	Fixtures string
	// Secrets are values by name. A field that holds one is reported by the name.
	Secrets map[string]string
	// HTTPAuth are names of Secrets that answer a document's request for HTTP authentication, each as
	// user:password. One is sent to the origin that it is bound to (cua.Task.SecretOrigins) and to no
	// other; one that is bound to none is not sent.
	HTTPAuth []string
	// NoState leaves out of observations what a rewind would need (cua.PageState).
	NoState bool
	// DocTimeout is how long a document may load before it is stopped and taken as it is; 0 is 20 s.
	DocTimeout time.Duration
	// Capture takes each frame as a screenshot. Without it a screencast is kept open whose frames are proved
	// fresh by a number in their pixels: the page draws it into the last 16 pixels of the topmost row
	// (cua.TagCells).
	Capture bool
	// SettleCap is how long timers, fetches and animations that an action set off are waited for, and what
	// the other delays within which something counts as its doing are in proportion to: more for a machine
	// or a site that is slow. At most 20 s; 0 is 1.5 s.
	SettleCap time.Duration

	// Continue is what a session with a lost connection left in a remote browser: its pages are taken over
	// as they are. The first Reset observes the page and loads nothing, and a Restore that follows reads the
	// page and gives nothing back. nil opens a context.
	Continue *Left

	// direct goes around the proxy, for the benchmark of what that costs.
	direct bool
	// unpainted paints nothing over, for the test that would find it.
	unpainted bool
}

// Info says which browser runs.
type Info struct {
	// Name and Version as the browser tells them, for example HeadlessChrome and 156.0.1.2.
	Name    string `json:"name"`
	Version string `json:"version"`
	// Path is the executable that was started.
	Path string `json:"path"`
	// Shell says that it is the headless shell and not a full browser.
	Shell bool `json:"headless_shell"`
	// Headed says that it has a window.
	Headed bool `json:"headed,omitzero"`
	// Sandbox says that Chromium's sandbox is on, User the id of the unprivileged user that
	// the browser runs as when we are root; 0 is our own user.
	Sandbox bool `json:"sandbox"`
	User    int  `json:"user,omitzero"`
	// Flags is the command line after the executable.
	Flags []string `json:"flags,omitzero"`
	// Remote is the address of a browser that is not ours, without user, path and query; "" is one of ours.
	Remote string `json:"remote,omitzero"`
	// SharedContext says that the browser cannot create contexts: sessions use its only one.
	SharedContext bool `json:"shared_context,omitzero"`
}

// viewport is the asked one, or 1280×800.
func (o SessionOptions) viewport() cua.Size {
	if o.Viewport == (cua.Size{}) {
		return cua.Size{W: 1280, H: 800}
	}
	return o.Viewport
}

// scale is the asked one, or 1.
func (o Options) scale() float64 {
	if o.Scale <= 0 {
		return 1
	}
	return o.Scale
}

// maxSettleCap leaves the page time to answer before a call to it is given up (lastResort).
const maxSettleCap = 20 * time.Second

// settleLimit is the asked cap, or 1.5 s.
func (o SessionOptions) settleLimit() time.Duration {
	if o.SettleCap == 0 {
		return settleCap
	}
	return min(o.SettleCap, maxSettleCap)
}

// docTimeout is the asked one, or 20 s.
func (o SessionOptions) docTimeout() time.Duration {
	if o.DocTimeout == 0 {
		return 20 * time.Second
	}
	return o.DocTimeout
}
