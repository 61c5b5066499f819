package show

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestTableIsSafeForATerminal(t *testing.T) {
	tr := goldenEpisode(t)
	evil := "a\x1b[2J\x07\r\u202e\u0085\u200b\x7f\xffb"
	s := &tr.Steps[3]
	s.Target.Name, s.Target.ID, s.Thought, s.By, s.Feedback = evil, evil, evil, evil, evil
	s.After.Title, s.After.URL, s.Proposed.Why = evil, evil, evil
	s.Action = &cua.Action{Kind: cua.Kind(evil), Text: evil, Keys: evil, URL: evil, Into: evil,
		Files: []string{evil}}
	s.Rulings = []cua.Ruling{{Gate: evil, Verdict: cua.Replace, Reason: evil, Detail: evil, Action: s.Action}}
	shadow := s.Rulings[0]
	shadow.Shadow, tr.Header.Config = true, json.RawMessage(`{"shadow":["a\u001b[2J\u0007\r\u202e\u0085\u200b\u007f\ufffdb"]}`)
	shadow.Gate = strings.ToValidUTF8(evil, "\ufffd")
	s.Rulings = append(s.Rulings, shadow)
	s.Notes, s.Signals = []cua.Note{{From: evil, Text: evil}}, []cua.Signal{{Shape: cua.Shape(evil),
		Level: cua.Level(evil), Target: evil}}
	s.Failure = &cua.Failure{Kind: cua.FailureKind(evil), Detail: evil, Raw: evil}
	s.Target.Covering = &cua.Covering{Name: evil, Role: evil}
	s.Effect = &cua.Effect{Progress: []cua.Change{cua.Change(evil)}, Parts: []string{evil}}
	s.Settle = &cua.Settle{MS: 1, For: []string{evil}, Frame: evil, Faults: []string{evil}}
	s.Incident, s.RecoveryReason, s.DoneRejected, s.EffectReason = evil, cua.Reason(evil), cua.DoneCode(evil),
		cua.VerifyReason(evil)
	tr.Header.Task.Goal, tr.Header.Task.URL, tr.Header.Episode, tr.Header.Arm, tr.Header.Brain.Model = evil,
		evil, evil, evil, evil
	tr.Events = append(tr.Events, trajectories.Event{Kind: trajectories.EventKind(evil), Step: 2,
		Detail: evil,
		Intent: &cua.Intent{Action: *s.Action}, Changes: s.Effect.Progress})
	tr.Incidents = []cua.Incident{{ID: evil, Shapes: []cua.Shape{cua.Shape(evil)},
		Outcome: cua.IncidentOutcome(evil)}}
	tr.Interrupted = &cua.Intent{Action: *s.Action}
	tr.End.Answer, tr.End.Detail, tr.End.Reason = evil, evil, cua.EndReason(evil)
	if line := StepLine(s); strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsGraphic(r) }) ||
		!strings.Contains(line, "effect: ") {
		t.Errorf("the progress line is %q", line)
	}
	for _, o := range []TableOptions{{}, {Width: 80}, {Step: 4}} {
		var b bytes.Buffer
		must(t, WriteTable(&b, tr, o))
		for _, r := range b.String() {
			if r != '\n' && !unicode.IsGraphic(r) {
				t.Errorf("%+v: %U reached the terminal", o, r)
			}
		}
		if o.Width > 0 {
			for line := range strings.Lines(b.String()) {
				if n := len([]rune(line)); n > o.Width+1 {
					t.Errorf("a line of %d columns in %d", n-1, o.Width)
				}
			}
		}
	}
	if err := WriteTable(&bytes.Buffer{}, tr, TableOptions{Step: 9}); err == nil ||
		!strings.Contains(err.Error(), "no step 9; it has 8") {
		t.Errorf("%v", err)
	}
}
