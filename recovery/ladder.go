package recovery

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// LadderConfig holds the bounds of the rungs.
type LadderConfig struct {
	// RetargetPx is how far beside an element a click may land to be brought home to it, CSS px:
	// about the width of a fingertip.
	RetargetPx float64 `json:"retarget_px"`
	// Misses is how many clicks in a row beside one element, all in vain, bring the next one home to it before
	// any signal holds; 0 waits for the signal. Two, as for clicks high on the page (spec: recovery, top_click_guard).
	// As many presses of a control that the brain's words do not name bring the next one to the one that they name.
	Misses int `json:"misses"`
	// StaleMS is how much waiting for a page that shows nothing new makes it stale, ms.
	StaleMS int `json:"stale_ms"`
	// Rewinds is how often an incident may be rewound, by whomever.
	Rewinds int `json:"rewinds"`
	// Tries is how often one rung may be used in an incident while it has effects: effects
	// that do not lead out of an incident are part of it.
	Tries int `json:"tries"`
}

// Ladder goes on where the narrow rules of loop recovery have been tried or none of them fits: one rung
// for each firing, in the order of the spec, each at most once in an incident unless it had an effect.
// It is asked last.
type Ladder struct {
	Config LadderConfig
	// Rungs are those that are switched on.
	Rungs []cua.Reason
	// PlacePx is how far from a place of the loop another one may lie and still continue it, CSS
	// px, where no element was identified.
	PlacePx float64
	// Stop says when the last rungs may be used: as late as the breaker.
	Stop Stop
	// GiveUp says what comes with the last rung.
	GiveUp GiveUp
}

// rung is one way on. It is pure.
type rung struct {
	reason cua.Reason
	// late rungs give something up, and wait until the episode would be stopped otherwise.
	late bool
	// stall says that it helps against waiting too.
	stall bool
	try   func(g Ladder, t *cua.Turn, p cua.Proposal) (substitute, bool)
}

// ladder are all rungs in their order.
func ladder() []rung {
	return []rung{
		{reason: cua.DismissOverlay, try: Ladder.dismiss},
		{reason: cua.ScrollIntoView, try: Ladder.scroll},
		{reason: cua.RetargetClick, try: Ladder.retarget},
		{reason: cua.UseControl, try: Ladder.control},
		{reason: cua.PressSubmit, try: Ladder.pressSubmit},
		{reason: cua.ReloadPage, stall: true, try: Ladder.reload},
		{reason: cua.RewindReason, late: true, try: Ladder.rewind},
		{reason: cua.AskUser, late: true, try: Ladder.ask},
	}
}

// Rungs lists the codes of all rungs in their order.
func Rungs() []cua.Reason {
	var out []cua.Reason
	for _, r := range ladder() {
		out = append(out, r.reason)
	}
	return out
}

// LadderName is the gate's.
const LadderName = "ladder"

// Name is "ladder".
func (Ladder) Name() string { return LadderName }

// Review replaces by the first rung that fits, and stops the episode by the last one. The ruling's
// Reason is a cua.Reason.
func (g Ladder) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil || !moves(p.Action.Kind) {
		return pass(g.Name())
	}
	evidence, waiting := g.continued(t, p)
	due := g.Stop.due(t)
	if due != nil && due.Shape == cua.ShapeStall { // against waiting there is the reload alone
		due = nil
	}
	var missed []int
	if evidence == nil && t.Now.Dialog == nil {
		missed = g.misses(t, p)
	}
	for _, r := range ladder() {
		why := evidence
		switch {
		case !slices.Contains(g.Rungs, r.reason):
			continue
		case r.reason == cua.RetargetClick && missed != nil:
			why = missed
		case r.late && due == nil, !r.late && (evidence == nil || t.Now.Dialog != nil || waiting && !r.stall):
			continue
		case r.late:
			why = append([]int{}, due.Evidence...)
		}
		if spent(t, r.reason) || g.usedUp(t, r.reason) {
			continue
		}
		s, ok := g.climb(r, t, p)
		if !ok {
			continue
		}
		out := cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: string(r.reason), Action: &s.action, Detail: s.detail, Evidence: why}
		if r.reason == cua.AskUser {
			out = g.last(t, due, s, out)
		}
		return out
	}
	return pass(g.Name())
}

// last is the ruling of the last rung: the policy for unattended runs may go back instead, as the rung before
// it would have.
func (g Ladder) last(t *cua.Turn, due *cua.Signal, s substitute, out cua.Ruling) cua.Ruling {
	if back, ok := g.GiveUp.back(t, due); ok && g.rewinds(t) < g.Config.Rewinds && !spent(t, cua.RewindReason) {
		out.Reason, out.Action, out.Detail = string(cua.RewindReason), &back.action, back.detail
		return out
	}
	out.Action, out.Verdict, out.End = nil, g.GiveUp.verdict(), s.end
	return out
}

// climb tries the rung on what p is aimed at, else on what it was meant for: a click that lands beside an
// element in vain means that element, whatever else is wrong with it.
func (g Ladder) climb(r rung, t *cua.Turn, p cua.Proposal) (substitute, bool) {
	if s, ok := r.try(g, t, p); ok && !inVain(t, s.action) && !leadsRound(t, s.action) {
		return s, true
	}
	if r.late {
		return substitute{}, false
	}
	meant, ok := g.meant(t, p)
	if !ok {
		return substitute{}, false
	}
	s, ok := r.try(g, t, meant)
	return s, ok && !inVain(t, s.action) && !leadsRound(t, s.action)
}

// meant is p aimed at the element that its press lands beside, covered ones included; false where it
// lands on one, or beside none.
func (g Ladder) meant(t *cua.Turn, p cua.Proposal) (cua.Proposal, bool) {
	m := g.beside(t, p, true)
	if m == nil {
		return p, false
	}
	p.Target = cua.Target{ID: m.ID, Role: m.Role, Name: m.Name, Tag: m.Tag, Type: m.Type, Frame: m.Frame, Form: m.Form, Box: m.Box,
		Submit: m.Submit, Disabled: m.Disabled, Idle: p.Target.Idle}
	if m.Covered { // by what is not known: by anything in sight
		p.Target.Covering = &cua.Covering{Box: cua.Box{W: float64(t.Now.Viewport.W), H: float64(t.Now.Viewport.H)}}
	}
	return p, true
}

// moves says whether the ladder has anything to say about actions of that kind: what ends or
// undoes is a way out, and what only looks is none of its business.
func moves(k cua.Kind) bool {
	return !k.Ends() && !k.ReadOnly() && k != cua.Rewind && k != cua.AnswerDlg
}

// usedUp says whether reason has had its tries in this incident.
func (g Ladder) usedUp(t *cua.Turn, reason cua.Reason) bool {
	if t.Incident == nil {
		return false
	}
	n := 0
	for _, a := range t.Incident.Tried {
		if a.Reason == reason {
			n++
		}
	}
	return n >= g.Config.Tries
}

// continued are the evidence steps of the first signal that holds and that p continues; nil when
// there is none. waiting says that it is a stall: p is one more wait.
func (g Ladder) continued(t *cua.Turn, p cua.Proposal) (evidence []int, waiting bool) {
	for _, s := range t.Signals {
		if !s.Level.AtLeast(cua.Soft) || !g.continues(t.History, s, p) {
			continue
		}
		return append([]int{}, s.Evidence...), s.Shape == cua.ShapeStall
	}
	return nil, false
}

// continues says whether p is more of what s is about.
func (g Ladder) continues(h cua.History, s cua.Signal, p cua.Proposal) bool {
	wait := p.Action.Kind == cua.Wait
	switch s.Shape {
	case cua.ShapeFailures: // the mistake tracker's
		return false
	case cua.ShapeStall:
		return wait
	case cua.ShapeFrozen: // whatever the actions
		return !wait
	}
	return sameAgain(h, s, p) || !wait && samePlace(h, s, p, g.PlacePx)
}
