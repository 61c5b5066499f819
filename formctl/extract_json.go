package formctl

import (
	"encoding/json"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// json reads the JSON documents in the text and blanks them out: what is in them is no prose.
func (x *extraction) json() {
	for at := 0; at < len(x.text); {
		i := strings.IndexAny(x.text[at:], "{[")
		if i < 0 {
			return
		}
		start := at + i
		at = start + 1
		dec := json.NewDecoder(strings.NewReader(x.text[start:]))
		dec.UseNumber()
		var whole json.RawMessage
		if dec.Decode(&whole) != nil || len(whole) < 5 {
			continue
		}
		d := document{x: x, base: start, dec: json.NewDecoder(strings.NewReader(string(whole)))}
		d.dec.UseNumber()
		for _, f := range d.read() {
			if label := trimLabel(f.Label); label != "" && len(x.found) < maxExtracted && strings.TrimSpace(f.Value) != "" {
				f.Label = label
				x.found = append(x.found, f)
			}
		}
		at = start + len(whole)
		x.text = x.text[:start] + blanked(x.text[start:at]) + x.text[at:]
	}
}

// blanked is s with spaces for all but its line ends.
func blanked(s string) string {
	b := []byte(s)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// document reads one JSON document in order.
type document struct {
	x    *extraction
	base int
	dec  *json.Decoder
}

// read is the fields of an object of scalars, or of a list of objects that have a label and a
// value; nil for every other document.
func (d *document) read() []Extracted {
	tok, err := d.dec.Token()
	if err != nil {
		return nil
	}
	if tok == json.Delim('{') {
		out, _ := d.object()
		return out
	}
	var out []Extracted
	for d.dec.More() {
		if tok, err := d.dec.Token(); err != nil || tok != json.Delim('{') {
			return nil
		}
		members, ok := d.object()
		if !ok {
			return nil
		}
		var field Extracted
		for _, m := range members {
			switch strings.ToLower(m.Label) {
			case "label", "name", "field":
				field.Label = m.Value
			case "value", "text":
				field.Value, field.From, field.To = m.Value, m.From, m.To
			default:
				return nil
			}
		}
		if field.Label == "" || field.Value == "" {
			return nil
		}
		out = append(out, field)
	}
	return out
}

// object is the members of an object whose opening brace was read; false where one is no scalar.
func (d *document) object() ([]Extracted, bool) {
	var out []Extracted
	for d.dec.More() {
		key, err := d.dec.Token()
		if err != nil {
			return nil, false
		}
		before := int(d.dec.InputOffset())
		tok, err := d.dec.Token()
		if err != nil {
			return nil, false
		}
		value := ""
		switch v := tok.(type) {
		case string:
			value = v
		case json.Number:
			value = v.String()
		case bool:
			value = map[bool]string{true: "yes", false: "no"}[v]
		case nil:
			continue
		default:
			return nil, false
		}
		from, to := d.base+before, d.base+int(d.dec.InputOffset())
		from += len(d.x.goal[from:to]) - len(strings.TrimLeft(d.x.goal[from:to], ": \t\r\n"))
		if from < to && d.x.goal[from] == '"' {
			from, to = from+1, to-1
		}
		out = append(out, Extracted{cua.PlanValue{Label: key.(string), Value: value}, from, to})
	}
	_, err := d.dec.Token()
	return out, err == nil && len(out) > 0
}
