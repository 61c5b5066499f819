package cua

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TileSet is a sorted set of tile numbers, from 0, row by row from the top left. In JSON it is a string of
// ranges, "3-7,12", so that a page-wide change takes only a few bytes.
type TileSet []int

// MarshalText writes the ranges.
func (s TileSet) MarshalText() ([]byte, error) {
	var b []byte
	for i := 0; i < len(s); {
		j := i
		for j+1 < len(s) && s[j+1] == s[j]+1 {
			j++
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(s[i]), 10)
		if j > i {
			b = strconv.AppendInt(append(b, '-'), int64(s[j]), 10)
		}
		i = j + 1
	}
	return b, nil
}

// maxTile bounds what UnmarshalText expands: a 16,384-px square frame.
const maxTile = 1 << 18

// UnmarshalText reads what MarshalText writes.
func (s *TileSet) UnmarshalText(text []byte) error {
	*s = nil
	if len(text) == 0 {
		return nil
	}
	for part := range strings.SplitSeq(string(text), ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		from, err := strconv.Atoi(lo)
		to := from
		if err == nil && isRange {
			to, err = strconv.Atoi(hi)
		}
		if err != nil || from < 0 || to < from || to >= maxTile || len(*s) > 0 && from <= (*s)[len(*s)-1] {
			return fmt.Errorf("cua: reading tile set: bad range %q", part)
		}
		for t := from; t <= to; t++ {
			*s = append(*s, t)
		}
	}
	return nil
}

// Has reports whether tile t is in the set.
func (s TileSet) Has(t int) bool {
	_, ok := slices.BinarySearch(s, t)
	return ok
}
