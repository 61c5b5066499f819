package lessons

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Outcomes are the ends of episodes.
type Outcomes struct {
	Episodes  int `json:"episodes"`
	Successes int `json:"successes"`
	// Steps is their number together.
	Steps int `json:"steps"`
}

// Rate is the share that succeeded, 0 to 1; 0 where there was none.
func (o Outcomes) rate() float64 { return over(o.Successes, o.Episodes) }

// Mean is the number of steps an episode; 0 where there was none.
func (o Outcomes) mean() float64 { return over(o.Steps, o.Episodes) }

func over(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (o *Outcomes) add(p Played) {
	o.Episodes++
	o.Steps += p.Steps
	if p.Success {
		o.Successes++
	}
}

// Played is what one episode says of the lessons that it could be given.
type Played struct {
	// Likeness is equal for episodes of one task, brain and configuration: they differ by seed, port, lessons
	// and the toggle of lessons alone. "" is an episode that says nothing.
	Likeness string
	// Lessons are the ids of those that its header holds.
	Lessons []string
	// Success is that of its end, Steps their number.
	Success bool
	Steps   int
}

// PlayedOf is what t says; false where it says nothing: it has no end, was cancelled, or was ended by the
// infrastructure.
func PlayedOf(t *trajectories.Trajectory) (Played, bool) {
	if t.End == nil || t.End.Reason.Infrastructure() || t.End.Reason == cua.EndCancelled {
		return Played{}, false
	}
	key := sha256.Sum256([]byte(likeness(t.Header)))
	p := Played{Likeness: hex.EncodeToString(key[:8]), Success: t.End.Success, Steps: len(t.Steps)}
	for _, l := range t.Header.Lessons {
		p.Lessons = append(p.Lessons, l.ID)
	}
	return p, true
}

// Lift is the effect of one lesson: episodes that could be given it beside those of the same task, brain and
// configuration that could not.
type Lift struct {
	Lesson cua.Lesson `json:"lesson"`
	// Uses are all ended episodes that had it; With are those of them that have others to compare with,
	// Without the others: the same tasks under the same brain and configuration, the toggle of lessons aside.
	Uses    int      `json:"uses"`
	With    Outcomes `json:"with"`
	Without Outcomes `json:"without"`
	// Success is by how much the share of successes was higher with it, −1 to 1, and Saved how many steps
	// fewer an episode took. Each task counts by its episodes with the lesson. 0 where nothing compares.
	Success float64 `json:"success_lift"`
	Saved   float64 `json:"steps_saved"`
	// Idle says that after the uses that the config asks for it has shown no lift: no more successes, and no
	// fewer steps at as many.
	Idle bool `json:"no_lift"`
}

// Lifts are those of all lessons that ts were given, by id. Episodes without an end, cancelled ones and
// those that the infrastructure ended say nothing of a lesson and are left out.
func Lifts(ts []*trajectories.Trajectory, c Config) []Lift {
	var known []cua.Lesson
	var played []Played
	for _, t := range ts {
		if p, ok := PlayedOf(t); ok {
			known, played = append(known, t.Header.Lessons...), append(played, p)
		}
	}
	return LiftsOf(known, played, c)
}

// LiftsOf are those of the known lessons that were given to an episode of played, by id; of two with one id
// the last says what it is.
func LiftsOf(known []cua.Lesson, played []Played, c Config) []Lift {
	byID := map[string]cua.Lesson{}
	for _, l := range known {
		byID[l.ID] = l
	}
	var out []Lift
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		l := lift(played, c, func(p Played) bool { return slices.Contains(p.Lessons, id) })
		if l.Lesson = byID[id]; l.Uses > 0 {
			out = append(out, l)
		}
	}
	return out
}

// LiftOfAny is the same for episodes that could be given any lesson at all, beside those that could be given
// none.
func LiftOfAny(played []Played, c Config) Lift {
	return lift(played, c, func(p Played) bool { return len(p.Lessons) > 0 })
}

// lift compares the episodes of each likeness that were given what is meant with those that were not.
func lift(played []Played, c Config, given func(Played) bool) Lift {
	groups := map[string][]Played{}
	for _, p := range played {
		groups[p.Likeness] = append(groups[p.Likeness], p)
	}
	var l Lift
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		l.compare(groups[key], given)
	}
	if n := float64(l.With.Episodes); n > 0 {
		l.Success, l.Saved = l.Success/n, l.Saved/n
	}
	l.Idle = l.Uses >= c.Uses && l.With.Episodes > 0 && (l.Success < 0 || l.Success == 0 && l.Saved <= 0)
	return l
}

// compare adds the episodes of one likeness. Success and Saved are sums over the episodes with the lesson
// until all are in.
func (l *Lift) compare(played []Played, given func(Played) bool) {
	var with, without Outcomes
	for _, p := range played {
		if given(p) {
			with.add(p)
		} else {
			without.add(p)
		}
	}
	l.Uses += with.Episodes
	if with.Episodes == 0 || without.Episodes == 0 {
		return
	}
	l.With, l.Without = l.With.plus(with), l.Without.plus(without)
	n := float64(with.Episodes)
	l.Success += n * (with.rate() - without.rate())
	l.Saved += n * (without.mean() - with.mean())
}

func (o Outcomes) plus(p Outcomes) Outcomes {
	return Outcomes{o.Episodes + p.Episodes, o.Successes + p.Successes, o.Steps + p.Steps}
}

// likeness is equal for episodes that differ by lessons, seed and port alone.
func likeness(h trajectories.Header) string {
	without := func(raw json.RawMessage, path ...string) any {
		var doc map[string]any
		if json.Unmarshal(raw, &doc) != nil {
			return string(raw)
		}
		in := doc
		for _, k := range path[:len(path)-1] {
			in, _ = in[k].(map[string]any)
		}
		delete(in, path[len(path)-1])
		return doc
	}
	parts := []any{h.Task.ID, h.Task.Goal, h.Brain.Name, h.Brain.Model, h.Brain.Director,
		without(h.Brain.Settings, "seed"), without(h.Config, "toggles", "lessons")}
	if len(h.NetFaults) > 0 {
		parts = append(parts, h.NetFaults)
	}
	key, err := json.Marshal(parts)
	if err != nil { // what was read from JSON always can be written
		return h.Episode
	}
	return string(key)
}

// WriteLifts prints a table of lifts for a person.
func WriteLifts(w io.Writer, lifts []Lift, c Config) error {
	var b strings.Builder
	if len(lifts) == 0 {
		b.WriteString("no episode was given a lesson\n")
	}
	for _, l := range lifts {
		fmt.Fprintf(&b, "%s  %s\n  %s\n", trajectories.Printable(l.Lesson.ID),
			trajectories.Printable(l.Lesson.Origin), trajectories.Printable(l.Lesson.Text))
		if l.With.Episodes == 0 {
			fmt.Fprintf(&b, "  %s\n", l.Verdict(c))
			continue
		}
		fmt.Fprintf(&b, "  with: %s; without: %s; %s; %s\n", l.With.Words(), l.Without.Words(), l.Words(),
			l.Verdict(c))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Words are successes and mean steps: "3 of 4 succeeded, 5.0 steps".
func (o Outcomes) Words() string {
	return fmt.Sprintf("%d of %d succeeded, %.1f steps", o.Successes, o.Episodes, o.mean())
}

// Words are by how much it helped: "+50 points of success, +2.0 steps saved"; a dash where nothing compares.
func (l Lift) Words() string {
	if l.With.Episodes == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.0f points of success, %+.1f steps saved", 100*l.Success, l.Saved)
}

// Verdict says after how many uses it is judged, and marks one without lift.
func (l Lift) Verdict(c Config) string {
	switch {
	case l.With.Episodes == 0:
		return fmt.Sprintf("%s, and no like episode without it to compare with",
			trajectories.Plural(l.Uses, "use"))
	case l.Idle:
		return fmt.Sprintf("no lift after %s", trajectories.Plural(l.Uses, "use"))
	case l.Uses < c.Uses:
		return fmt.Sprintf("%s, judged from %d on", trajectories.Plural(l.Uses, "use"), c.Uses)
	}
	return trajectories.Plural(l.Uses, "use")
}
