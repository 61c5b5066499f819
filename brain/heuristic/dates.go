package heuristic

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// atoi is -2 if s is not a number, which is neither a page nor a quantity.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -2
	}
	return n
}

// day is a date; the zero day means none, and year 0 means any year.
type day struct{ year, month, day int }

// months counts months, so that dates can be compared.
func (d day) months() int { return d.year*12 + d.month }

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august",
	"september", "october", "november", "december"}

const monthPattern = `(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)`

var (
	isoDay     = regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})\b`)
	dayMonth   = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?` + monthPattern + `\b\.?,?(?:\s+(\d{4}))?`)
	monthDay   = regexp.MustCompile(`(?i)\b` + monthPattern + `\b\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4}))?`)
	monthShown = regexp.MustCompile(`(?i)\b` + monthPattern + `\b\.?,?\s+(\d{4})\b`)
)

func monthNumber(name string) int {
	name = strings.ToLower(name)
	return 1 + slices.IndexFunc(monthNames, func(m string) bool { return strings.HasPrefix(m, name[:3]) })
}

// readDay reads the first date in s: 2026-03-15, 15 March 2026, March 15, 2026.
func readDay(s string) (day, bool) {
	var d day
	if m := isoDay.FindStringSubmatch(s); m != nil {
		d = day{atoi(m[1]), atoi(m[2]), atoi(m[3])}
	} else if m := dayMonth.FindStringSubmatch(s); m != nil {
		d = day{max(atoi(m[3]), 0), monthNumber(m[2]), atoi(m[1])}
	} else if m := monthDay.FindStringSubmatch(s); m != nil {
		d = day{max(atoi(m[3]), 0), monthNumber(m[1]), atoi(m[2])}
	}
	return d, d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= 31
}

// readMonth reads the first "March 2026" in s.
func readMonth(s string) (day, bool) {
	m := monthShown.FindStringSubmatch(s)
	if m == nil {
		return day{}, false
	}
	return day{year: atoi(m[2]), month: monthNumber(m[1])}, true
}

// spellings are the formats in which a field may show d.
func (d day) spellings() []string {
	name := monthNames[d.month-1]
	name = strings.ToUpper(name[:1]) + name[1:]
	var out []string
	for _, f := range []string{"%04[1]d-%02[2]d-%02[3]d", "%02[2]d/%02[3]d/%[1]d", "%02[3]d/%02[2]d/%[1]d",
		"%[2]d/%[3]d/%[1]d", "%[3]d/%[2]d/%[1]d",
		"%02[3]d.%02[2]d.%[1]d", "%[3]d.%[2]d.%[1]d"} {
		out = append(out, fmt.Sprintf(f, d.year, d.month, d.day))
	}
	for _, m := range []string{name, name[:3]} {
		out = append(out, fmt.Sprintf("%d %s %d", d.day, m, d.year),
			fmt.Sprintf("%s %d, %d", m, d.day, d.year), fmt.Sprintf("%s %02d, %d", m, d.day, d.year))
	}
	return out
}
