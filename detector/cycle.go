package detector

import "github.com/cua-runner/cua-runner/cua"

// CycleConfig says which repetitions are a cycle.
type CycleConfig struct {
	// MaxPeriod is the longest period, in steps. The shortest is two; a period of one is the shape repeat.
	MaxPeriod int `json:"max_period"`
	// Soft and Hard are how many periods are needed, SoftSteps and HardSteps how many steps at least.
	Soft      int `json:"soft"`
	SoftSteps int `json:"soft_steps"`
	Hard      int `json:"hard"`
	HardSteps int `json:"hard_steps"`
}

// Cycle holds while the last dispatched steps, including waits and looks, repeat their (signature, node) with
// one period, and the last period reached no new node. At least one step of the period must act; polls are
// left out. Without page state only the actions must repeat, but for longer.
type Cycle struct{ Config }

// Detect is pure (Detector).
func (c Cycle) Detect(h cua.History) []cua.Signal { return traced(c, h) }

func (c Cycle) detect(t *trace) []cua.Signal {
	steps := t.counted
	again := c.again
	soft, hard := c.Cycle.Soft, c.Cycle.Hard
	if t.blind {
		again = func(a, b *cua.Sample) bool { return t.idle(a) && t.idle(b) && c.like(a, b) }
		soft, hard = c.Blind.Periods, c.Blind.Periods+1
	}
	for p := 1; p <= c.Cycle.MaxPeriod; p++ {
		run := round(steps, p, again)
		if len(run) < max(soft*p, c.Cycle.SoftSteps) || !goesOn(run[len(run)-p:]) {
			continue
		}
		if p == 1 {
			return nil // the shortest period decides, and it is no cycle
		}
		l := cua.Soft
		if len(run) >= max(hard*p, c.Cycle.HardSteps) {
			l = cua.Hard
		}
		return []cua.Signal{{Shape: cua.ShapeCycle, Level: l, Run: len(run), Since: run[0].Step.N,
			Score: float64(p), Evidence: numbers(run, soft*p)}}
	}
	return nil
}

// again reports whether b repeats a: the same action that led to the same node. All waits count as one
// action, whatever their length.
func (c Cycle) again(a, b *cua.Sample) bool {
	waits := a.Action.Kind == cua.Wait && b.Action.Kind == cua.Wait
	return a.After != "" && a.After == b.After && (waits || a.Signature == b.Signature)
}

// round is the longest run at the end of steps in which each step repeats the one a period before.
func round(steps []*cua.Sample, period int, again func(a, b *cua.Sample) bool) []*cua.Sample {
	i := len(steps)
	for i > period && again(steps[i-1-period], steps[i-1]) {
		i--
	}
	return steps[max(0, i-period):]
}

// goesOn reports whether a period acts and reaches nothing new.
func goesOn(period []*cua.Sample) bool {
	acts := false
	for _, s := range period {
		if s.New {
			return false
		}
		acts = acts || s.Acting
	}
	return acts
}
