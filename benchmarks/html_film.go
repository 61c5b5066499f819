package benchmarks

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// maxPictures is about how many bytes of frames the report holds; episodes beyond it are shown
// without pictures.
const maxPictures = 13 << 20

// maxCards is about how many bytes of steps the report holds beside their frames; episodes beyond it are
// one line and a link to their journals. A study of many arms and faults would be a page that no browser opens gladly.
const maxCards = 12 << 20

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
	// Quiet is how many steps have no card. Journal is where all of them are, where none has one.
	Quiet   int
	Journal string
	Cards   template.HTML
}

// shoot makes the films of the first seed and returns the style that holds their frames.
func (p *reportPage) shoot(s *Study, rep Report) (template.CSS, error) {
	var style strings.Builder
	embedded := map[string]bool{}
	films := map[string]int{}
	held := 0
	first := rep.Plan.first()
	for _, r := range rep.Results {
		d := draw{r.Seed, r.Repeat}
		if d != first[r.Task] {
			continue
		}
		t, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			p.Unread = append(p.Unread, err.Error())
			continue
		}
		t.Incidents = runner.Incidents(t, runner.DefaultConfig())
		e := filmEpisode{box: cellBox(r, true, d), ID: anchor(r.Episode), Arm: r.Arm, Fault: r.Fault, Episode: r.Episode, End: string(r.End), Steps: r.Steps, Detail: r.Detail}
		if held < maxCards {
			full := style.Len() > maxPictures
			if full {
				p.Omitted++
			}
			var only func(*cua.Step) bool
			only, e.Quiet = telling(t)
			cards, frames, err := trajectories.Cards(t, trajectories.CardOptions{Only: only, Anchor: anchor(r.Episode), Embedded: embedded, NoFrames: full})
			if err != nil {
				return "", err
			}
			style.WriteString(string(frames))
			e.Cards = cards
			held += len(cards)
		} else {
			p.Bare++
			e.Journal = journalLink(r)
		}
		i, ok := films[r.Task]
		if !ok {
			i = len(p.Films)
			films[r.Task] = i
			p.Films = append(p.Films, film{Task: r.Task, Goal: t.Header.Task.Goal})
		}
		if t.End != nil && t.End.Answer != "" {
			e.Detail = t.End.Answer
		}
		e.Recovered = recovered(r)
		if len(t.Incidents) > 0 {
			p := trajectories.PriceOf(t.Incidents)
			e.Stuck = p.Words(len(t.Steps)) + " (" + p.OutcomeWords() + ")"
		}
		p.Films[i].Episodes = append(p.Films[i].Episodes, e)
	}
	p.order(rep.Plan)
	return template.CSS(style.String()), nil
}

// first is each task's first seed, whose episodes are shown step by step.
func (p Plan) first() map[string]draw {
	tasks, err := p.tasks()
	if err != nil {
		return nil // of a plan that was not validated
	}
	out := map[string]draw{}
	for _, t := range tasks {
		out[t.Name] = p.draws(t)[0]
	}
	return out
}

// Long episodes show their first and last steps, those on which something was ruled, said or
// went wrong, and those that an incident began and ended with: thirty equal clicks tell no more
// than eight.
const (
	firstSteps = 8
	lastSteps  = 3
)

// telling says which steps get a card, and how many get none.
func telling(t *trajectories.Trajectory) (only func(*cua.Step) bool, quiet int) {
	n := len(t.Steps)
	inShadow := trajectories.ShadowSteps(t)
	only = func(s *cua.Step) bool {
		_, ruled := s.Ruled()
		return s.N <= firstSteps || s.N > n-lastSteps || ruled || inShadow[s.N] || s.Failure != nil || len(s.Notes) > 0 ||
			slices.ContainsFunc(t.Incidents, func(in cua.Incident) bool { return s.N == in.First || s.N == in.Last })
	}
	for i := range t.Steps {
		if !only(&t.Steps[i]) {
			quiet++
		}
	}
	return only, quiet
}

// order puts the episodes of each film into the plan's order of faults and arms: they were played in turns.
func (p *reportPage) order(plan Plan) {
	arms := map[string]int{}
	for i, a := range plan.Arms {
		arms[a.Name] = i
	}
	faults := map[string]int{}
	for i, f := range plan.faults() {
		faults[f] = i
	}
	for _, f := range p.Films {
		slices.SortStableFunc(f.Episodes, func(a, b filmEpisode) int {
			return cmp.Or(faults[a.Fault]-faults[b.Fault], arms[a.Arm]-arms[b.Arm])
		})
	}
}
