package formctl

import (
	"encoding/json"
	"regexp"
	"strings"
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

// Parts of JSON documents: a member whose value is a string, a number, true, false or null, and an object of
// such members. The documents are known to be valid.
const (
	aString = `"(?:[^"\\]|\\.)*"`
	aMember = `(` + aString + `)\s*:\s*(` + aString + `|[-+.\w]+)`
	aDict   = `\{\s*` + aMember + `(?:\s*,\s*` + aMember + `)*\s*\}`
)

var (
	member = regexp.MustCompile(aMember)
	dict   = regexp.MustCompile(aDict)
	// flat is an object of scalars, or a list of such objects.
	flat = regexp.MustCompile(`^(?:` + aDict + `|\[\s*` + aDict + `(?:\s*,\s*` + aDict + `)*\s*\])$`)
)

// document is the fields of an object of scalars, or of a list of objects that have a label and a value; nil
// for every other document. at is where it stands in the text.
func document(raw string, at int) (out []Extracted) {
	if !flat.MatchString(raw) {
		return nil
	}
	if raw[0] == '{' {
		return members(raw, at)
	}
	for _, o := range dict.FindAllStringIndex(raw, -1) {
		var field Extracted
		for _, m := range members(raw[o[0]:o[1]], at+o[0]) {
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

// members are those of an object, nulls left out.
func members(raw string, at int) (out []Extracted) {
	for _, m := range member.FindAllStringSubmatchIndex(raw, -1) {
		f := Extracted{From: at + m[4], To: at + m[5]}
		f.Value = raw[m[4]:m[5]]
		_ = json.Unmarshal([]byte(raw[m[2]:m[3]]), &f.Label) // it is valid
		switch f.Value {
		case "null":
			continue
		case "true":
			f.Value = "yes"
		case "false":
			f.Value = "no"
		default:
			if json.Unmarshal([]byte(f.Value), &f.Value) == nil { // a string
				f.From, f.To = f.From+1, f.To-1
			}
		}
		out = append(out, f)
	}
	return out
}
