package report

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AgentLab finds an experiment by its exp_args.pkl, a pickled object of Python, and reads nothing where there
// is none. This file writes the part of protocol 2 that such an object needs.

// pickled is an object of a class of Python with these attributes.
type pickled struct {
	module, class string
	attributes    map[string]any
}

// pickle is v for Python's pickle.load: nil, bool, string, int, int64, map[string]any or pickled; anything
// else is an error. Equal values give equal bytes.
func pickle(v any) ([]byte, error) {
	var b bytes.Buffer
	b.Write([]byte{0x80, 2})
	if err := pickleValue(&b, v); err != nil {
		return nil, err
	}
	b.WriteByte('.')
	return b.Bytes(), nil
}

func pickleValue(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteByte('N')
	case bool:
		if v {
			b.WriteByte(0x88)
		} else {
			b.WriteByte(0x89)
		}
	case string:
		v = strings.ToValidUTF8(v, "\uFFFD")
		b.WriteByte('X')
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(v))))
		b.WriteString(v)
	case int:
		return pickleValue(b, int64(v))
	case int64:
		b.Write([]byte{0x8a, 8}) // two's complement in so many bytes
		b.Write(binary.LittleEndian.AppendUint64(nil, uint64(v)))
	case map[string]any:
		b.WriteString("}(")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			for _, x := range []any{key, v[key]} {
				if err := pickleValue(b, x); err != nil {
					return err
				}
			}
		}
		b.WriteByte('u')
	case pickled:
		fmt.Fprintf(b, "c%s\n%s\n)", v.module, v.class) // the class, and no arguments,
		b.WriteByte(0x81)                               // to make the object with
		if err := pickleValue(b, v.attributes); err != nil {
			return err
		}
		b.WriteByte('b')
	default:
		return fmt.Errorf("report: pickling a %T", v)
	}
	return nil
}
