package frames

import "testing"

// The album forgets the oldest frames first, by number and by bytes.
func TestAlbumsAreBounded(t *testing.T) {
	var small album
	for i := range 3 * albumFrames {
		small.enter(uint64(i), []byte{1})
	}
	if len(small.order) != albumFrames || len(small.seen) != albumFrames {
		t.Errorf("%d small frames in order, %d by key", len(small.order), len(small.seen))
	}
	var a album
	for i := range 3 * albumFrames {
		a.enter(uint64(i), make([]byte, albumBytes/16))
	}
	if len(a.order) != 16 || a.held > albumBytes || len(a.seen) != 16 {
		t.Errorf("%d frames of %d bytes", len(a.order), a.held)
	}
	if got := a.enter(191, []byte("new")); string(got.data) == "new" {
		t.Error("the newest frame was forgotten")
	}
	if got := a.enter(1, []byte("new")); string(got.data) != "new" {
		t.Error("the oldest frame is still known")
	}
}

// A document goes on numbering in its block until half of it is used or the last number is not known.
func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		name string
		take func(first int) int // number that the take before the action waited for
		same bool
	}{
		{"few numbers are used", func(first int) int { return first + 3 }, true},
		{"half of them are used", func(first int) int { return first + tagBlock/2 }, false},
		{"no number was waited for", func(int) int { return 0 }, false},
		{"a number of another document", func(first int) int { return first + tagBlock }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &Stream{running: true, document: "d", taken: 0}
			first := f.FirstTag("d")
			f.taken = tt.take(first)
			f.BeginAction()
			if got := f.FirstTag("d"); (got == first) != tt.same {
				t.Errorf("began with %d and then with %d", first, got)
			}
			if got := f.FirstTag("other"); got == first {
				t.Errorf("another document begins with %d too", got)
			}
		})
	}
}
