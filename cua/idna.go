package cua

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// asciiName is the IDNA ASCII form of a host name: lower case, one trailing dot dropped, each
// label that is not ASCII in Punycode.
//
// Only lower-casing is done before, and no other mapping of UTS 46. That is on purpose: a name
// that a browser would map to something else then has a form of its own, equals no entry of a
// list, and is refused. The reverse, two names that are one here and two in a browser, cannot
// happen; the letters whose lower case differs between here and there are an error.
func asciiName(name string) (string, error) {
	name = strings.TrimSuffix(name, ".")
	if name == "" {
		return "", errors.New("no host")
	}
	labels := strings.Split(name, ".")
	for i, l := range labels {
		a, err := asciiLabel(l)
		if err != nil {
			return "", err
		}
		labels[i] = a
	}
	name = strings.Join(labels, ".")
	if len(name) > 253 {
		return "", errors.New("the host is too long")
	}
	return name, nil
}

var errLabel = errors.New("a character that no host has")

func asciiLabel(label string) (string, error) {
	if label == "" {
		return "", errors.New("an empty part in the host")
	}
	plain := true
	var b []rune
	for _, r := range label {
		if r < utf8.RuneSelf {
			r = unicode.ToLower(r)
			if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
				return "", errLabel
			}
			b = append(b, r)
			continue
		}
		plain = false
		low := unicode.ToLower(r)
		// İ and K become ASCII here and not there, ẞ becomes ß here and ss there.
		if r == utf8.RuneError || low < utf8.RuneSelf || r == 'ẞ' || !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return "", errLabel
		}
		b = append(b, low)
	}
	out := string(b)
	if !plain {
		out = "xn--" + punycode(b)
	}
	if len(out) > 63 {
		return "", errors.New("a part of the host is too long")
	}
	return out, nil
}

// punycode encodes one label (RFC 3492, section 6.3).
func punycode(label []rune) string {
	const base, skew, damp, initialBias, initialN = 36, 38, 700, 72, 128
	var out []byte
	for _, r := range label {
		if r < initialN {
			out = append(out, byte(r))
		}
	}
	basic := len(out)
	done := basic
	if basic > 0 {
		out = append(out, '-')
	}
	n, delta, bias := rune(initialN), 0, initialBias
	for done < len(label) {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n && r < next {
				next = r
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r != n {
				continue
			}
			q := delta
			for k := base; ; k += base {
				t := min(max(k-bias, 1), 26)
				if q < t {
					break
				}
				out = append(out, digit(t+(q-t)%(base-t)))
				q = (q - t) / (base - t)
			}
			out = append(out, digit(q))
			bias = adapt(delta, done+1, done == basic, base, skew, damp)
			delta = 0
			done++
		}
		delta++
		n++
	}
	return string(out)
}

func digit(d int) byte {
	if d < 26 {
		return byte('a' + d)
	}
	return byte('0' + d - 26)
}

func adapt(delta, points int, first bool, base, skew, damp int) int {
	if first {
		delta /= damp
	} else {
		delta /= 2
	}
	delta += delta / points
	k := 0
	for delta > (base-1)*26/2 {
		delta /= base - 1
		k += base
	}
	return k + base*delta/(delta+skew)
}
