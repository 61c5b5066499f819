package trajectories

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// SentinelKind names what people are told of an episode and no model ever is.
type SentinelKind string

// The kinds (docs/memory.md#sentinels).
const (
	// LoopNudge: a nudge was delivered.
	LoopNudge SentinelKind = "loop_nudge"
	// ActionSubstituted: something else was dispatched than the brain asked for.
	ActionSubstituted SentinelKind = "action_substituted"
	// ActionRefused: what the brain asked for was not dispatched.
	ActionRefused SentinelKind = "action_refused"
	// DoneRejected: a done was not believed.
	DoneRejected SentinelKind = "done_rejected"
	// RewindSentinel: the episode went back.
	RewindSentinel SentinelKind = "rewind"
	// SpiralPause: the episode was paused, or asked, because it was stuck.
	SpiralPause SentinelKind = "spiral_pause"
	// MistakeRecovery: three failures in a row were spoken of, or ended the episode (Escalated).
	MistakeRecovery SentinelKind = "mistake_recovery"
	// DoomLoop: the episode was stopped in a loop.
	DoomLoop SentinelKind = "doom_loop"
	// CapHit: steps, time, tokens or cost ran out.
	CapHit SentinelKind = "cap_hit"
	// Takeover: a person acted on the page.
	Takeover SentinelKind = "takeover"
	// LessonCaptured: a lesson was kept.
	LessonCaptured SentinelKind = "lesson_captured"
)

// SentinelKinds lists the kinds in that order.
func SentinelKinds() []SentinelKind {
	return []SentinelKind{LoopNudge, ActionSubstituted, ActionRefused, DoneRejected, RewindSentinel,
		SpiralPause, MistakeRecovery, DoomLoop, CapHit, Takeover, LessonCaptured}
}

// Sentinel is one thing that a person watching would want to know. It is a view of the records and is
// stored nowhere, so it cannot disagree with them; brains are shown turns, which hold none.
type Sentinel struct {
	Kind SentinelKind `json:"kind"`
	// Step is the step that it came with, for an end or an event the last one before it; 0 is before the
	// first.
	Step int `json:"step"`
	// Reason is the code of what ruled, ended or happened; "" is none.
	Reason string `json:"reason,omitzero"`
	// Escalated says of a mistake_recovery that it ended the episode.
	Escalated bool `json:"escalated,omitzero"`
	// FailureKinds are those of the failed steps of a mistake_recovery, each once, in the order in which they
	// came; Count is how many steps failed.
	FailureKinds []cua.FailureKind `json:"failure_kinds,omitzero"`
	Count        int               `json:"count,omitzero"`
	// Evidence are the numbers of the steps that it rests on.
	Evidence []int `json:"evidence,omitzero"`
	// Incident is the id of the one that was open; "" is none.
	Incident string `json:"incident_id,omitzero"`
	// Steps, Tokens, USD and Seconds are what that incident had cost up to Step. USD is nil where a
	// cost is unknown.
	Steps   int      `json:"incident_steps,omitzero"`
	Tokens  int      `json:"incident_tokens,omitzero"`
	USD     *float64 `json:"incident_cost_usd,omitzero"`
	Seconds float64  `json:"incident_seconds,omitzero"`
	// Outcome is how the incident closed in the end; "" while it is open, or where there is none.
	Outcome cua.IncidentOutcome `json:"outcome,omitzero"`
	// CanContinue says that the episode went on or can be gone on with.
	CanContinue bool `json:"can_continue"`
}

// mistakesAdvisor is Note.From of the mistake tracker.
const mistakesAdvisor = "mistakes"

// Sentinels are those of t in the order of its records. The incidents are those of t; nil leaves ids and
// costs out.
func Sentinels(t *Trajectory, incidents []cua.Incident) []Sentinel {
	v := sentinels{t: t, incidents: incidents}
	events := t.Events
	for i := range t.Steps {
		for len(events) > 0 && events[0].Step < t.Steps[i].N {
			v.event(events[0])
			events = events[1:]
		}
		v.step(&t.Steps[i])
		for _, e := range t.Ends {
			if e.Totals.Steps == i+1 {
				v.end(e)
			}
		}
	}
	for _, e := range events {
		v.event(e)
	}
	return v.out
}

type sentinels struct {
	t         *Trajectory
	incidents []cua.Incident
	out       []Sentinel
}

func (v *sentinels) step(s *cua.Step) {
	for _, n := range s.Notes {
		switch n.From {
		case NudgeAdvisor:
			v.add(Sentinel{Kind: LoopNudge, Step: s.N, Reason: fmt.Sprintf("level_%d", n.Level),
				Evidence: evidence(s.Signals), CanContinue: true})
		case mistakesAdvisor:
			v.add(v.failed(Sentinel{Kind: MistakeRecovery, Step: s.N, CanContinue: true}, s.N-1))
		}
	}
	r, ruled := s.Ruled()
	switch {
	case s.DoneRejected != "":
		v.add(Sentinel{Kind: DoneRejected, Step: s.N, Reason: string(s.DoneRejected), Evidence: r.Evidence,
			CanContinue: r.Verdict == cua.Refuse})
	case ruled && r.Verdict == cua.Refuse:
		v.add(Sentinel{Kind: ActionRefused, Step: s.N, Reason: r.Reason, Evidence: r.Evidence,
			CanContinue: true})
	case s.Substituted():
		v.add(Sentinel{Kind: ActionSubstituted, Step: s.N, Reason: r.Reason, Evidence: r.Evidence,
			CanContinue: true})
	}
	if s.RewoundTo > 0 {
		v.add(Sentinel{Kind: RewindSentinel, Step: s.N, Reason: fmt.Sprintf("to_step_%d", s.RewoundTo),
			CanContinue: true})
	}
}

func (v *sentinels) end(e End) {
	out := Sentinel{Step: e.Totals.Steps, Reason: string(e.Reason), CanContinue: e.Reason.CanContinue()}
	if n := len(v.t.Steps); out.Step > 0 && out.Step <= n {
		s := &v.t.Steps[out.Step-1]
		out.Step = s.N
		if r, ok := s.Ruled(); ok && (r.Verdict == cua.Halt || r.Verdict == cua.Pause) {
			out.Evidence = r.Evidence
		}
	}
	switch e.Reason {
	case cua.EndLoop:
		out.Kind = DoomLoop
	case cua.EndSpiral, cua.EndPaused, cua.EndAsked:
		out.Kind = SpiralPause
		if v.paused(e.Totals.Steps) { // the pause was told of already
			return
		}
		if len(out.Evidence) == 0 && v.incident(out.Step) == nil { // the brain's own question
			return
		}
	case cua.EndMistakes:
		out.Kind, out.Escalated = MistakeRecovery, true
		out = v.failed(out, e.Totals.Steps-1)
	case cua.EndMaxSteps, cua.EndMaxWall, cua.EndMaxTokens, cua.EndMaxCost:
		out.Kind = CapHit
	default:
		return
	}
	v.add(out)
}

// failed completes a mistake_recovery with the steps that failed: its evidence, else the run of them among
// the first n, back to a step that had an effect and no further than the note before. A step without effect
// neither fails nor succeeds.
func (v *sentinels) failed(out Sentinel, n int) Sentinel {
	for i := min(n, len(v.t.Steps)) - 1; i >= 0 && !out.Escalated; i-- {
		s := &v.t.Steps[i]
		if s.Failure == nil && s.HasAction() && s.Effect.Any() {
			break
		}
		if s.Failure != nil && s.Failure.Kind != cua.FailEnv {
			out.Evidence = append([]int{s.N}, out.Evidence...)
		}
		if slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == mistakesAdvisor }) {
			break
		}
	}
	for _, s := range v.t.Steps {
		if slices.Contains(out.Evidence, s.N) && s.Failure != nil &&
			!slices.Contains(out.FailureKinds, s.Failure.Kind) {
			out.FailureKinds = append(out.FailureKinds, s.Failure.Kind)
		}
	}
	out.Count = len(out.Evidence)
	return out
}

func (v *sentinels) event(e Event) {
	switch e.Kind {
	case TakeoverEvent:
		v.add(Sentinel{Kind: Takeover, Step: e.Step, CanContinue: true})
	case PauseEvent:
		asks := e.Step > 0 && e.Step <= len(v.t.Steps) && v.t.Steps[e.Step-1].Asks()
		if e.By == cua.Person || asks && e.Reason == cua.EndAsked {
			return // nothing was wrong
		}
		out := Sentinel{Kind: SpiralPause, Step: e.Step, Reason: string(e.Reason), CanContinue: true}
		if e.Step > 0 && e.Step <= len(v.t.Steps) {
			r, _ := v.t.Steps[e.Step-1].Ruled()
			out.Evidence = r.Evidence
		}
		v.add(out)
	case LessonEvent:
		v.add(Sentinel{Kind: LessonCaptured, Step: e.Step, Reason: e.Lesson, Incident: e.Incident,
			Evidence: e.Evidence, CanContinue: v.t.End == nil || v.t.End.Reason.CanContinue()})
	}
}

// paused reports whether a pause after n steps is on record.
func (v *sentinels) paused(n int) bool {
	return slices.ContainsFunc(v.t.Events, func(e Event) bool { return e.Kind == PauseEvent && e.Step == n })
}

// incident is the one that step n is in; nil when it is in none.
func (v *sentinels) incident(n int) *cua.Incident {
	for i := range v.incidents {
		if in := &v.incidents[i]; n >= in.First && n <= in.Last {
			return in
		}
	}
	return nil
}

// add completes s with its incident and what that has cost so far.
func (v *sentinels) add(s Sentinel) {
	in := v.incident(s.Step)
	if i := slices.IndexFunc(v.incidents,
		func(in cua.Incident) bool { return in.ID == s.Incident }); s.Incident != "" && i >= 0 {
		in = &v.incidents[i]
	}
	if in != nil {
		upTo := min(s.Step, in.Last)
		from := slices.IndexFunc(v.t.Steps, func(st cua.Step) bool { return st.N >= in.First })
		to := slices.IndexFunc(v.t.Steps, func(st cua.Step) bool { return st.N > upTo })
		if to < 0 {
			to = len(v.t.Steps)
		}
		sum := Sum(v.t.Steps[from:to])
		s.Incident, s.Outcome = in.ID, in.Outcome
		s.Steps, s.Tokens, s.USD, s.Seconds = sum.Steps, sum.Tokens, sum.USD, float64(sum.DurationMS)/1000
	}
	v.out = append(v.out, s)
}

// evidence are the steps that signals of soft level and above rest on, each once, in order.
func evidence(signals []cua.Signal) []int {
	var out []int
	for _, g := range signals {
		if g.Level.AtLeast(cua.Soft) {
			out = append(out, g.Evidence...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
