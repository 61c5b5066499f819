package runner

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// ForkPoint is a place in a recorded episode from which another one plays on.
type ForkPoint struct {
	// Dir is the run folder of the recorded episode. It stays as it is.
	Dir string
	// Step is the number of the first step that is not taken over, 1 or more.
	Step int
	// Moved are addresses in that episode and what they are now: old, new, old, new, and so on. It is for
	// sites that get another address each time.
	Moved []string
}

// Fork runs a new episode in r.Dir that begins as a recorded one did: with its task and its steps before
// p.Step. From the checkpoint of that place it plays on under r.Config, as Resume does: what was restored is
// in the resume event. The server behind the page is as it is.
func (r *Runner) Fork(ctx context.Context, p ForkPoint) (trajectories.RunResult, error) {
	was, err := trajectories.ReadHeader(p.Dir)
	if err != nil {
		r.inbox.close()
		return trajectories.RunResult{}, fmt.Errorf("runner: forking: %w", err)
	}
	if err := r.fork(was, p); err != nil {
		r.inbox.close()
		return trajectories.RunResult{}, err
	}
	return r.Resume(ctx)
}

// fork makes the folder of the new episode.
func (r *Runner) fork(was trajectories.Header, p ForkPoint) error {
	moved := strings.NewReplacer(p.Moved...)
	edit := func(text []byte) []byte { return []byte(moved.Replace(string(text))) }
	task, err := movedTask(was.Task, edit)
	if err != nil {
		return err
	}
	e, err := r.episode(task)
	if err != nil {
		return err
	}
	h := e.header
	h.Fork = &trajectories.ForkOf{ID: was.ID, Episode: was.Episode, Step: p.Step}
	if h.ID == "" {
		if h.ID, err = trajectories.NewID(e.started, cmp.Or[io.Reader](r.Random, rand.Reader)); err != nil {
			return err
		}
	}
	return trajectories.Fork(r.Dir, h, p.Dir, edit)
}

// movedTask is task with its addresses edited.
func movedTask(task cua.Task, edit func([]byte) []byte) (out cua.Task, err error) {
	text, err := json.Marshal(task)
	if err == nil {
		err = json.Unmarshal(edit(text), &out)
	}
	if err != nil {
		return out, fmt.Errorf("runner: forking: the task: %w", err)
	}
	return out, nil
}
