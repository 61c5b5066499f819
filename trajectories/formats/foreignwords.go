package formats

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// maxDetail bounds the detail of a foreign failure, maxThought a foreign thought, bytes.
const (
	maxDetail  = 200
	maxThought = 4 << 10
)

// failureWords tell the kind of a failure from what is said of it; the first that is there decides.
var failureWords = []struct {
	kind  cua.FailureKind
	words []string
}{
	{cua.FailTimeout, []string{"timeout", "timed out"}},
	{cua.FailNotInteractable, []string{"not interactable", "not clickable", "not visible", "intercepts pointer", "is disabled"}},
	{cua.FailNav, []string{"net::", "navigation failed", "err_name", "err_conn"}},
	{cua.FailNotFound, []string{"not found", "no such element", "not exist", "no element", "not available"}},
	{cua.FailUnknownAction, []string{"unknown action", "unsupported action"}},
	{cua.FailSchema, []string{"could not parse", "failed to parse", "invalid json", "validation error"}},
}

// failure says what went wrong. A text that starts with the name of a kind and a colon, as
// WriteNeutral writes it, is of that kind. Otherwise it is a kind that its words tell, and
// without them, or where nothing was done that could fail (schema_reject), the one given.
func failure(text string, kind cua.FailureKind) *cua.Failure {
	if name, rest, ok := strings.Cut(text, ":"); ok {
		for _, k := range cua.FailureKinds() {
			if name == string(k) {
				return &cua.Failure{Kind: k, Detail: cua.HeadBytes(strings.TrimSpace(rest), maxDetail)}
			}
		}
	}
	if kind != cua.FailSchema {
		kind = failureKind(text, kind)
	}
	return &cua.Failure{Kind: kind, Detail: cua.HeadBytes(text, maxDetail)}
}

func failureKind(text string, otherwise cua.FailureKind) cua.FailureKind {
	text = strings.ToLower(cua.HeadBytes(text, maxThought))
	for _, f := range failureWords {
		for _, w := range f.words {
			if strings.Contains(text, w) {
				return f.kind
			}
		}
	}
	return otherwise
}

// keyNames are other agents' names of the keys whose meaning detectors know.
var keyNames = map[string]string{
	"enter": "Return", "return": "Return", "esc": "Escape", "escape": "Escape", "tab": "Tab", "backspace": "BackSpace", "del": "Delete", "delete": "Delete",
	"arrowup": "Up", "up": "Up", "arrowdown": "Down", "down": "Down", "arrowleft": "Left", "left": "Left", "arrowright": "Right", "right": "Right",
	"pagedown": "Page_Down", "pgdn": "Page_Down", "pgdown": "Page_Down", "next": "Page_Down", "pageup": "Page_Up", "pgup": "Page_Up", "prior": "Page_Up",
	"home": "Home", "end": "End", "space": "space", "spacebar": "space", "insert": "Insert",
	"ctrl": "Control", "control": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt", "meta": "Meta", "cmd": "Meta", "command": "Meta", "super": "Meta", "win": "Meta",
}

// keys is a key or chord by the names of cua.Action.Keys where they are known: "ENTER",
// "'ctrl', 'v'", "Control+ArrowDown". A key that is not known stays as it is.
func keys(text string) string {
	parts := strings.Split(text, "+")
	if strings.ContainsAny(text, `'"`) {
		parts = strings.Split(text, ",")
	}
	for i, p := range parts {
		p = strings.Trim(p, ` '"[]`)
		if name := keyNames[strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(p))]; name != "" {
			p = name
		}
		if p == "" { // a plus sign itself, or something else altogether
			return text
		}
		parts[i] = p
	}
	return strings.Join(parts, "+")
}

var twoNumbers = regexp.MustCompile(`^\[?(-?[0-9]{1,7}(?:\.[0-9]+)?), ?(-?[0-9]{1,7}(?:\.[0-9]+)?)\]?$`)

// pair reads two numbers after prefix, as "0,500" or "to [146, 67]"; nil is anything else.
func pair(text, prefix string) *cua.Point {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return nil
	}
	m := twoNumbers.FindStringSubmatch(rest)
	if m == nil {
		return nil
	}
	x, errX := strconv.ParseFloat(m[1], 64)
	y, errY := strconv.ParseFloat(m[2], 64)
	if errX != nil || errY != nil || math.Abs(x) > maxPlace || math.Abs(y) > maxPlace {
		return nil
	}
	return &cua.Point{X: x, Y: y}
}

// value is what p points to, 0 for nothing.
func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}
