package heuristic

import (
	"regexp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// monthAt is the month that state i shows (day.months), from the names of its elements or from the text
// that was read.
func (v *view) monthAt(i int) (int, bool) {
	o := v.t.History.Before(i)
	for _, m := range o.Marks {
		if d, ok := readMonth(m.Name); ok {
			return d.months(), true
		}
	}
	days := map[int]int{} // days named in full: the month of most of them is the one shown
	best := 0
	for _, m := range o.Marks {
		if d, ok := readDay(m.Name); ok && d.year > 0 {
			days[d.months()]++
			if days[d.months()] > days[best] || best == 0 {
				best = d.months()
			}
		}
	}
	if best > 0 {
		return best, true
	}
	if d, ok := readMonth(v.readAt(i)); ok {
		return d.months(), true
	}
	return 0, false
}

func (v *view) months(from int) []reckoned { return v.trace(from, reckoned{}, v.monthAt, turned) }

// ahead is the number of months from the shown month to d. A goal without a year means the next such
// month.
func ahead(d day, shown int) int {
	if d.year == 0 {
		return ((d.month - 1) - (shown-1)%12 + 12) % 12
	}
	return d.months() - shown
}

var dayNumber = regexp.MustCompile(`^\W*0?(\d{1,2})\W*$`)

// isDay reports whether a control of that name stands for d while its month is shown.
func isDay(name string, d day, shown reckoned) bool {
	if n, ok := readDay(name); ok {
		return n.day == d.day && n.month == d.month && (n.year == 0 || d.year == 0 || n.year == d.year)
	}
	m := dayNumber.FindStringSubmatch(name)
	return m != nil && atoi(m[1]) == d.day && shown.known && ahead(d, shown.n) == 0
}

func (v *view) dateReached(a aim, from int) (int, bool) {
	months := v.months(from)
	for i := from; i <= len(v.steps); i++ {
		if a.day.year > 0 && slices.ContainsFunc(v.t.History.Before(i).Fields,
			func(f cua.Field) bool { return holds(f, a.day.spellings()[0]) }) {
			return i, true
		}
		if i < len(v.steps) {
			if p, ok := v.pressAt(i); ok && p.effect && isDay(p.name, a.day, months[i-from]) {
				return i + 1, true
			}
		}
	}
	return from, false
}

// opener matches names of controls that open a calendar.
var opener = regexp.MustCompile(`(?i)\b(calendar|date|day|when|check-?in|departure|arrival)\b`)

// pickDay turns to the right month and then presses the day. It opens the calendar first if necessary.
func (v *view) pickDay(a aim, from int) *move {
	months := v.months(from)
	shown := months[len(months)-1]
	var days []cua.Mark
	var next, prev *cua.Mark
	for i := range v.now.Marks {
		m := &v.now.Marks[i]
		switch {
		case m.Disabled:
		case isDay(m.Name, a.day, shown):
			days = append(days, *m)
		case isNext(m.Name) && next == nil:
			next = m
		case isPrev(m.Name) && prev == nil:
			prev = m
		}
	}
	if n := len(days); n > 0 {
		m := days[0]
		if n > 1 && a.day.day > 15 {
			m = days[n-1] // the first is the last month's
		}
		return v.click(m, "press the day")
	}
	if next == nil && prev == nil {
		return v.openCalendar()
	}
	if !shown.known {
		if v.canRead() {
			return v.extract()
		}
		return nil
	}
	if ahead(a.day, shown.n) < 0 && prev != nil {
		return v.click(*prev, "the month is earlier")
	}
	if ahead(a.day, shown.n) > 0 && next != nil {
		return v.click(*next, "the month is later")
	}
	return v.sweep(itoa(a.day.day))
}

func (v *view) openCalendar() *move {
	if m := v.find(func(m cua.Mark) float64 {
		if opener.MatchString(m.Name) {
			return 0.7
		}
		return 0
	}); m != nil {
		return v.click(*m, "open the calendar")
	}
	for _, f := range v.now.Fields {
		if p, ok := f.Box.CenterIn(v.now.Viewport); ok && slices.ContainsFunc(names(f), opener.MatchString) {
			return &move{cua.Action{Kind: cua.Click, Point: &p}, "open the calendar"}
		}
	}
	return v.sweep("date")
}
