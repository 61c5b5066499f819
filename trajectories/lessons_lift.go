package trajectories

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Outcomes are what episodes came to.
type Outcomes struct {
	Episodes  int `json:"episodes"`
	Successes int `json:"successes"`
	// Steps is their number together.
	Steps int `json:"steps"`
}

// Rate is the share that succeeded, 0 to 1; 0 where there was none.
func (o Outcomes) Rate() float64 { return over(o.Successes, o.Episodes) }

// Mean is the number of steps an episode; 0 where there was none.
func (o Outcomes) Mean() float64 { return over(o.Steps, o.Episodes) }

func over(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func (o *Outcomes) add(t *Trajectory) {
	o.Episodes++
	o.Steps += len(t.Steps)
	if t.End.Success {
		o.Successes++
	}
}

// Lift is what one lesson came to: episodes that could be given it beside those of the same task, brain and
// configuration that could not.
type Lift struct {
	Lesson cua.Lesson `json:"lesson"`
	// Uses are all ended episodes that had it; With are those of them that have others to compare with, Without
	// the others: the same tasks under the same brain and configuration, the toggle of lessons aside.
	Uses    int      `json:"uses"`
	With    Outcomes `json:"with"`
	Without Outcomes `json:"without"`
	// Success is by how much the share of successes was higher with it, −1 to 1, and Saved how many steps fewer
	// an episode took. Each task counts by its episodes with the lesson. 0 where nothing compares.
	Success float64 `json:"success_lift"`
	Saved   float64 `json:"steps_saved"`
	// Idle says that after the uses that the config asks for it has shown no lift: no more successes, and no
	// fewer steps at as many.
	Idle bool `json:"no_lift"`
}

// Lifts are those of all lessons that ts were given, by id. Episodes without an end, cancelled ones and
// those that the infrastructure ended say nothing of a lesson and are left out.
func Lifts(ts []*Trajectory, c LessonConfig) []Lift {
	known := map[string]cua.Lesson{}
	groups := map[string][]*Trajectory{}
	for _, t := range ts {
		if t.End == nil || t.End.Reason.Infrastructure() || t.End.Reason == cua.EndCancelled {
			continue
		}
		for _, l := range t.Header.Lessons {
			known[l.ID] = l
		}
		key := likeness(t.Header)
		groups[key] = append(groups[key], t)
	}
	var out []Lift
	for _, id := range slices.Sorted(maps.Keys(known)) {
		l := Lift{Lesson: known[id]}
		for _, key := range slices.Sorted(maps.Keys(groups)) {
			l.compare(id, groups[key])
		}
		if n := float64(l.With.Episodes); n > 0 {
			l.Success, l.Saved = l.Success/n, l.Saved/n
		}
		l.Idle = l.Uses >= c.Uses && l.With.Episodes > 0 && (l.Success < 0 || l.Success == 0 && l.Saved <= 0)
		out = append(out, l)
	}
	return out
}

// compare adds the episodes of one likeness. Success and Saved are sums over the episodes with the lesson until all
// are in.
func (l *Lift) compare(id string, ts []*Trajectory) {
	var with, without Outcomes
	for _, t := range ts {
		if slices.ContainsFunc(t.Header.Lessons, func(x cua.Lesson) bool { return x.ID == id }) {
			with.add(t)
		} else {
			without.add(t)
		}
	}
	l.Uses += with.Episodes
	if with.Episodes == 0 || without.Episodes == 0 {
		return
	}
	l.With, l.Without = l.With.plus(with), l.Without.plus(without)
	n := float64(with.Episodes)
	l.Success += n * (with.Rate() - without.Rate())
	l.Saved += n * (without.Mean() - with.Mean())
}

func (o Outcomes) plus(p Outcomes) Outcomes {
	return Outcomes{o.Episodes + p.Episodes, o.Successes + p.Successes, o.Steps + p.Steps}
}

// likeness is equal for episodes that differ by lessons, seed and port alone.
func likeness(h Header) string {
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
	key, err := json.Marshal([]any{h.Task.ID, h.Task.Goal, h.Brain.Name, h.Brain.Model, h.Brain.Director,
		without(h.Brain.Settings, "seed"), without(h.Config, "toggles", "lessons")})
	if err != nil { // what was read from JSON always can be written
		return h.Episode
	}
	return string(key)
}

// WriteLifts prints a table of lifts for a person.
func WriteLifts(w io.Writer, lifts []Lift, c LessonConfig) error {
	var b strings.Builder
	if len(lifts) == 0 {
		b.WriteString("no episode was given a lesson\n")
	}
	for _, l := range lifts {
		fmt.Fprintf(&b, "%s  %s\n  %s\n", printable(l.Lesson.ID), printable(l.Lesson.Origin), printable(l.Lesson.Text))
		if l.With.Episodes == 0 {
			fmt.Fprintf(&b, "  %s, and no like episode without it to compare with\n", count(l.Uses, "use"))
			continue
		}
		fmt.Fprintf(&b, "  with: %s; without: %s; %+.0f points of success, %+.1f steps saved; %s\n", l.With.words(), l.Without.words(),
			100*l.Success, l.Saved, l.verdict(c))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (o Outcomes) words() string {
	return fmt.Sprintf("%d of %d succeeded, %.1f steps", o.Successes, o.Episodes, o.Mean())
}

func (l Lift) verdict(c LessonConfig) string {
	switch {
	case l.Idle:
		return fmt.Sprintf("no lift after %s", count(l.Uses, "use"))
	case l.Uses < c.Uses:
		return fmt.Sprintf("%s, judged from %d on", count(l.Uses, "use"), c.Uses)
	}
	return count(l.Uses, "use")
}
