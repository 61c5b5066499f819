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
	if got := a.enter(191, []byte("new")); string(got) == "new" {
		t.Error("the newest frame was forgotten")
	}
	if got := a.enter(1, []byte("new")); string(got) != "new" {
		t.Error("the oldest frame is still known")
	}
}
