package miniwob

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Profile is how the benchmark is played and judged.
type Profile struct {
	Name string `json:"name"`
	// Viewport in CSS pixels, Scale in pixels of a frame each.
	Viewport cua.Size `json:"viewport"`
	Scale    float64  `json:"scale"`
	// Bare takes what is made for people off the page: reward display, click canvas, start cover and the
	// goal.
	Bare bool `json:"bare"`
	// LimitMS is how long an episode may take by the page's own clock; 0 leaves the page's limit.
	LimitMS float64 `json:"limit_ms"`
	// Full asks for the raw reward 1 for a success; else any raw reward above 0 is one.
	Full bool `json:"full"`
	// Cap is how many steps an episode may take where the user says nothing.
	Cap int `json:"cap"`
}

// The names of the profiles.
const (
	BrowserGym   = "browsergym"
	FaramaBinary = "farama-binary"
)

// Profiles are those that there are, the usual one first.
func Profiles() []Profile {
	return []Profile{
		{Name: BrowserGym, Viewport: cua.Size{W: 332, H: 214}, Scale: 1.5, Bare: true, LimitMS: 1e6, Cap: 10},
		{Name: FaramaBinary, Viewport: cua.Size{W: 500, H: 320}, Scale: 1, Full: true, Cap: 10},
	}
}

// FindProfile is the profile of that name. An unknown name is an error that lists the known ones.
func FindProfile(name string) (Profile, error) {
	var known []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Profile{}, fmt.Errorf("miniwob: unknown profile %q; known: %s", name, strings.Join(known, ", "))
}

// Reward is what an episode earns of which the page said v, 0 or 1.
func (p Profile) Reward(v Verdict) float64 {
	if v.Ended && p.success(v.Raw) {
		return 1
	}
	return 0
}

// success judges a raw reward.
func (p Profile) success(raw float64) bool {
	if p.Full {
		return raw == 1
	}
	return raw > 0
}
