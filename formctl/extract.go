package formctl

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// Extracted is a plan value found in a task's text, and its position there.
type Extracted struct {
	cua.PlanValue
	// From and To are the byte offsets of the value without its quotes; for a box to tick, those of its
	// label.
	From, To int
}

// maxGoal is the most bytes of text that are read; maxExtracted is the most values that are returned.
const (
	maxGoal      = 64 << 10
	maxExtracted = 50
)

// Extract finds plan values in a task's text. It knows a few forms and takes no value from other prose:
//
//   - a JSON object of labels and values, or a list of objects with label (or name) and value
//   - lines "Label: value" or "Label = value": a known label, or at least two such lines in a row
//   - "label: value" within a sentence, for known labels
//   - type, enter, write, put or fill in "value" into (in, as) the LABEL field, also "value" in capital
//     (upper, lower case) letters, the number (text, word) "value", and the 2nd (last) field, box or list
//   - fill (set) the LABEL field with (to) "value"
//   - select (choose, pick) "value" from (as) the LABEL list
//   - log in as alice / secret, log in as alice with password secret
//   - with (the) username alice and (the) password secret
//   - with (using, enter) the LABEL "value"
//   - tick (untick) "LABEL", check the box "LABEL": its value is yes or no
//
// A label without the word field, box or list must be known (username, e-mail, city and the like), or must
// end in date, day, month or time and have such a value. Sentences that forbid the action, or that look for a
// value, give none. Values are in the order of the text.
func Extract(goal string) []Extracted {
	if len(goal) > maxGoal || !utf8.ValidString(goal) {
		return nil
	}
	x := &extraction{goal: goal, text: strings.NewReplacer("\x00", " ", "\x01", " ").Replace(goal)}
	x.json()
	x.text = quotation.ReplaceAllStringFunc(x.text, hold)
	x.lines()
	x.sentences()
	slices.SortStableFunc(x.found, func(a, b Extracted) int { return cmp.Compare(a.From, b.From) })
	return x.found[:min(len(x.found), maxExtracted)]
}

// extraction is the state of one Extract.
type extraction struct {
	goal string
	// text is goal with everything blanked out that was read. A quotation is \x01 followed by \x00 for each
	// further byte.
	text  string
	found []Extracted
}

// span is a range of bytes of the text.
type span struct{ from, to int }

var quotation = regexp.MustCompile(`"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|‘[^’\n]+’|` +
	`\x60[^\x60\n]+\x60|\B'[^'\n]+'\B`) // beside a letter it is an apostrophe

// hold blanks a quotation out, so that no form ends inside it.
func hold(quoted string) string { return "\x01" + strings.Repeat("\x00", len(quoted)-1) }

// value is the text at s without quotes.
func (x *extraction) value(s span) (value string, at span, quoted bool) {
	if s.from < s.to && x.text[s.from] == '\x01' {
		_, first := utf8.DecodeRuneInString(x.goal[s.from:s.to])
		_, last := utf8.DecodeLastRuneInString(x.goal[s.from:s.to])
		at = span{s.from + first, s.to - last}
		return x.goal[at.from:at.to], at, true
	}
	return x.goal[s.from:s.to], s, false
}

// add adds a value, unless it is no value for that label or there is one already.
func (x *extraction) add(label string, s span) bool {
	value, at, quoted := x.value(s)
	label = trimLabel(label)
	m := mean(label)
	if label == "" || x.taken(at) || !fitting(m, value) || !quoted && !plausible(m, value) ||
		strings.Contains(strings.ToLower(value), "<secret:") && cua.SecretName(value) == "" ||
		slices.ContainsFunc(x.found, func(f Extracted) bool {
			return f.Value == value && slices.Equal(mean(f.Label), m)
		}) {
		return false
	}
	x.found = append(x.found, Extracted{cua.PlanValue{Label: label, Value: value}, at.from, at.to})
	return true
}

// taken reports whether a part of the span was read already.
func (x *extraction) taken(s span) bool {
	return slices.ContainsFunc(x.found, func(f Extracted) bool { return s.from < f.To && f.From < s.to })
}

// leading are words before a label that do not belong to it.
var leading = set("the a an my your his her their our this as with using use and or for in into to of " +
	"enter type fill please then is following")

// trimLabel drops the words around a label that do not belong to it.
func trimLabel(label string) string {
	w := strings.Fields(strings.Trim(strings.TrimSpace(label), `*_#-•"':`))
	for len(w) > 0 && leading[strings.ToLower(w[0])] {
		w = w[1:]
	}
	out := strings.Join(w, " ")
	if len(out) > 80 || len(cua.LabelWords(out)) == 0 {
		return ""
	}
	return out
}

// knownLabel reports whether every word of label names something that forms ask for.
func knownLabel(label string) bool {
	m := mean(label)
	unknown := slices.ContainsFunc(m, func(w string) bool { return !known[w] })
	return len(m) > 0 && !unknown && !vague[strings.ToLower(strings.TrimSpace(label))]
}

// vague are words of known labels that have other meanings too.
var vague = set("first last sign login again repeat confirm confirmation verify verification retype mail " +
	"cell mobile pass again conf state log in sign-in exp q address2 street search url expires")

// trailingLabel is the longest known label at the end of words; "" is none.
func trailingLabel(words string) string {
	w := strings.Fields(words)
	for n := min(4, len(w)); n > 0; n-- {
		last := w[len(w)-n:]
		if label := strings.Join(last, " "); !leading[strings.ToLower(last[0])] && knownLabel(label) {
			return label
		}
	}
	return ""
}
