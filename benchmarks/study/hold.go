package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Player is a process that plays a study. The zero value is one that has not said who it is.
type Player struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
}

func (p Player) String() string {
	if p.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on host %s, since %s", p.PID, p.Host, p.Since.Format(time.RFC3339))
}

// HeldError says that a process plays the study in Dir.
type HeldError struct {
	Dir string
	By  Player
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("study: %s is being played by %s", e.Dir, e.By)
}

// hold makes this process the one that plays the study in dir, until release is called. A *HeldError names
// the process that does already. A folder that is not there is an error that wraps fs.ErrNotExist.
func hold(dir string) (release func(), err error) {
	path := filepath.Join(dir, benchmarks.PlayerName)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, fmt.Errorf("study: locking a study: %w", err)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			defer f.Close()
			if !errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, fmt.Errorf("study: locking %s: %w", path, err)
			}
			held := &HeldError{Dir: dir}
			_ = json.NewDecoder(io.LimitReader(f, 4096)).Decode(&held.By) // it may not have written it yet
			return nil, held
		}
		if !isAt(f, path) { // the study was moved away between opening and locking
			f.Close()
			continue
		}
		if err := sayWho(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("study: writing %s: %w", path, err)
		}
		return func() {
			_ = f.Truncate(0) // nobody plays it; a process that dies leaves its name and not its lock
			f.Close()
		}, nil
	}
}

func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

func sayWho(f *os.File) error {
	host, _ := os.Hostname() // "": unknown
	text, err := json.Marshal(Player{PID: os.Getpid(), Host: host, Since: time.Now().Round(time.Second)})
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// Free is nil where no process plays the study in dir, else a *HeldError.
func Free(dir string) error {
	release, err := hold(dir)
	if err != nil {
		return err
	}
	release()
	return nil
}

// Replace begins a study in the place of the one in dir, which is removed with its episodes once the new one
// is there. A *HeldError says that a process plays the old one, which then stays. In a folder without a study
// it is Create, and what else is in the folder stays.
func Replace(dir string, p benchmarks.Plan) (*benchmarks.Study, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if _, err := os.Lstat(filepath.Join(dir, benchmarks.PlanName)); errors.Is(err, fs.ErrNotExist) {
		return Create(dir, p) // what is in a folder that is no study stays
	}
	release, err := hold(dir)
	if err != nil {
		return nil, err
	}
	defer release()
	parent, base := filepath.Split(filepath.Clean(dir))
	parent = filepath.Clean(parent + ".")
	left := "." + base + ".replaced-"
	if siblings, err := os.ReadDir(parent); err == nil {
		for _, e := range siblings { // of processes that died in here
			if strings.HasPrefix(e.Name(), left) {
				_ = os.RemoveAll(filepath.Join(parent, e.Name())) // tried again the next time
			}
		}
	}
	aside, err := os.MkdirTemp(parent, left+"*")
	if err != nil {
		return nil, fmt.Errorf("study: replacing %s: %w", dir, err)
	}
	old, gone := filepath.Join(aside, "old"), aside
	defer func() { os.RemoveAll(gone) }()
	s, err := Create(filepath.Join(aside, "new"), p)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(dir, old); err != nil {
		return nil, fmt.Errorf("study: replacing %s: %w", dir, err)
	}
	if err := os.Rename(s.Dir, dir); err != nil {
		err = fmt.Errorf("study: replacing %s: %w", dir, err)
		if back := os.Rename(old, dir); back != nil { // it stays where it is
			gone = s.Dir
			err = fmt.Errorf("%w; the old study is in %s: %w", err, old, back)
		}
		return nil, err
	}
	s.Dir = dir
	return s, nil
}

// ledger is results.jsonl, open for appending by the one process that plays the study.
type ledger struct {
	log   *trajectories.Log
	close func()
}

// lock makes this process the one that plays the study, reads the results again, since another process may
// have added to them, and opens them for appending. A torn tail is cut off.
func lock(s *benchmarks.Study) (*ledger, error) {
	release, err := hold(s.Dir)
	if err != nil {
		return nil, err
	}
	l, err := open(s)
	if err != nil {
		release()
		return nil, err
	}
	file := l.close
	l.close = func() { file(); release() }
	return l, nil
}

func open(s *benchmarks.Study) (*ledger, error) {
	if err := s.Reread(); err != nil {
		return nil, err
	}
	flag := os.O_RDWR | os.O_CREATE | os.O_APPEND | syscall.O_NOFOLLOW
	f, err := os.OpenFile(s.Path(benchmarks.ResultsName), flag, 0o600)
	if err != nil {
		return nil, fmt.Errorf("study: opening results: %w", err)
	}
	if err := f.Truncate(s.Readable); err != nil {
		f.Close()
		return nil, fmt.Errorf("study: cutting a torn line off %s: %w", f.Name(), err)
	}
	s.Torn = false
	return &ledger{trajectories.NewLog(f, f.Name(), s.Readable), func() { f.Close() }}, nil
}

// commit appends one result and syncs it. One that could not be is taken back: its cell has no result.
func commit(s *benchmarks.Study, l *ledger, r benchmarks.Result) error {
	line, err := json.Marshal(r)
	if err == nil {
		err = l.log.Append(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("study: writing a result: %w", err)
	}
	s.Results = append(s.Results, r)
	return nil
}

// DropErrors takes the cells that an infrastructure fault ended out of the results, to be played again, and
// says which these are. Their attempts stay recorded and are counted.
func DropErrors(s *benchmarks.Study) (dropped []benchmarks.Cell, err error) {
	l, err := lock(s)
	if err != nil {
		return nil, err
	}
	defer l.close()
	raw, err := os.ReadFile(s.Path(benchmarks.ResultsName))
	if err != nil {
		return nil, fmt.Errorf("study: reading results: %w", err)
	}
	var kept []benchmarks.Result
	var text bytes.Buffer
	for line := range bytes.Lines(raw) {
		if r := s.Results[len(kept)+len(dropped)]; r.End.Infrastructure() {
			dropped = append(dropped, r.Cell)
		} else {
			text.Write(line)
			kept = append(kept, r)
		}
	}
	if len(dropped) == 0 {
		return nil, nil
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true}
	if err := trajectories.WriteBytes(s.Path(benchmarks.ResultsName), o, text.Bytes()); err != nil {
		return nil, fmt.Errorf("study: writing results: %w", err)
	}
	s.Results, s.Readable = kept, int64(text.Len())
	return dropped, nil
}
