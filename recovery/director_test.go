package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestDirector(t *testing.T) {
	g := Director{DefaultConfig().Director}
	turn := begin(page("s")).clicks(3, button()).looping(cua.ShapeRepeat, cua.Soft, 3)
	p := proposal(button())
	if r := review(t, g, turn, p); r.Verdict != cua.Pass {
		t.Errorf("the brain's own decision: %+v", r)
	}
	p.By = cua.DirectorPrefix + "claude"
	if r := review(t, g, turn, p); r.Verdict != cua.Accept || r.Reason != ReasonDirector {
		t.Errorf("the director's: %+v", r)
	}
	p.Failure = &cua.Failure{Kind: cua.FailModel}
	if r := review(t, g, turn, p); r.Verdict != cua.Pass {
		t.Errorf("it failed: %+v", r)
	}
}

func TestDirectorIsDue(t *testing.T) {
	const by = cua.DirectorPrefix + "claude"
	for _, c := range []struct {
		name  string
		asked []int // steps that the director decided
		fail  bool
		level cua.Level
		want  bool
	}{
		{"a soft signal holds", nil, false, cua.Soft, true},
		{"a hard one too", nil, false, cua.Hard, true},
		{"a note is none", nil, false, cua.NoteLevel, false},
		{"three steps ago", []int{10}, false, cua.Soft, true},
		{"two steps ago", []int{11}, false, cua.Soft, false},
		{"an attempt that failed counts", []int{11}, true, cua.Soft, false},
		{"four times", []int{1, 4, 7, 10}, false, cua.Soft, true},
		{"five times are the budget", []int{1, 3, 5, 7, 9}, false, cua.Soft, false},
	} {
		s := begin(page("s")).clicks(12, button())
		for _, n := range c.asked {
			s.h.Steps[n-1].By = by
			if c.fail {
				s.h.Steps[n-1].Failure = &cua.Failure{Kind: cua.FailModel}
			}
		}
		if got := (Director{DefaultConfig().Director}).Due(s.looping(cua.ShapeRepeat, c.level,
			3)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if (Director{DefaultConfig().Director}).Due(begin(page("s")).turn()) {
		t.Error("nothing is wrong, and yet it is due")
	}
}
