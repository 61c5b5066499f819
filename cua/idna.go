package cua

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// asciiName is the IDNA ASCII form of a host name: lower case, without a trailing dot, each non-ASCII label
// in Punycode.
//
// The only mapping of UTS 46 that it applies is lower-casing. If a browser would map a name to something
// else, the name has a form of its own here, equals no list entry, and is refused. The reverse cannot happen:
// two names that are equal here are equal in a browser. Letters whose lower case differs between the two are
// an error.
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
		// İ and K become ASCII here but not there; ẞ becomes ß here and ss there.
		if r == utf8.RuneError || low < utf8.RuneSelf || r == 'ẞ' ||
			!unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return "", errLabel
		}
		b = append(b, low)
	}
	out := string(b)
	if !plain {
		var err error
		// A label that is in Punycode already must be ASCII.
		if out, err = idna.Punycode.ToASCII(out); err != nil || strings.HasPrefix(string(b), "xn--") {
			return "", errLabel
		}
	}
	if len(out) > 63 {
		return "", errors.New("a part of the host is too long")
	}
	return out, nil
}
