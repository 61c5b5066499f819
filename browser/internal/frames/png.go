package frames

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// errForeign says that a frame is encoded in another way than Chromium encodes it: it is then decoded
// elsewhere.
var errForeign = errors.New("not a PNG of 8-bit colours without interlacing")

// tagBits is how many of the cells of a tag are its number (world.js).
const tagBits = 12

// maxPixels caps a frame that is unpacked here: 16 M.
const maxPixels = 16 << 20

// inflaters are readers to be used again: a new one costs 40 KB.
var inflaters sync.Pool

// scanlines are the rows of a PNG as they are filtered, topmost first.
type scanlines struct {
	r         io.Reader
	w, h, bpp int    // bpp is bytes a pixel: 3 or 4
	row       []byte // the current one, unfiltered
	last      []byte // the one before
	kind      [1]byte
}

// openRows reads the header of a PNG. close gives the reader back.
func openRows(data []byte) (s *scanlines, close func(), err error) {
	size := pngSize(data)
	if len(data) < 33 || data[24] != 8 || data[28] != 0 {
		return nil, nil, errForeign
	}
	s = &scanlines{w: size.W, h: size.H}
	switch data[25] {
	case 2:
		s.bpp = 3
	case 6:
		s.bpp = 4
	default:
		return nil, nil, errForeign
	}
	if s.w <= 0 || s.h <= 0 || s.w > maxPixels || s.h > maxPixels/s.w {
		return nil, nil, errForeign
	}
	parts, err := imageData(data[8:])
	if err != nil {
		return nil, nil, err
	}
	z, _ := inflaters.Get().(io.ReadCloser)
	if z == nil {
		z = flate.NewReader(parts)
	} else if err := z.(flate.Resetter).Reset(parts, nil); err != nil {
		return nil, nil, err
	}
	s.r, s.row, s.last = z, make([]byte, s.w*s.bpp), make([]byte, s.w*s.bpp)
	return s, func() { inflaters.Put(z) }, nil
}

// imageData is the compressed stream in the chunks of a PNG, without the two bytes of its header. No
// checksum is read: the pipe does not garble.
func imageData(rest []byte) (io.Reader, error) {
	var parts []io.Reader
	for len(rest) > 12 {
		n := int(binary.BigEndian.Uint32(rest))
		if n < 0 || n > len(rest)-12 {
			return nil, io.ErrUnexpectedEOF
		}
		if string(rest[4:8]) == "IDAT" {
			parts = append(parts, bytes.NewReader(rest[8:8+n]))
		}
		rest = rest[12+n:]
	}
	var all io.Reader
	switch len(parts) {
	case 0:
		return nil, io.ErrUnexpectedEOF
	case 1:
		all = parts[0]
	default:
		all = bufio.NewReader(io.MultiReader(parts...))
	}
	_, err := io.ReadFull(all, make([]byte, 2))
	return all, err
}

// read reads one more row into s.row as it is filtered.
func (s *scanlines) read() error {
	s.row, s.last = s.last, s.row
	if _, err := io.ReadFull(s.r, s.kind[:]); err != nil {
		return err
	}
	_, err := io.ReadFull(s.r, s.row)
	return err
}

// unfilter makes pixels of s.row; s.last are those of the row above.
func (s *scanlines) unfilter() error {
	row, up, bpp := s.row, s.last[:len(s.row)], s.bpp
	switch s.kind[0] {
	case 0:
	case 1:
		for i := bpp; i < len(row); i++ {
			row[i] += row[i-bpp]
		}
	case 2:
		addRow(row, up)
	case 3:
		for i := range row {
			left := 0
			if i >= bpp {
				left = int(row[i-bpp])
			}
			row[i] += byte((left + int(up[i])) / 2)
		}
	case 4:
		for i := range row {
			var left, corner int
			if i >= bpp {
				left, corner = int(row[i-bpp]), int(up[i-bpp])
			}
			row[i] += paeth(left, int(up[i]), corner)
		}
	default:
		return errForeign
	}
	return nil
}

// addRow adds up to row, byte by byte: eight at a time, of which none carries into the next one.
func addRow(row, up []byte) {
	const low = 0x7f7f7f7f7f7f7f7f
	i := 0
	for ; i+8 <= len(row); i += 8 {
		a, b := binary.LittleEndian.Uint64(row[i:]), binary.LittleEndian.Uint64(up[i:])
		binary.LittleEndian.PutUint64(row[i:], (a&low+b&low)^(a^b)&^low)
	}
	for ; i < len(row); i++ {
		row[i] += up[i]
	}
}

// paeth is whichever of the three neighbours is nearest to left + up - corner.
func paeth(left, up, corner int) byte {
	p := left + up - corner
	a, b, c := max(p-left, left-p), max(p-up, up-p), max(p-corner, corner-p)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(up)
	}
	return byte(corner)
}

// ReadTag is the number in the topmost row of a frame, 0 when there is none. Only that row is unpacked.
func ReadTag(data []byte) int {
	s, done, err := openRows(data)
	if err != nil {
		return 0
	}
	defer done()
	if s.w < cua.TagCells || s.read() != nil || s.unfilter() != nil {
		return 0
	}
	cell := func(i int) int {
		p := s.row[(s.w-cua.TagCells+i)*s.bpp:]
		return int(p[0]) + int(p[1]) + int(p[2])
	}
	black, white := cell(0), cell(1)
	if white-black < 150 { // a backdrop may lie over it, and then black and white are nearer to each other
		return 0
	}
	n, parity := 0, 0
	for i := 2; i < cua.TagCells; i++ {
		bit := 0
		switch c := cell(i); {
		case 4*(c-black) < white-black && 4*(black-c) < white-black:
		case 4*(white-c) < white-black && 4*(c-white) < white-black:
			bit = 1
		default:
			return 0 // neither
		}
		switch {
		case i < 2+tagBits:
			n, parity = n<<1|bit, parity^bit
		case i == 2+tagBits && bit != parity, i > 2+tagBits && bit != 0:
			return 0
		}
	}
	return n
}

// pngSize is the size that the header of a PNG states; the zero Size is none.
func pngSize(data []byte) cua.Size {
	if len(data) < 24 || string(data[12:16]) != "IHDR" {
		return cua.Size{}
	}
	return cua.Size{W: int(binary.BigEndian.Uint32(data[16:])), H: int(binary.BigEndian.Uint32(data[20:]))}
}
