package study

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// here are lessons as a study's episodes are given them. The pages of the suites are one site, served from a
// port that each study chooses at random: a lesson about an address of this machine's loopback is about that
// site, whichever port it was learned on. All others keep their origin.
func here(lessons []cua.Lesson, host string) []cua.Lesson {
	out := slices.Clone(lessons)
	for i := range out {
		if h, _, err := cua.ParseAddress(out[i].Origin); err == nil && h.Addr.IsLoopback() {
			out[i].Origin = cua.Origin("http://" + host)
		}
	}
	return out
}
