package heuristic

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

var (
	slashDay = regexp.MustCompile(`^\s*(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4})\s*$`)
	clock    = regexp.MustCompile(`(?i)^\s*(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([ap])\.?m\.?)?\s*$`)
)

// valueDay is the day of a value: the formats of readDay, or 04/15/2018 and 15.4.2018. With slashes and
// dashes the month comes first unless that is impossible. With dots the day comes first.
func valueDay(s string) (day, bool) {
	m := slashDay.FindStringSubmatch(s)
	if m == nil {
		return readDay(s)
	}
	d := day{atoi(m[4]), atoi(m[1]), atoi(m[3])}
	if m[2] == "." || d.month > 12 {
		d.month, d.day = d.day, d.month
	}
	return d, d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31
}

// valueClock is the time of a value, as 15:04.
func valueClock(s string) (string, bool) {
	m := clock.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[4] == "" {
		return "", false
	}
	h, min := atoi(m[1]), max(atoi(m[2]), 0)
	half := strings.ToLower(m[4])
	if h > 23 || min > 59 || half != "" && (h < 1 || h > 12) {
		return "", false
	}
	switch {
	case half == "p" && h < 12:
		h += 12
	case half == "a" && h == 12:
		h = 0
	}
	return fmt.Sprintf("%02d:%02d", h, min), true
}

// native reports whether a browser has its own format for the value of f.
func native(f cua.Field) bool { return f.Type == "date" || f.Type == "month" || f.Type == "time" }

// put is value in the format that f accepts: a day in a date control as 2018-04-15, a month as 2018-04, a
// time as 20:35; otherwise unchanged.
func put(f cua.Field, value string) string {
	if !native(f) || cua.SecretName(value) != "" {
		return value
	}
	if f.Type == "time" {
		if t, ok := valueClock(value); ok {
			return t
		}
		return value
	}
	if d, ok := valueDay(value); ok && d.year > 0 {
		return d.spellings()[0][:map[string]int{"date": len("2006-01-02"), "month": len("2006-01")}[f.Type]]
	}
	return value
}

// same reports whether text is value, or value in the format of a control.
func same(text, value string) bool {
	return text == value || text == put(cua.Field{Type: "date"}, value) ||
		text == put(cua.Field{Type: "time"}, value)
}
