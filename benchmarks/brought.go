package benchmarks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
)

// MiniWoBSuite is the suite of Plan.MiniWoB: a benchmark that the user brings along.
const MiniWoBSuite = "miniwob"

// MiniWoB says how a study plays MiniWoB++.
type MiniWoB struct {
	// Dir is the folder of the pages (miniwob.Checkout.Root), Core the checksum by which it is known again.
	Dir  string `json:"dir"`
	Core string `json:"core_sha256"`
	// Profile says how pages are shown and judged.
	Profile miniwob.Profile `json:"profile"`
	// Cap is how many steps an episode may take.
	Cap int `json:"cap"`
	// Episodes is how many of each task's episodes are played, 1 to miniwob.EpisodesPerTask.
	Episodes int `json:"episodes_per_task"`
	// Groups are the tasks, by what asked for them.
	Groups []miniwob.Group `json:"groups"`
}

// PlayedSuites are one a group: "miniwob" for the whole set, else "miniwob-" and the group's name.
func (m *MiniWoB) PlayedSuites() []suites.Suite {
	var out []suites.Suite
	for _, g := range m.Groups {
		s := suites.Suite{Name: MiniWoBSuite, About: "MiniWoB++, profile " + m.Profile.Name}
		if g.Name != miniwob.All {
			s.Name += "-" + g.Name
		}
		for _, t := range g.Tasks {
			s.Tasks = append(s.Tasks, suites.Task{Name: miniwob.ID(t), Suite: s.Name, Solvable: true,
				MaxSteps: m.Cap})
		}
		out = append(out, s)
	}
	return out
}

// validate says what is wrong with it beside the plan that has it.
func (m *MiniWoB) validate() error {
	switch {
	case m.Cap < 1:
		return fmt.Errorf("benchmarks: plan: miniwob: cap %d: an episode needs a step", m.Cap)
	case m.Episodes < 1 || m.Episodes > miniwob.EpisodesPerTask:
		return fmt.Errorf("benchmarks: plan: miniwob: %d episodes of each task; the benchmark has 1 to %d",
			m.Episodes, miniwob.EpisodesPerTask)
	}
	for _, g := range m.Groups {
		for _, t := range g.Tasks {
			if len(miniwob.Seeds(t)) == 0 {
				return fmt.Errorf("benchmarks: plan: miniwob: unknown task %q in %s", t, g.Name)
			}
		}
	}
	return nil
}

// Draw is one seed of a task; repeat counts those before it that are equal.
type Draw struct {
	Seed   int64
	Repeat int
}

// Draws are the task's episodes in each arm.
func (p Plan) Draws(t suites.Task) []Draw {
	name, brought := strings.CutPrefix(t.Name, miniwob.ID(""))
	seeds := p.Seeds
	if brought && p.MiniWoB != nil {
		seeds = miniwob.Seeds(name)[:p.MiniWoB.Episodes]
	}
	var out []Draw
	seen := map[int64]int{}
	for range max(p.Repeats, 1) {
		for _, s := range seeds {
			out = append(out, Draw{s, seen[s]})
			seen[s]++
		}
	}
	return out
}

// Scale is how many pixels of a frame one CSS pixel must be along each side: the browser's of the whole
// study.
func (p Plan) Scale() float64 {
	if p.MiniWoB == nil || p.MiniWoB.Profile.Scale <= 0 {
		return 1
	}
	return p.MiniWoB.Profile.Scale
}

// suites are those of the plan in the order of their names, each once.
func (p Plan) suites() ([]suites.Suite, error) {
	var out []suites.Suite
	for i, name := range p.Suites {
		if slices.Contains(p.Suites[:i], name) {
			continue
		}
		if name == MiniWoBSuite && p.MiniWoB != nil {
			out = append(out, p.MiniWoB.PlayedSuites()...)
			continue
		}
		if p.Tasklist != nil && name == p.Tasklist.Suite {
			out = append(out, p.Tasklist.suite())
			continue
		}
		found, err := tuned.FindSuites(name)
		if err != nil {
			return nil, fmt.Errorf("%w; of your own: %s", err, strings.Join(append([]string{MiniWoBSuite},
				manifest.Suites()...), ", "))
		}
		out = append(out, found...)
	}
	return out, nil
}

// SuiteNames are the names that cells carry.
func (p Plan) SuiteNames() []string {
	played, err := p.suites()
	if err != nil {
		return p.Suites // of a plan that was not validated
	}
	var out []string
	for _, s := range played {
		out = append(out, s.Name)
	}
	return out
}

// FindTask is the task of that name.
func (p Plan) FindTask(name string) (suites.Task, error) {
	played, err := p.suites()
	if err != nil {
		return suites.Task{}, err
	}
	for _, s := range played {
		for _, t := range s.Tasks {
			if t.Name == name {
				return t, nil
			}
		}
	}
	return suites.Task{}, fmt.Errorf("benchmarks: the study has no task %q", name)
}
