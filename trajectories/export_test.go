package trajectories

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

func TestInertCells(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"empty":             {"", ""},
		"plain":             {"User name", "User name"},
		"formula":           {"=1+1", "'=1+1"},
		"at":                {"@SUM(A1)", "'@SUM(A1)"},
		"plus":              {"+cmd", "'+cmd"},
		"minus text":        {"-cmd", "'-cmd"},
		"minus number":      {"-12.5", "-12.5"},
		"after space":       {"  =1", "'  =1"},
		"after line end":    {"\n=1", "'\n=1"},
		"after tab":         {"\tx", "'\tx"},
		"full-width equals": {"＝1", "'＝1"},
		"apostrophe":        {"'x", "''x"},
		"pipe":              {"|calc", "'|calc"},
		"not-a-number":      {"-NaN x", "'-NaN x"},
	} {
		if got := inert(c.in); got != c.out {
			t.Errorf("%s: %q, want %q", name, got, c.out)
		}
	}
}

func TestCSVIsRectangular(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps[0].Target.Name = "=HYPERLINK(\"http://evil\")"
	tr.Steps[1].By = "a,b\n\"c\""
	var b bytes.Buffer
	must(t, ExportCSV(&b, []*Trajectory{tr, tr}))
	rows, err := csv.NewReader(&b).ReadAll()
	must(t, err)
	if len(rows) != 1+2*len(tr.Steps) {
		t.Fatalf("%d rows", len(rows))
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	if got := rows[1][at["target_name"]]; got[0] != '\'' {
		t.Errorf("a formula leaves as %q", got)
	}
	if rows[2][at["by"]] != "a,b\n\"c\"" || rows[4][at["loop_recovery_reason"]] != "type_pending_value" ||
		rows[4][at["substituted"]] != "true" {
		t.Errorf("%q", rows[4])
	}
	if rows[7][at["action_x"]] != "" || rows[7][at["proposed_x"]] != "320" {
		t.Error("a key that replaced a click has no place of its own")
	}
}

func TestExportWithFrames(t *testing.T) {
	tr := goldenEpisode(t)
	var doc, lines bytes.Buffer
	must(t, ExportJSON(&doc, []*Trajectory{tr}, true))
	must(t, ExportJSONL(&lines, []*Trajectory{tr}, true))
	var out struct {
		Trajectories []struct {
			Steps  []exportedStep
			Result RunResult
			Blobs  map[string]struct {
				Mime string
				Data []byte
			}
		}
	}
	must(t, json.Unmarshal(doc.Bytes(), &out))
	got := out.Trajectories[0]
	if len(got.Blobs) != 4 || len(got.Steps) != 8 || got.Result.WastedSteps != 0 ||
		len(got.Result.Incidents) != 1 {
		t.Errorf("%d blobs, %d steps, %+v", len(got.Blobs), len(got.Steps), got.Result)
	}
	for sha, blob := range got.Blobs {
		want, err := tr.Blob(sha)
		if err != nil || !bytes.Equal(want, blob.Data) || blob.Mime != "image/png" {
			t.Error("a frame differs")
		}
	}
	if n := strings.Count(lines.String(), `"mime":"image/png"`); n != 8 {
		t.Errorf("%d frames in the lines", n)
	}
	tr.Dir = t.TempDir()
	if ExportJSON(&doc, []*Trajectory{tr}, true) == nil || ExportJSONL(&lines, []*Trajectory{tr},
		true) == nil {
		t.Error("missing frames were passed over")
	}
}

func TestEmptyExports(t *testing.T) {
	var b bytes.Buffer
	must(t, ExportJSON(&b, nil, true))
	if strings.Join(strings.Fields(b.String()), "") != `{"trajectories":[]}` {
		t.Errorf("%s", b.String())
	}
	must(t, WriteTable(&b, &Trajectory{}, TableOptions{Width: 1}))
}

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
	tr.Events = append(tr.Events, Event{Kind: EventKind(evil), Step: 2, Detail: evil,
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

func TestSummarize(t *testing.T) {
	tr := goldenEpisode(t)
	got, err := json.MarshalIndent(Summarize(tr, tr.Incidents), "", "  ")
	must(t, err)
	compare(t, filepath.Join("testdata", "result.json"), got)

	none, err := json.Marshal(Summarize(&Trajectory{}, nil))
	must(t, err)
	for _, part := range []string{`"loop_recoveries_by_reason":{}`, `"done_rejections_by_reason":{}`, `"perceptual_summary":{}`, `"termination_reason":""`} {
		if !strings.Contains(string(none), part) {
			t.Errorf("%s lacks %s", none, part)
		}
	}
	var back RunResult
	must(t, json.Unmarshal(got, &back))
	if back.Perceptual != (Perceptual{2, 1}) {
		t.Errorf("%+v", back.Perceptual)
	}
}

func TestWastedStepsAndFaults(t *testing.T) {
	steps := make([]cua.Step, 10)
	for i := range steps {
		steps[i].N = i + 1
	}
	in := func(first, last int, o cua.IncidentOutcome) cua.Incident {
		return cua.Incident{First: first, Last: last, Outcome: o}
	}
	for name, c := range map[string]struct {
		incidents []cua.Incident
		want      int
	}{
		"none":                  {nil, 0},
		"recovered":             {[]cua.Incident{in(1, 5, cua.OutcomeRecovered), in(6, 8, cua.OutcomeSelfRecovered)}, 0},
		"halted":                {[]cua.Incident{in(2, 5, cua.OutcomeHalted)}, 4},
		"overlapping count one": {[]cua.Incident{in(2, 5, cua.OutcomeEnded), in(4, 6, cua.OutcomeEnded)}, 5},
		"open":                  {[]cua.Incident{in(9, 10, "")}, 2},
	} {
		if got := Summarize(&Trajectory{Steps: steps}, c.incidents).WastedSteps; got != c.want {
			t.Errorf("%s: %d wasted, want %d", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		t    Trajectory
		want int
	}{
		"announced end":   {Trajectory{Steps: steps, Events: []Event{{Kind: FaultEvent, Step: 10}}, Ends: []End{{Reason: cua.EndEnvError, Totals: Totals{Steps: 10}}}}, 1},
		"unannounced end": {Trajectory{Steps: steps, Ends: []End{{Reason: cua.EndBrainError, Totals: Totals{Steps: 10}}}}, 1},
		"two sittings":    {Trajectory{Steps: steps, Events: []Event{{Kind: FaultEvent, Step: 3}}, Ends: []End{{Reason: cua.EndEnvError, Totals: Totals{Steps: 10}}}}, 2},
		"agent's own":     {Trajectory{Steps: steps, Ends: []End{{Reason: cua.EndLoop}}}, 0},
	} {
		if got := Summarize(&c.t, nil).InfrastructureFaults; got != c.want {
			t.Errorf("%s: %d faults, want %d", name, got, c.want)
		}
	}
	unknown := []cua.Step{{Usage: cua.Usage{USD: new(0.5)}}, {Usage: cua.Usage{InputTokens: 5}}}
	if Sum(unknown).USD != nil || *Sum(unknown[:1]).USD != 0.5 || Sum(nil).USD != nil {
		t.Error("an unknown cost became a known one")
	}
}
