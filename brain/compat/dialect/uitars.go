package dialect

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

var actionLine = regexp.MustCompile(`(?im)^[ \t*]*action[ \t*]*:[ \t*]*`)

var thoughtLine = regexp.MustCompile(`(?i)^[\s*]*(thought|reflection|action_summary)\s*[:：][\s*]*`)

// parseActions parses the dialect of UI-TARS: "Thought: …" and "Action: verb(key='value', …)", with
// further calls on their own lines.
func parseActions(text string) (Reply, error) {
	at := actionLine.FindStringIndex(text)
	if at == nil {
		return Reply{}, ErrNoCall
	}
	out := Reply{Thought: strings.TrimSpace(thoughtLine.ReplaceAllString(text[:at[0]], ""))}
	rest := strings.TrimSpace(text[at[1]:])
	for rest != "" {
		if head := actionLine.FindStringIndex(rest); head != nil && head[0] == 0 {
			rest = rest[head[1]:]
			continue
		}
		if len(out.Calls) > 0 && !startsCall.MatchString(rest) {
			break // words after the last call
		}
		s, left, err := parseCall(rest)
		if err != nil {
			return out, fmt.Errorf("behind Action: %w", err)
		}
		out.Calls = append(out.Calls, s)
		rest = strings.TrimLeft(left, " \t\r\n;`")
	}
	if len(out.Calls) == 0 {
		return out, errors.New("no call behind Action")
	}
	return out, nil
}

var (
	startsCall = regexp.MustCompile("^`*[A-Za-z_]\\w*\\s*\\(")
	callHead   = regexp.MustCompile("^`*([A-Za-z_]\\w*)\\s*\\(")
	barePlace  = regexp.MustCompile(`^\s*(?:\(\s*[\d.]+\s*,\s*[\d.]+\s*\)|\[\s*[\d.]+\s*,\s*[\d.]+\s*\]|[\d.]+\s*,\s*[\d.]+)`)
	argHead    = regexp.MustCompile(`^[\s,]*([A-Za-z_]\w*)\s*=\s*`)
	callEnd    = regexp.MustCompile(`^[\s,]*\)`)
	bareValue  = regexp.MustCompile(`^[^,()'"]*(\([^()]*\))?`)
	closing    = regexp.MustCompile(`^\s*(\)|,\s*[A-Za-z_]\w*\s*=)`)
)

// parseCall parses one verb(key=value, …) and returns the rest of the text.
func parseCall(text string) (Call, string, error) {
	m := callHead.FindStringSubmatch(text)
	if m == nil {
		return Call{}, "", fmt.Errorf("%q is no call", firstLine(text))
	}
	s := Call{Verb: strings.ToLower(m[1]), Args: map[string]any{}}
	rest := text[len(m[0]):]
	if at := barePlace.FindString(rest); at != "" { // weak models omit the name of the point
		s.Args["start_box"], rest = "("+strings.Trim(strings.TrimSpace(at), "()[]")+")", rest[len(at):]
	}
	for {
		if end := callEnd.FindString(rest); end != "" {
			rest = rest[len(end):]
			s.Raw = text[:len(text)-len(rest)]
			return s, rest, nil
		}
		a := argHead.FindStringSubmatch(rest)
		if a == nil {
			return Call{}, "", fmt.Errorf("the arguments of %s cannot be read at %q", m[1], firstLine(rest))
		}
		value, left, ok := parseValue(rest[len(a[0]):])
		if !ok {
			return Call{}, "", fmt.Errorf("the value of %s has no end", a[1])
		}
		s.Args[a[1]], rest = value, left
	}
}

// parseValue parses a quoted or a bare value. A quote ends a value only before the end of an argument or
// of the call, because models write content='it's' without a backslash.
func parseValue(s string) (value, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	quote := s[0]
	if quote != '\'' && quote != '"' {
		v := bareValue.FindString(s)
		return strings.TrimSpace(v), s[len(v):], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			unescape(&b, s[i])
		case c == quote && closing.MatchString(s[i+1:]):
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// unescape writes the escaped character c. An unknown escape is written unchanged, with its backslash. c
// may be a byte of a longer character.
func unescape(b *strings.Builder, c byte) {
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case '\'', '"', '\\':
		b.WriteByte(c)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
}

// firstLine is the beginning of a malformed text, short enough for an error message.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return cua.ClipBytes(line, 60)
}
