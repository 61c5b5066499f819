package benchmarks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// PlanVersion is the format version of study.json.
const PlanVersion = 1

// Plan is all that a study was started with: study.json.
type Plan struct {
	Version int      `json:"version"`
	Suites  []string `json:"suites"`
	// Tasks keeps only these tasks of the suites; none given keeps all.
	Tasks []string `json:"tasks,omitzero"`
	Arms  []Arm    `json:"arms"`
	// Base is the arm that the others are compared with, on the same cells.
	Base string `json:"base"`
	// Seeds are those of each task, the same in every arm.
	// A benchmark that the user brings has seeds of its own.
	Seeds []int64 `json:"seeds"`
	// Repeats is how often each task is played under each seed, with another chance of the brain each time; 0
	// and 1 are once.
	Repeats int                    `json:"repeats,omitzero"`
	Brain   trajectories.BrainInfo `json:"brain"`
	// Faults are those that the brain was given, as name=rate, and those of the network, whose names begin
	// with net_; none is an honest brain and a network as it is.
	Faults []string `json:"faults,omitzero"`
	// EachFault makes the study one of several brains, which play every cell: each has one of these
	// faults, name=rate, beside those of Faults; NoFault is the brain without any of them. None: one brain.
	EachFault []string `json:"each_fault,omitzero"`
	// MiniWoB is set where MiniWoBSuite is among Suites.
	MiniWoB *MiniWoB `json:"miniwob,omitzero"`
	// Tasklist is set where its suite is among Suites.
	Tasklist *Tasklist `json:"tasklist,omitzero"`
	// Shard is the part of the cells that the folder has; nil is all.
	Shard *Shard `json:"shard,omitzero"`
	// Forks makes the study one of forks: its cells are those of the points, and no others. Nil is a study
	// whose episodes begin at the start.
	Forks *Forks `json:"forks,omitzero"`
	// Lessons are those that the episodes can be given, as they were when the study began; none is the rule.
	Lessons []cua.Lesson `json:"lessons,omitzero"`

	Browser trajectories.BrowserInfo `json:"browser,omitzero"`
	Build   trajectories.Build       `json:"build,omitzero"`
	Host    trajectories.Host        `json:"host,omitzero"`
	Started time.Time                `json:"started,omitzero"`
	// Seal is a checksum of arms, brain and faults as they were when the study began; "" in a study of an
	// older program.
	Seal string `json:"seal,omitzero"`
}

// Arm is one configuration under a name.
type Arm struct {
	Name   string        `json:"name"`
	Config runner.Config `json:"config"`
}

// NoFault names the brain without a fault of its own among Plan.EachFault.
const NoFault = "none"

// Cell is one task under one seed in one arm, played by a brain with one of Plan.EachFault; "" where
// the study has one brain alone.
type Cell struct {
	Suite string `json:"suite"`
	Task  string `json:"task"`
	Seed  int64  `json:"seed"`
	// Repeat counts the cells before it that differ from it in nothing else, from 0: a study may play a task
	// several times under one seed (Plan.Repeats), and so may a benchmark's own list of seeds.
	Repeat int    `json:"repeat,omitzero"`
	Arm    string `json:"arm"`
	Fault  string `json:"fault,omitzero"`
	// Fork is the arm of the recorded episode that the cell plays on from (Plan.Forks); "" begins at the
	// start.
	Fork string `json:"fork,omitzero"`
}

// In is the same cell in another arm.
func (c Cell) In(arm string) Cell {
	c.Arm = arm
	return c
}

// Chance is what the brain's chance is drawn from: equal for the same task, seed and repeat in every arm, and
// the seed itself where a cell is not a repeat.
func (c Cell) Chance() int64 { return c.Seed + int64(c.Repeat)*repeatStride }

// repeatStride keeps the chances of repeats apart from those of other seeds; it is a prime beyond any seed
// that people count to.
const repeatStride = 1_000_003

// Episode is the id of an attempt at the cell: task@arm.seed-attempt, with the fault, which repeat it is and
// the arm of the episode that it was forked from after the task.
func (c Cell) Episode(attempt int) string {
	task := c.Task
	if c.Fault != "" {
		task += "." + c.Fault
	}
	if c.Repeat > 0 {
		task += fmt.Sprintf(".again%d", c.Repeat)
	}
	if c.Fork != "" {
		task += ".from-" + c.Fork
	}
	return trajectories.EpisodeID(task, c.Arm, c.Seed, attempt)
}

// FaultsOf are the faults of the cell: of the brain that plays it, and of the network.
func (p Plan) FaultsOf(c Cell) []string {
	if c.Fault == "" || c.Fault == NoFault {
		return p.Faults
	}
	return append(slices.Clone(p.Faults), c.Fault)
}

// BrainFaults are those of FaultsOf that the brain has, NetFaults those that the network has.
func (p Plan) BrainFaults(c Cell) []string {
	return slices.DeleteFunc(slices.Clone(p.FaultsOf(c)), cua.IsNetFault)
}

// NetFaults are the network faults of the cell. Validate reports whether they can be read; one that cannot
// be is left out here.
func (p Plan) NetFaults(c Cell) []cua.NetFault {
	var out []cua.NetFault
	for _, s := range p.FaultsOf(c) {
		if f, err := cua.ParseNetFault(s); err == nil && cua.IsNetFault(s) {
			out = append(out, f)
		}
	}
	return out
}

// FaultName is a value of Cell.Fault as tables name it: with the words of the study's brains, if it has any,
// as "jitter=1, words=none".
func (p Plan) FaultName(fault string) string {
	for _, f := range p.Faults {
		if name, value, _ := strings.Cut(f, "="); strings.TrimSpace(name) == "words" {
			return fault + ", words=" + strings.TrimSpace(value)
		}
	}
	return fault
}

// Brains are the values of Cell.Fault, in their order.
func (p Plan) Brains() []string {
	if len(p.EachFault) == 0 {
		return []string{""}
	}
	return p.EachFault
}

// MaxRepeats bounds how often a cell is played: a study that would go on for ever is a slip of the hand.
const MaxRepeats = 60

// BareArm is the built-in arm in which nothing intervenes. It is the base where it is
// part of a study, and what false interventions are judged by.
const BareArm = "off"

// SeedsUpTo are the seeds 1 to n.
func SeedsUpTo(n int) []int64 {
	out := make([]int64, max(n, 0))
	for i := range out {
		out[i] = int64(i + 1)
	}
	return out
}

// BaseOf is the arm that others are compared with: off where it is among them, else the last.
func BaseOf(arms []Arm) string {
	if len(arms) == 0 || slices.ContainsFunc(arms, func(a Arm) bool { return a.Name == BareArm }) {
		return BareArm
	}
	return arms[len(arms)-1].Name
}

// Validate says what is wrong with the plan; the first fault is the error.
func (p Plan) Validate() error {
	if err := p.readable(); err != nil {
		return err
	}
	for _, a := range p.Arms {
		if err := a.Config.Validate(); err != nil {
			return fmt.Errorf("benchmarks: plan: arm %s: %w", a.Name, err)
		}
	}
	if l := p.Tasklist; l != nil {
		if err := l.Manifest.Validate(); err != nil {
			return fmt.Errorf("benchmarks: plan: %s: %w", l.Suite, err)
		}
	}
	return nil
}

// readable says what is wrong with the plan but for its arms' configurations and the JavaScript of its tasks:
// a study that an older program played can be reported and compared, but not played on where they lack what
// this one asks for.
func (p Plan) readable() error {
	if p.Version != PlanVersion {
		return fmt.Errorf("benchmarks: plan: format version %d; this program reads %d", p.Version,
			PlanVersion)
	}
	tasks, err := p.Played()
	if err != nil {
		return err
	}
	if len(tasks) == 0 || len(p.Arms) == 0 || len(p.Seeds) == 0 {
		return fmt.Errorf("benchmarks: plan: %d tasks, %d arms, %d seeds: at least one of each is needed",
			len(tasks), len(p.Arms), len(p.Seeds))
	}
	var names []string
	for _, a := range p.Arms {
		if a.Name == "" || slices.Contains(names, a.Name) {
			return fmt.Errorf("benchmarks: plan: arm %q is named twice or not at all", a.Name)
		}
		names = append(names, a.Name)
	}
	if !slices.Contains(names, p.Base) {
		return fmt.Errorf("benchmarks: plan: base arm %q is not one of %s", p.Base, strings.Join(names, ", "))
	}
	if p.Repeats < 0 || p.Repeats > MaxRepeats {
		return fmt.Errorf("benchmarks: plan: %d repeats; 1 to %d are possible", p.Repeats, MaxRepeats)
	}
	seen := map[int64]bool{}
	for _, s := range p.Seeds {
		if seen[s] {
			return fmt.Errorf("benchmarks: plan: seed %d is given twice", s)
		}
		seen[s] = true
	}
	if err := p.validateMiniWoB(); err != nil {
		return err
	}
	if err := p.validateTasklist(); err != nil {
		return err
	}
	if err := cmp.Or(p.Shard.Validate(), p.validateForks()); err != nil {
		return err
	}
	return p.validateFaults()
}

func (p Plan) validateMiniWoB() error {
	if (p.MiniWoB != nil) != slices.Contains(p.Suites, MiniWoBSuite) {
		return fmt.Errorf("benchmarks: plan: the suite %s and what says how it is played belong together",
			MiniWoBSuite)
	}
	if p.MiniWoB == nil {
		return nil
	}
	if err := p.MiniWoB.validate(); err != nil {
		return err
	}
	if p.Scale() != 1 && slices.ContainsFunc(p.Suites, func(s string) bool { return s != MiniWoBSuite }) {
		return fmt.Errorf("benchmarks: plan: %s is shown at scale %g in profile %s, and other suites are "+
			"not: they need a study of their own",
			MiniWoBSuite, p.Scale(), p.MiniWoB.Profile.Name)
	}
	return nil
}

// validateFaults keeps the folders of two brains' episodes apart, and network faults to those that are known.
func (p Plan) validateFaults() error {
	for _, f := range slices.Concat(p.Faults, p.EachFault) {
		if !cua.IsNetFault(f) {
			continue
		}
		if _, err := cua.ParseNetFault(f); err != nil {
			return fmt.Errorf("benchmarks: plan: %w", err)
		}
	}
	seen := map[string]bool{}
	for _, f := range p.EachFault {
		id := Cell{Fault: f}.Episode(1)
		if f == "" || seen[id] {
			return fmt.Errorf("benchmarks: plan: the brain with fault %q is there twice or not named at all",
				f)
		}
		seen[id] = true
	}
	return nil
}

// Played are those of the suites, in their order, or the named ones of them.
func (p Plan) Played() ([]suites.Task, error) {
	played, err := p.suites()
	if err != nil {
		return nil, err
	}
	var out []suites.Task
	var known []string
	for _, s := range played {
		for _, t := range s.Tasks {
			known = append(known, t.Name)
			if len(p.Tasks) == 0 || slices.Contains(p.Tasks, t.Name) {
				out = append(out, t)
			}
		}
	}
	for _, name := range p.Tasks {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("benchmarks: plan: task %q is not in the suites %s; known: %s", name,
				strings.Join(p.Suites, ", "), strings.Join(known, ", "))
		}
	}
	return out, nil
}

// Cells are all cells in the order in which they are played: all arms of one task, seed and fault
// side by side, each time with another arm first, so that a machine that grows slower or
// busier is no one's disadvantage.
func (p Plan) Cells() ([]Cell, error) {
	tasks, err := p.Played()
	if err != nil {
		return nil, err
	}
	if p.Forks != nil {
		return p.Forks.cells(p), nil
	}
	return p.fromStart(tasks), nil
}

// fromStart are the cells of a study whose episodes begin at the start.
func (p Plan) fromStart(tasks []suites.Task) []Cell {
	var out []Cell
	turn := 0
	draws, most := make([][]Draw, len(tasks)), 0
	for i, t := range tasks {
		draws[i] = p.Draws(t)
		most = max(most, len(draws[i]))
	}
	for n := range most {
		for k, t := range tasks {
			if n >= len(draws[k]) {
				continue
			}
			d := draws[k][n]
			for _, fault := range p.Brains() {
				for i := range p.Arms {
					if !p.Shard.has(t.Suite, t.Name, d.Seed) {
						break
					}
					arm := p.Arms[(i+turn)%len(p.Arms)]
					out = append(out, Cell{Suite: t.Suite, Task: t.Name, Seed: d.Seed, Repeat: d.Repeat,
						Arm: arm.Name, Fault: fault})
				}
				turn++
			}
		}
	}
	return out
}

// FindArm is the arm of that name.
func (p Plan) FindArm(name string) (Arm, error) {
	for _, a := range p.Arms {
		if a.Name == name {
			return a, nil
		}
	}
	return Arm{}, fmt.Errorf("benchmarks: the study has no arm %q", name)
}
