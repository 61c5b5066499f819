package dialect

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var numbers = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// pair parses a point: [x, y], a box [x1, y1, x2, y2] whose centre counts, either of them in a list or as
// text, or {x, y}.
func pair(v any) (x, y float64, ok bool) {
	var n []float64
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			return pair(v[0])
		}
		for _, e := range v {
			f, ok := number(e)
			if !ok {
				return 0, 0, false
			}
			n = append(n, f)
		}
	case string:
		for _, s := range numbers.FindAllString(v, 5) {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				return 0, 0, false
			}
			n = append(n, f)
		}
	case map[string]any:
		x, okX := number(v["x"])
		y, okY := number(v["y"])
		return x, y, okX && okY
	}
	switch len(n) {
	case 2:
		return n[0], n[1], true
	case 4:
		return (n[0] + n[2]) / 2, (n[1] + n[3]) / 2, true
	}
	return 0, 0, false
}

// number parses a finite number, also in quotes.
func number(v any) (float64, bool) {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case string:
		var err error
		if f, err = strconv.ParseFloat(strings.TrimSpace(v), 64); err != nil {
			return 0, false
		}
	default:
		return 0, false
	}
	return f, !math.IsNaN(f) && !math.IsInf(f, 0)
}

// text is the first of the names that holds text. A number counts as text, because models type 42 without
// quotes.
func text(args map[string]any, names ...string) (string, error) {
	for _, n := range names {
		switch v := args[n].(type) {
		case string:
			return v, nil
		case float64, bool:
			out, err := json.Marshal(v)
			return string(out), err
		}
	}
	return "", fmt.Errorf("needs %s", names[0])
}

func flag(args map[string]any, name string) bool {
	switch v := args[name].(type) {
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "true")
	}
	return false
}

// seconds is the length of a wait; the default is waitSeconds.
func seconds(args map[string]any) (float64, error) {
	for _, k := range []string{"seconds", "time", "duration"} {
		if args[k] == nil {
			continue
		}
		s, ok := number(args[k])
		if !ok {
			return 0, fmt.Errorf("%s is no number of seconds", k)
		}
		return s, nil
	}
	return waitSeconds, nil
}

// keys parses the keys of a press: keys: ["ctrl","c"], key: "ctrl c" or "ctrl+c".
func keys(args map[string]any) []string {
	for _, k := range []string{"keys", "key", "hotkey", "text"} {
		var out []string
		switch v := args[k].(type) {
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					out = append(out, words(s)...)
				}
			}
		case string:
			out = words(v)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// words splits a text into names of keys. The space bar is one of them.
func words(s string) []string {
	if s == " " {
		return []string{s}
	}
	return strings.Fields(s)
}
