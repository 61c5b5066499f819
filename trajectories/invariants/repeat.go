package invariants

import (
	"cmp"
	"fmt"
	"regexp"

	"github.com/cua-runner/cua-runner/cua"
)

// scene is what one step did as the repeat guard's spec reads it, whatever came of it.
type scene struct {
	anew          bool // another session began right before it
	did           bool // something was dispatched
	tab           int
	place         string // origin and target: "" has none
	class         string // of a mutating action; "" for all others
	leaves, fails bool
}

// scenes reads the whole journal.
func scenes(j *Journal) []scene {
	h := j.History()
	out := make([]scene, len(j.Steps))
	for i := range j.Steps {
		s, before := &j.Steps[i], h.Before(i)
		for _, r := range h.Resumed {
			out[i].anew = out[i].anew || r.At == i
		}
		a := s.Action
		if a == nil || a.Kind.Ends() {
			continue
		}
		c := &out[i]
		c.did, c.tab, c.fails = true, before.Tab, s.Failure != nil
		switch {
		case a.Kind.Pressing():
			c.class = string(cua.Click)
		case a.Kind == cua.Type, a.Kind == cua.Select, a.Kind == cua.Key, a.Kind == cua.Drag:
			c.class = string(a.Kind)
		}
		if target := actedOn(s, &before); target != "" {
			c.place = originOf(before.URL) + " " + target
		}
		c.leaves = left(s, &before, c.class)
	}
	return out
}

// actedOn is the identity of what s acted on; "" is none.
func actedOn(s *cua.Step, before *cua.Observation) string {
	a, id, p := s.Action, s.Target.ID, s.Target.Point
	if s.Substituted() { // the target is that of what was asked for
		id, p = "", nil
	}
	if id = cmp.Or(id, a.Into); id != "" {
		return id
	}
	if p = cmp.Or(a.Point, p); p != nil {
		return cua.PointID(*p)
	}
	if (a.Kind == cua.Key || a.Kind == cua.Type) && before.Focus != nil {
		return before.Focus.ID
	}
	return ""
}

// left says whether s committed a navigation, a reload or a rewind in its tab. An address that moves with what is typed
// or selected is none.
func left(s *cua.Step, before *cua.Observation, class string) bool {
	if s.RewoundTo > 0 {
		return true
	}
	if before.Tab > 0 && s.After.Tab > 0 && before.Tab != s.After.Tab {
		return false
	}
	if before.Document != "" && s.After.Document != "" && before.Document != s.After.Document {
		return true
	}
	switch s.Action.Kind {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.Rewind:
		return s.Failure == nil
	}
	return s.Effect.Has(cua.ChangeURL) && class != string(cua.Type) && class != string(cua.Select)
}

// tally is the count of one key.
type tally struct {
	class string
	n     int
}

// tallied counts the steps up to the newest of samples and says what the count of its key is then.
func tallied(all []scene, samples []cua.Sample) int {
	counts := map[int]map[string]tally{} // by tab and place
	last := 0
	for i := range samples {
		c := &all[i]
		if c.anew {
			clear(counts)
		}
		last = 0
		switch {
		case !c.did:
			continue
		case c.leaves:
			delete(counts, c.tab)
			continue
		case c.fails || c.place == "":
			continue
		}
		if counts[c.tab] == nil {
			counts[c.tab] = map[string]tally{}
		}
		k := counts[c.tab][c.place]
		if k.class != c.class {
			k = tally{class: c.class}
		}
		edits := c.class == string(cua.Type) || c.class == string(cua.Select)
		if k.n++; c.class == "" || samples[i].Progress && !edits {
			k.n = 0
		}
		counts[c.tab][c.place], last = k, k.n
	}
	return last
}

// repeatSaid is the sentence at the end of a feedback, and the count in it.
var repeatSaid = regexp.MustCompile(`Note: (\d+)(?:st|nd|rd|th) consecutive [a-z]+ on this element without a fresh look — verify visually or report current state instead of [a-z ]+ again\.$`)

// repeatsCounted holds each recorded repeat against a count made from the steps up to it, as they were known then.
func repeatsCounted(j *Journal) []found {
	t, from := j.Header.Toggles, j.bounds().Detector.Streak.From
	all := scenes(j)
	var sampler cua.Sampler
	return each(func(j *Journal, i int, s *cua.Step, say sayer) {
		h := j.HistoryAt(i)
		h.Steps = j.Steps[: i+1 : i+1]
		samples := sampler.Read(h)
		n := tallied(all, samples)
		if n < from || !t.RepeatGuard || !t.ShapeStreak {
			n = 0
		}
		r := s.Repeat
		switch said := repeatSaid.FindStringSubmatch(s.Feedback); {
		case r == nil && n > 0:
			say("acts on one target for the %d. time without a look, and no repeat is recorded", n)
		case r == nil:
		case r.Count != n:
			say("the recorded repeat counts %d, the steps %d", r.Count, n)
		case r.Effect != samples[i].Progress:
			say("the recorded repeat says effect %t", r.Effect)
		case r.Target != actedOn(s, j.before(i)):
			say("the recorded repeat is of another target")
		case said == nil || said[1] != fmt.Sprint(n):
			say("the feedback does not end with the note of the %d. time", n)
		}
	})(j)
}
