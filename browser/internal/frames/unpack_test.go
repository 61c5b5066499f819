package frames

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// filteredRow is a row of a PNG as it is encoded.
type filteredRow struct {
	kind  byte
	bytes []byte
}

// filteredPNG is the picture of these rows, four bytes a pixel and without checksums, which nobody reads.
func filteredPNG(t rapid.TB, rows []filteredRow) []byte {
	var data bytes.Buffer
	data.Write([]byte{0x78, 1})
	z, err := flate.NewWriter(&data, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if _, err := z.Write(append([]byte{r.kind}, r.bytes...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		out = append(append(append(out, name...), data...), 0, 0, 0, 0)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(rows[0].bytes)/4))
	head = binary.BigEndian.AppendUint32(head, uint32(len(rows)))
	chunk("IHDR", append(head, 8, 6, 0, 0, 0))
	chunk("IDAT", data.Bytes())
	chunk("IEND", nil)
	return out
}

// Whatever the rows of two frames have in common, as they are encoded or as pixels, the second one is the
// same picture with and without the first.
func TestRowsOfOthersChangeNothing(t *testing.T) {
	const w = cua.TagCells + 2
	one, none := bytes.Repeat([]byte{1}, 4*w), make([]byte, 4*w)
	plainOne, plainNone, upOne, upNone := filteredRow{0, one}, filteredRow{0, none}, filteredRow{2, one},
		filteredRow{2, none}
	check := func(t rapid.TB, first, second []filteredRow) {
		before, err := Unpack(filteredPNG(t, first), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Unpack(filteredPNG(t, second), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Unpack(filteredPNG(t, second), before)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Pix(), want.Pix()) {
			t.Errorf("pixels %x, want %x", got.Pix(), want.Pix())
		}
		if got.key() != want.key() || !slices.Equal(got.filtered, want.filtered) {
			t.Error("other hashes")
		}
	}
	for _, row := range []struct {
		name          string
		first, second []filteredRow
	}{
		{"the bytes of the row above with another filter",
			[]filteredRow{plainNone, plainOne, upNone, upNone},
			[]filteredRow{plainNone, plainOne, upNone, plainNone}},
		{"bytes that are the pixels above",
			[]filteredRow{plainNone, plainNone, plainOne, upNone},
			[]filteredRow{plainNone, plainOne, upNone, upOne}},
	} {
		t.Run(row.name, func(t *testing.T) { check(t, row.first, row.second) })
	}
	row := rapid.SampledFrom([]filteredRow{plainOne, plainNone, upOne, upNone})
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(row, 3, 8).Draw(t, "first")
		second := slices.Clone(first)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			second[rapid.IntRange(0, len(second)-1).Draw(t, "at")] = row.Draw(t, "row")
		}
		check(t, first, second)
	})
}

// A frame is named after the bytes that it has in the end.
func TestFramesAreNamed(t *testing.T) {
	picture := func(kind byte) []byte {
		return filteredPNG(t, slices.Repeat([]filteredRow{{kind, bytes.Repeat([]byte{9}, 4*90)}}, 40))
	}
	var f Stream
	for _, row := range []struct {
		name  string
		data  []byte
		cover []cua.Box
		how   How
	}{
		{"the first", picture(0), nil, ByScreencast},
		{"as before", picture(0), nil, ByReuse},
		{"another", picture(2), nil, ByScreencast},
		{"the first again", picture(0), nil, ByScreencast},
		{"painted over", picture(0), []cua.Box{{X: 3, Y: 3, W: 5, H: 5}}, ByScreencast},
		{"painted over as before", picture(0), []cua.Box{{X: 3, Y: 3, W: 5, H: 5}}, ByReuse},
		{"no PNG of Chromium's", []byte("a picture"), nil, ByScreencast},
	} {
		got := Taken{Shot: cua.Shot{Data: row.data}, How: ByScreencast}
		f.Deduplicate(&got)
		if row.cover != nil {
			if err := f.Cover(&got, row.cover, 1); err != nil {
				t.Fatal(err)
			}
		}
		if sum := sha256.Sum256(got.Data); got.Name != hex.EncodeToString(sum[:]) || got.How != row.how {
			t.Errorf("%s: %s by %s, want %x by %s", row.name, got.Name, got.How, sum, row.how)
		}
	}
}
