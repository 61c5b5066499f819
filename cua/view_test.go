package cua

import (
	"fmt"
	"testing"
)

func TestSameView(t *testing.T) {
	print := func(bits int) *Fingerprint {
		return &Fingerprint{PHash256: fmt.Sprintf("%064x", uint64(1)<<bits-1), W: 1280, H: 800}
	}
	for _, row := range []struct {
		name string
		a, b *Fingerprint
		want bool
	}{
		{"equal", print(9), print(9), true},
		{"a caret, a spinner", print(0), print(2), true},
		{"a typed character", print(0), print(4), false},
		{"another size", print(0), &Fingerprint{PHash256: print(0).PHash256, W: 640, H: 400}, false},
		{"one is not known", print(0), nil, false},
		{"a broken hash", print(0), &Fingerprint{PHash256: "xyz", W: 1280, H: 800}, false},
	} {
		if got := SameView(row.a, row.b); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

// Structure decides wherever there is any: two pages of one look are two nodes.
func TestNodeByFrameOnlyWhereStructureCannot(t *testing.T) {
	look := &Fingerprint{PHash256: fmt.Sprintf("%064x", 7), W: 1280, H: 800}
	moves := ChurnMask{Parts: map[string]bool{CanvasPart("c"): true}}
	for _, row := range []struct {
		name string
		o    Observation
		mask ChurnMask
		want string
	}{
		{"structure", Observation{DOMDigest: "a", Fingerprint: look}, ChurnMask{}, ""},
		{"a canvas that keeps still", Observation{DOMDigest: "a", Canvases: map[string]string{"c": "1"}, Fingerprint: look}, ChurnMask{}, ""},
		{"a canvas that moves by itself", Observation{DOMDigest: "a", Canvases: map[string]string{"c": "1"}, Fingerprint: look}, moves, NodeByFrame},
		{"a frame alone", Observation{Fingerprint: look}, ChurnMask{}, NodeByFrame},
		{"no frame", Observation{}, ChurnMask{}, ""},
	} {
		if got := NodeBy(&row.o, row.mask); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
