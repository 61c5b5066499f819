package formctl

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// json reads the JSON documents in the text and blanks them out, so that they are not read as prose.
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
		for _, f := range document(string(whole), start) {
			f.Label = trimLabel(f.Label)
			if f.Label != "" && len(x.found) < maxExtracted && strings.TrimSpace(f.Value) != "" {
				x.found = append(x.found, f)
			}
		}
		at = start + len(whole)
		x.text = x.text[:start] + inLine.ReplaceAllStringFunc(x.text[start:at], blanked) + x.text[at:]
	}
}

var inLine = regexp.MustCompile(`[^\n]+`)

func blanked(line string) string { return strings.Repeat(" ", len(line)) }

// document are the fields of an object of scalars, or of a list of objects with a label and a value; nil for
// every other document. raw is valid JSON at offset at of the text.
func document(raw string, at int) (out []Extracted) {
	d := json.NewDecoder(strings.NewReader(raw))
	if raw[0] == '{' {
		out, _ = members(d, raw, at)
		return out
	}
	_, _ = d.Token() // the bracket
	for d.More() {
		object, ok := members(d, raw, at)
		var field Extracted
		for _, m := range object {
			switch strings.ToLower(m.Label) {
			case "label", "name", "field":
				field.Label = m.Value
			case "value", "text":
				field.Value, field.From, field.To = m.Value, m.From, m.To
			default:
				ok = false
			}
		}
		if !ok || field.Label == "" || field.Value == "" {
			return nil
		}
		out = append(out, field)
	}
	return out
}

// members are those of the next object of d, without nulls; false if it is no object of scalars.
func members(d *json.Decoder, raw string, at int) (out []Extracted, ok bool) {
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		label, _ := d.Token()
		from := d.InputOffset()
		value, _ := d.Token()
		to := int(d.InputOffset())
		text := strings.TrimLeft(raw[from:to], " \t\r\n:")
		f := Extracted{cua.PlanValue{Label: label.(string), Value: text}, at + to - len(text), at + to}
		switch v := value.(type) {
		case json.Delim:
			return nil, false
		case nil:
			continue
		case bool:
			f.Value = map[bool]string{true: "yes", false: "no"}[v]
		case string:
			f.Value, f.From, f.To = v, f.From+1, f.To-1
		}
		out = append(out, f)
	}
	_, _ = d.Token() // the brace
	return out, true
}
