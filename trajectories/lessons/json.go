package lessons

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// member is one field of an object, its value as it was written.
type member struct {
	key   string
	value json.RawMessage
}

// parseObject reads one JSON object with its fields in order. The place of an error is a byte of text,
// or -1 where it has none.
func parseObject(text []byte) ([]member, int, error) {
	if !utf8.Valid(text) {
		return nil, -1, errors.New("the text is not UTF-8")
	}
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		at := -1
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = int(max(syntax.Offset-1, 0))
		}
		return nil, at, fmt.Errorf("no JSON: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(text)) // which cannot fail any more
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, -1, errors.New("a lesson is a JSON object")
	}
	var out []member
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, -1, err
		}
		m := member{key: key.(string)}
		if seen[m.key] {
			return nil, int(dec.InputOffset()), fmt.Errorf("the field %q is there twice", m.key)
		}
		seen[m.key] = true
		if err := dec.Decode(&m.value); err != nil {
			return nil, -1, err
		}
		out = append(out, m)
	}
	return out, -1, nil
}

// lessonOf is the lesson of an object; fields that no lesson has are passed over.
func lessonOf(object []member) (cua.Lesson, error) {
	var l cua.Lesson
	for _, field := range []struct {
		key  string
		into any
	}{{"id", &l.ID}, {"origin", &l.Origin}, {"tag", &l.Tag}, {"actions", &l.Actions}, {"text", &l.Text},
		{"at", &l.At}, {"pinned", &l.Pinned}} {
		i := slices.IndexFunc(object, func(m member) bool { return m.key == field.key })
		if i < 0 {
			continue
		}
		if err := json.Unmarshal(object[i].value, field.into); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				err = fmt.Errorf("%q is %s, where %s belongs", field.key, wrong.Value,
					kindWord(wrong.Type.Kind().String()))
			}
			return l, err
		}
	}
	return l, nil
}

// kindWord is what a reader of a lesson file calls a kind of value.
func kindWord(kind string) string {
	switch kind {
	case "bool":
		return "true or false"
	case "slice":
		return "a list"
	}
	return "a string"
}

// membersOf is l as a new block writes it.
func membersOf(l cua.Lesson) []member {
	out := put(nil, "id", l.ID)
	out = put(out, "origin", l.Origin)
	if l.Tag != "" {
		out = put(out, "tag", l.Tag)
	}
	if len(l.Actions) > 0 {
		out = put(out, "actions", l.Actions)
	}
	out = put(out, "text", l.Text)
	if l.At != "" {
		out = put(out, "at", l.At)
	}
	if l.Pinned {
		out = put(out, "pinned", true)
	}
	return out
}

// put is object with one field set: in its place where it is there, else as the last.
func put(object []member, key string, value any) []member {
	m := member{key, plainJSON(value)}
	out := slices.Clone(object)
	if i := slices.IndexFunc(out, func(m member) bool { return m.key == key }); i >= 0 {
		out[i] = m
		return out
	}
	return append(out, m)
}

// plainJSON is a value as people read it: no escapes that HTML would want.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("lessons: a lesson's field is no JSON: " + err.Error())
	}
	return bytes.TrimSpace(b.Bytes())
}

// writeObject writes an object with one field a line.
func writeObject(object []member) []byte {
	out := []byte("{\n")
	for i, m := range object {
		out = slices.Concat(out, []byte("  "), plainJSON(m.key), []byte(": "), m.value)
		if i < len(object)-1 {
			out = append(out, ',')
		}
		out = append(out, '\n')
	}
	return append(out, '}')
}

// ID is the id of a new lesson, from its origin, tag and text: one that is learned again is
// the same one.
func ID(l cua.Lesson) string {
	sum := sha256.Sum256([]byte(l.Origin + "\n" + l.Tag + "\n" + l.Text))
	return "l-" + hex.EncodeToString(sum[:4])
}

// learned is when l was learned; the zero time is unknown.
func learned(l cua.Lesson) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, l.At); err == nil {
			return t
		}
	}
	return time.Time{}
}
