package detection

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// fold is the folder of real trajectories; the test is skipped where it is not beside this checkout.
func fold(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", "data", "loops")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the trajectories to measure with are not there: ", dir)
	}
	return dir
}

// foldReport scores the whole folder with the default config.
func foldReport(t testing.TB, labels *Labels) Report {
	t.Helper()
	e := NewEvaluation([]Group{{"date pickers", regexp.MustCompile("/choose-date")}}, labels)
	a := runner.Assemble(runner.DefaultConfig())
	files, err := filepath.Glob(filepath.Join(fold(t), "*.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for run, err := range formats.Runs(path, formats.Auto, nil, nil) {
			if err != nil {
				t.Fatal(err)
			}
			e.Add(Detect(run, a, labels))
		}
	}
	return e.Report()
}

// The detectors are as good on real trajectories as they have to be: experts agree with one another
// to about .9, and what alarms on people at work would be switched off.
func TestDetectionOnRealTrajectories(t *testing.T) {
	file, err := os.Open(filepath.Join(fold(t), "labels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	labels, err := ReadLabels(file)
	if err != nil {
		t.Fatal(err)
	}
	rep := foldReport(t, labels)
	experts := rowOf(t, rep, byQuality, "agent-reward-bench", "ok", "").Soft
	people := rowOf(t, rep, byQuality, "miniwob-plusplus-demos", "strict", "").Soft
	sites := rowOf(t, rep, byQuality, "mind2web (copy in browser-use tests)", "strict", "").Soft
	desktop := rowOf(t, rep, byQuality, "osworld-verified (via izaias-saturnino)", "", "").Soft
	dates := rowOf(t, rep, byGroup, "", "", "date pickers").Soft
	for _, row := range []struct {
		name          string
		got, low, top float64
	}{
		{"expert labels, F1", experts.F1.Value, 0.90, 1},
		{"expert labels, false alarms", experts.False.Share, 0, 0.05},
		{"people's date pickers that alarm", dates.False.Share, 0, 0.015},
		{"people on small pages that alarm", people.False.Share, 0, 0.02},
		{"people on real sites that alarm", sites.False.Share, 0, 0.005},
		{"successful desktop runs that alarm", desktop.OfSucceeded.Share, 0, 0.05},
		{"labelled windows: loops found", rep.Windows.Found.Share, 0.8, 1},
		{"labelled windows: false alarms", rep.Windows.False.Share, 0, 0},
	} {
		if row.got < row.low || row.got > row.top {
			t.Errorf("%s: %.3f, want %g to %g", row.name, row.got, row.low, row.top)
		}
	}
	if n := len(rep.Windows.Absent); n > 0 {
		t.Errorf("%d labelled windows are in no trajectory", n)
	}
}

// BenchmarkDetectFold reads and scores the whole folder, two and a half thousand trajectories, on one
// processor.
func BenchmarkDetectFold(b *testing.B) {
	fold(b)
	for b.Loop() {
		rep := foldReport(b, nil)
		if len(rep.Rows) == 0 {
			b.Fatal("nothing was read")
		}
	}
}
