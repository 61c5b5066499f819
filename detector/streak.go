package detector

import "github.com/cua-runner/cua-runner/cua"

// StreakConfig says when doing one thing over and over is worth a word.
type StreakConfig struct {
	// From is the first count that is told.
	From int `json:"from"`
}

// Streak counts mutating actions of one class on one target of one tab without a fresh look (spec: memory,
// repeat guard). It is a note: it starts no incident and is no alarm.
//
// An action of another class on the target, an explicit look at it and a committed navigation clear the
// count. So does an effect for clicks, keys and drags, but not for typing and selecting: an edit that
// "worked" each time is just what goes wrong unseen. A failed dispatch is no repeat.
type Streak struct{ Config }

// Detect is pure (Detector).
func (s Streak) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Streak) detect(t *trace) []cua.Signal {
	done := t.dispatched()
	if len(done) == 0 {
		return nil
	}
	last := done[len(done)-1]
	class, place := classOf(last.Action.Kind), place8(last)
	if class == "" || place == "" {
		return nil
	}
	var run []*cua.Step
	for i := len(done) - 1; i >= 0; i-- {
		x := done[i]
		if x.Step.Failure != nil || x.Step.After.Tab != last.Step.After.Tab {
			continue
		}
		if leaves(x) {
			break
		}
		if place8(x) != place {
			continue
		}
		if classOf(x.Action.Kind) != class || clearsByEffect(class) && x.Progress {
			break
		}
		run = append(run, x.Step)
	}
	if len(run) < s.Streak.From {
		return nil
	}
	out := cua.Signal{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Run: len(run), Since: run[len(run)-1].N, Target: last.Step.Target.ID}
	for i := len(run) - 1; i >= 0; i-- {
		out.Evidence = append(out.Evidence, run[i].N)
	}
	return []cua.Signal{out}
}

// classOf is the class of a mutating action; "" for all others.
func classOf(k cua.Kind) string {
	switch k {
	case cua.Type, cua.Select, cua.Key, cua.Drag:
		return string(k)
	}
	if k.Pressing() {
		return string(cua.Click)
	}
	return ""
}

func clearsByEffect(class string) bool {
	return class != string(cua.Type) && class != string(cua.Select)
}

// place8 is the target's identity, else the bucket of the point; "" for actions without a place.
func place8(s *cua.Sample) string {
	if id := s.Step.Target.ID; id != "" {
		return id
	}
	if p := pressed(s); p != nil {
		return cua.PointID(*p)
	}
	return ""
}

// leaves says whether s committed a navigation.
func leaves(s *cua.Sample) bool {
	switch s.Action.Kind {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.Rewind:
		return true
	}
	return s.Step.Effect.Has(cua.ChangeURL)
}
