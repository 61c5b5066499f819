package lessons

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Config says how many lessons a turn carries, and when one counts as idle.
type Config struct {
	// Top is how many lessons a turn carries at most, 0 to 20.
	Top int `json:"top"`
	// Uses is after how many episodes a lesson without lift is marked so, 1 to 1000.
	Uses int `json:"uses"`
}

// DefaultConfig is five lessons, and ten uses: fewer hardly tell two success rates apart.
func DefaultConfig() Config { return Config{Top: 5, Uses: 10} }

// Validate says what is out of range.
func (c Config) Validate() error {
	switch {
	case c.Top < 0 || c.Top > 20:
		return fmt.Errorf("lessons: top must be 0 to 20, not %d", c.Top)
	case c.Uses < 1 || c.Uses > 1000:
		return fmt.Errorf("lessons: uses must be 1 to 1000, not %d", c.Uses)
	}
	return nil
}

// For are the lessons that matter most on a page: of its origin and of no other, the pinned first,
// then those about actions of last's class, then those with a tag of the task, then the newest; n at most.
// last is "" before the first action.
func For(all []cua.Lesson, page string, last cua.Kind, tags []string, n int) []cua.Lesson {
	origin := cua.Origin(page)
	var out []cua.Lesson
	for _, l := range all {
		if origin != "" && l.Origin == origin {
			out = append(out, l)
		}
	}
	first := func(a, b bool) int {
		switch {
		case a == b:
			return 0
		case a:
			return -1
		}
		return 1
	}
	about := func(l cua.Lesson) bool { return last != "" && len(l.Actions) > 0 && l.About(last) }
	tagged := func(l cua.Lesson) bool { return l.Tag != "" && slices.Contains(tags, l.Tag) }
	slices.SortStableFunc(out, func(a, b cua.Lesson) int {
		for _, by := range []func(cua.Lesson) bool{func(l cua.Lesson) bool { return l.Pinned },
			about, tagged} {
			if c := first(by(a), by(b)); c != 0 {
				return c
			}
		}
		return learned(b).Compare(learned(a))
	})
	return out[:min(max(n, 0), len(out))]
}

// Within are the lessons that an episode on task can be given in some turn: of the start page's origin
// and of the hosts that the task names, and there the n most relevant to each class of action, in the order
// of all.
func Within(all []cua.Lesson, task cua.Task, n int) []cua.Lesson {
	may := cua.AllowList{Start: task.URL, Hosts: task.Allow}
	chosen := map[string]bool{}
	asked := map[string]bool{}
	for _, l := range all {
		if _, err := may.Check(l.Origin); err != nil || asked[l.Origin] {
			continue
		}
		asked[l.Origin] = true
		for _, k := range append(cua.Kinds(), "") {
			for _, best := range For(all, l.Origin, k, task.Tags, n) {
				chosen[best.ID] = true
			}
		}
	}
	var out []cua.Lesson
	for _, l := range all {
		if chosen[l.ID] {
			out = append(out, l)
		}
	}
	return out
}
