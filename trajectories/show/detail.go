package show

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// stepDetail writes all that is known of step i, an index.
func stepDetail(b *bytes.Buffer, t *trajectories.Trajectory, i int) {
	s := &t.Steps[i]
	fmt.Fprintf(b, "%s, step %d of %d\n", trajectories.Printable(t.Header.Episode), s.N, len(t.Steps))
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-12s %s\n", name, trajectories.Printable(text))
		}
	}
	line("by", s.By)
	line("thought", s.Thought)
	line("proposed", trajectories.Proposed(s))
	line("why", s.Proposed.Why)
	line("dispatched", dispatched(s))
	line("target", targetWords(s.Target))
	for _, g := range s.Signals {
		line("signal", signalDetail(g))
	}
	for _, n := range s.Notes {
		line("note", noteWords(n))
	}
	for _, r := range s.Rulings {
		line("ruling", rulingDetail(r))
	}
	for _, w := range wouldByStep(t)[i] {
		line("in shadow", join(shadowMark(w), shadowDetail(w), judgement(w).Text))
	}
	line("recovery", string(s.RecoveryReason))
	line("done refused", string(s.DoneRejected))
	if s.Failure != nil {
		line("failure", s.Failure.Error())
		line("raw reply", s.Failure.Raw)
	}
	line("effect", effectDetail(s))
	if s.EffectObserved != nil {
		line("verifier", fmt.Sprintf("%t, %s", *s.EffectObserved, s.EffectReason))
	}
	line("repeat", repeatWords(s.Repetition))
	if s.PromptSHA != "" {
		line("prompt", fmt.Sprintf("%s bytes were sent (show --step %d --prompt)",
			trajectories.Grouped(len(promptText(t, s))), s.N))
	}
	line("feedback", s.Feedback)
	line("incident", incidentWords(t, s))
	line("page", s.After.URL)
	line("title", s.After.Title)
	line("frame", s.After.FrameSHA)
	if s.Settle != nil {
		line("settled", settleWords(*s.Settle))
	}
	line("usage", usageWords(s.Usage))
	line("timing", timingWords(s.Timing))
}

func noteWords(n cua.Note) string {
	level := ""
	if n.Level > 0 {
		level = strconv.Itoa(n.Level)
	}
	return n.From + " " + level + ": " + n.Text
}

func targetWords(g cua.Target) string {
	if g.ID == "" {
		return ""
	}
	out := strings.TrimSpace(g.Role+" "+fmt.Sprintf("%q", g.Name)) + " " + g.ID
	if g.Disabled {
		out += ", disabled"
	}
	if g.Covering != nil {
		out += fmt.Sprintf(", covered by %s %q", g.Covering.Role, g.Covering.Name)
	}
	if g.Idle.Any() {
		out += fmt.Sprintf("; changed by itself: %s %s", strings.Join(g.Idle.Parts, " "),
			trajectories.Joined(g.Idle.Changes, " "))
	}
	return out
}

func rulingDetail(r cua.Ruling) string {
	out := r.Gate + " " + string(r.Verdict)
	if r.Reason != "" {
		out += ", " + r.Reason
	}
	if r.Detail != "" {
		out += ": " + r.Detail
	}
	if r.Action != nil {
		out += " → " + trajectories.Sentence(*r.Action, r.Action.Point)
	}
	if r.End != "" {
		out += ", ends as " + string(r.End)
	}
	if r.Shadow {
		out += " (shadow: without force)"
	}
	return out
}

func effectDetail(s *cua.Step) string {
	e := s.Effect
	if e == nil {
		return effectWords(s)
	}
	out := effectWords(s)
	if len(e.AtTarget) > 0 {
		out += "; at the target: " + trajectories.Joined(e.AtTarget, " ")
	}
	if len(e.Parts) > 0 {
		out += "; parts: " + strings.Join(e.Parts, " ")
	}
	if e.Tiles != nil {
		out += fmt.Sprintf("; %d of %d tiles, %.1f %% of the frame", len(e.Tiles.Changed),
			e.Tiles.Cols*e.Tiles.Rows, 100*e.Tiles.Share)
	}
	return out
}

func settleWords(s cua.Settle) string {
	out := fmt.Sprintf("%d ms", s.MS)
	if len(s.For) > 0 {
		out += " for " + strings.Join(s.For, ", ")
	}
	if s.Capped {
		out += ", cut at the budget"
	}
	if s.Frame != "" {
		out += ", frame by " + s.Frame
	}
	if len(s.Faults) > 0 {
		out += ", faults: " + strings.Join(s.Faults, ", ")
	}
	return out
}

func usageWords(u cua.Usage) string {
	if u.Tokens() == 0 && u.USD == nil {
		return ""
	}
	out := fmt.Sprintf("%s in, %s out, %s cached", trajectories.Grouped(u.InputTokens),
		trajectories.Grouped(u.OutputTokens),
		trajectories.Grouped(u.CachedTokens))
	if u.USD != nil {
		out += fmt.Sprintf(", %s USD", trajectories.Dollars(u.USD))
	}
	return out
}

func timingWords(t cua.Timing) string {
	var out []string
	for _, p := range []struct {
		name string
		ms   float64
	}{{"turn", t.Turn}, {"decide", t.Decide}, {"locate", t.Locate}, {"review", t.Review},
		{"intent", t.Intent},
		{"act", t.Act}, {"dispatch", t.Dispatch}, {"settle", t.Settle}, {"observe", t.Observe}, {"verify", t.Verify}, {"record", t.Record}} {
		if p.ms > 0 {
			out = append(out, fmt.Sprintf("%s %.1f", p.name, p.ms))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, ", ") + " ms"
}
