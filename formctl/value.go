package formctl

import (
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// wire is value as the field wants it: dates of a date field as browsers write them, numbers
// trimmed, everything else as it is.
func wire(f cua.Field, value string) string {
	if cua.SecretName(value) != "" {
		return value
	}
	switch f.Type {
	case "date":
		if d, ok := parseDate(value); ok {
			return d
		}
		return strings.TrimSpace(value)
	case "month":
		if d, ok := parseDate(value); ok {
			return d[:len("2006-01")]
		}
		return strings.TrimSpace(value)
	case "number", "range", "time", "week", "datetime-local", "email", "url":
		return strings.TrimSpace(value)
	}
	return value
}

// accepts says whether the field's type takes value.
func accepts(f cua.Field, value string) bool {
	if f.Disabled || f.ReadOnly || f.Type == "file" {
		return false
	}
	switch f.Type {
	case "date", "month":
		_, ok := parseDate(value)
		return ok || cua.SecretName(value) != "" || f.Accepts(value)
	case "checkbox":
		_, ok := truth(value)
		return ok || sameText(value, f.Label) || sameText(value, f.Name)
	case "radio":
		_, ok := truth(value)
		return ok && len(f.Options) < 2 || sameText(value, f.Label) || sameText(value, f.Name)
	}
	return f.Accepts(wire(f, value))
}

// holds says whether the field shows value now.
func holds(f cua.Field, value string) bool {
	if name := cua.SecretName(value); name != "" {
		return f.Secret == name
	}
	switch f.Type {
	case "checkbox", "radio":
		if want, ok := truth(value); ok && len(f.Options) < 2 {
			return f.Checked == want
		}
		return f.Checked && (sameText(value, f.Label) || sameText(value, f.Name))
	}
	if f.Selected != "" && sameText(value, f.Selected) {
		return true
	}
	if f.ValueDigest == "" {
		return false
	}
	return f.ValueDigest == cua.Digest(value) || f.ValueDigest == cua.Digest(wire(f, value)) ||
		f.ValueDigest == cua.Digest(strings.TrimSpace(value))
}

// blank says whether the field shows nothing.
func blank(f cua.Field) bool {
	return f.ValueDigest == "" && f.Secret == "" && !f.Checked
}

func sameText(a, b string) bool {
	a, b = strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " ")
	return a != "" && strings.EqualFold(a, b)
}

// truth reads what people write for ticked and not ticked.
func truth(value string) (on, ok bool) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "yes", "on", "checked", "ticked", "x", "1":
		return true, true
	case "false", "no", "off", "unchecked", "0":
		return false, true
	}
	return false, false
}

// parseDate reads a day as people write it and gives it as 2006-01-02. With slashes and dashes
// the month comes first unless that is impossible, with dots the day does; a year comes
// first only with four digits. Month names may be cut to three letters.
func parseDate(value string) (string, bool) {
	f := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,-/.", r) })
	if len(f) != 3 {
		return "", false
	}
	day, month, year := f[1], f[0], f[2]
	switch {
	case len(f[0]) == 4 && number(f[0]):
		year, month, day = f[0], f[1], f[2]
	case monthOf(f[1]) > 0 && !number(f[1]):
		day, month = f[0], f[1]
	case number(f[0]) && (strings.Contains(value, ".") || atoi(f[0]) > 12):
		day, month = f[0], f[1]
	}
	d, m, y := dayOf(day), monthOf(month), atoi(year)
	if len(year) != 4 || !number(year) || y == 0 || m == 0 || d == 0 || d > daysIn(y, m) {
		return "", false
	}
	return year + "-" + two(m) + "-" + two(d), true
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// atoi is 0 for what is no number of at most four digits.
func atoi(s string) int {
	if !number(s) || len(s) > 4 {
		return 0
	}
	n, _ := strconv.Atoi(s)
	return n
}

// dayOf reads 7, 07 and 7th.
func dayOf(s string) int {
	s = strings.ToLower(s)
	for _, end := range []string{"st", "nd", "rd", "th"} {
		if cut, ok := strings.CutSuffix(s, end); ok {
			s = cut
			break
		}
	}
	return atoi(s)
}

// monthOf is 1 to 12, 0 for what names no month.
func monthOf(s string) int {
	if number(s) {
		if m := atoi(s); m <= 12 {
			return m
		}
		return 0
	}
	s = strings.ToLower(s)
	months := []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	for i, m := range months {
		if s == m || s == m[:3] || m == "september" && s == "sept" {
			return i + 1
		}
	}
	return 0
}

func daysIn(y, m int) int {
	switch m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if y%4 == 0 && y%100 != 0 || y%400 == 0 {
			return 29
		}
		return 28
	}
	return 31
}
