package benchmarks

import (
	"context"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Factory makes what an episode needs beside its page.
type Factory interface {
	// NewEnv opens a session of its own. Play closes it.
	NewEnv(ctx context.Context, s Setting) (runner.Env, error)
	// NewBrain makes a fresh brain for one episode; its scripts are for brains that follow one. The brain
	// depends only on seed and fault of the cell, so it is the same in every arm. The second value is what
	// the episode's header says of it.
	NewBrain(s Scripts, c Cell) (runner.Brain, trajectories.BrainInfo, error)
}

// Setting is what the session of an episode must be like.
type Setting struct {
	// Task is the one to be played. Its goal may not be known yet.
	Task cua.Task
	// Viewport in CSS pixels.
	Viewport cua.Size
	// NoState says that nothing is kept to go back to.
	NoState bool
	// NetFaults are the faults of the network, by the chance of NetSeed; none is a network as it is. They
	// strike what the browser asks for, and nothing that the program itself asks.
	NetFaults []cua.NetFault
	NetSeed   int64
}

// Struck is a session that knows how many requests network faults struck, by the fault's name.
type Struck interface{ Struck() map[string]int }

// Scripts are those that a task brings along: Oracle solves it, Player is its own as a case of the detectors.
// They are empty if there is none. Solver decides in the place of Oracle where it is not nil: what
// comes next there depends on the page.
type Scripts struct {
	Oracle, Player []cua.Scripted
	Solver         runner.Brain
}
