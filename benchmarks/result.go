package benchmarks

import (
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// Result is the result of one cell: one line of results.jsonl. All of it is computed from
// the episode's journal and the server's state.
type Result struct {
	Cell
	// Episode is the name of the folder under runs/.
	Episode  string `json:"episode"`
	Solvable bool   `json:"solvable"`
	// Success is strict: the full reward, and the agent said that it was done or the task ended itself (where
	// the task cannot be solved: stopped early). Lenient is the full reward, however the episode ended.
	Success bool          `json:"success"`
	Lenient bool          `json:"lenient"`
	Reward  float64       `json:"reward"`
	End     cua.EndReason `json:"end"`
	// Detail is one line on the end, for the reader.
	Detail string `json:"detail,omitzero"`
	Steps  int    `json:"steps"`
	// Harm says who did harm in the episode: a gate, "brain" (its own action) or "done" (a false claim of
	// success that was accepted); "" is no harm, or a
	// task in which none can be done.
	Harm string `json:"harm,omitzero"`
	// Wasted are steps inside incidents that did not recover; one fixed detector config scores
	// the journals of every arm.
	Wasted int `json:"wasted_steps"`
	// Incidents are those that this config finds.
	Incidents  []cua.Incident `json:"incidents,omitzero"`
	DurationMS int64          `json:"duration_ms"`
	Tokens     int            `json:"tokens,omitzero"`
	USD        *float64       `json:"cost_usd,omitzero"`
	// Recoveries are the substitutions of loop recovery by reason.
	Recoveries map[cua.Reason]Tried `json:"recoveries,omitzero"`
	// Substitutions counts dispatched replacements by gate, loop recovery included.
	Substitutions map[string]int `json:"substitutions,omitzero"`
	// Interventions counts replacements, refusals, pauses and halts by gate. Limits and policy
	// are left out: every arm has them.
	Interventions  map[string]int               `json:"interventions,omitzero"`
	DoneRejections map[cua.DoneCode]int         `json:"done_rejections,omitzero"`
	Signals        map[cua.Shape]map[string]int `json:"signals,omitzero"`
	// FirstSoft and FirstHard are the numbers of the steps after which a signal of at least that level
	// first held, by the arm's own detectors; 0 is never.
	FirstSoft int `json:"first_soft,omitzero"`
	FirstHard int `json:"first_hard,omitzero"`
	Nudges    int `json:"nudges,omitzero"`
	// Shadow counts what gates in shadow mode would have done, and how often that would have been right.
	Shadow []trajectories.Shadowed `json:"shadow,omitzero"`
	// Wrong counts wrong interventions by kind, of any gate; nil: the cell was scored before they were
	// counted.
	Wrong map[WrongKind]int `json:"wrong_interventions,omitzero"`
	// Checked is how many invariants the journal was checked against; 0: the cell was scored before that was
	// done. Broken says where it broke one.
	Checked int                    `json:"invariants,omitzero"`
	Broken  []invariants.Violation `json:"broken_invariants,omitzero"`
	// Lessons are the ids of those that the episode could be given, and Likeness is equal for cells that
	// differ by seed and lessons alone (lessons.Played); both "" in a study that was given none.
	Lessons  []string `json:"lessons,omitzero"`
	Likeness string   `json:"likeness,omitzero"`
	// Faulted counts the attempts that ended by an infrastructure fault, this one included;
	// Interrupted those that never ended. Neither is the agent's failure.
	Faulted     int `json:"infrastructure_faults,omitzero"`
	Interrupted int `json:"interrupted,omitzero"`
	// Cut counts the actions of all attempts whose outcome nobody saw, PossiblySent those of them that may
	// have sent a form.
	Cut          int `json:"interrupted_intents,omitzero"`
	PossiblySent int `json:"possibly_sent,omitzero"`
	// SharedDeaths counts the attempts that ended with the browser that they shared with other cells,
	// Overloads those on a machine so busy that they say nothing of the agent. Both are set aside, and then
	// the cell is played alone.
	SharedDeaths int `json:"shared_deaths,omitzero"`
	Overloads    int `json:"overloads,omitzero"`
	// HarnessMS is how long the episode took beside its brain and beside waits for answers that come late,
	// the session's opening and closing included, while Workers episodes ran side by side; 0: nobody measured
	// it.
	HarnessMS float64 `json:"harness_ms,omitzero"`
	Workers   int     `json:"workers,omitzero"`
	// StepMS is the harness's mean time a step, beside dispatch and settling too, which the task decides;
	// Beside is how many episodes ran at once at most while this one did, itself included. 0: nobody measured
	// it.
	StepMS float64 `json:"harness_step_ms,omitzero"`
	Beside int     `json:"beside,omitzero"`
	// Slow says that StepMS is far above the study's base although the attempt counts: the cell ran alone, so
	// it was not other cells that slowed it down.
	Slow bool `json:"slow,omitzero"`
	// Build is the version and revision of the program that played the cell, where it is not the one that
	// began the study; else "".
	Build string `json:"build,omitzero"`
	// Browser is the browser that played the cell, where it is not the one that began the study; else "".
	Browser string `json:"browser,omitzero"`
	// Forked is how a fork began; nil for an episode from the start.
	Forked *Forked `json:"forked,omitzero"`
	// Struck counts the requests that network faults struck, by the fault's name.
	Struck map[string]int `json:"network_faults,omitzero"`
	// MiniWoB is what the page of such a task said; nil for any other.
	MiniWoB *miniwob.Verdict `json:"miniwob,omitzero"`
	// Judged is what judged a task of Plan.Tasklist said; nil for any other.
	Judged *manifest.Verdict `json:"judged,omitzero"`
}

// Tried is how often a recovery was dispatched and how often it had an effect.
type Tried struct {
	Count  int `json:"count"`
	Effect int `json:"effect"`
}

// Successes are what reward, end and solvability come to.
func (r Result) Successes() (strict, lenient bool) {
	lenient = r.Reward >= 1 && !r.End.Infrastructure()
	return lenient && (r.End == cua.EndDone || r.End == cua.EndEnvEnded || !r.Solvable), lenient
}

// coherent reports whether the reward is one, and the successes are what it comes to.
func (r Result) coherent() bool {
	strict, lenient := r.Successes()
	return r.Reward >= 0 && r.Reward <= 1 && r.Success == strict && r.Lenient == lenient
}

// Played is what the cell says of its lessons; false where it says nothing.
func (r Result) Played() (lessons.Played, bool) {
	return lessons.Played{Likeness: r.Likeness, Lessons: r.Lessons, Success: r.Lenient, Steps: r.Steps},
		r.Likeness != ""
}

// WrongCount is how many interventions were wrong, of all kinds.
func (r Result) WrongCount() int {
	n := 0
	for _, k := range r.Wrong {
		n += k
	}
	return n
}

// Signalled reports whether a soft or hard signal held at any step.
func (r Result) Signalled() bool {
	for _, levels := range r.Signals {
		if levels[string(cua.Soft)]+levels[string(cua.Hard)] > 0 {
			return true
		}
	}
	return false
}

// WrongKind is a way in which an intervention can be wrong.
type WrongKind string

// The kinds, in the order in which they are reported.
const (
	// WrongInField is a planned value in a field that is not its own (invariant wrong_field).
	WrongInField WrongKind = "wrong_field"
	// WrongTwice is a value put where it was already (invariant typed_twice).
	WrongTwice WrongKind = "typed_twice"
	// WrongReturn is a Return that nothing called for: in a state of the form in which it had been pressed
	// before, with planned values still missing in the form, in place of a click on what sends nothing, or in
	// place of one that had not been tried without effect.
	WrongReturn WrongKind = "needless_return"
	// WrongStop is an episode given up although one of the last three steps had reached something new.
	WrongStop WrongKind = "stopped_healthy"
)

// WrongKinds lists the kinds in that order.
func WrongKinds() []WrongKind { return []WrongKind{WrongInField, WrongTwice, WrongReturn, WrongStop} }

// AttemptsMade is how many attempts the cell took.
func (r Result) AttemptsMade() int {
	n := r.Faulted + r.Interrupted + r.SharedDeaths + r.Overloads
	if !r.End.Infrastructure() {
		n++
	}
	return n
}

// Earned is the reward of a cell as a mean over cells takes it: an error earns nothing.
func (r Result) Earned() float64 {
	if r.End.Infrastructure() {
		return 0
	}
	return r.Reward
}

// Cost is the sum; nil when a cell used tokens at an unknown price.
func Cost(rs []Result) *float64 {
	sum, known := 0.0, false
	for _, r := range rs {
		switch {
		case r.USD != nil:
			sum, known = sum+*r.USD, true
		case r.Tokens > 0:
			return nil
		}
	}
	if !known {
		return nil
	}
	return &sum
}

// Warning is something to know before a number is believed.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// OverPace is how many times the study's base the harness may take a step before its episode says more of the
// machine than of the agent (see Result.Slow).
const OverPace = 4
