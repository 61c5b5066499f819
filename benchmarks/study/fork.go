package study

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// ForksOf are the points at which the episodes of s can be forked: before the first intervention of each. The
// bare loop has none. A study of forks is an error.
func ForksOf(s *benchmarks.Study) (*benchmarks.Forks, error) {
	if s.Plan.Forks != nil {
		return nil, fmt.Errorf("study: %s is a study of forks: one whose episodes begin at the start is "+
			"expected", s.Dir)
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("study: finding %s: %w", s.Dir, err)
	}
	out := &benchmarks.Forks{Study: dir}
	by := map[benchmarks.Cell]benchmarks.Result{}
	for _, r := range s.Results {
		by[r.Cell] = r
	}
	cells, err := s.Plan.Cells()
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		r, ok := by[c]
		if !ok || r.Steps == 0 || c.Arm == benchmarks.BareArm {
			continue
		}
		t, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			return nil, fmt.Errorf("study: looking for interventions: %w", err)
		}
		at, why := forkPoint(t)
		at.Cell, at.Episode = c, r.Episode
		switch {
		case at.Step == 0:
			out.Untouched++
		case why != "":
			out.Excluded = append(out.Excluded, benchmarks.ForkExcluded{ForkPoint: at, Why: why})
		default:
			out.Points = append(out.Points, at)
		}
	}
	return out, nil
}

// PlanForks is the plan of a study that plays on from the forks of the study old (see ForksOf) in each of
// arms. An arm that old also has keeps old's configuration. If arms is nil, they are old's arms and the bare
// one. Base is the arm that the others are compared with; "" is what BaseOf says. It is an error if nothing
// can be forked; the plan must not be used then. The caller must have checked that old is Unchanged, and that
// the brain that it records can be trusted.
func PlanForks(old *benchmarks.Study, arms []benchmarks.Arm, base string) (benchmarks.Plan, error) {
	p := old.Plan
	p.Version, p.Seal, p.Shard = benchmarks.PlanVersion, "", nil
	var err error
	if p.Arms, err = forkArms(old.Plan.Arms, arms); err != nil {
		return p, err
	}
	if p.Base = base; p.Base == "" {
		p.Base = benchmarks.BaseOf(p.Arms)
	}
	if p.Forks, err = ForksOf(old); err != nil {
		return p, err
	}
	unplayed := func(x benchmarks.ForkPoint) bool {
		return !slices.ContainsFunc(p.Arms, func(a benchmarks.Arm) bool { return a.Name == x.Arm })
	}
	p.Forks.Points = slices.DeleteFunc(p.Forks.Points, unplayed)
	p.Forks.Excluded = slices.DeleteFunc(p.Forks.Excluded,
		func(x benchmarks.ForkExcluded) bool { return unplayed(x.ForkPoint) })
	if len(p.Forks.Points) == 0 {
		return p, fmt.Errorf("no episode of %s can be forked: %d had no intervention, and %d interventions "+
			"cannot be returned to", old.Dir, p.Forks.Untouched, len(p.Forks.Excluded))
	}
	return p, p.Validate()
}

// forkArms are the arms asked for, as the study has them where it does; nil are those of the study and the
// bare one.
func forkArms(old, asked []benchmarks.Arm) ([]benchmarks.Arm, error) {
	find := func(list []benchmarks.Arm, name string) int {
		return slices.IndexFunc(list, func(a benchmarks.Arm) bool { return a.Name == name })
	}
	if asked == nil {
		if find(old, benchmarks.BareArm) >= 0 {
			return old, nil
		}
		bare, err := runner.DefaultConfig().Arm(benchmarks.BareArm)
		return append(slices.Clone(old), benchmarks.Arm{Name: benchmarks.BareArm, Config: bare}), err
	}
	out := slices.Clone(asked)
	for i := range out {
		if at := find(old, out[i].Name); at >= 0 {
			out[i] = old[at]
		}
	}
	return out, nil
}

// forkPoint is the place before the first intervention of t, and why no other episode can play on from it; a
// step of 0 is no intervention.
func forkPoint(t *trajectories.Trajectory) (at benchmarks.ForkPoint, why benchmarks.ForkLoss) {
	i := slices.IndexFunc(t.Steps, func(s cua.Step) bool { _, ok := intervened(&s); return ok })
	if i < 0 {
		return at, ""
	}
	ruled, _ := intervened(&t.Steps[i])
	at.Step, at.Gate, at.Code = t.Steps[i].N, ruled.Gate, ruled.Reason
	h := t.HistoryAt(i)
	now := h.Now()
	switch {
	case len(h.Sent(1)) > 0:
		return at, benchmarks.LostSent
	case !t.HasState(now.Checkpoint):
		return at, benchmarks.LostCheckpoint
	}
	return at, ""
}

// begin runs the cell's episode, from its start or from where it is forked; Options.Begin is told.
func (p *play) begin(ctx context.Context, r *runner.Runner, c benchmarks.Cell,
	task cua.Task) (trajectories.RunResult, error) {
	if p.Begin != nil {
		defer p.Begin(r, task)()
	}
	at, ok := p.Plan.ForkOf(c)
	if !ok {
		return r.Run(ctx, task)
	}
	dir := filepath.Join(p.Plan.Forks.Study, benchmarks.RunsName, at.Episode)
	was, err := trajectories.ReadHeader(dir)
	if err != nil {
		return trajectories.RunResult{}, &cellError{fmt.Errorf("forking: %w", err)}
	}
	return r.Fork(ctx, runner.ForkPoint{Dir: dir, Step: at.Step, Moved: moved(was.Task.URL, task.URL)})
}

// moved are the parts of the address was that are others in now, each before what it is there. A server on
// this machine may be called localhost too.
func moved(was, now string) []string {
	a, err := url.Parse(was)
	b, err2 := url.Parse(now)
	if err != nil || err2 != nil {
		return nil
	}
	var out []string
	if a.Host != b.Host {
		out = append(out, a.Host, b.Host)
		if a.Hostname() == b.Hostname() {
			out = append(out, net.JoinHostPort("localhost", a.Port()),
				net.JoinHostPort("localhost", b.Port()))
		}
	}
	from, to := strings.TrimSuffix(a.Path, "/"), strings.TrimSuffix(b.Path, "/")
	if from != to && from != "" {
		out = append(out, from, to)
	}
	return out
}

// begun is what the journal of a fork says of its beginning at the point.
func begun(t *trajectories.Trajectory, at benchmarks.ForkPoint) *benchmarks.Forked {
	f := &benchmarks.Forked{Step: at.Step, Gate: at.Gate, Code: at.Code}
	before := at.Step - 1
	i := len(t.Events) - 1
	for ; i >= 0; i-- {
		e := t.Events[i]
		if e.Kind == trajectories.ResumeEvent && e.Step == before && e.After != nil {
			break
		}
	}
	if i < 0 {
		f.Lost = []benchmarks.ForkLoss{benchmarks.LostOpening}
		return f
	}
	f.Lost = lostAt(t, before, &t.Events[i])
	if len(t.Steps) > before {
		r, ok := intervened(&t.Steps[before])
		f.Again = ok && r.Gate == at.Gate && r.Reason == at.Code
	}
	return f
}

// lostAt is what the resumption e after so many steps did not restore.
func lostAt(t *trajectories.Trajectory, steps int, e *trajectories.Event) []benchmarks.ForkLoss {
	if e.Restored == nil {
		return []benchmarks.ForkLoss{benchmarks.LostCheckpoint}
	}
	var out []benchmarks.ForkLoss
	for _, facet := range cua.Facets() {
		if e.Restored.Facets[facet] != cua.WasRestored {
			out = append(out, benchmarks.ForkLoss(facet))
		}
	}
	h := t.HistoryAt(steps)
	h.Resumed = h.Resumed[:len(h.Resumed)-1] // that of e is the newest
	churn := h.Churn()
	if len(out) == 0 && cua.Node(h.Now(), churn) != cua.Node(*e.After, churn) {
		out = append(out, benchmarks.LostPage)
	}
	return out
}
