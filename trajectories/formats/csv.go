package formats

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// column is one column of the CSV export.
type column struct {
	name string
	cell func(t *trajectories.Trajectory, s *cua.Step) string
}

// columns are stable: new ones are added at the end only.
func columns() []column {
	return slices.Concat(whichColumns(), doneColumns(), costColumns())
}

// whichColumns say which step it is and what was asked for and dispatched.
func whichColumns() []column {
	step := func(f func(s *cua.Step) string) func(*trajectories.Trajectory, *cua.Step) string {
		return func(_ *trajectories.Trajectory, s *cua.Step) string { return f(s) }
	}
	return []column{
		{"episode", func(t *trajectories.Trajectory, _ *cua.Step) string { return t.Header.Episode }},
		{"task", func(t *trajectories.Trajectory, _ *cua.Step) string { return t.Header.Task.ID }},
		{"arm", func(t *trajectories.Trajectory, _ *cua.Step) string { return t.Header.Arm }},
		{"seed", func(t *trajectories.Trajectory, _ *cua.Step) string { return strconv.FormatInt(t.Header.Task.Seed, 10) }},
		{"step", step(func(s *cua.Step) string { return strconv.Itoa(s.N) })},
		{"decision", step(func(s *cua.Step) string { return strconv.Itoa(s.Decision) })},
		{"by", step(func(s *cua.Step) string { return s.By })},
		{"proposed_kind", step(func(s *cua.Step) string { return string(s.Proposed.Kind) })},
		{"proposed_x", step(func(s *cua.Step) string { return coordinate(trajectories.ProposedPoint(s), true) })},
		{"proposed_y", step(func(s *cua.Step) string { return coordinate(trajectories.ProposedPoint(s), false) })},
		{"proposed_args", step(func(s *cua.Step) string { return trajectories.Arguments(s.Proposed) })},
		{"action_kind", step(func(s *cua.Step) string {
			if s.Action == nil {
				return ""
			}
			return string(s.Action.Kind)
		})},
		{"action_x", step(func(s *cua.Step) string { return coordinate(trajectories.DispatchedPoint(s), true) })},
		{"action_y", step(func(s *cua.Step) string { return coordinate(trajectories.DispatchedPoint(s), false) })},
		{"action_args", step(func(s *cua.Step) string {
			if s.Action == nil {
				return ""
			}
			return trajectories.Arguments(*s.Action)
		})},
		{"substituted", step(func(s *cua.Step) string { return strconv.FormatBool(s.Substituted()) })},
		{"target", step(func(s *cua.Step) string { return s.Target.ID })},
		{"target_role", step(func(s *cua.Step) string { return s.Target.Role })},
		{"target_name", step(func(s *cua.Step) string { return s.Target.Name })},
	}
}

// doneColumns say what was ruled and the outcome. An unset cell is unknown, not false.
func doneColumns() []column {
	step := func(name string, f func(s *cua.Step) string) column {
		return column{name, func(_ *trajectories.Trajectory, s *cua.Step) string { return f(s) }}
	}
	return []column{
		step("verdict", func(s *cua.Step) string { r, _ := s.Ruled(); return string(r.Verdict) }),
		step("gate", func(s *cua.Step) string { r, _ := s.Ruled(); return r.Gate }),
		step("reason", func(s *cua.Step) string { r, _ := s.Ruled(); return r.Reason }),
		step("loop_recovery_reason", func(s *cua.Step) string { return string(s.RecoveryReason) }),
		step("done_rejected_reason", func(s *cua.Step) string { return string(s.DoneRejected) }),
		step("action_effect_observed", func(s *cua.Step) string {
			if s.EffectObserved == nil {
				return ""
			}
			return strconv.FormatBool(*s.EffectObserved)
		}),
		step("progress", func(s *cua.Step) string {
			if s.Effect == nil {
				return ""
			}
			return strconv.FormatBool(s.Effect.Any())
		}),
		step("changes", func(s *cua.Step) string {
			if s.Effect == nil {
				return ""
			}
			return trajectories.Joined(s.Effect.Progress, " ")
		}),
		step("failure", func(s *cua.Step) string {
			if s.Failure == nil {
				return ""
			}
			return string(s.Failure.Kind)
		}),
		step("signals", func(s *cua.Step) string { return trajectories.SignalWords(s.Signals) }),
		step("nudge_level", func(s *cua.Step) string { return positive(nudgeLevel(s)) }),
		step("repeat", func(s *cua.Step) string {
			if s.Repetition == nil {
				return ""
			}
			return strconv.Itoa(s.Repetition.Count)
		}),
		step("incident", func(s *cua.Step) string { return s.Incident }),
		step("rewound_to", func(s *cua.Step) string { return positive(s.RewoundTo) }),
		step("url", func(s *cua.Step) string { return s.After.URL }),
		step("title", func(s *cua.Step) string { return s.After.Title }),
		step("frame_sha", func(s *cua.Step) string { return s.After.FrameSHA }),
	}
}

// costColumns say what the step cost and in which incident it was spent: incident is what the episode's own
// detectors had open, in_incident what the caller's computed. Milliseconds have one digit behind the point.
func costColumns() []column {
	step := func(name string, f func(s *cua.Step) string) column {
		return column{name, func(_ *trajectories.Trajectory, s *cua.Step) string { return f(s) }}
	}
	ms := func(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
	return []column{
		step("input_tokens", func(s *cua.Step) string { return positive(s.Usage.InputTokens) }),
		step("output_tokens", func(s *cua.Step) string { return positive(s.Usage.OutputTokens) }),
		step("cost_usd", func(s *cua.Step) string {
			if s.Usage.USD == nil {
				return ""
			}
			return strconv.FormatFloat(*s.Usage.USD, 'f', -1, 64)
		}),
		step("decide_ms", func(s *cua.Step) string { return ms(s.Timing.Decide) }),
		step("act_ms", func(s *cua.Step) string {
			if s.Action == nil {
				return ""
			}
			return ms(s.Timing.Act)
		}),
		step("total_ms", func(s *cua.Step) string { return ms(s.Timing.Total()) }),
		{"end_reason", func(t *trajectories.Trajectory, _ *cua.Step) string {
			if t.End == nil {
				return ""
			}
			return string(t.End.Reason)
		}},
		{"success", func(t *trajectories.Trajectory, _ *cua.Step) string {
			if t.End == nil {
				return ""
			}
			return strconv.FormatBool(t.End.Success)
		}},
		{"in_incident", func(t *trajectories.Trajectory, s *cua.Step) string {
			if in := t.IncidentAt(s.N); in != nil {
				return in.ID
			}
			return ""
		}},
		{"incident_outcome", func(t *trajectories.Trajectory, s *cua.Step) string {
			if in := t.IncidentAt(s.N); in != nil {
				return string(in.Outcome)
			}
			return ""
		}},
		step("at", func(s *cua.Step) string {
			if s.AtMS == 0 {
				return ""
			}
			return stamp(time.UnixMilli(s.AtMS))
		}),
		{"id", func(t *trajectories.Trajectory, _ *cua.Step) string { return t.Header.ID }},
	}
}

// csvColumns are the names of the columns that WriteCSV writes, in order.
func csvColumns() []string {
	var out []string
	for _, c := range columns() {
		out = append(out, c.name)
	}
	return out
}

// WriteCSV writes a line of column names and then one flat row a step. Coordinates are CSS
// pixels; an empty cell is unset or unknown. Text that a spreadsheet would run as a formula
// has an apostrophe before it, as has text that starts with one; numbers stay numbers.
func WriteCSV(w io.Writer, ts []*trajectories.Trajectory) error {
	out := csv.NewWriter(redact.VisibleWriter(w))
	cols := columns()
	_ = out.Write(csvColumns()) // Flush keeps the error
	for _, t := range ts {
		for i := range t.Steps {
			row := make([]string, len(cols))
			for j, c := range cols {
				row[j] = inert(c.cell(t, &t.Steps[i]))
			}
			_ = out.Write(row)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("trajectories: exporting csv: %w", err)
	}
	return nil
}

// inert keeps a spreadsheet from running a cell. Text of a page or a brain may begin like a formula after
// leading space too.
func inert(cell string) string {
	first := strings.TrimLeft(cell, " \t\r\n\u00a0\ufeff\x00")
	if first == "" || !strings.ContainsRune("=+-@'|%＝＋－＠", []rune(first)[0]) &&
		!strings.ContainsAny(cell[:1], "\t\r\n") {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func coordinate(p *cua.Point, x bool) string {
	if p == nil {
		return ""
	}
	v := p.Y
	if x {
		v = p.X
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// nudgeLevel is the level of the nudge that the step's turn carried; 0 is none.
func nudgeLevel(s *cua.Step) int {
	level := 0
	for _, n := range s.Notes {
		if n.From == trajectories.NudgeAdvisor {
			level = max(level, n.Level)
		}
	}
	return level
}
