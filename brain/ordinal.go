package brain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ordinalForm names a control by its place among those of its kind: "the 3rd textbox", "the last check box".
var ordinalForm = regexp.MustCompile(`(?i)\b(first|second|third|fourth|fifth|sixth|last|\d{1,2}(?:st|nd|rd|th))\s+(radio|check-?\s?box|text\s?-?(?:box|field|area|input)|input|field|drop-?\s?down|select|list)\b`)

var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth"}

// nth is the control of fields that the words name by its place; -1 when they do not, or there are fewer.
func nth(words string, fields []cua.Field) int {
	m := ordinalForm.FindStringSubmatch(words)
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
		n = atoi(m[1][:len(m[1])-2])
	}
	if n < 1 || n > len(at) {
		return -1
	}
	return at[n-1]
}

// ofKind says whether f is what the words call so.
func ofKind(kind string, f cua.Field) bool {
	switch {
	case kind == "radio":
		return f.Type == "radio"
	case strings.HasPrefix(kind, "check"):
		return f.Type == "checkbox"
	case strings.HasPrefix(kind, "drop"), kind == "select", kind == "list":
		return f.Type == "select"
	}
	return typable(f)
}
