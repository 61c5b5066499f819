package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// MissingError names the cells that no shard has played.
type MissingError struct{ Cells []benchmarks.Cell }

// Error names the first of them.
func (e *MissingError) Error() string {
	first := e.Cells[0].Episode(1)
	return fmt.Sprintf("study: %d cells are missing, the first is %s", len(e.Cells), first)
}

// ErrShards says that shards are not those of one study.
var ErrShards = errors.New("study: the shards are not of one study")

// Merge makes the folder out the study that the shards in dirs are parts of. Their plans, configurations and
// builds must be equal, and so must cells that two of them have, but for times and machines. Cells that are
// missing are a *MissingError, and nothing is written, unless partial is true: then the study lacks them.
func Merge(out string, dirs []string, partial bool) (*benchmarks.Study, []benchmarks.Cell, error) {
	plan, found, err := gather(dirs)
	if err != nil {
		return nil, nil, err
	}
	cells, err := plan.Cells()
	if err != nil {
		return nil, nil, err
	}
	var missing []benchmarks.Cell
	for _, c := range cells {
		if _, ok := found[c]; !ok {
			missing = append(missing, c)
		}
	}
	if len(missing) > 0 && !partial {
		return nil, missing, &MissingError{missing}
	}
	s, err := writeMerged(out, plan, cells, found, dirs)
	return s, missing, err
}

// gather reads the shards: the plan of the whole study, and the results that there are.
func gather(dirs []string) (plan benchmarks.Plan, found map[benchmarks.Cell]merged, err error) {
	found = map[benchmarks.Cell]merged{}
	for i, dir := range dirs {
		s, err := benchmarks.Open(dir)
		if err == nil {
			err = errors.Join(s.Unchanged(), Free(dir))
		}
		if err != nil {
			return plan, nil, err
		}
		whole := s.Plan
		whole.Shard = nil
		if i == 0 {
			plan = whole
		} else if name := Differs(plan, whole); name != "" {
			return plan, nil, fmt.Errorf("%w: %s and %s differ in %s", ErrShards, dirs[0], dir, name)
		}
		if whole.Started.Before(plan.Started) {
			plan.Started = whole.Started
		}
		if err := add(found, dir, s.Results); err != nil {
			return plan, nil, err
		}
	}
	return plan, found, nil
}

// add puts the results of the shard in dir into found; one that differs from another's is an error.
func add(found map[benchmarks.Cell]merged, dir string, results []benchmarks.Result) error {
	for _, r := range results {
		was, twice := found[r.Cell]
		if twice && !reflect.DeepEqual(Timeless(was.result), Timeless(r)) {
			return fmt.Errorf("%w: %s and %s have different results of %s", ErrShards, was.dir, dir,
				r.Episode)
		}
		if !twice {
			found[r.Cell] = merged{dir, r}
		}
	}
	return nil
}

// merged is the result of a cell and the shard that it is from.
type merged struct {
	dir    string
	result benchmarks.Result
}

// Differs names the first part in which two plans differ; "" is none. Shards run on several machines, at
// several times.
func Differs(a, b benchmarks.Plan) string {
	a.Host, a.Started = trajectories.Host{}, time.Time{}
	b.Host, b.Started = a.Host, a.Started
	a.Browser, b.Browser = a.Browser.Lasting(), b.Browser.Lasting()
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		one, err := json.Marshal(x.Field(i).Interface())
		other, err2 := json.Marshal(y.Field(i).Interface())
		if err != nil || err2 != nil || string(one) != string(other) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}

// Timeless is r without what depends on when and where it was played.
func Timeless(r benchmarks.Result) benchmarks.Result {
	r.DurationMS, r.HarnessMS, r.StepMS, r.Workers, r.Beside, r.Slow = 0, 0, 0, 0, 0, false
	r.Faulted, r.Interrupted, r.SharedDeaths, r.Overloads = 0, 0, 0, 0
	r.Cut, r.PossiblySent = 0, 0
	r.Episode = r.Cell.Episode(1)
	r.Incidents = append(r.Incidents[:0:0], r.Incidents...)
	for i := range r.Incidents {
		r.Incidents[i].Seconds = 0
	}
	return r
}

// writeMerged writes the study, with all attempts at its cells; out appears as a whole.
func writeMerged(out string, plan benchmarks.Plan, cells []benchmarks.Cell, found map[benchmarks.Cell]merged,
	dirs []string) (*benchmarks.Study, error) {
	if _, err := os.Stat(out); err == nil {
		return nil, fmt.Errorf("study: merging: %w: %s", fs.ErrExist, out)
	}
	if err := trajectories.WriteFolder(out, func(tmp string) error {
		return fillMerged(tmp, plan, cells, found, dirs)
	}); err != nil {
		return nil, fmt.Errorf("study: merging: %w", err)
	}
	return benchmarks.Open(out)
}

// fillMerged writes what is in the folder of the study.
func fillMerged(tmp string, plan benchmarks.Plan, cells []benchmarks.Cell, found map[benchmarks.Cell]merged,
	dirs []string) error {
	if _, err := Create(tmp, plan); err != nil {
		return err
	}
	var lines []byte
	for _, c := range cells {
		m, ok := found[c]
		if ok {
			line, err := json.Marshal(m.result)
			if err != nil {
				return err
			}
			lines = append(append(lines, line...), '\n')
		} else {
			m.dir = begunIn(c, dirs)
		}
		if err := copyAttempts(tmp, c, m.dir); err != nil {
			return fmt.Errorf("the attempts at %s in %s: %w", c.Episode(1), m.dir, err)
		}
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true}
	return trajectories.WriteBytes(filepath.Join(tmp, benchmarks.ResultsName), o, lines)
}

// begunIn is the first of the shards in dirs that has attempts at a cell without a result, which a study of
// one process has too; without any it is the first.
func begunIn(c benchmarks.Cell, dirs []string) string {
	i := slices.IndexFunc(dirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, benchmarks.RunsName, c.Episode(1)))
		return err == nil
	})
	return dirs[max(i, 0)]
}
