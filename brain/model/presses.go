package model

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// PressKeys presses the names that a model lists in one call. It is one chord, or, if more than one of
// them is not a modifier, a sequence of chords in which the modifiers are held for all names after them.
func PressKeys(names ...string) (cua.Action, *cua.Failure) {
	var held, chords []string
	for _, k := range names {
		if strings.TrimSpace(k) == "" && k != " " {
			continue
		}
		a, bad := PressChord(append(held[:len(held):len(held)], k)...)
		if bad != nil {
			return cua.Action{}, bad
		}
		if canonical, _ := keyName(k); slices.Contains(modifiers(), canonical) {
			held = append(held, k)
			continue
		}
		chords = append(chords, a.Keys)
	}
	if len(chords) == 0 {
		return PressChord(held...)
	}
	return PressSequence(strings.Join(chords, " "), 1)
}
