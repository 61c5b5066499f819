package formctl

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// Extracted is a plan value that a task's text gives, and where in the text it stands.
type Extracted struct {
	cua.PlanValue
	// From and To are the bytes of the value in the text, quotes around it left out; those of the label where
	// the value is a box to tick.
	From, To int
}

// maxGoal bounds the text that is read, bytes; maxExtracted is how many values are taken.
const (
	maxGoal      = 64 << 10
	maxExtracted = 50
)

// Extract reads plan values out of a task's text. It knows a few forms and nothing more; what is in none of
// them is prose, and no value is made of prose:
//
//   - a JSON object of labels and values, or a list of objects with label (or name) and value
//   - lines "Label: value" or "Label = value": a label that names something known, or two such lines
//     and more in a row
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
// Labels without the word field, box or list must be known: username, e-mail, city and their like; or end in
// date, day, month or time, and the value be one. Sentences that say not to do it, and those that look for a
// value, give none. The order is that of the text.
func Extract(goal string) []Extracted {
	if len(goal) > maxGoal || !utf8.ValidString(goal) {
		return nil
	}
	x := &extraction{goal: goal, text: strings.NewReplacer("\x00", " ", "\x01", " ").Replace(goal)}
	x.json()
	x.hold()
	x.lines()
	x.sentences()
	slices.SortStableFunc(x.found, func(a, b Extracted) int { return cmp.Compare(a.From, b.From) })
	return x.found[:min(len(x.found), maxExtracted)]
}

// extraction is one text at work.
type extraction struct {
	goal string
	// text is goal of the same length, with what was read blanked out and each quotation held: \x01 and then
	// \x00 as often as it has bytes.
	text  string
	found []Extracted
}

var quotation = regexp.MustCompile(`"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|‘[^’\n]+’|` +
	`\x60[^\x60\n]+\x60|'[^'\n]+'`)

// hold takes quotations out of the text, so that no form ends inside one.
func (x *extraction) hold() {
	var b strings.Builder
	at := 0
	for _, q := range quotation.FindAllStringIndex(x.text, -1) {
		if q[0] < at || x.text[q[0]] == '\'' && !alone(x.text, q) {
			continue
		}
		b.WriteString(x.text[at:q[0]] + "\x01" + strings.Repeat("\x00", q[1]-q[0]-1))
		at = q[1]
	}
	x.text = b.String() + x.text[at:]
}

// alone says whether a span in single quotes has no letter or digit beside it: else the quotes are
// apostrophes.
func alone(text string, q []int) bool {
	wordy := func(b byte) bool {
		return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= 0x80
	}
	return (q[0] == 0 || !wordy(text[q[0]-1])) && (q[1] == len(text) || !wordy(text[q[1]]))
}

// value is the span of text without its quotes; quoted says that it had some.
func (x *extraction) value(from, to int) (value string, f, t int, quoted bool) {
	if from < to && x.text[from] == '\x01' {
		raw := x.goal[from:to]
		_, first := utf8.DecodeRuneInString(raw)
		_, last := utf8.DecodeLastRuneInString(raw)
		return raw[first : len(raw)-last], from + first, to - last, true
	}
	return x.goal[from:to], from, to, false
}

// add takes a value in, unless it is no value of that label, or is known already.
func (x *extraction) add(label string, from, to int) bool {
	value, from, to, quoted := x.value(from, to)
	label = trimLabel(label)
	may := plausible
	if quoted {
		may = fitting
	}
	if label == "" || strings.TrimSpace(value) == "" || !may(mean(label), value) ||
		strings.Contains(strings.ToLower(value), "<secret:") && cua.SecretName(value) == "" {
		return false
	}
	for _, f := range x.found {
		if from < f.To && f.From < to || f.Value == value && slices.Equal(mean(f.Label), mean(label)) {
			return false
		}
	}
	x.found = append(x.found, Extracted{cua.PlanValue{Label: label, Value: value}, from, to})
	return true
}

// taken says whether something of the span was read already.
func (x *extraction) taken(from, to int) bool {
	return slices.ContainsFunc(x.found, func(f Extracted) bool { return from < f.To && f.From < to })
}

// leading words of a label that are not its own.
var leading = set("the a an my your his her their our this as with using use and or for in into to of " +
	"enter type fill please then is following")

// trimLabel drops what stands around a label.
func trimLabel(label string) string {
	w := strings.Fields(strings.Trim(strings.TrimSpace(label), `*_#-•"':`))
	for len(w) > 0 && leading[strings.ToLower(w[0])] {
		w = w[1:]
	}
	out := strings.Join(w, " ")
	if len(out) > 80 || len(tokens(out)) == 0 {
		return ""
	}
	return out
}

// knownLabel says whether every word of label names something that a form asks for.
func knownLabel(label string) bool {
	m := mean(label)
	for _, w := range m {
		if !known[w] {
			return false
		}
	}
	return len(m) > 0 && !vague[strings.ToLower(strings.TrimSpace(label))]
}

// vague are words that are known as labels and are other words as well.
var vague = set("first last sign login again repeat confirm confirmation verify verification retype mail " +
	"cell mobile pass again conf state log in sign-in exp q address2 street search url expires")

// trailingLabel is the label at the end of words, as long as it can be; "" is none.
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
