package cua

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
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
		if r == utf8.RuneError || low < utf8.RuneSelf || r == 'ẞ' ||
			!unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return "", errLabel
		}
		b = append(b, low)
	}
	out := string(b)
	if !plain {
		var err error
		// A label is in Punycode already or is not ASCII, never both.
		if out, err = idna.Punycode.ToASCII(out); err != nil || strings.HasPrefix(string(b), "xn--") {
			return "", errLabel
		}
	}
	if len(out) > 63 {
		return "", errors.New("a part of the host is too long")
	}
	return out, nil
}
