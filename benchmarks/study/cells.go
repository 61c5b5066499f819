package study

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Folders inside benchmarks.CellsName. In each of them a unit has a folder named after the first episode of
// its first cell.
const (
	openName = "open" // with a folder for each time that a process began to play the unit
	doneName = "done" // the one of these that counts
)

// UnitWork is what PrepareUnit made.
type UnitWork struct {
	// Dir is a study with the same plan, in which Left is to be played (Options.Only); "": all cells of the
	// unit have a result already.
	Dir string
	// Left are the cells that have no result in it; none: CommitUnit is all that is left to do.
	Left []benchmarks.Cell
	// Faulted counts the works before this one whose result an infrastructure fault ended.
	Faulted int
}

// PrepareUnit makes a folder in which one process plays a unit of s, which was opened just now. The attempts
// that are there already are in it too, so that they are counted. Several processes may play a unit at once,
// each in a folder of its own: CommitUnit decides whose results count. A folder with all results that no
// process committed is given again, unless an infrastructure fault ended one of them.
func PrepareUnit(s *benchmarks.Study, unit []benchmarks.Cell) (w UnitWork, err error) {
	name := unit[0].Episode(1)
	_, none := os.Stat(s.Path(cellPath(doneName, name)))
	if none == nil || len(among(unit, s.Results)) == len(unit) {
		return w, nil
	}
	from := []*benchmarks.Study{s}
	entries, _ := os.ReadDir(s.Path(cellPath(openName, name))) // none: nobody began
	for _, e := range entries {
		in, err := benchmarks.Open(s.Path(cellPath(openName, name, e.Name())))
		if err != nil {
			continue // its process died before it had a plan, or goes on
		}
		from = append(from, in)
		results := among(unit, in.Results)
		switch {
		case slices.ContainsFunc(results, faulted):
			w.Faulted++
		case len(results) == len(unit):
			return UnitWork{Dir: in.Dir}, nil
		}
	}
	if w.Dir, err = newWork(s, name, len(entries)); err == nil {
		w.Left, err = fill(w.Dir, unit, from)
	}
	if err != nil {
		return UnitWork{}, fmt.Errorf("study: preparing %s: %w", name, err)
	}
	return w, nil
}

// among are those of the results that are of cells of the unit.
func among(unit []benchmarks.Cell, results []benchmarks.Result) (out []benchmarks.Result) {
	for _, r := range results {
		if slices.Contains(unit, r.Cell) {
			out = append(out, r)
		}
	}
	return out
}

func faulted(r benchmarks.Result) bool { return r.End.Infrastructure() }

// fill makes dir a study with the plan of the first of from, and with what they have of the unit: the results
// and the attempts. It says what has no result.
func fill(dir string, unit []benchmarks.Cell, from []*benchmarks.Study) (left []benchmarks.Cell, err error) {
	var lines []byte
	var all []string
	for _, in := range from {
		all = append(all, in.Dir)
	}
	for _, c := range unit {
		sources := all
		if in, r := resultOf(c, from); in == nil {
			left = append(left, c)
		} else if line, err := json.Marshal(r); err != nil {
			return nil, err
		} else {
			lines = append(append(lines, line...), '\n')
			sources = []string{in.Dir}
		}
		if err := copyAttempts(dir, c, sources...); err != nil {
			return nil, err
		}
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true, New: true}
	if err := trajectories.WriteBytes(filepath.Join(dir, benchmarks.ResultsName), o, lines); err != nil {
		return nil, err
	}
	return left, copyPlan(from[0], dir)
}

// resultOf is the first result of c in a study and works of its unit, and where it is; nil is none. In a
// work, results that an infrastructure fault ended do not count.
func resultOf(c benchmarks.Cell, from []*benchmarks.Study) (*benchmarks.Study, benchmarks.Result) {
	for i, in := range from {
		for _, r := range in.Results {
			if r.Cell == c && (i == 0 || !faulted(r)) {
				return in, r
			}
		}
	}
	return nil, benchmarks.Result{}
}

func cellPath(in string, names ...string) string {
	return filepath.Join(append([]string{benchmarks.CellsName, in}, names...)...)
}

// newWork makes the next folder for a cell of which there are n.
func newWork(s *benchmarks.Study, name string, n int) (string, error) {
	parent := s.Path(cellPath(openName, name))
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	for n++; ; n++ {
		dir := filepath.Join(parent, fmt.Sprintf("%04d", n))
		if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// copyPlan makes dir a study with the plan of s.
func copyPlan(s *benchmarks.Study, dir string) error {
	text, err := os.ReadFile(s.Path(benchmarks.PlanName))
	if err != nil {
		return err
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true, New: true}
	return trajectories.WriteBytes(filepath.Join(dir, benchmarks.PlanName), o, text)
}

// copyAttempts puts the attempts at c that are in the studies from into dir, of those with one number the
// first.
func copyAttempts(dir string, c benchmarks.Cell, from ...string) error {
	runs := filepath.Join(dir, benchmarks.RunsName)
	if err := os.MkdirAll(runs, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		i := slices.IndexFunc(from, func(d string) bool {
			_, err := os.Stat(filepath.Join(d, benchmarks.RunsName, c.Episode(n)))
			return err == nil
		})
		if i < 0 {
			return nil
		}
		attempt := filepath.Join(from[i], benchmarks.RunsName, c.Episode(n))
		if err := os.CopyFS(filepath.Join(runs, c.Episode(n)), os.DirFS(attempt)); err != nil {
			return err
		}
	}
}

// UnitResults are the results of the unit's cells in the study in dir.
func UnitResults(dir string, unit []benchmarks.Cell) ([]benchmarks.Result, error) {
	s, err := benchmarks.Open(dir)
	if err != nil {
		return nil, err
	}
	return among(unit, s.Results), nil
}

// CommitUnit makes the results in dir, which PrepareUnit made, those that count. Where others count already,
// these stay.
func CommitUnit(s *benchmarks.Study, unit []benchmarks.Cell, dir string) error {
	name := unit[0].Episode(1)
	done := s.Path(cellPath(doneName, name))
	err := os.MkdirAll(filepath.Dir(done), 0o700)
	if err == nil {
		err = os.Rename(dir, done) // fails where a folder with anything in it is there
	}
	if _, there := os.Stat(done); err != nil && there != nil {
		return fmt.Errorf("study: committing %s: %w", name, err)
	}
	_ = os.RemoveAll(s.Path(cellPath(openName, name))) // Collect removes what is left
	return nil
}

// collectEach is how often Collect looks.
const collectEach = 500 * time.Millisecond

// Collect adds the results of cells that other processes play in the study's folder (PrepareUnit), each once,
// as they come in, until wait returns, and then those that are left. The error is that of wait or a broken
// machine. Only the options Progress and Now are used.
func Collect(ctx context.Context, s *benchmarks.Study, o Options,
	wait func(context.Context) error) error {
	if err := cmp.Or(s.Plan.Validate(), s.Unchanged()); err != nil {
		return err
	}
	p, total, err := take(s, o)
	if err != nil {
		return err
	}
	defer p.ledger.close()
	p.tell(total, nil)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- wait(ctx) }()
	tick := time.NewTicker(collectEach)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if broken := p.collect(total); err != nil || broken != nil {
				return cmp.Or(err, broken)
			}
			return p.collected()
		case <-tick.C:
			if err := p.collect(total); err != nil {
				stop()
				<-ended
				return err
			}
		}
	}
}

// take makes this process the one that adds results to the study, until the ledger is closed. The study has
// total cells.
func take(s *benchmarks.Study, o Options) (p *play, total int, err error) {
	cells, err := s.Plan.Cells()
	if err != nil {
		return nil, 0, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p = &play{Study: s, Options: o, start: o.Now()}
	if p.ledger, err = lock(s); err != nil {
		return nil, 0, err
	}
	p.begun = len(s.Results)
	return p, len(cells), nil
}

// collect adds the cells that are done.
func (p *play) collect(total int) error {
	entries, err := os.ReadDir(p.Path(cellPath(doneName)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("study: collecting cells: %w", err)
	}
	for _, e := range entries {
		if err := p.collectCell(p.Path(cellPath(doneName, e.Name())), total); err != nil {
			return fmt.Errorf("study: collecting %s: %w", e.Name(), err)
		}
	}
	return nil
}

// collectCell adds the result of the study in dir and moves its attempts; a result that is there stays. A
// process that dies in here has moved attempts, of which the next one adds the result.
func (p *play) collectCell(dir string, total int) error {
	in, err := benchmarks.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(dir) // it was being removed
	}
	if err != nil {
		return err
	}
	if name := Differs(p.Plan, in.Plan); name != "" {
		return fmt.Errorf("%w: %s and %s differ in %s", ErrShards, p.Dir, dir, name)
	}
	for _, r := range in.Results {
		if slices.ContainsFunc(p.Results, func(old benchmarks.Result) bool { return old.Cell == r.Cell }) {
			continue
		}
		if err := moveAttempts(p.Study, in); err != nil {
			return err
		}
		if err := p.commitAndTell(r, total); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// moveAttempts moves those of the study in to s; what is there stays.
func moveAttempts(s, in *benchmarks.Study) error {
	runs, err := os.ReadDir(in.Path(benchmarks.RunsName))
	if err != nil {
		return err
	}
	for _, e := range runs {
		to := s.EpisodeDir(e.Name())
		if _, err := os.Stat(to); err == nil {
			continue
		}
		if err := os.Rename(in.EpisodeDir(e.Name()), to); err != nil {
			return err
		}
	}
	return nil
}

// collected removes the folder of the cells where all have a result; those that have none are an error.
func (p *play) collected() error {
	missing, err := p.Missing()
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return &MissingError{missing}
	}
	if err := os.RemoveAll(p.Path(benchmarks.CellsName)); err != nil {
		return fmt.Errorf("study: collecting cells: %w", err)
	}
	return nil
}

// build is the program that plays.
func (p *play) build() trajectories.Build { return cmp.Or(p.Build, p.Plan.Build) }

// browser is the one that plays.
func (p *play) browser() trajectories.BrowserInfo {
	if p.Browser.String() != "" {
		return p.Browser
	}
	return p.Plan.Browser
}
