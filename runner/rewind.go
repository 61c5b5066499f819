package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/trajectories"
)

// CheckpointConfig says what is stored for rewinds.
type CheckpointConfig struct {
	// State stores checkpoints under state/ in the run folder. Without it no rewind is possible.
	State bool `json:"state"`
	// Max is how many checkpoints are kept besides the pinned ones; the oldest is dropped first. 1 to 10,000.
	Max int `json:"max"`
	// Pin are the steps whose checkpoints are never dropped.
	Pin []int `json:"pin,omitzero"`
}

// defaultCheckpoints is the config of the arm default: no rewind was seen to go back further than a hundred.
func defaultCheckpoints() CheckpointConfig { return CheckpointConfig{State: true, Max: 100} }

// Validate reports the first value that is out of range.
func (c CheckpointConfig) Validate() error {
	if c.Max < 1 || c.Max > 10_000 {
		return fmt.Errorf("checkpoints.max must be 1 to 10000, not %d", c.Max)
	}
	for _, n := range c.Pin {
		if n < 1 {
			return fmt.Errorf("checkpoints.pin: steps count from 1, not %d", n)
		}
	}
	return nil
}

// keepCheckpoint stores the page state that a rewind to o would restore, and leaves its name in o. The oldest
// checkpoints that are not pinned are dropped.
func (e *episode) keepCheckpoint(o *cua.Observation) error {
	p := o.State
	o.State, o.Checkpoint = nil, ""
	if p == nil || !e.cfg.Checkpoints.State {
		return nil
	}
	p.FrameSHA, p.FormDigest, p.DOMDigest = o.FrameSHA, o.FormDigest, o.DOMDigest
	var err error
	if o.Checkpoint, err = e.journal.State(p); err != nil {
		return err
	}
	for _, name := range expired(e.history, o.Checkpoint, e.cfg.Checkpoints) {
		if e.dropped[name] {
			continue
		}
		if err := e.journal.DropState(name); err != nil {
			return err
		}
		if e.dropped == nil {
			e.dropped = map[string]bool{}
		}
		e.dropped[name] = true
	}
	delete(e.dropped, o.Checkpoint)
	return nil
}

// checkpoints are the names in the order in which they were taken, without repetitions in a row. newest is
// that of the observation that is not in h yet.
func checkpoints(h cua.History, newest string) []string {
	var out []string
	add := func(name string) {
		if name != "" && (len(out) == 0 || out[len(out)-1] != name) {
			out = append(out, name)
		}
	}
	for i := range len(h.Steps) {
		add(h.Before(i).Checkpoint)
		add(h.Steps[i].After.Checkpoint)
	}
	add(h.Now().Checkpoint)
	add(newest)
	return out
}

// expired are the names of the checkpoints to drop. It is a function of the history, so nothing else needs to
// be stored.
func expired(h cua.History, newest string, c CheckpointConfig) []string {
	all := checkpoints(h, newest)
	if len(all) <= c.Max {
		return nil
	}
	stays := map[string]bool{}
	for _, n := range c.Pin {
		if n <= len(h.Steps)+1 {
			stays[h.Before(n-1).Checkpoint] = true
		}
	}
	room := c.Max
	var out []string
	for _, name := range slices.Backward(all) {
		switch {
		case stays[name]:
		case room > 0:
			room--
			stays[name] = true
		default:
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// defaultFacets are what a rewind restores by default: all but the cookies, which keep a person signed in.
func defaultFacets() []string {
	return slices.DeleteFunc(cua.Facets(), func(f string) bool { return f == cua.FacetCookies })
}

// rewind restores the page as it was before the action's step, as far as a browser can, and reports the
// result.
func (e *episode) rewind(ctx context.Context, w *work) (cua.Outcome, error) {
	a := *w.step.Action
	page, no := e.snapshot(a.Step)
	if no != nil {
		w.step.Restored = &no.Restored
		return cua.Outcome{After: unchanged(w.turn.Now), Failure: &cua.Failure{Kind: cua.FailExec,
			Detail: no.detail}}, nil
	}
	before := e.history.Before(a.Step - 1)
	asked := a.Facets
	if len(asked) == 0 {
		asked = defaultFacets()
	}
	out, err := e.env.Restore(ctx, cua.Checkpoint{Step: a.Step, URL: before.URL, State: before.Checkpoint,
		Page: page}, asked)
	if err != nil {
		return out, err
	}
	r := cua.NewRestored(a.Step, out.Facets, asked, e.history.Sent(a.Step))
	if out.Failure != nil {
		r.OK = cua.RestoredNone
	} else if r.Facets[cua.FacetURL] != cua.Drifted { // at another address the steps since are not undone
		w.step.RewoundTo = a.Step
	}
	w.step.Restored = &r
	return out, nil
}

// refusal is why a rewind is not possible.
type refusal struct {
	cua.Restored
	detail string
}

// snapshot is the page state before step n, or why there is none.
func (e *episode) snapshot(n int) (*cua.PageState, *refusal) {
	refuse := func(r cua.Restored, format string, args ...any) (*cua.PageState, *refusal) {
		r.OK = cua.RestoredNone
		return nil, &refusal{r, "rewind: " + fmt.Sprintf(format, args...)}
	}
	if !slices.ContainsFunc(cua.Live(e.history.Steps), func(s cua.Step) bool { return s.N == n }) {
		why := "has not happened"
		if n <= len(e.history.Steps) {
			why = "was gone back past already"
		}
		return refuse(cua.Restored{Error: cua.NoSnapshot}, "step %d %s", n, why)
	}
	name := e.history.Before(n - 1).Checkpoint
	page, err := trajectories.ReadState(e.dir, name)
	switch {
	case name == "":
		return refuse(cua.Restored{Error: cua.NoSnapshot}, "there is no checkpoint taken before step %d", n)
	case err != nil && slices.Contains(expired(e.history, "", e.cfg.Checkpoints), name):
		oldest := e.oldest()
		return refuse(cua.Restored{Error: cua.SnapshotExpired, OldestAvailable: oldest},
			"the checkpoint taken before step %d had to make room; the oldest is the one before step %d", n,
			oldest)
	case err != nil:
		return refuse(cua.Restored{Error: cua.NoSnapshot}, "the checkpoint of step %d cannot be read", n)
	}
	return page, nil
}

// oldest is the oldest step that can be undone; 0 is none.
func (e *episode) oldest() int {
	for _, s := range cua.Live(e.history.Steps) {
		if e.journal.HasState(e.history.Before(s.N - 1).Checkpoint) {
			return s.N
		}
	}
	return 0
}

// fenced is the result of a rewind that the policy refused; nil for other rulings.
func fenced(p cua.Proposal, r cua.Ruling) *cua.Restored {
	if p.Action.Kind != cua.Rewind || r.Reason != recovery.ReasonFence || len(r.Evidence) == 0 {
		return nil
	}
	return &cua.Restored{OK: cua.RestoredNone, Error: cua.IrreversibleFence, Step: r.Evidence[0]}
}

// rewound is the result of a rewind in words for the brain; "" is none.
func rewound(s *cua.Step) string {
	r := s.Restored
	if r == nil || r.ToStep == 0 || s.Failure != nil {
		return ""
	}
	says := []string{fmt.Sprintf("the page is as it was before step %d", r.ToStep)}
	if r.OK != cua.RestoredAll {
		says[0] = fmt.Sprintf("the page is only in part as it was before step %d", r.ToStep)
	}
	for _, w := range []struct{ word, words string }{{cua.WasRestored, "restored"},
		{cua.Drifted, "not as before"},
		{cua.Unsupported, "could not be restored"}, {cua.Kept, "left as it is"}} {
		if list := r.By(w.word); len(list) > 0 {
			says = append(says, w.words+": "+strings.Join(list, ", "))
		}
	}
	if len(r.Crossed) > 0 {
		says = append(says, "the server still has what was sent at step "+strings.Trim(fmt.Sprint(r.Crossed),
			"[]")+": do not send it again")
	}
	return strings.Join(says, "; ")
}

// refusal is why q is refused; nil if it can be tried.
func (e *episode) refusal(q RewindRequest) *refusal {
	if _, no := e.snapshot(q.Step); no != nil {
		return no
	}
	if sent := e.history.Sent(q.Step); len(sent) > 0 && !q.Consent && !e.cfg.Recovery.Policy.AllowCrossing {
		return &refusal{cua.Restored{OK: cua.RestoredNone, Error: cua.IrreversibleFence, Step: sent[0]},
			"rewind: a step since sent something that the server keeps"}
	}
	return nil
}

// newest is the number of the newest live step that acted on the page; 0 is none.
func (e *episode) newest() int {
	for _, s := range slices.Backward(cua.Live(e.history.Steps)) {
		if s.Acting() && s.Action.Kind != cua.Rewind {
			return s.N
		}
	}
	return 0
}
