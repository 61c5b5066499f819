package study

import (
	"os"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// attempted is what earlier attempts at a cell left: how many there were, and how many of them an
// infrastructure fault ended, something else or nothing did (interrupted), and of these nothing (died); and
// how many were set aside for the death of a shared browser and for an overload of the machine. cut and sent
// are the actions whose outcome nobody saw (trajectories.Trajectory.Cut).
type attempted struct{ n, faulted, interrupted, died, deaths, overloads, cut, sent int }

func attempts(s *benchmarks.Study, c benchmarks.Cell) attempted {
	var a attempted
	for {
		dir := s.EpisodeDir(c.Episode(a.n + 1))
		if _, err := os.Stat(dir); err != nil {
			return a
		}
		a.n++
		why := asideOf(dir)
		t, err := trajectories.Read(dir)
		if err == nil {
			cut, sent := t.Cut()
			a.cut, a.sent = a.cut+cut, a.sent+sent
		}
		switch {
		case why == AsideSharedDeath:
			a.deaths++
		case why == AsideOverload:
			a.overloads++
		case err != nil || t.End == nil:
			a.interrupted++
			a.died++
		case t.End.Reason.Infrastructure():
			a.faulted++
		default:
			a.interrupted++
		}
	}
}
