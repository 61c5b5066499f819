package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// maxPictures is about how many bytes of steps and frames a page in one file holds; after that it has no
// frames.
const maxPictures = 13 << 20

// maxCards is about how many bytes of steps it holds beside these; episodes beyond it are one line and a link
// to their journals. A study of many arms and faults would be a page that no browser opens gladly.
const maxCards = 12 << 20

// maxEpisode is about how many bytes of steps beside their frames one episode has: a page of forty stays
// below two megabytes.
const maxEpisode = 42 << 10

// film is one task's episodes under one seed, arm by arm.
type film struct {
	Task, Goal string
	Episodes   []filmEpisode
}

type filmEpisode struct {
	box
	// Fault is "" where the study has one brain.
	ID, Arm, Fault, Episode, End, Recovered, Detail string
	Steps                                           int
	// Stuck is what its incidents cost, in words; "" when there was none.
	Stuck string
	// Left says which steps have no card. Journal is where all of them are, where none has one.
	Left    string
	Journal string
	Cards   template.HTML
}

// shoot makes the films of the first seed.
func (p *reportPage) shoot(s *benchmarks.Study, rep Report) error {
	c := camera{reportPage: p, embedded: map[string]bool{}}
	first := first(rep.Plan)
	for _, r := range rep.Results {
		d := benchmarks.Draw{Seed: r.Seed, Repeat: r.Repeat}
		if d != first[r.Task] {
			continue
		}
		t, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			p.Unread = append(p.Unread, err.Error())
			continue
		}
		t.Incidents = runner.Incidents(t, runner.DefaultConfig())
		e := filmEpisode{box: cellBox(r, true, d), ID: anchor(r.Episode), Arm: r.Arm, Fault: r.Fault,
			Episode: r.Episode, End: string(r.End), Steps: r.Steps, Detail: r.Detail}
		if err := c.cards(&e, r, t); err != nil {
			return err
		}
		if t.End != nil && t.End.Answer != "" {
			e.Detail = t.End.Answer
		}
		e.Recovered = recovered(r)
		if len(t.Incidents) > 0 {
			p := trajectories.PriceOf(t.Incidents)
			e.Stuck = p.Words(len(t.Steps)) + " (" + p.OutcomeWords() + ")"
		}
		p.add(e, r.Task, t.Header.Task.Goal)
	}
	p.order(rep.Plan)
	return nil
}

// add puts e into the film of its task.
func (p *reportPage) add(e filmEpisode, task, goal string) {
	i := slices.IndexFunc(p.Films, func(f film) bool { return f.Task == task })
	if i < 0 {
		i = len(p.Films)
		p.Films = append(p.Films, film{Task: task, Goal: goal})
	}
	p.Films[i].Episodes = append(p.Films[i].Episodes, e)
}

// camera makes the cards of steps as long as there is room for them.
type camera struct {
	*reportPage
	embedded   map[string]bool // frames, by their names
	held, bare int             // bytes: all, and those of steps without frames
}

// cards gives e its cards, or says where its journal is.
func (c *camera) cards(e *filmEpisode, r benchmarks.Result, t *trajectories.Trajectory) (err error) {
	if c.bare >= maxCards {
		c.Bare++
		e.Journal = c.journal(r)
		return nil
	}
	o := show.CardOptions{Anchor: anchor(r.Episode), Embedded: c.embedded}
	o.NoFrames = c.SingleFile && c.held > maxPictures
	if o.NoFrames {
		c.Omitted++
	}
	if !c.SingleFile {
		folder := c.episode(r) + trajectories.BlobsDir + "/"
		o.Link = func(sha string) string { return folder + sha }
	}
	if e.Cards, e.Left, err = steps(t, o); err != nil {
		return err
	}
	c.held += len(e.Cards)
	if o.Link != nil || o.NoFrames {
		c.bare += len(e.Cards)
	}
	return nil
}

// steps are the cards of the steps that tell most, fewer where they are long, and in words which have none.
func steps(t *trajectories.Trajectory, o show.CardOptions) (cards template.HTML, left string,
	err error) {
	for most := mostSteps; ; most /= 2 {
		only, quiet, more := telling(t, most)
		o.Only, left = only, leftOut(len(t.Steps), quiet, more, most)
		cards, err = show.Cards(t, o)
		if err != nil || o.Link == nil || len(cards) <= maxEpisode || most <= 2 {
			return cards, left, err
		}
	}
}

// first is each task's first seed, whose episodes are shown step by step.
func first(p benchmarks.Plan) map[string]benchmarks.Draw {
	tasks, err := p.Played()
	if err != nil {
		return nil // of a plan that was not validated
	}
	out := map[string]benchmarks.Draw{}
	for _, t := range tasks {
		out[t.Name] = p.Draws(t)[0]
	}
	return out
}

// Long episodes show their first and last steps, those on which something was ruled, said or
// went wrong, and those that an incident began and ended with: thirty equal clicks tell no more
// than eight. At most the first mostSteps of all these are shown, and the last steps.
const (
	firstSteps = 8
	lastSteps  = 3
	mostSteps  = 16
)

// telling says which steps get a card: the last, and the first most of those that tell something. quiet
// counts the steps that tell nothing, more those beyond most.
func telling(t *trajectories.Trajectory, most int) (only func(*cua.Step) bool, quiet, more int) {
	n := len(t.Steps)
	inShadow := trajectories.ShadowSteps(t)
	tells := func(s *cua.Step) bool {
		_, ruled := s.Ruled()
		return s.N <= firstSteps || ruled || inShadow[s.N] || s.Failure != nil || len(s.Notes) > 0 ||
			slices.ContainsFunc(t.Incidents, func(in cua.Incident) bool {
				return s.N == in.First ||
					s.N == in.Last
			})
	}
	shown := map[int]bool{}
	for i := range t.Steps {
		switch s := &t.Steps[i]; {
		case s.N > n-lastSteps, tells(s) && len(shown) < most:
			shown[s.N] = true
		case tells(s):
			more++
		default:
			quiet++
		}
	}
	return func(s *cua.Step) bool { return shown[s.N] }, quiet, more
}

// leftOut says which steps have no card; "" is none.
func leftOut(n, quiet, more, most int) string {
	switch {
	case more > 0:
		return fmt.Sprintf("Of %d steps the first %d that tell something are shown, and the last", n, most)
	case quiet == 1:
		return "1 step on which nothing was ruled and nothing failed is left out"
	case quiet > 1:
		return fmt.Sprintf("%d steps on which nothing was ruled and nothing failed are left out", quiet)
	}
	return ""
}

// order puts the episodes of each film into the plan's order of faults and arms: they were played in turns.
func (p *reportPage) order(plan benchmarks.Plan) {
	arms := map[string]int{}
	for i, a := range plan.Arms {
		arms[a.Name] = i
	}
	faults := map[string]int{}
	for i, f := range plan.Brains() {
		faults[f] = i
	}
	for _, f := range p.Films {
		slices.SortStableFunc(f.Episodes, func(a, b filmEpisode) int {
			return cmp.Or(faults[a.Fault]-faults[b.Fault], arms[a.Arm]-arms[b.Arm])
		})
	}
}
