package study

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Shared is an environment of several episodes at once, as far as it can end for all of them.
type Shared interface {
	runner.Env
	// Lost reports whether what is shared has ended. It is asked after an infrastructure fault.
	Lost() bool
}

// lost reports whether what env shares with others has ended.
func lost(env runner.Env) bool {
	s, ok := env.(Shared)
	return ok && s.Lost()
}

// AsideReason says why an attempt does not count.
type AsideReason string

// The reasons.
const (
	// AsideSharedDeath: the browser that the episode shared with others ended.
	AsideSharedDeath AsideReason = "shared_death"
	// AsideOverload: the machine was so busy that the harness was far slower than the study's base.
	AsideOverload AsideReason = "overload"
)

// Aside says in an episode's folder that the attempt does not count: its cell is played again with nothing
// beside it.
type Aside struct {
	Why AsideReason `json:"why"`
	// StepMS is the episode's Result.StepMS, BaseMS the study's base at that time; 0: not known.
	StepMS float64 `json:"harness_step_ms,omitzero"`
	BaseMS float64 `json:"base_ms,omitzero"`
	// Beside is Result.Beside.
	Beside int `json:"beside"`
}

// asideName is the file of an Aside.
const asideName = "aside.json"

// asideOf is what an episode's folder says; "" where the attempt was not set aside.
func asideOf(dir string) AsideReason {
	text, err := os.ReadFile(filepath.Join(dir, asideName))
	if err != nil {
		return ""
	}
	var a Aside
	if json.Unmarshal(text, &a) != nil {
		return ""
	}
	return a.Why
}

// aside reports whether an attempt that ended so counts for nothing; nil: it counts. One that ran with
// nothing beside it always counts.
func (p *play) aside(c benchmarks.Cell, end cua.EndReason, on *played, alone bool) *Aside {
	p.mu.Lock()
	base := p.pace.base(c.Task)
	p.mu.Unlock()
	a := &Aside{StepMS: on.stepMS, BaseMS: base, Beside: on.beside}
	switch {
	case alone:
		return nil
	case end.Infrastructure() && on.lost:
		a.Why = AsideSharedDeath
	case !end.Infrastructure() && overloaded(on.stepMS, base):
		a.Why = AsideOverload
	default:
		return nil
	}
	return a
}

// setAside notes that the attempt does not count.
func (p *play) setAside(episode string, a Aside) error {
	text, err := json.Marshal(a)
	if err == nil {
		path := filepath.Join(p.EpisodeDir(episode), asideName)
		err = trajectories.WriteBytes(path, trajectories.FileOptions{Mode: 0o600, Sync: true},
			append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("study: setting %s aside: %w", episode, err)
	}
	return nil
}

// measure takes in how fast an attempt's harness was.
func (p *play) measure(c benchmarks.Cell, on *played) {
	p.mu.Lock()
	base := p.pace.base(c.Task)
	p.pace.learn(c.Task, on.stepMS, on.beside)
	p.mu.Unlock()
	if base > 0 && on.stepMS > 0 {
		p.gate.paced(on.stepMS/base, on.beside)
	}
}

// unit plays the cells one after the other. From the first one on whose attempt is set aside they wait for
// later: the cell after it may need its result.
func (p *play) unit(ctx context.Context, cells []benchmarks.Cell, total int) error {
	for i, c := range cells {
		counts, err := p.cell(ctx, c, total, p.Workers <= 1)
		if err != nil {
			return err
		}
		if !counts {
			p.mu.Lock()
			p.later = append(p.later, cells[i:]...)
			p.mu.Unlock()
			return nil
		}
	}
	return nil
}

// alone plays the cells that were set aside, with nothing beside them.
func (p *play) alone(ctx context.Context, total int) error {
	for _, c := range p.later {
		if _, err := p.cell(ctx, c, total, true); err != nil {
			return err
		}
	}
	return nil
}

// wasAside reports whether an attempt at one of the cells was set aside before.
func (p *play) wasAside(cells []benchmarks.Cell) bool {
	for _, c := range cells {
		for n := 1; ; n++ {
			dir := p.EpisodeDir(c.Episode(n))
			if _, err := os.Stat(dir); err != nil {
				break
			}
			if asideOf(dir) != "" {
				return true
			}
		}
	}
	return false
}
