package formctl

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// json reads the JSON documents in the text and blanks them out: what is in them is no prose.
func (x *extraction) json() {
	for at := 0; ; {
		i := strings.IndexAny(x.text[at:], "{[")
		if i < 0 {
			return
		}
		start := at + i
		at = start + 1
		var whole json.RawMessage
		if json.NewDecoder(strings.NewReader(x.text[start:])).Decode(&whole) != nil || len(whole) < 5 {
			continue
		}
		for _, f := range document(whole, start) {
			f.Label = trimLabel(f.Label)
			if f.Label != "" && len(x.found) < maxExtracted && strings.TrimSpace(f.Value) != "" {
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

// document is the fields of an object of scalars, or of a list of objects that have a label and a value; nil
// for every other document. at is where it stands in the text.
func document(raw json.RawMessage, at int) []Extracted {
	if raw[0] == '{' {
		out, _ := members(raw, at)
		return out
	}
	var out []Extracted
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token() // the bracket
	for dec.More() {
		var item json.RawMessage
		if dec.Decode(&item) != nil {
			return nil
		}
		fields, ok := members(item, at+int(dec.InputOffset())-len(item))
		var field Extracted
		for _, m := range fields {
			switch strings.ToLower(m.Label) {
			case "label", "name", "field":
				field.Label = m.Value
			case "value", "text":
				field.Value, field.From, field.To = m.Value, m.From, m.To
			default:
				return nil
			}
		}
		if !ok || field.Label == "" || field.Value == "" {
			return nil
		}
		out = append(out, field)
	}
	return out
}

// members are those of an object, nulls left out; false where one is no scalar.
func members(raw json.RawMessage, at int) (out []Extracted, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, _ := dec.Token(); tok != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		key, err := dec.Token()
		var v json.RawMessage
		if err != nil || dec.Decode(&v) != nil || v[0] == '{' || v[0] == '[' {
			return nil, false
		}
		to := at + int(dec.InputOffset())
		f := Extracted{cua.PlanValue{Label: key.(string), Value: string(v)}, to - len(v), to}
		switch v[0] {
		case '"':
			_ = json.Unmarshal(v, &f.Value) // Decode has read it
			f.From, f.To = f.From+1, f.To-1
		case 't':
			f.Value = "yes"
		case 'f':
			f.Value = "no"
		case 'n':
			continue
		}
		out = append(out, f)
	}
	return out, len(out) > 0
}
