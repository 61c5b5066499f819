package recovery

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// DoneConfig holds the windows of the done gate.
type DoneConfig struct {
	// Waits is how many last steps, all waits without change, make a done unbelievable.
	Waits int `json:"waits"`
	// Window is how many last acting steps must hold one effect at least; of fewer, one must have
	// had one.
	Window int `json:"window"`
	// MaxRefusals is how many dones are refused before the next one that would be ends the
	// episode as done_unverified.
	MaxRefusals int `json:"max_refusals"`
}

// Done refuses a done that claims success too early (spec: recovery, done-acceptance gate).
// The codes are asked in the order of cua.DoneCodes. A done with success=false is never
// refused, and a task's own validator is never asked.
type Done struct{ Config DoneConfig }

// Name is "done".
func (Done) Name() string { return "done" }

// Review refuses with the first code that applies. After MaxRefusals refusals it halts with
// EndDoneUnverified instead.
func (g Done) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil || p.Action.Kind != cua.Done || !p.Action.Success {
		return pass(g.Name())
	}
	code, detail, evidence := g.fault(t, p)
	if code == "" {
		return pass(g.Name())
	}
	r := cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: string(code), Detail: "done was not accepted: " + detail, Evidence: evidence}
	refused := 0
	for _, s := range fresh(t.History) {
		if s.DoneRejected != "" {
			refused++
		}
	}
	if refused >= g.Config.MaxRefusals {
		r.Verdict, r.End = cua.Halt, cua.EndDoneUnverified
		r.Detail = fmt.Sprintf("done was claimed again after %d refusals: %s", refused, detail)
	}
	return r
}

func (g Done) fault(t *cua.Turn, p cua.Proposal) (code cua.DoneCode, detail string, evidence []int) {
	if strings.TrimSpace(p.Action.Text) == "" {
		return cua.EmptySummary, "the answer is empty; say what was done", nil
	}
	if n := len(t.Task.Plan); n > 0 && !holds(t.Task.Plan[n-1], t.Now) {
		return cua.PlanStepsIncomplete, fmt.Sprintf("the last step of the plan does not show yet: %s", line(t.Task.Plan[n-1].Text)), nil
	}
	if pending := t.Form.Pending(); len(pending) > 0 {
		var labels []string
		for _, v := range pending {
			labels = append(labels, line(v.Label))
		}
		return cua.PendingFormValues, fmt.Sprintf("%d planned values are not in the page yet: %s", len(pending), strings.Join(labels, ", ")), nil
	}
	if detail, evidence := formShowsError(t); detail != "" {
		return cua.FormShowsError, detail, evidence
	}
	for _, name := range t.Task.OutputFields {
		if w := words(name); strings.TrimSpace(w) != "" && !strings.Contains(words(p.Action.Text), w) {
			return cua.SummaryMissingRequiredFields, fmt.Sprintf("the answer does not say %q", line(name)), nil
		}
	}
	if evidence := g.waitedWithoutChange(t); evidence != nil {
		return cua.NoObservedDeltaAfterWaits, fmt.Sprintf("the last %d steps waited and nothing changed", g.Config.Waits), evidence
	}
	if detail, evidence := g.noProgress(t); detail != "" {
		return cua.NoProgressInWindow, detail, evidence
	}
	if what := changedSince(t, p); what != "" {
		return cua.StaleDone, "the page has changed since it was shown (" + what + "); look at it again", nil
	}
	return "", "", nil
}

// noProgress says that the last Window acting steps had no effect; "" when one had, or when all was
// sent. Nor is a done believed where fewer were made and not one of them had an effect: then
// nothing has been done. But what was asked may have been there to be read, and a click beside it harmless, so
// that ground is held against the first done alone; a brain that has looked again and insists is believed.
func (g Done) noProgress(t *cua.Turn) (detail string, evidence []int) {
	run := t.Evidence.Acting
	switch {
	case sent(t):
		return "", nil
	case idle(run, g.Config.Window):
		return fmt.Sprintf("none of the last %d actions had an effect", g.Config.Window), numbers(run, g.Config.Window)
	case len(run) == 0 || len(run) >= g.Config.Window || !idle(run, len(run)):
		return "", nil
	case slices.ContainsFunc(fresh(t.History), func(s cua.Step) bool { return s.DoneRejected != "" }):
		return "", nil
	}
	return "nothing that was done so far had an effect; look at the page again", numbers(run, len(run))
}

// sent says that all that was planned is in, was sent and was answered well. Presses in vain after that
// do not undo it, and a done that is refused for them would only bring more of them.
func sent(t *cua.Turn) bool {
	return t.Form.AllLanded() && slices.ContainsFunc(cua.Live(fresh(t.History)), func(s cua.Step) bool {
		return slices.ContainsFunc(s.After.Writes, cua.Write.OK)
	})
}

// holds says whether the condition of a plan step shows on the page.
func holds(s cua.PlanStep, o cua.Observation) bool {
	return strings.Contains(o.URL, s.URL) && strings.Contains(strings.ToLower(o.Title), strings.ToLower(s.Title))
}

// waitedWithoutChange are the last Waits steps when all of them waited and nothing changed; nil otherwise.
func (g Done) waitedWithoutChange(t *cua.Turn) []int {
	samples := t.Evidence.Samples[t.History.Fresh():]
	n := g.Config.Waits
	if len(samples) < n {
		return nil
	}
	last := samples[len(samples)-n:]
	for _, s := range last {
		waited := s.Step.Action != nil && s.Step.Action.Kind == cua.Wait
		if !waited || s.Progress || s.Before != s.After {
			return nil
		}
	}
	return numbers(last, n)
}

// changedSince names what changed between the turn and now and is not churn; "" is nothing. The
// interval under review counts towards churn: what moves by itself is known after two.
func changedSince(t *cua.Turn, p cua.Proposal) string {
	idle := p.Target.Idle
	if len(idle.Changes) > 0 {
		var names []string
		for _, c := range idle.Changes {
			names = append(names, string(c))
		}
		return strings.Join(names, ", ")
	}
	h := t.History
	h.Steps = append(slices.Clone(h.Steps), cua.Step{N: t.Number, Target: p.Target, After: t.Now})
	churn := h.Churn()
	for _, part := range idle.Parts {
		if slices.Contains(idle.Caused, part) || !churn.Parts[part] {
			return "part " + line(part)
		}
	}
	for _, tile := range idle.Tiles {
		if !churn.Tiles[tile] && !ambientTile(t.Now, tile) {
			return "pixels"
		}
	}
	return ""
}

// ambientTile says whether the tile touches a place that is known to move by itself.
func ambientTile(o cua.Observation, tile int) bool {
	cols := int(math.Ceil(float64(o.Viewport.W) / cua.TileSize))
	box := cua.TileDiff{Cols: cols}.TileBox(tile)
	return slices.ContainsFunc(o.Ambient.Boxes, box.Overlaps)
}
