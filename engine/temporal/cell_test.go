package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// playerVariable makes the test program what stands for cua-runner.
const playerVariable = "ENGINE_TEST_PLAYER"

// standIn is what stands for cua-runner: it plays the cell without a browser, or does not. It returns the
// exit code.
func standIn(what string) int {
	after := func(flag string) string { return os.Args[slices.Index(os.Args, flag)+1] }
	says := func(text string, code int) int {
		fmt.Fprintln(os.Stderr, "cua-runner: "+text)
		return code
	}
	switch what {
	case "plays":
		return playHere(after("--resume"), after("--cell"), 0)
	case "plays with a frame":
		code := playHere(after("--resume"), after("--cell"), 0)
		name, data := blob(5000)
		_ = os.WriteFile(filepath.Join(after("--resume"), benchmarks.RunsName, after("--cell"),
			trajectories.BlobsDir, name), data, 0o600)
		return code
	case "faulty":
		_ = playHere(after("--resume"), after("--cell"), 1000)
		return says("the browser is gone", 3)
	case "refuses":
		return says("--cell: this machine differs", 2)
	case "has no browser":
		return says("no browser", 3)
	case "dies":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "hangs":
		c := make(chan os.Signal, 1)
		signal.Notify(c, os.Interrupt)
		<-c
		return 130
	}
	return says("no such stand-in", 1)
}

// playHere plays the cell of that name; the first so many sessions of its task are broken.
func playHere(dir, name string, broken int) int {
	s, err := benchmarks.Open(dir)
	if err != nil {
		return 2
	}
	cells, _ := s.Plan.Cells() // it was opened
	i := slices.IndexFunc(cells, func(c benchmarks.Cell) bool { return c.Episode(1) == name })
	f := &studytest.Pressings{Broken: map[string]int{cells[i].Task: broken}}
	o := study.Options{Factory: f, Only: cells[i : i+1]}
	if err := study.Play(context.Background(), s, o); err != nil {
		return 3
	}
	return 0
}

// Of what can come of a cell, only faults of the infrastructure are tried again, and not for ever.
func TestWhatIsTriedAgain(t *testing.T) {
	const good, again, ends = "committed", "tried again", "the study ends"
	for _, row := range []struct {
		name   string
		does   []string // attempt by attempt
		change func(*CellInput)
		comes  string // of the last attempt
		code   string // of its error
		end    string // of its result
	}{
		{"a cell that is played", []string{"plays"}, nil, good, "", "done"},
		{"one that has a result", []string{"plays", "refuses"}, nil, good, "", ""},
		{"a fault", []string{"faulty"}, nil, again, "env_error", ""},
		{"a fault and then none", []string{"faulty", "plays"}, nil, good, "", "done"},
		{"a fault on three machines", []string{"faulty", "faulty", "faulty"}, nil, good, "", "env_error"},
		{"a death", []string{"dies"}, nil, again, "broken", ""},
		{"no browser", []string{"has no browser"}, nil, again, "broken", ""},
		{"an episode that records nothing", []string{"hangs"}, nil, again, "hung", ""},
		{"another build", []string{"refuses"}, nil, ends, "refused", ""},
		{"another study in the folder", []string{"plays"}, func(in *CellInput) { in.ID = "1" }, ends, "folder", ""},
		{"a folder that is not shared", []string{"plays"}, func(in *CellInput) { in.Dir = os.TempDir() }, ends, "folder", ""},
		{"a cell that is none", []string{"plays"}, func(in *CellInput) { in.Number = 1000 }, ends, "folder", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := &Worker{Shared: t.TempDir(), Program: os.Args[0], StepTimeout: 2 * time.Second}
			s, err := study.Create(filepath.Join(w.Shared, "study"), studytest.Plan(1))
			if err != nil {
				t.Fatal(err)
			}
			in := CellInput{s.Dir, s.ID(), 1}
			if row.change != nil {
				row.change(&in)
			}
			var out CellOutput
			for _, does := range row.does {
				t.Setenv(playerVariable, does)
				out, err = w.attempt(in)
			}
			var e *sdk.ApplicationError
			comes, code := good, ""
			if errors.As(err, &e) {
				comes, code = again, e.Type()
				if e.NonRetryable() {
					comes = ends
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if comes != row.comes || code != row.code || out.End != row.end {
				t.Errorf("%s, code %q, end %q: %v", comes, code, out.End, err)
			}
			done, _ := filepath.Glob(s.Path("cells/done/*"))
			if (len(done) == 1) != (comes == good) {
				t.Errorf("%d cells are committed", len(done))
			}
		})
	}
}

// attempt is one attempt at the cell.
func (w *Worker) attempt(in CellInput) (out CellOutput, err error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(w.Cell)
	value, err := env.ExecuteActivity(w.Cell, in)
	if err == nil {
		err = value.Get(&out)
	}
	return out, err
}

// blob is some bytes and their name.
func blob(size int) (name string, data []byte) {
	data = make([]byte, size)
	for i := range data {
		data[i] = byte(rand.IntN(256))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), data
}
