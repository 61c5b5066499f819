package trajectories

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Ids have 26 characters, differ, and sort as their milliseconds do.
func TestNewID(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-v]{26}$`)
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(0, 1<<47).Draw(t, "ms")
		later := ms + rapid.Int64Range(1, 1<<40).Draw(t, "later")
		a, err := NewID(time.UnixMilli(ms), rand.Reader)
		same, err2 := NewID(time.UnixMilli(ms), rand.Reader)
		b, err3 := NewID(time.UnixMilli(later), rand.Reader)
		if err := errors.Join(err, err2, err3); err != nil || !form.MatchString(a) || a == same || a >= b ||
			same >= b {
			t.Fatalf("%q, %q, %q, %v", a, same, b, err)
		}
	})
	if _, err := NewID(time.Now(), bytes.NewReader(make([]byte, 9))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("too little chance: %v", err)
	}
}
