package detector

import "github.com/cua-runner/cua-runner/cua"

// RevisitConfig says how many returns to the same state are a loop.
type RevisitConfig struct {
	// Soft visits within the last SoftWindow acting steps are a soft signal, Hard within HardWindow a hard
	// one.
	Soft       int `json:"soft"`
	SoftWindow int `json:"soft_window"`
	Hard       int `json:"hard"`
	HardWindow int `json:"hard_window"`
	// MaxNew is the largest share of steps since the first of those visits that may have reached a new node,
	// 0 to 1. A hub page from which other things are done each time is no loop.
	MaxNew float64 `json:"max_new"`
}

// Revisit holds while one node was left repeatedly by one signature. Consecutive presses that do not leave it
// count once: they are the shape repeat, which waits longer in a diverse run.
type Revisit struct{ Config }

// Detect is pure (Detector).
func (r Revisit) Detect(h cua.History) []cua.Signal { return traced(r, h) }

func (r Revisit) detect(t *trace) []cua.Signal {
	c := r.Revisit
	if t.blind {
		return r.again(t.newest(c.SoftWindow))
	}
	if s := r.visits(t.newest(c.HardWindow), c.Hard); s != nil {
		return []cua.Signal{s.signal(cua.Hard)}
	}
	if s := r.visits(t.newest(c.SoftWindow), c.Soft); s != nil {
		return []cua.Signal{s.signal(cua.Soft)}
	}
	return nil
}

// visits are the steps of window that left the node and by the signature of the newest; nil if they are fewer
// than n, or if too much was new since the first of the last n. Scrolls do not count: each visit to a page
// may begin with scrolling down.
func (r Revisit) visits(window []*cua.Sample, n int) visits {
	if len(window) < n {
		return nil
	}
	last := window[len(window)-1]
	if last.Before == "" || last.Action.Kind == cua.Scroll {
		return nil
	}
	var out visits
	from := 0
	for i := len(window) - 1; i >= 0; i-- {
		s := window[i]
		if s.Before != last.Before || s.Signature != last.Signature {
			continue
		}
		if again := i+1 < len(window) && s.Before == s.After && window[i+1].Signature == s.Signature; !again {
			out = append(out, s)
			if len(out) == n {
				from = i
			}
		}
	}
	if len(out) < n {
		return nil
	}
	fresh := 0
	for _, s := range window[from:] {
		if s.New {
			fresh++
		}
	}
	if float64(fresh) > r.Revisit.MaxNew*float64(len(window)-from) {
		return nil
	}
	return out
}

// again is revisit without page state: one text typed again and again. It gives no signal if the field's name
// is known too, because adding several things of one name to a list looks the same.
func (r Revisit) again(window []*cua.Sample) []cua.Signal {
	if len(window) == 0 {
		return nil
	}
	last := window[len(window)-1]
	if last.Action.Kind != cua.Type || last.Step.Target.Identified() || last.Progress {
		return nil
	}
	var out visits
	for i := len(window) - 1; i >= 0; i-- {
		if !window[i].Progress && r.like(window[i], last) {
			out = append(out, window[i])
		}
	}
	if len(out) < r.Blind.Visits {
		return nil
	}
	l := cua.Soft
	if len(out) >= 2*r.Blind.Visits {
		l = cua.Hard
	}
	return []cua.Signal{out.signal(l)}
}

// visits are the steps that left one node by one signature, newest first.
type visits []*cua.Sample

func (v visits) signal(l cua.Level) cua.Signal {
	last := v[0].Step
	s := cua.Signal{Shape: cua.ShapeRevisit, Level: l, Run: len(v), Since: v[len(v)-1].Step.N,
		Target: last.Target.ID}
	for i := len(v) - 1; i >= 0; i-- {
		s.Evidence = append(s.Evidence, v[i].Step.N)
	}
	return s
}
