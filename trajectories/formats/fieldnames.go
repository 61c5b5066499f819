package formats

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Renames are what another log calls the fields of the neutral form: from our name to its name. A name holds
// for the trajectory and for its steps.
type Renames map[string]string

// ParseRenames reads "target=selector,action_type=action". An error names what it does not know.
func ParseRenames(lists []string) (Renames, error) {
	out := Renames{}
	for _, list := range lists {
		for pair := range strings.SplitSeq(list, ",") {
			ours, theirs, ok := strings.Cut(strings.TrimSpace(pair), "=")
			switch {
			case !ok || ours == "" || theirs == "":
				return nil, fmt.Errorf("want OURS=THEIRS, not %q", pair)
			case !headNames[ours] && !stepNames[ours]:
				return nil, fmt.Errorf("unknown field %q%s", ours, suggest(ours, headNames, stepNames))
			}
			out[ours] = theirs
		}
	}
	return out, nil
}

var (
	headNames = fieldNames(reflect.TypeFor[neutralRun]())
	stepNames = fieldNames(reflect.TypeFor[neutralStep]())
)

// fieldNames are the names in JSON of the fields of a struct and of those that it embeds.
func fieldNames(t reflect.Type) map[string]bool {
	out := map[string]bool{}
	for f := range t.Fields() {
		if f.Anonymous {
			for name := range fieldNames(f.Type) {
				out[name] = true
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = true
	}
	return out
}

// nearMiss is a field whose name is close to a known one.
type nearMiss struct {
	line int // of the text, from 0
	says string
}

// namer reads the names of the fields of one file.
type namer struct {
	names Renames
	// theirs is names the other way round.
	theirs map[string]string
	// says is what is wrong with each name that was met and is not known; "" is nothing. They are few.
	says map[string]string
}

func newNamer(names Renames) *namer {
	n := &namer{names, map[string]string{}, map[string]string{}}
	for ours, name := range names {
		n.theirs[name] = ours
	}
	return n
}

// named is text, one trajectory, with its fields renamed, and the near misses among its names, each once a
// file. Lines stay as they are. Text that is no JSON comes back as it is, or nearly so.
func (n *namer) named(text []byte) ([]byte, []nearMiss) {
	var misses []nearMiss
	out, copied := []byte(nil), 0
	eachName(text, func(from, to int, known map[string]bool) string {
		name := string(text[from+1 : to-1])
		ours, mapped := n.theirs[name]
		switch {
		case mapped && known[ours]:
			out, copied = append(append(out, text[copied:from]...), strconv.Quote(ours)...), to
			return ours
		case n.names[name] != "": // another field has its name
			out, copied = append(append(out, text[copied:from]...), strconv.Quote("not "+name)...), to
			return ""
		case known[name]:
			return name
		}
		if _, told := n.says[name]; !told && len(n.says) < maxNames {
			n.says[name] = miss(name, known)
			if n.says[name] != "" {
				misses = append(misses, nearMiss{bytes.Count(text[:from], []byte("\n")), n.says[name]})
			}
		}
		return name
	})
	if out == nil {
		return text, misses
	}
	return append(out, text[copied:]...), misses
}

// maxNames bounds the names of one file that are looked at: more are no names of fields.
const maxNames = 1000

// eachName calls visit for the names of the fields of the trajectory text and of its steps: where each lies
// with its quotes, and which names are known there. visit says what the name counts as.
func eachName(text []byte, visit func(from, to int, known map[string]bool) string) {
	depth, inSteps, name := 0, false, ""
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth == 2 {
				inSteps = name == "steps"
			}
		case '}', ']':
			depth--
		case '"':
			from := i
			i = closingQuote(text, i)
			after := bytes.TrimLeft(text[min(i+1, len(text)):], " \t\r\n")
			if !bytes.HasPrefix(after, []byte(":")) { // a value
				continue
			}
			switch {
			case depth == 1:
				name = visit(from, i+1, headNames)
			case depth == 3 && inSteps:
				visit(from, i+1, stepNames)
			}
		}
	}
}

// closingQuote is where the string ends whose opening quote is at i; the length of text or more where it does
// not.
func closingQuote(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// miss says what is wrong with a name that is close to a known one; "" where it is close to none. JSON is
// read without regard to case.
func miss(name string, known map[string]bool) string {
	for k := range known {
		if strings.EqualFold(k, name) {
			return fmt.Sprintf("field %q is taken for %q", name, k)
		}
	}
	if s := suggest(name, known); s != "" {
		return fmt.Sprintf("unknown field %q%s", name, s)
	}
	return ""
}

// suggest names the known name that is closest to name; "" where none is close.
func suggest(name string, sets ...map[string]bool) string {
	best, least := "", 3
	for _, known := range sets {
		for k := range known {
			d := 0
			if bare(k) != bare(name) {
				d = edits(k, name)
			}
			allowed := 1 + min(len(name), len(k))/8
			if min(len(name), len(k)) > 3 && d <= allowed && (d < least || d == least && k < best) {
				best, least = k, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": is %q meant?", best)
}

// bare is a name without case and separators.
func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// edits is how many letters must be put in, left out, changed or swapped with the next to make b of a.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
