package formats

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// stepAbout explains the columns of the CSV export that a dataset has too.
var stepAbout = map[string]string{
	"step": "integer: its number, from 1", "decision": "integer: the brain's answers, counted; steps of one answer share it", "by": "text: who decided",
	"proposed_kind": "text: the kind of action that was asked for", "proposed_x": "number: where, CSS pixels", "proposed_y": "number: where, CSS pixels",
	"proposed_args": "text: its other arguments", "action_kind": "text: the kind of what was dispatched; empty: nothing was", "action_x": "number: where, CSS pixels",
	"action_y": "number: where, CSS pixels", "action_args": "text: its other arguments", "substituted": "boolean: something else was dispatched than was asked for",
	"target": "text: the identity of what was aimed at", "target_role": "text: its role", "target_name": "text: its name, the page's own words",
	"verdict": "text: the ruling that decided; empty: all passed", "gate": "text: whose ruling it was", "reason": "text: its code",
	"loop_recovery_reason": "text: the row of the rescue table", "done_rejected_reason": "text: why a done was refused",
	"action_effect_observed": "boolean: the verifier's answer; empty: it did not check", "progress": "boolean: whether anything changed; empty: not known",
	"changes": "text: what changed", "failure": "text: the kind of failure; empty: none", "signals": "text: the loop signals that held before it",
	"nudge_level": "integer: of the note that its turn carried", "repeat": "integer: how often in a row, as the repeat guard counts",
	"incident": "text: the incident that the run's own detectors had open", "rewound_to": "integer: the step that it went back to", "url": "text: the page after it",
	"title": "text: its title", "frame_sha": "text: its frame", "input_tokens": "integer: tokens read; empty: none, or not known", "output_tokens": "integer: tokens written; empty: none, or not known",
	"cost_usd": "number: US dollars; empty: not known", "decide_ms": "number: the brain's time", "act_ms": "number: acting, settling, observing and storing the frame; empty: nothing was dispatched",
	"total_ms": "number: all stages", "in_incident": "text: the incident (incidents.id) that it was made in", "incident_outcome": "text: how that closed",
	"at": "time: when it was recorded (RFC 3339, UTC); empty: not known",
}

// stepData are the columns of steps: those of the CSV export that say something of the step, and more.
func stepData() []datum[*cua.Step] {
	var out []datum[*cua.Step]
	for _, c := range columns() {
		kind, about, ok := strings.Cut(stepAbout[c.name], ": ")
		if !ok {
			continue // it is in runs
		}
		out = append(out, datum[*cua.Step]{c.name, kind, about,
			func(r *DatasetRun, s *cua.Step) string { return c.cell(r.Trajectory, s) }})
	}
	col := func(name, kind, about string, f func(*DatasetRun, *cua.Step) string) {
		out = append(out, datum[*cua.Step]{name, kind, about, f})
	}
	done := func(s *cua.Step) cua.Action {
		if s.Action == nil {
			return cua.Action{}
		}
		return *s.Action
	}
	col("typed_text", "text", "what was typed or selected; secrets by name",
		func(_ *DatasetRun, s *cua.Step) string {
			if a := done(s); a.Kind == cua.Type || a.Kind == cua.Select {
				return a.Text
			}
			return ""
		})
	col("keys", "text", "the keys that were pressed",
		func(_ *DatasetRun, s *cua.Step) string { return done(s).Keys })
	col("elapsed_ms", "number", "the time of all stages of the run up to its end",
		func(r *DatasetRun, s *cua.Step) string {
			ms := 0.0
			for i := range r.Steps {
				if ms += r.Steps[i].Timing.Total(); r.Steps[i].N == s.N {
					break
				}
			}
			return strconv.FormatFloat(ms, 'f', 1, 64)
		})
	col("phash_distance", "integer",
		"bits of the 64 of the perceptual hash that differ from the page before; empty: not known",
		func(r *DatasetRun, s *cua.Step) string {
			before := r.History().Before(s.N - 1)
			return distance(before.Fingerprint, s.After.Fingerprint,
				func(f *cua.Fingerprint) string { return f.PHash64 })
		})
	col("dhash_distance", "integer", "the same of the difference hash",
		func(r *DatasetRun, s *cua.Step) string {
			before := r.History().Before(s.N - 1)
			return distance(before.Fingerprint, s.After.Fingerprint,
				func(f *cua.Fingerprint) string { return f.DHash64 })
		})
	return out
}

// distance counts the bits in which two hashes differ; "" where one is missing.
func distance(a, b *cua.Fingerprint, of func(*cua.Fingerprint) string) string {
	if a == nil || b == nil {
		return ""
	}
	x, errX := strconv.ParseUint(of(a), 16, 64)
	y, errY := strconv.ParseUint(of(b), 16, 64)
	if errX != nil || errY != nil {
		return ""
	}
	return strconv.Itoa(bits.OnesCount64(x ^ y))
}

// held is a signal that held before a step, ruled a ruling on one.
type held struct {
	step int
	cua.Signal
}

type ruled struct {
	step int
	cua.Ruling
}

func signalData() []datum[held] {
	col := func(name, kind, about string, f func(held) string) datum[held] {
		return datum[held]{name, kind, about, func(_ *DatasetRun, s held) string { return f(s) }}
	}
	return []datum[held]{
		col("step", "integer", "the step before which it held",
			func(s held) string { return strconv.Itoa(s.step) }),
		col("shape", "text", "what kind of loop", func(s held) string { return string(s.Shape) }),
		col("level", "text", "note, soft or hard", func(s held) string { return string(s.Level) }),
		col("run_length", "integer", "how many steps it rests on",
			func(s held) string { return strconv.Itoa(s.Run) }), col("since", "integer", "the first of them",
			func(s held) string { return positive(s.Since) }), col("target", "text", "what it is about",
			func(s held) string { return s.Target }), col("evidence", "text",
			"numbers of steps, a blank between them", func(s held) string { return blanks(s.Evidence) }),
	}
}

func rulingData() []datum[ruled] {
	col := func(name, kind, about string, f func(ruled) string) datum[ruled] {
		return datum[ruled]{name, kind, about, func(_ *DatasetRun, r ruled) string { return f(r) }}
	}
	return []datum[ruled]{
		col("step", "integer", "the step that was ruled on",
			func(r ruled) string { return strconv.Itoa(r.step) }),
		col("gate", "text", "who ruled, in the order of the chain", func(r ruled) string { return r.Gate }),
		col("verdict", "text", "pass, accept, replace, refuse, pause or halt",
			func(r ruled) string { return string(r.Verdict) }), col("reason", "text", "the code of why",
			func(r ruled) string { return r.Reason }), col("detail", "text", "why, in words",
			func(r ruled) string { return r.Detail }),
		col("action_kind", "text", "what a replacement dispatches", func(r ruled) string {
			if r.Action == nil {
				return ""
			}
			return string(r.Action.Kind)
		}),
		col("shadow", "boolean", "without force",
			func(r ruled) string { return strconv.FormatBool(r.Shadow) }),
		col("evidence", "text", "numbers of steps, a blank between them",
			func(r ruled) string { return blanks(r.Evidence) }),
	}
}

func incidentData() []datum[cua.Incident] {
	col := func(name, kind, about string, f func(cua.Incident) string) datum[cua.Incident] {
		return datum[cua.Incident]{name, kind, about,
			func(_ *DatasetRun, i cua.Incident) string { return f(i) }}
	}
	return []datum[cua.Incident]{
		col("id", "text", "its id within the run", func(i cua.Incident) string { return i.ID }),
		col("shapes", "text", "the kinds of loop, a blank between them",
			func(i cua.Incident) string { return trajectories.Joined(i.Shapes, " ") }),
		col("first_step", "integer", "the first step of it",
			func(i cua.Incident) string { return strconv.Itoa(i.First) }),
		col("last_step", "integer", "the last step of it",
			func(i cua.Incident) string { return strconv.Itoa(i.Last) }),
		col("outcome", "text", "how it closed; empty: it is open",
			func(i cua.Incident) string { return string(i.Outcome) }),
		col("tokens", "integer", "what it cost",
			func(i cua.Incident) string { return strconv.Itoa(i.Tokens) }),
		col("cost_usd", "number", "what it cost; empty: not known",
			func(i cua.Incident) string { return money(i.USD) }), col("seconds", "number", "how long it took",
			func(i cua.Incident) string { return strconv.FormatFloat(i.Seconds, 'f', 3, 64) }),
		col("tried", "text", "the rows of the rescue table that were tried, a blank between them",
			func(i cua.Incident) string {
				return trajectories.Joined(slices.Collect(func(yield func(cua.Reason) bool) {
					for _, a := range i.Tried {
						if a.Reason != "" && !yield(a.Reason) {
							return
						}
					}
				}), " ")
			}),
	}
}

func blanks(numbers []int) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
