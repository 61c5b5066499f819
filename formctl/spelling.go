package formctl

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// A page may show a value in another spelling than it was typed: trimmed, in capitals, a date in its locale.
// Only digests of contents are known, so the digests of all usual spellings are compared. Passwords, codes
// and secrets have one spelling.

// spellings are the digests of the spellings of value, including the value itself.
func spellings(value string) map[string]bool {
	v := strings.TrimSpace(value)
	flat := cua.Flat(v)
	joined := strings.Join(strings.Fields(v), "")
	out := []string{value, v, flat, strings.ToUpper(v), strings.ToUpper(flat), strings.ToUpper(joined)}
	if strings.Contains(v, "@") {
		out = append(out, strings.ToLower(v))
	}
	if iso, ok := parseDate(v); ok {
		out = append(out, dateSpellings(iso)...)
	} else if clock, ok := parseTime(v); ok {
		out = append(out, clockSpellings(clock)...)
	} else if at, ok := parseMoment(v); ok {
		out = append(out, at, strings.Replace(at, "T", " ", 1))
	} else if amount.MatchString(v) {
		out = append(out, amounts(v)...)
	}
	if digits := onlyDigits(v); digits != "" && dialed.MatchString(v) {
		out = append(out, masks(digits, strings.HasPrefix(v, "+"))...)
	}
	digests := map[string]bool{}
	for _, s := range out {
		digests[cua.Digest(s)] = true
	}
	return digests
}

var (
	dialed = regexp.MustCompile(`^\+?[\d\s().\-/]+$`)
	amount = regexp.MustCompile(`^-?\d{1,12}([.]\d{1,4})?$|^-?\d{1,3}(,\d{3})+([.]\d{1,4})?$`)
)

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// localMasks are the usual groupings of a telephone number of seven or ten digits, localCodes what comes
// before it.
const (
	localMasks = "###-####|### ####|##########|(###) ###-####|(###)###-####|###-###-####|### ### ####|" +
		"###.###.####|### ###-####"
	localCodes = "|+1 |1 |1-|+1|+1-"
)

// masks are the usual groupings of the digits of a telephone, card or account number.
func masks(d string, plus bool) []string {
	if len(d) < 7 || len(d) > 19 {
		return nil
	}
	out := groupings(d)
	for n := 0; plus && n <= 3; n++ { // the number of digits of the country code
		for _, s := range groupings(d[n:]) {
			out = append(out, strings.Replace("+"+d[:n]+" "+s, "+ ", "+", 1))
		}
	}
	if len(d) == 11 {
		d = strings.TrimPrefix(d, "1")
	}
	for mask := range strings.SplitSeq(localMasks, "|") {
		if strings.Count(mask, "#") != len(d) {
			continue
		}
		for i := range len(d) {
			mask = strings.Replace(mask, "#", d[i:i+1], 1)
		}
		for code := range strings.SplitSeq(localCodes, "|") {
			out = append(out, code+mask)
		}
	}
	return out
}

func groupings(d string) []string {
	return []string{d, grouped(d, 2, " "), grouped(d, 3, " "), grouped(d, 4, " "), grouped(d, 4, "-")}
}

// grouped splits s into groups of n from the left.
func grouped(s string, n int, sep string) string {
	var parts []string
	for group := range slices.Chunk([]byte(s), n) {
		parts = append(parts, string(group))
	}
	return strings.Join(parts, sep)
}

// amountMarks are the separators of thousands and of decimals.
var amountMarks = [][2]string{{"", "."}, {",", "."}, {" ", "."}, {"'", "."}, {".", ","}, {"\u00a0", ","},
	{"\u202f", ","}}

// amounts are the spellings of a number: with thousands separators, with two decimals.
func amounts(v string) (out []string) {
	whole, cents, _ := strings.Cut(strings.ReplaceAll(v, ",", ""), ".")
	whole = strings.TrimPrefix(whole, "-")
	sign := strings.Repeat("-", strings.Count(v, "-"))
	decimals := []string{cents, (cents + "00")[:max(2, len(cents))], strings.TrimRight(cents, "0")}
	for _, w := range []string{whole, cmp.Or(strings.TrimLeft(whole, "0"), "0")} {
		head := len(w) % 3
		thousands := strings.Fields(w[:head] + " " + grouped(w[head:], 3, " "))
		for _, mark := range amountMarks {
			s := sign + strings.Join(thousands, mark[0])
			for _, d := range decimals {
				if d != "" {
					d = mark[1] + d
				}
				out = append(out, s+d)
			}
		}
	}
	return out
}

// shownClocks are the patterns in which pages show a time of day.
const shownClocks = "HH:mm|H:mm|HH:mm:00|hh:mm A|h:mm A|hh:mmA|h:mmA|hh:mm a|h:mm a|hh:mma|h:mma"

// clockSpellings are the spellings of a time of day.
func clockSpellings(clock string) []string {
	h := atoi(clock[:2])
	twelve, half := cmp.Or(h%12, 12), "AM"
	if h >= 12 {
		half = "PM"
	}
	parts := strings.NewReplacer("HH", clock[:2], "H", strconv.Itoa(h), "hh", two(twelve), "h",
		strconv.Itoa(twelve), "mm", clock[3:], "A", half, "a", strings.ToLower(half))
	return strings.Split(parts.Replace(shownClocks), "|")
}
