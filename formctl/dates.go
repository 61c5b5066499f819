package formctl

import (
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

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

// parseMonth reads "2026-01", "01/2026" and "January 2026", and the month of a whole date, as 2006-01.
func parseMonth(value string) (string, bool) {
	if d, ok := parseDate(value); ok {
		return d[:len("2006-01")], true
	}
	f := strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" \t,-/.", r) })
	if len(f) != 2 {
		return "", false
	}
	month, year := f[0], f[1]
	if len(f[0]) == 4 && number(f[0]) {
		month, year = f[1], f[0]
	}
	if m := monthOf(month); m > 0 && len(year) == 4 && atoi(year) > 0 {
		return year + "-" + two(m), true
	}
	return "", false
}

// parseTime reads 9:05, 21:05, 21:05:30, 9 pm and 9:05 p.m. and gives 15:04, with seconds where
// they are not 0.
func parseTime(value string) (string, bool) {
	if len(value) > 24 || !strings.ContainsAny(value, ":mM") {
		return "", false
	}
	s := strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(value, ".", ""), " ", ""))
	s, pm := strings.CutSuffix(s, "pm")
	s, am := strings.CutSuffix(s, "am")
	f := strings.Split(s, ":")
	if len(f) > 3 || len(f) < 2 && !am && !pm {
		return "", false
	}
	for i, part := range f {
		if !number(part) || len(part) > 2 || i > 0 && len(part) != 2 {
			return "", false
		}
	}
	for len(f) < 3 {
		f = append(f, "0")
	}
	h, m, sec := atoi(f[0]), atoi(f[1]), atoi(f[2])
	switch {
	case (am || pm) && (h < 1 || h > 12), h > 23, m > 59, sec > 59:
		return "", false
	case pm && h < 12:
		h += 12
	case am && h == 12:
		h = 0
	}
	out := two(h) + ":" + two(m)
	if sec > 0 {
		out += ":" + two(sec)
	}
	return out, true
}

// parseMoment reads a date and a time as 2006-01-02T15:04.
func parseMoment(value string) (string, bool) {
	value = strings.TrimSpace(value)
	if len(value) > 11 && value[10] == 'T' {
		value = value[:10] + " " + value[11:]
	}
	for i, r := range value {
		if r != ' ' && r != ',' {
			continue
		}
		day, ok := parseDate(strings.TrimSuffix(strings.TrimSpace(value[:i]), ","))
		clock, fine := parseTime(strings.TrimPrefix(strings.TrimLeft(value[i:], ", "), "at "))
		if ok && fine {
			return day + "T" + clock, true
		}
	}
	return "", false
}

// dateFormat is the way in which a text field says that it wants a date: three letters of d, m and y
// in their order, and what stands between them; "" where it says nothing. Fields say it in
// their placeholder or label: DD/MM/YYYY, yyyy-mm-dd, TT.MM.JJJJ.
func dateFormat(f *cua.Field) (order, sep string) {
	for _, text := range []string{f.Placeholder, f.Label, f.Name} {
		if order, sep = formatIn(strings.ToLower(text)); order != "" {
			return order, sep
		}
	}
	return "", ""
}

func formatIn(text string) (order, sep string) {
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "()[],:*…")
		for _, sep := range []string{"/", "-", "."} {
			parts := strings.Split(word, sep)
			if len(parts) != 3 {
				continue
			}
			order := ""
			for _, p := range parts {
				order += map[string]string{"d": "d", "dd": "d", "tt": "d", "jj": "d", "m": "m", "mm": "m", "yyyy": "y", "jjjj": "y", "aaaa": "y"}[p]
			}
			if len(order) == 3 && order[0] != order[1] && order[1] != order[2] && order[0] != order[2] {
				return order, sep
			}
		}
	}
	return "", ""
}

// dayNamed is the whole date that a calendar's button names, with or without its weekday; "" is none.
func dayNamed(name string) string {
	f := strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == ',' || r == '\u00a0' })
	for i := 0; i+3 <= len(f) && len(f) <= 8; i++ {
		if d, ok := parseDate(strings.Join(f[i:i+3], " ")); ok {
			return d
		}
	}
	d, _ := parseDate(name)
	return d
}

// inFormat writes an ISO day in an order of d, m and y.
func inFormat(iso, order, sep string) string {
	parts := map[byte]string{'y': iso[:4], 'm': iso[5:7], 'd': iso[8:10]}
	return parts[order[0]] + sep + parts[order[1]] + sep + parts[order[2]]
}

var monthNames = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}

// dateSpellings are the ways in which pages show an ISO day. Where day and month could be taken for
// one another only the order that parseDate reads is among them.
func dateSpellings(iso string) []string {
	y, m, d := atoi(iso[:4]), atoi(iso[5:7]), atoi(iso[8:10])
	year, month, day := iso[:4], strconv.Itoa(m), strconv.Itoa(d)
	mm, dd, name := two(m), two(d), monthNames[m-1]
	out := []string{iso, year + "/" + mm + "/" + dd, year + "." + mm + "." + dd, year + mm + dd,
		mm + "/" + dd + "/" + year, month + "/" + day + "/" + year, mm + "-" + dd + "-" + year, dd + "." + mm + "." + year, day + "." + month + "." + year,
		mm + "/" + dd + "/" + two(y%100)}
	if d > 12 || d == m {
		out = append(out, dd+"/"+mm+"/"+year, day+"/"+month+"/"+year, dd+"-"+mm+"-"+year)
	}
	for _, n := range []string{name, name[:3]} {
		out = append(out, n+" "+day+", "+year, day+" "+n+" "+year, dd+" "+n+" "+year, n+" "+dd+", "+year, dd+"-"+n+"-"+year, day+". "+n+" "+year)
	}
	return out
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
	for i, m := range monthNames {
		if strings.EqualFold(s, m) || strings.EqualFold(s, m[:3]) || i == 8 && strings.EqualFold(s, "sept") {
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
