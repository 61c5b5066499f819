package brain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// maxScript is the limit of a script file, bytes. Scripts are written by hand.
const maxScript = 8 << 20

// LoadScript reads a script file: a JSON array of entries, or one entry a line (JSON
// lines; empty lines and lines that start with # are skipped). Each entry is a
// cua.Scripted. The error names the file, the line, and what is wrong.
func LoadScript(path string) ([]cua.Scripted, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("brain: reading script: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return nil, fmt.Errorf("brain: reading script: %w", err)
	}
	return ParseScript(path, data)
}

// ParseScript parses a script as LoadScript does. name is the file name in errors.
func ParseScript(name string, data []byte) ([]cua.Scripted, error) {
	if len(data) > maxScript {
		return nil, fmt.Errorf("brain: reading script %s: longer than %d bytes", name, maxScript)
	}
	read := parseLines
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		read = parseArray
	}
	script, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("brain: reading script %s: %w", name, err)
	}
	if len(script) == 0 {
		return nil, fmt.Errorf("brain: reading script %s: it has no actions", name)
	}
	return script, nil
}

func parseLines(data []byte) ([]cua.Scripted, error) {
	var out []cua.Scripted
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseArray(data []byte) ([]cua.Scripted, error) {
	var raws []json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(data))
	lineAt := func(offset int64) int {
		return 1 + bytes.Count(data[:min(offset, int64(len(data)))],
			[]byte("\n"))
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("line %d: %w", lineAt(dec.InputOffset()), err)
	}
	var lines []int
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fmt.Errorf("line %d, entry %d: %w", lineAt(offsetOf(err, dec.InputOffset())),
				len(raws)+1, plain(err))
		}
		raws = append(raws, raw)
		lines = append(lines, lineAt(dec.InputOffset()-int64(len(raw))))
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("line %d: %w", lineAt(dec.InputOffset()), plain(err))
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return nil, fmt.Errorf("line %d: expected the end of the file after the array",
			lineAt(dec.InputOffset()))
	}
	out := make([]cua.Scripted, len(raws))
	for i, raw := range raws {
		e, err := parseEntry(raw)
		if err != nil {
			return nil, fmt.Errorf("line %d, entry %d: %w", lines[i], i+1, err)
		}
		out[i] = e
	}
	return out, nil
}

// parseEntry parses one entry and checks what can be checked without a page.
func parseEntry(raw []byte) (cua.Scripted, error) {
	var e cua.Scripted
	if raw[0] != '{' {
		return e, errors.New("not a JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return e, plain(err)
	}
	if len(bytes.TrimSpace(raw[dec.InputOffset():])) > 0 {
		return e, errors.New("expected the end of the entry after the object")
	}
	if e.Nth < 0 {
		return e, fmt.Errorf("nth must be 1 or more, got %d", e.Nth)
	}
	if e.Nth > 0 && e.On == "" {
		return e, errors.New("nth needs on")
	}
	a := e.Action
	if e.On != "" {
		a.Point = &cua.Point{} // the point is looked up when the entry is played
	}
	return e, a.Validate(cua.Size{})
}

// plain is err without the decoder's prefix, and with a clear message for truncated JSON.
func plain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the JSON ends too early")
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Errorf("field %q takes %s, not %s", strings.TrimPrefix(typ.Field, "Action."),
			typ.Type, typ.Value)
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// offsetOf is the offset of a syntax error, or at if err has none.
func offsetOf(err error, at int64) int64 {
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return syn.Offset
	}
	return at
}
