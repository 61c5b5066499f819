package heuristic

import (
	"regexp"
	"slices"
	"strings"
)

var (
	anyNumber = regexp.MustCompile(`\d{1,4}`)
	// stepperText matches a stepper in innerText: minus sign, number, at most two words, plus sign.
	stepperText = regexp.MustCompile(`[-−–]\s*(\d{1,4})(?:\s+\pL+){0,2}\s*[+＋]`)
	// numberLine matches a line that consists of a number and at most two words.
	numberLine = regexp.MustCompile(`(?m)^\s*(\d{1,4})(?:[ \t]+\pL+){0,2}\s*$`)
)

func firstNumber(s string) (int, bool) {
	m := anyNumber.FindString(s)
	return atoi(m), m != ""
}

// quantityIn is the number for the name on in the text of a page: in the stepper below that name or the
// only stepper, otherwise directly after or before the name, otherwise on the only line that is a number.
// Contradictory numbers give no result.
func quantityIn(text, on string) (int, bool) {
	if text == "" {
		return 0, false
	}
	label := labelPattern(on)
	if n, ok := stepperNumber(text, label); ok {
		return n, true
	}
	if stepperText.MatchString(text) {
		return 0, false // there are steppers, and none is identified as this one
	}
	var found []string
	if label != "" {
		for _, p := range []string{label + `[^\pL\d]{0,12}(\d{1,4})\b`, `(?:^|[^\d.,:])(\d{1,4})[ \t]+` + label} {
			for _, m := range regexp.MustCompile(`(?i)`+p).FindAllStringSubmatch(text, -1) {
				found = append(found, m[1])
			}
		}
	}
	if len(found) == 0 {
		for _, m := range numberLine.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) != 1 {
		return 0, false
	}
	return atoi(found[0]), true
}

// stepperNumber is the number of the stepper whose name stands between it and the previous one. The only
// stepper needs no name.
func stepperNumber(text, label string) (int, bool) {
	all := stepperText.FindAllStringSubmatchIndex(text, -1)
	if k := stepperIndex(text, label, all); k >= 0 {
		return atoi(text[all[k][2]:all[k][3]]), true
	}
	return 0, false
}

// stepperIndex is the index of the stepper called label in text; -1 if there are none or several.
func stepperIndex(text, label string, all [][]int) int {
	found, end := -1, 0
	for k, at := range all {
		if label != "" && regexp.MustCompile(`(?i)`+label).MatchString(text[end:at[0]]) {
			if found >= 0 {
				return -1
			}
			found = k
		}
		end = at[1]
	}
	if found < 0 && len(all) == 1 {
		return 0
	}
	return found
}

// labelPattern matches the words of a name in their order, each also in the plural; "" is no name.
func labelPattern(on string) string {
	w := singular(strong(Words(on)))
	for i := range w {
		w[i] = regexp.QuoteMeta(w[i]) + `\pL{0,3}`
	}
	if len(w) == 0 {
		return ""
	}
	return `\b` + strings.Join(w, `\W+`) + `\b`
}

// singular is w without plural endings.
func singular(w []string) []string {
	out := slices.Clone(w)
	for i, x := range out {
		if x == "children" {
			out[i] = "child"
		} else if len(x) > 3 && !strings.HasSuffix(x, "ss") {
			out[i] = strings.TrimSuffix(x, "s")
		}
	}
	return out
}
