package benchmarks

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// failing is a file of results whose disk fails where it is told to.
type failing struct {
	*os.File
	room        int // bytes that still fit; -1 is no bound
	sync, trunc error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.room < 0 {
		return f.File.Write(p)
	}
	n, err := f.File.Write(p[:min(f.room, len(p))])
	return n, errors.Join(err, syscall.ENOSPC)
}

func (f *failing) Sync() error { return cmp.Or(f.sync, f.File.Sync()) }

func (f *failing) Truncate(n int64) error {
	if f.trunc != nil {
		return f.trunc
	}
	return f.File.Truncate(n)
}

// A result that could not be written leaves the results before it as they were, and its cell is played again.
func TestAFailedCommitIsTakenBack(t *testing.T) {
	for _, row := range []struct {
		name   string
		f      failing
		is     error
		broken bool // nothing more is written
	}{
		{"a full disk", failing{room: 0}, syscall.ENOSPC, false},
		{"a disk that is full after a part", failing{room: 9}, syscall.ENOSPC, false},
		{"a sync that fails", failing{room: -1, sync: syscall.EIO}, syscall.EIO, false},
		{"a line that cannot be taken back", failing{room: 9, trunc: syscall.EROFS}, syscall.EROFS, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := create(t, 1)
			cells, err := s.Plan.Cells()
			if err != nil {
				t.Fatal(err)
			}
			l, err := s.lock()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.commit(l, Result{Cell: cells[0]}); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(s.path(resultsName))
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(s.path(resultsName), os.O_RDWR|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			bad := row.f
			bad.File = file
			l.log = trajectories.NewLog(&bad, file.Name(), int64(len(before)))
			err = s.commit(l, Result{Cell: cells[1]})
			if !errors.Is(err, row.is) || strings.Contains(err.Error(), "\n") || len(s.Results) != 1 {
				t.Errorf("%v, %d results", err, len(s.Results))
			}
			bad = failing{File: file, room: -1} // there is room again
			if err := s.commit(l, Result{Cell: cells[2]}); (err != nil) != row.broken {
				t.Errorf("after it: %v", err)
			}
			l.close()
			again, err := Open(s.Dir)
			if err != nil || again.Torn != row.broken {
				t.Fatalf("torn %v, %v", again.Torn, err)
			}
			want := []Cell{cells[0], cells[2]}
			if row.broken {
				want = want[:1]
			}
			var got []Cell
			for _, r := range again.Results {
				got = append(got, r.Cell)
			}
			if !slices.Equal(got, want) {
				t.Errorf("cells %v, want %v", got, want)
			}
		})
	}
}

func TestAnythingButATornEndIsNamed(t *testing.T) {
	good := `{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n"
	put := func(fields string) string { return strings.Replace(good, "}", ","+fields+"}", 1) }
	for _, c := range []struct {
		name, text, says string
		results          int
		torn             bool
	}{
		{"whole", good, "", 1, false},
		{"torn", good + `{"suite":"contr`, "", 1, true},
		{"whole but for its line end", good + strings.TrimSuffix(strings.Replace(good, "off", "default", 1), "\n"), "", 1, true},
		{"no JSON", good + "what\n", "line 2 (byte 59)", 1, false},
		{"another study's cell", strings.Replace(good, "stepper", "login", 1), `"login"`, 0, false},
		{"twice", good + good, "line 2", 1, false},
		{"a reward of 7", put(`"reward":7,"success":true,"lenient":true,"end":"done"`), "line 1 (byte 0): strict true and solved true cannot be of a reward of 7", 0, false},
		{"a reward below 0", put(`"reward":-1`), "a reward of -1", 0, false},
		{"solved without the reward", put(`"reward":0.5,"lenient":true,"end":"done"`), "a reward of 0.5", 0, false},
		{"the reward without solved", put(`"reward":1,"end":"done"`), "a reward of 1", 0, false},
		{"strict at a cap", put(`"reward":1,"success":true,"lenient":true,"solvable":true,"end":"max_steps"`), `the end "max_steps"`, 0, false},
		{"solved by a fault", put(`"reward":1,"lenient":true,"end":"env_error"`), `the end "env_error"`, 0, false},
		{"solved at a cap", put(`"reward":1,"lenient":true,"solvable":true,"end":"max_steps"`), "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Study{Plan: testPlan(1)}
			err := s.parseResults([]byte(c.text))
			if (c.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			if len(s.Results) != c.results || s.Torn != c.torn {
				t.Errorf("%d results, torn %v", len(s.Results), s.Torn)
			}
		})
	}
}

// What an attempt used was paid for also where its result was lost, or it never came to one.
func TestUsedCountsAttemptsWithoutAResult(t *testing.T) {
	s := create(t, 1)
	if err := s.Play(t.Context(), Options{Factory: &pressings{t: t, broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, r := range s.Results {
		steps += r.Steps
	}
	for _, kept := range []int{len(s.Results), len(s.Results) - 1, 0} {
		s.Results = s.Results[:kept]
		if u := s.Used(); steps == 0 || u.Tokens() != 10*steps || *u.USD != 0.0625*float64(steps) {
			t.Errorf("with %d results: %d tokens, %v USD of %d steps", kept, u.Tokens(), *u.USD, steps)
		}
	}
}

// The report's sums are over results; what attempts used beside them has columns of its own, where there is
// any.
func TestReportNamesWhatAttemptsUsedBeside(t *testing.T) {
	s := create(t, 1)
	if err := s.Play(t.Context(), Options{Factory: &pressings{t: t, broken: map[string]int{}}}); err != nil {
		t.Fatal(err)
	}
	whole := reported(t, s)
	if tab := whole.attemptsTable(); len(tab.head) != 8 || strings.Contains(tab.note, "beside") {
		t.Errorf("nothing was used beside, and it is shown: %v", tab)
	}
	lost := s.Results[len(s.Results)-1]
	s.Results = s.Results[:len(s.Results)-1]
	rep := reported(t, s)
	for i, a := range rep.Arms {
		before := whole.Arms[i]
		if a.Arm != lost.Arm {
			if (a.Beside != cua.Usage{}) || a.Tokens != before.Tokens {
				t.Errorf("%s: %+v", a.Arm, a)
			}
			continue
		}
		if a.Beside.Tokens() != lost.Tokens || lost.Tokens == 0 ||
			a.Tokens+a.Beside.Tokens() != before.Tokens || *a.USD+*a.Beside.USD != *before.USD {
			t.Errorf("beside %+v, before %d tokens, %v USD", a.Beside, before.Tokens, *before.USD)
		}
	}
	text, js, _ := formats(t, rep)
	for _, want := range []string{"tokens beside USD beside", "are over results and without them."} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(js, `"beside": {`); n != 1 {
		t.Errorf("JSON has what was used beside %d times", n)
	}
	// A cell that died eight times has a result without steps, which names its last attempt.
	s.Results = append(s.Results, failed(lost.Cell, suites.Task{}, attempted{n: 1, interrupted: 1},
		errors.New("died")))
	if u := s.Used(); u.Tokens() != whole.Arms[0].Tokens+whole.Arms[1].Tokens {
		t.Errorf("with a cell that was not played: %d tokens", u.Tokens())
	}
	s.Results = s.Results[:len(s.Results)-1]
	// An attempt of unknown cost makes the sum unknown, as it does for results.
	dir := s.EpisodeDir(lost.Episode)
	journal := filepath.Join(dir, trajectories.JournalName)
	raw, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, bytes.Replace(raw, []byte(`,"cost_usd":0.0625`), nil, 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if a := reported(t, s).Arms[slices.IndexFunc(rep.Arms,
		func(a ArmReport) bool { return a.Arm == lost.Arm })]; a.Beside.USD != nil ||
		a.Beside.Tokens() != lost.Tokens {
		t.Errorf("of unknown cost: %+v", a.Beside)
	}
}

// A study of whole suites keeps its cells when the program's suites grow.
func TestPlanNamesItsTasks(t *testing.T) {
	p := testPlan(1)
	p.Tasks = nil
	all, err := p.tasks()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = Open(s.Dir); err != nil || len(s.Plan.Tasks) != len(all) || s.Plan.Tasks[0] != all[0].Name {
		t.Errorf("tasks %v of %d (%v)", s.Plan.Tasks, len(all), err)
	}
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"suite":"controls","task":"stepper","seed":1,"arm":"off"}` + "\n{"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &Study{Plan: testPlan(1)}
		err := s.parseResults(text)
		again := &Study{Plan: s.Plan}
		if e := again.parseResults(text[:s.good]); e != nil || len(again.Results) != len(s.Results) ||
			again.Torn {
			t.Fatalf("what was kept reads differently: %v after %v", e, err)
		}
	})
}
