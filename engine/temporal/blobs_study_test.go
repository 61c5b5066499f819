//go:build server

package temporal

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// With a bucket the study has no frames until they are fetched, and is else that of one process; the bucket's
// server is away for a moment.
func TestBlobsInABucket(t *testing.T) {
	s, s3 := newSite(t), newS3(t)
	for _, name := range []string{endpointVariable, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, s3.env(nil)(name))
	}
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(s.shared, "study")
	if cmd, out := s.bench(t.Context(), 1, "--out", whole); cmd.Run() != nil {
		t.Fatal(out)
	}
	s.worker("--blobs", "s3://frames/studies")
	cmd, out := s.bench(t.Context(), 1, s.byEngine(dir)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "result", func() bool { return played(dir) > 0 })
	kill(s3.process)
	open := filepath.Join(dir, benchmarks.CellsName, "open", "*", "*", benchmarks.ResultsName)
	await(t, "cell that waits for the bucket", func() bool {
		results, _ := filepath.Glob(open)
		return slices.ContainsFunc(results, func(path string) bool { return played(filepath.Dir(path)) > 0 })
	})
	s3.start()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := once(t, dir, whole); n != 8 {
		t.Errorf("%d attempts at 8 cells", n)
	}
	if left := len(blobsOf(t, dir)); left > 0 || len(s3.objects()) == 0 {
		t.Errorf("%d blobs are in the study, %d in the bucket", left, len(s3.objects()))
	}
	if out, err := exec.Command(filepath.Join(s.bin, "engine"), "fetch", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	in, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	frames := 0
	for _, r := range in.Results {
		run, err := trajectories.Read(in.EpisodeDir(r.Episode))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range run.Steps {
			if sha := step.After.FrameSHA; sha != "" {
				if _, err := run.Blob(sha); err != nil {
					t.Error(err)
				}
				frames++
			}
		}
	}
	t.Logf("%d objects, %d steps with frames", len(s3.objects()), frames)
	if frames == 0 {
		t.Error("no step has a frame")
	}
}

// A placebo is played where the cell is that says how many nudges it gets.
func TestPlaceboArm(t *testing.T) {
	s := newSite(t)
	arms := []string{"--arms", "placebo,off,nudge", "--brain", "heuristic", "--fault", "click_fixation=1"}
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(s.shared, "study")
	if cmd, out := s.bench(t.Context(), 1, append(arms, "--out", whole)...); cmd.Run() != nil {
		t.Fatal(out)
	}
	s.worker()
	s.worker()
	if cmd, out := s.bench(t.Context(), 1, append(arms, s.byEngine(dir)...)...); cmd.Run() != nil {
		t.Fatal(out)
	}
	if n := once(t, dir, whole); n != 12 {
		t.Errorf("%d attempts at 12 cells", n)
	}
	in, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	nudges := map[string]int{}
	for _, r := range in.Results {
		nudges[r.Arm] += r.Nudges
	}
	if nudges["nudge"] == 0 || nudges["placebo"] != nudges["nudge"] || nudges["off"] > 0 {
		t.Errorf("nudges by arm: %v", nudges)
	}
}
