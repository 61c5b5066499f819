package runner

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/recovery"
)

// Turn is what the brain, the advisors and the gates are shown after h: a pure function of task and history,
// except for notes, which the runner itself adds. Its samples are valid until the next call of Turn or
// repeated. An Assembly is not for concurrent use.
func (a Assembly) Turn(task cua.Task, h cua.History, notes []cua.Note) *cua.Turn {
	t := &cua.Turn{Task: task, History: h, Now: h.Now(), Number: len(h.Steps) + 1, Decision: 1}
	if n := len(h.Steps); n > 0 {
		t.Decision = h.Steps[n-1].Decision + 1
	}
	r := a.reader
	r.turn(task, h)
	t.Form = r.form.Read(task, h, a.form)
	t.Evidence = r.evidence.Read(h, t.Form)
	t.Signals = a.Detectors.Over(h, t.Evidence.Samples)
	t.Incident = r.incident.Read(h, t.Evidence.Samples, t.Signals)
	if a.ledger {
		t.Ledger = new(r.ledger.Read(h))
	}
	t.AskDirector = a.director != nil && a.director(t)
	for _, adv := range a.Advisors {
		t.Notes = append(t.Notes, adv.Advise(t)...)
	}
	t.Notes = append(t.Notes, notes...)
	return t
}

// repeated is the repeat that the newest step of h makes; nil is none.
func (a Assembly) repeated(h cua.History) *cua.Repetition {
	if n := len(h.Steps); a.repeats == nil || n == 0 || !h.Steps[n-1].HasAction() {
		return nil
	}
	a.reader.follow(h)
	return a.repeats(h, a.reader.evidence.Samples(h))
}

// repeatGuard judges the newest step of a history by its samples and the signals of the shape streak.
func repeatGuard(c detector.Config) func(cua.History, []cua.Sample) *cua.Repetition {
	streak := detector.LoopDetector{detector.Streak{Config: c}}
	return func(h cua.History, samples []cua.Sample) *cua.Repetition {
		return recovery.RepeatGuard{}.Judge(samples, streak.Over(h, samples))
	}
}
