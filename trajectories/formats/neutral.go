package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// neutralRun is a trajectory in the neutral form, or whatever else an object may be that is
// read: its steps or its history tell which.
type neutralRun struct {
	neutralHead
	// Schema is that of ATIF; "" is another form.
	Schema  json.RawMessage `json:"schema_version"`
	Steps   json.RawMessage `json:"steps"`
	History json.RawMessage `json:"history"`
}

// neutralHead is what the neutral form says of a trajectory beside its steps.
type neutralHead struct {
	ID        string    `json:"id"`
	Source    string    `json:"source,omitzero"`
	Benchmark string    `json:"benchmark,omitzero"`
	Task      string    `json:"task,omitzero"`
	Success   *bool     `json:"success,omitzero"`
	Looping   *bool     `json:"looping,omitzero"`
	Quality   string    `json:"label_quality,omitzero"`
	Viewport  []float64 `json:"viewport,omitzero"`
	// FinalObservation and FinalURL are the state after the last step; the others belong to them
	// where steps have such hashes.
	FinalObservation string `json:"final_observation_hash,omitzero"`
	FinalDOM         string `json:"final_dom_hash,omitzero"`
	FinalForm        string `json:"final_form_hash,omitzero"`
	FinalPicture     string `json:"final_screenshot_dhash,omitzero"`
	FinalView        string `json:"final_screenshot_phash256,omitzero"`
	FinalURL         string `json:"final_url,omitzero"`
}

// neutralStep is one step in the neutral form. A field that is null or missing is unknown.
type neutralStep struct {
	// Index is the step's place in the list where it is missing.
	Index      *float64 `json:"index"`
	Decision   *float64 `json:"decision,omitzero"`
	ActionType string   `json:"action_type"`
	Target     string   `json:"target,omitzero"`
	X          *float64 `json:"x,omitzero"`
	Y          *float64 `json:"y,omitzero"`
	// Box is x, y, width and height of the target.
	Box   []float64 `json:"box,omitzero"`
	Text  string    `json:"text,omitzero"`
	URL   string    `json:"url,omitzero"`
	Title string    `json:"title,omitzero"`
	// ObservationHash, DOMHash, FormHash and Picture describe the page before the step, as URL,
	// Title and Focus do.
	ObservationHash string `json:"observation_hash,omitzero"`
	DOMHash         string `json:"dom_hash,omitzero"`
	FormHash        string `json:"form_hash,omitzero"`
	Picture         string `json:"screenshot_dhash,omitzero"`
	// View is the 256-bit perception hash of the screenshot, in hex.
	View      string   `json:"screenshot_phash256,omitzero"`
	Focus     string   `json:"focus,omitzero"`
	Effect    *bool    `json:"effect,omitzero"`
	Error     string   `json:"error,omitzero"`
	WaitMS    *float64 `json:"wait_ms,omitzero"`
	USD       *float64 `json:"usd,omitzero"`
	Tokens    *float64 `json:"tokens,omitzero"`
	TokensIn  *float64 `json:"tokens_in,omitzero"`
	TokensOut *float64 `json:"tokens_out,omitzero"`
	Seconds   *float64 `json:"seconds,omitzero"`
	Thought   string   `json:"thought,omitzero"`
}

// decodeRun reads one object as f says; dir is the folder of its file, "" is none.
func decodeRun(text []byte, f Format, dir string) (*Run, error) {
	var n neutralRun
	err := json.Unmarshal(text, &n)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && n.Steps == nil && n.History == nil:
		return nil, errForeign // whatever it is, it is not a trajectory with a mistake
	case err != nil:
		return nil, plainError(err)
	case n.Steps != nil && (f == ATIF || f == Auto && isATIF(n.Schema)):
		run, err := readATIF(text, n.Steps)
		return run, inPart(err, text, n.Steps)
	case n.Steps != nil && (f == Auto || f == Neutral):
		run, err := n.run()
		return run, inPart(err, text, n.Steps)
	case n.History != nil && (f == Auto || f == BrowserUse):
		run, err := browserUse(n.History, func(path string) string { return pictureDigest(dir, path) })
		return run, inPart(err, text, n.History)
	}
	return nil, errForeign
}

// partError is a mistake at one place of what was read.
type partError struct {
	what string // the part
	at   int64  // bytes
	err  error
}

func (e *partError) Error() string { return e.what + ": " + e.err.Error() }

func (e *partError) Unwrap() error { return e.err }

// inPart makes the place of a mistake in part, which is a part of text, one in text.
func inPart(err error, text, part []byte) error {
	var e *partError
	if errors.As(err, &e) {
		e.at += int64(max(bytes.Index(text, part), 0))
	}
	return err
}

// partAt is where the next part of the list that dec reads begins: its offset is behind the part
// before, and a comma and space are between.
func partAt(dec *json.Decoder, list []byte) int64 {
	at := dec.InputOffset()
	rest := list[at:]
	return at + int64(len(rest)-len(bytes.TrimLeft(rest, ", \t\r\n")))
}

// decodeSteps reads a list of steps one by one, so that a hostile line cannot ask for more
// memory than maxSteps of them take.
func decodeSteps(list []byte) ([]neutralStep, error) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.New("steps: a list belongs there")
	}
	var steps []neutralStep
	for dec.More() {
		if len(steps) == maxSteps {
			return nil, fmt.Errorf("steps: more than %d", maxSteps)
		}
		var s neutralStep
		at := partAt(dec, list)
		err := dec.Decode(&s)
		if s.Index == nil {
			s.Index = new(float64(len(steps)))
		}
		if err == nil {
			err = s.check()
		}
		if err == nil && len(steps) > 0 && *s.Index <= *steps[len(steps)-1].Index {
			err = fmt.Errorf("index %v after %v: they must rise", *s.Index, *steps[len(steps)-1].Index)
		}
		if err != nil {
			return nil, &partError{fmt.Sprintf("step %d of the list", len(steps)+1), at, plainError(err)}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// Bounds of what a step may say; beyond them somebody's arithmetic went wrong.
const (
	maxPlace  = 1e6  // px
	maxNumber = 1e12 // tokens, milliseconds, dollars, seconds
	maxIndex  = 1e9
	maxWord   = 64 // bytes of an action_type
)

// check says what is wrong with a step by itself.
func (s *neutralStep) check() error {
	switch {
	case s.ActionType == "":
		return errors.New("action_type is missing")
	case len(s.ActionType) > maxWord:
		return fmt.Errorf("action_type of %d bytes", len(s.ActionType))
	case len(s.Box) != 0 && len(s.Box) != 4 || slices.ContainsFunc(s.Box,
		func(v float64) bool { return math.Abs(v) > maxPlace }):
		return fmt.Errorf("box is %v: x, y, width and height belong there", s.Box)
	}
	for _, n := range []struct {
		name     string
		v        *float64
		min, max float64
		whole    bool
	}{
		{"index", s.Index, 0, maxIndex, true}, {"decision", s.Decision, -maxIndex, maxIndex, true},
		{"x", s.X, -maxPlace, maxPlace, false}, {"y", s.Y, -maxPlace, maxPlace, false},
		{"wait_ms", s.WaitMS, 0, maxNumber, false}, {"usd", s.USD, 0, maxNumber, false}, {"seconds", s.Seconds, 0, maxNumber, false},
		{"tokens", s.Tokens, 0, maxNumber, true}, {"tokens_in", s.TokensIn, 0, maxNumber, true}, {"tokens_out", s.TokensOut, 0, maxNumber, true},
	} {
		if n.v == nil {
			continue
		}
		if v := *n.v; !(v >= n.min && v <= n.max) || n.whole && v != math.Trunc(v) {
			return fmt.Errorf("%s is %v: a number from %v to %v belongs there", n.name, v, n.min, n.max)
		}
	}
	return nil
}

// plainError says in the words of JSON what encoding/json says in those of Go.
func plainError(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return &typeError{kind}
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && (strings.Contains(err.Error(), "'N'") ||
		strings.Contains(err.Error(), "'I'")) {
		return fmt.Errorf("%w (NaN and Infinity are no JSON)", err)
	}
	return err
}

// typeError is a value of the wrong type.
type typeError struct{ *json.UnmarshalTypeError }

// Error names the field and what is wrong with it.
func (e *typeError) Error() string {
	want := "something else"
	switch e.Type.Kind() {
	case reflect.Struct, reflect.Map:
		want = "an object"
	case reflect.Slice:
		want = "a list"
	case reflect.String:
		want = "a text"
	case reflect.Float64:
		want = "a number"
	case reflect.Bool:
		want = "true or false"
	}
	text := fmt.Sprintf("%s belongs there, not %.40s", want, e.Value)
	if field := strings.TrimPrefix(e.Field, "neutralHead."); field != "" {
		text = field + ": " + text
	}
	return text
}

// Unwrap is the error of encoding/json.
func (e *typeError) Unwrap() error { return e.UnmarshalTypeError }
