package benchmarks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// sealed are the members of study.json that a cell does not name and that decide what it comes to: were one
// of them another halfway, cells of two experiments would stand under one name.
var sealed = []string{"arms", "brain", "faults"}

// ErrChanged says that a study is not the one that was begun.
var ErrChanged = errors.New("the arms, the brain or its faults in " + PlanName +
	" were changed after the study began: cells of two plans would be one arm. Undo that, or begin a " +
	"new study")

// Seal is the SHA-256 in hex of the sealed members of a plan as it stands in study.json, however it is laid
// out.
func Seal(text []byte) (string, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return "", fmt.Errorf("benchmarks: reading the plan: %w", err)
	}
	sum := sha256.New()
	for _, name := range sealed {
		var plain bytes.Buffer
		if value := all[name]; value != nil {
			if err := json.Compact(&plain, value); err != nil {
				return "", fmt.Errorf("benchmarks: reading the plan: %s: %w", name, err)
			}
		}
		fmt.Fprintf(sum, "%s:%s\n", name, plain.Bytes())
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Unchanged is an error where study.json has other arms, another brain or other faults than when the study
// began. A study of a program that did not note them yet counts as unchanged.
func (s *Study) Unchanged() error {
	if s.changed {
		return fmt.Errorf("benchmarks: %s: %w", s.Dir, ErrChanged)
	}
	return nil
}
