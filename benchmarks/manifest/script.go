package manifest

import (
	"bytes"
	"encoding/json"

	"github.com/cua-runner/cua-runner/cua"
)

// actions reads the script of a task, entry by entry as a scripted brain's file; nil where there is none.
func (r *reader) actions(n *node) []cua.Scripted {
	var out []cua.Scripted
	for _, n := range r.list(n) {
		if _, object := n.value.(members); !object {
			r.wrong(n, "an object")
			continue
		}
		var s cua.Scripted
		dec := json.NewDecoder(bytes.NewReader(n.json()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil {
			r.fault(n.line, n.path, "no action: %v", err)
			continue
		}
		placed := s.Action
		if s.On != "" { // where it goes is found on the page
			placed.Point = &cua.Point{}
		}
		if err := placed.Validate(cua.Size{}); err != nil {
			r.fault(n.line, n.path, "no action: %v", err)
		}
		out = append(out, s)
	}
	return out
}

// json is the value as it was written, white space aside.
func (n *node) json() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *node) write(b *bytes.Buffer) {
	switch v := n.value.(type) {
	case members:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(m.key) + ":")
			m.value.write(b)
		}
		b.WriteByte('}')
	case []*node:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			e.write(b)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(quoted(v))
	case json.Number:
		b.WriteString(v.String())
	case bool:
		if v {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	default:
		b.WriteString("null")
	}
}
