package formctl

import (
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// A page may show a value otherwise than it was typed: trimmed, in capitals, a telephone number in its mask,
// a date in its locale. Of what a field holds only a digest is known, so the other way round: the spellings
// of the planned value that mean the same are digested and compared. Passwords, codes and secrets have one
// spelling.

// spellings are the digests of the ways in which a page may show value, the value itself among them. It is a
// function of the value alone.
func spellings(value string) map[string]bool {
	out := map[string]bool{}
	for _, s := range spelled(value) {
		if d := cua.Digest(s); d != "" {
			out[d] = true
		}
	}
	return out
}

func spelled(value string) []string {
	v := strings.TrimSpace(value)
	flat := strings.Join(strings.Fields(v), " ")
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
	return out
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

// masks are the usual ways to part the digits of a telephone, card or account number.
func masks(d string, plus bool) []string {
	if len(d) < 7 || len(d) > 19 {
		return nil
	}
	out := []string{d, grouped(d, 3, " "), grouped(d, 2, " "), grouped(d, 4, " "), grouped(d, 4, "-")}
	if plus {
		out = append(out, "+"+d, "+"+grouped(d, 3, " "), "+"+grouped(d, 2, " "))
		for n := 1; n <= 3; n++ { // the country's code on its own
			code := "+" + d[:n] + " "
			out = append(out, code+d[n:], code+grouped(d[n:], 2, " "), code+grouped(d[n:], 3, " "))
		}
	}
	local := d
	if len(d) == 11 && d[0] == '1' {
		local = d[1:]
	}
	switch {
	case len(d) == 7:
		out = append(out, d[:3]+"-"+d[3:], d[:3]+" "+d[3:])
	case len(local) == 10:
		a, b, c := local[:3], local[3:6], local[6:]
		for _, mask := range strings.Split("(a) b-c|(a)b-c|a-b-c|a b c|a.b.c|a b-c", "|") {
			s := strings.NewReplacer("a", a, "b", b, "c", c).Replace(mask)
			out = append(out, s, "+1 "+s, "1 "+s, "1-"+s)
		}
		out = append(out, "+1"+local, "+1-"+a+"-"+b+"-"+c)
	}
	return out
}

// grouped parts s into groups of n from the left.
func grouped(s string, n int, sep string) string {
	var b strings.Builder
	for i := range len(s) {
		if i > 0 && i%n == 0 {
			b.WriteString(sep)
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// amounts are the ways to write a number: with marks between the thousands, with two decimals.
func amounts(v string) []string {
	v, minus := strings.CutPrefix(strings.ReplaceAll(v, ",", ""), "-")
	sign := ""
	if minus {
		sign = "-"
	}
	whole, cents, _ := strings.Cut(v, ".")
	plain := strings.TrimLeft(whole, "0")
	if plain == "" {
		plain = "0"
	}
	var out []string
	for _, w := range []string{whole, plain} {
		head := len(w) % 3
		parts := strings.Fields(w[:head] + " " + grouped(w[head:], 3, " "))
		for _, sep := range []string{"", ",", ".", " ", "\u00a0", "\u202f", "'"} {
			s := sign + strings.Join(parts, sep)
			point := "."
			if sep == "." || sep == "\u00a0" || sep == "\u202f" {
				point = ","
			}
			switch {
			case strings.Trim(cents, "0") == "":
				out = append(out, s, s+point+"00")
			default:
				s += point
				padded := (cents + "00")[:max(2, len(cents))]
				out = append(out, s+cents, s+padded, s+strings.TrimRight(cents, "0"))
			}
		}
	}
	return out
}

// clockSpellings are the ways to write a time of day.
func clockSpellings(clock string) []string {
	h, rest := atoi(clock[:2]), clock[2:]
	half, twelve := "AM", h%12
	if h >= 12 {
		half = "PM"
	}
	if twelve == 0 {
		twelve = 12
	}
	out := []string{clock, clock[:5] + ":00"}
	for _, s := range []string{two(twelve) + rest, strings.TrimPrefix(two(twelve), "0") + rest} {
		out = append(out, s+" "+half, s+half, s+" "+strings.ToLower(half), s+strings.ToLower(half))
	}
	return append(out, strings.TrimPrefix(clock, "0"))
}
