package cua

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// placeForm matches a field named by its position among those of its kind: "the 3rd textbox", "the last check
// box".
var placeForm = regexp.MustCompile(`(?i)\b(first|second|third|fourth|fifth|sixth|last|\d{1,2}(?:st|nd|rd|th))\s+(radio|check-?\s?box|text\s?-?(?:box|field|area|input)|input|field|drop-?\s?down|select|list)\b`)

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth"}

// ByPlace is the index of the field that words name by its position among the fields of its kind, as in "the
// 3rd textbox" or "the last radio button". It is -1 if words do not, or if there are fewer. Fields are in
// document order.
func ByPlace(words string, fields []Field) int {
	m := placeForm.FindStringSubmatch(words)
	if m == nil {
		return -1
	}
	var at []int
	for i, f := range fields {
		if ofKind(strings.ToLower(m[2]), f) {
			at = append(at, i)
		}
	}
	n := slices.Index(ordinals, strings.ToLower(m[1])) + 1
	switch {
	case strings.EqualFold(m[1], "last"):
		n = len(at)
	case n == 0:
		n, _ = strconv.Atoi(m[1][:len(m[1])-2]) // one or two digits, as placeForm requires
	}
	if n < 1 || n > len(at) {
		return -1
	}
	return at[n-1]
}

// SaysPlace reports whether words name a field by its position (ByPlace), on any page.
func SaysPlace(words string) bool { return placeForm.MatchString(words) }

// ofKind reports whether f is of the kind that the words name.
func ofKind(kind string, f Field) bool {
	switch {
	case kind == "radio":
		return f.Type == "radio"
	case strings.HasPrefix(kind, "check"):
		return f.Type == "checkbox"
	case strings.HasPrefix(kind, "drop"), kind == "select", kind == "list":
		return f.Type == "select"
	}
	return f.Typable()
}
