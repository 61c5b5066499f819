package runner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// killDir makes the test binary the process that is killed: it runs or resumes the episode in
// this folder.
const killDir = "CUA_KILL_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := endless(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// endless presses Next without end, and prints the number of each step once it is on record.
func endless(dir string) error {
	site, err := envtest.ParseSite([]byte(`{"start":"list","pages":{"list":{"controls":[{"name":"Next","type":"button","counts":true}]}}}`))
	if err != nil {
		return err
	}
	cfg := runner.DefaultConfig()
	cfg.Viewport = cua.Size{W: 320, H: 320}
	cfg.Recovery.Limits.MaxSteps = 0
	script := make([]cua.Scripted, 10_000)
	for i := range script {
		script[i] = cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Next"}
	}
	r := &runner.Runner{Brain: &envtest.Overseen{Brain: brain.Scripted{Script: script},
		Fault: func(what string) { panic(what) }}, Env: &envtest.Env{Site: site}, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "killed"}, Watch: func(s *cua.Step) { fmt.Println(s.N) }}
	if _, err := os.Stat(filepath.Join(dir, "journal.jsonl")); err == nil {
		_, err = r.Resume(context.Background())
		return err
	}
	_, err = r.Run(context.Background(), cua.Task{ID: "killed", Goal: "press Next",
		URL: "http://scripted.test/list"})
	return err
}

// An episode that is killed at random, a hundred times over, loses no step that was on record and
// does none twice; the brain hears of each action whose outcome nobody saw.
func TestKilledAHundredTimes(t *testing.T) {
	t.Parallel() // most of it is waiting
	dir := filepath.Join(t.TempDir(), "killed")
	chance := rand.New(rand.NewPCG(1, 2))
	acknowledged := 0
	for range 100 {
		n, err := killed(dir, time.Duration(10+chance.IntN(40))*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged = max(acknowledged, n)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Steps) < acknowledged || acknowledged == 0 {
		t.Errorf("%d steps are on record, %d were acknowledged", len(tr.Steps), acknowledged)
	}
	for i, s := range tr.Steps {
		if s.N != i+1 {
			t.Fatalf("record %d is step %d", i+1, s.N)
		}
	}
	for _, ev := range tr.Events {
		if ev.Kind == trajectories.InterruptedEvent && ev.Step < len(tr.Steps) && !warned(tr) {
			t.Errorf("the action interrupted after step %d was not told", ev.Step)
		}
	}
	var cfg runner.Config
	if err := json.Unmarshal(tr.Header.Config, &cfg); err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	t.Logf("%d steps, %d acknowledged, %d events", len(tr.Steps), acknowledged, len(tr.Events))
}

// killed runs the episode, kills it so long after its first sign of life, and returns the last
// step that it acknowledged.
func killed(dir string, after time.Duration) (int, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	last := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if last == 0 {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
		fmt.Sscan(lines.Text(), &last)
	}
	if err := cmd.Wait(); err == nil {
		return last, fmt.Errorf("the episode ended by itself after step %d", last)
	}
	return last, nil
}
