package formctl

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// dateParts splits a date into its two or three parts.
func dateParts(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,-/.", r) })
}

// parseDate parses a day as people write it and returns it as 2006-01-02. With slashes and dashes the month
// comes first unless that is impossible, with dots the day does. The year comes first only if it has four
// digits. Month names may be cut to three letters.
func parseDate(value string) (string, bool) {
	f := dateParts(value)
	if len(f) != 3 {
		return "", false
	}
	day, month, year := f[1], f[0], f[2]
	switch {
	case len(f[0]) == 4 && number(f[0]):
		year, month, day = f[0], f[1], f[2]
	case monthOf(f[1]) > 0 && !number(f[1]), number(f[0]) && strings.Contains(value, "."), atoi(f[0]) > 12:
		day, month = f[0], f[1]
	}
	d, m, y := dayOf(day), monthOf(month), atoi(year)
	if len(year) != 4 || y == 0 || m == 0 || d == 0 || d > daysIn(y, m) {
		return "", false
	}
	return year + "-" + two(m) + "-" + two(d), true
}

// parseMonth parses "2026-01", "01/2026", "January 2026" or a whole date and returns the month as 2006-01.
func parseMonth(value string) (string, bool) {
	if f := dateParts(value); len(f) == 2 {
		year, month := f[0], f[1]
		if len(year) != 4 || !number(year) {
			year, month = month, year
		}
		value = year + "-" + month + "-1"
	}
	day, ok := parseDate(value)
	return day[:min(len(day), len("2006-01"))], ok
}

var clock = regexp.MustCompile(`(?i)^(\d{1,2})(?::(\d\d))?(?::(\d\d))? *(?:([ap])\.? ?m\.?)?$`)

// parseTime parses 9:05, 21:05:30, 9 pm and 9:05 p.m. and returns 15:04, with seconds unless they are 0.
func parseTime(value string) (string, bool) {
	f := clock.FindStringSubmatch(strings.TrimSpace(value))
	if f == nil || f[2] == "" && f[4] == "" {
		return "", false
	}
	h, m, sec, half := atoi(f[1]), atoi(f[2]), atoi(f[3]), strings.ToLower(f[4])
	if half != "" && (h < 1 || h > 12) || h > 23 || m > 59 || sec > 59 {
		return "", false
	}
	switch half {
	case "a":
		h %= 12
	case "p":
		h = h%12 + 12
	}
	out := two(h) + ":" + two(m)
	if sec > 0 {
		out += ":" + two(sec)
	}
	return out, true
}

var moment = regexp.MustCompile(`(?i)^(.+?)(?:T|[ ,]+(?:at )?)(\d{1,2}(?::\d\d){0,2} *(?:[ap]\.? ?m\.?)?)$`)

// parseMoment parses a date and a time and returns 2006-01-02T15:04.
func parseMoment(value string) (string, bool) {
	m := moment.FindStringSubmatch(strings.TrimSpace(value))
	if m == nil {
		return "", false
	}
	day, isDay := parseDate(m[1])
	at, isTime := parseTime(m[2])
	return day + "T" + at, isDay && isTime
}

// formatParts are the names for the parts of a date in labels and placeholders, in a few languages.
var formatParts = map[string]string{"d": "DD", "dd": "DD", "tt": "DD", "jj": "DD", "m": "MM", "mm": "MM",
	"yyyy": "YYYY", "jjjj": "YYYY", "aaaa": "YYYY"}

// formats matches three words that may be a date format: DD/MM/YYYY, yyyy-mm-dd, TT.MM.JJJJ.
var formats = regexp.MustCompile(`\b(\w+)([-/.])(\w+)([-/.])(\w+)\b`)

// dateFormat is the date format that a field asks for, as DD/MM/YYYY; "" is none.
func dateFormat(f *cua.Field) string {
	text := strings.ToLower(f.Placeholder + " " + f.Label + " " + f.Name)
	for _, m := range formats.FindAllStringSubmatch(text, -1) {
		a, b, c := formatParts[m[1]], formatParts[m[3]], formatParts[m[5]]
		if slices.Equal(slices.Sorted(slices.Values([]string{a, b, c})), []string{"DD", "MM", "YYYY"}) {
			return a + m[2] + b + m[4] + c
		}
	}
	return ""
}

// inFormat formats an ISO day by a pattern.
func inFormat(iso, pattern string) string {
	m, d := atoi(iso[5:7]), atoi(iso[8:10])
	name := monthNames[m-1]
	return strings.NewReplacer("YYYY", iso[:4], "YY", iso[2:4], "MMMM", name, "MMM", name[:3], "MM", two(m),
		"M", strconv.Itoa(m), "DD", two(d), "D", strconv.Itoa(d)).Replace(pattern)
}

// dayNamed is the whole date in the name of a calendar's button, with or without weekday; "" is none.
func dayNamed(name string) (day string) {
	f := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == ',' || r == '\u00a0' })
	for i := 0; day == "" && i < len(f) && len(f) <= 8; i++ {
		day, _ = parseDate(strings.Join(f[i:min(i+3, len(f))], " "))
	}
	return day
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December"}

// shownDates are the patterns in which pages show a day. Those of shownDayFirst are used only if day and
// month cannot be confused.
const (
	shownDates = "YYYY-MM-DD|YYYY/MM/DD|YYYY.MM.DD|YYYYMMDD|MM/DD/YYYY|M/D/YYYY|MM-DD-YYYY|DD.MM.YYYY|" +
		"D.M.YYYY|MM/DD/YY|MMMM D, YYYY|D MMMM YYYY|DD MMMM YYYY|MMMM DD, YYYY|DD-MMMM-YYYY|D. MMMM YYYY|" +
		"MMM D, YYYY|D MMM YYYY|DD MMM YYYY|MMM DD, YYYY|DD-MMM-YYYY|D. MMM YYYY"
	shownDayFirst = "|DD/MM/YYYY|D/M/YYYY|DD-MM-YYYY"
)

// dateSpellings are the ways in which pages show an ISO day.
func dateSpellings(iso string) []string {
	patterns := shownDates
	if d := atoi(iso[8:10]); d > 12 || d == atoi(iso[5:7]) {
		patterns += shownDayFirst
	}
	return strings.Split(inFormat(iso, patterns), "|")
}

func two(n int) string { return fmt.Sprintf("%02d", n) }

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// atoi is 0 if s is no number of at most four digits.
func atoi(s string) int {
	if !number(s) || len(s) > 4 {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}

// dayOf parses 7, 07 and 7th.
func dayOf(s string) int {
	if n := len(s) - 2; n > 0 && strings.Contains("st nd rd th", strings.ToLower(s[n:])) {
		s = s[:n]
	}
	return atoi(s)
}

// monthOf is 1 to 12; 0 if s names no month.
func monthOf(s string) int {
	if m := atoi(s); m > 0 && m <= 12 {
		return m
	}
	return 1 + slices.IndexFunc(monthNames, func(m string) bool {
		return len(s) >= 3 && len(s) <= len(m) && strings.EqualFold(s, m[:len(s)])
	})
}

func daysIn(y, m int) int {
	if m != 2 {
		return 30 + (m+m/8)%2
	}
	if y%4 == 0 && y%100 != 0 || y%400 == 0 {
		return 29
	}
	return 28
}
