package trajectories

import (
	"reflect"
	"slices"
	"strings"
)

// BrowserInfo says which browser was driven.
type BrowserInfo struct {
	// Name is that of the program, as "chromium-headless-shell".
	Name    string   `json:"name,omitzero"`
	Version string   `json:"version,omitzero"`
	Flags   []string `json:"flags,omitzero"`
	// Headed says that the browser had a window.
	Headed bool `json:"headed,omitzero"`
	// Remote is the address of a browser that ran elsewhere, without user, path and query; "" is one that the
	// runner started. No egress proxy stood between a remote browser and the network.
	Remote string `json:"remote,omitzero"`
	// SharedContext says that the episode used the only context of a remote browser, and others could too.
	SharedContext bool `json:"shared_context,omitzero"`
}

// Lasting is b without the flags that each launch sets itself: the folder of its profile and the port of its
// proxy.
func (b BrowserInfo) Lasting() BrowserInfo {
	b.Flags = slices.DeleteFunc(slices.Clone(b.Flags), func(f string) bool {
		return strings.HasPrefix(f, "--user-data-dir=") || strings.HasPrefix(f, "--proxy-server=")
	})
	if len(b.Flags) == 0 {
		b.Flags = nil
	}
	return b
}

// Same reports whether a and b are one program that was started, or reached, in one way.
func (b BrowserInfo) Same(other BrowserInfo) bool {
	return reflect.DeepEqual(b.Lasting(), other.Lasting())
}

// String is name, version and the address of a remote browser; "" where none is known.
func (b BrowserInfo) String() string {
	out := strings.TrimSpace(b.Name + " " + b.Version)
	if b.Headed {
		out += " with a window"
	}
	if b.Remote != "" {
		out += " at " + b.Remote
	}
	return out
}

// Browser is the one that was driven last: that of the header, or of the last event that names another.
func (t *Trajectory) Browser() BrowserInfo {
	for _, e := range slices.Backward(t.Events) {
		if e.Browser != nil {
			return *e.Browser
		}
	}
	return t.Header.Browser
}
