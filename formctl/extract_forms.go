package formctl

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// lines reads lines with a label and its value. An unknown label counts only in a run of such lines.
func (x *extraction) lines() {
	var run []Extracted
	flush := func() {
		for _, l := range run {
			if len(run) > 1 || knownLabel(l.Label) {
				x.add(l.Label, span{l.From, l.To})
			}
		}
		run = nil
	}
	at := 0
	for text := range strings.SplitAfterSeq(x.text, "\n") {
		start := at
		at += len(text)
		if text = strings.TrimRight(text, " \t\r\n"); text == "" {
			continue
		}
		m := lineForm.FindStringSubmatchIndex(text)
		if m == nil || m[4] == m[5] || pairs(text) > 1 {
			flush()
			continue
		}
		label, at := trimLabel(text[m[2]:m[3]]), span{start + m[4], start + m[5]}
		value, _, quoted := x.value(at)
		if label == "" || !knownLabel(label) && (heading(label) || !quoted && !short(value)) {
			flush()
			continue
		}
		run = append(run, Extracted{cua.PlanValue{Label: label}, at.from, at.to})
	}
	flush()
}

// pairs counts "label:" with a known label in a line.
func pairs(line string) int {
	n := 0
	for _, m := range pairForm.FindAllStringSubmatch(line, -1) {
		if trailingLabel(m[1]) != "" {
			n++
		}
	}
	return n
}

// short reports whether v may be the value of an unknown label.
func short(v string) bool {
	return utf8.RuneCountInString(v) <= 60 && len(strings.Fields(v)) <= 8 &&
		strings.TrimRight(v, ".:") == v && !strings.HasPrefix(v, "//") && !instructs(v)
}

// heading reports whether a line begins with a word that introduces prose.
func heading(label string) bool {
	return meaning(cua.LabelWords(label)).any(headings) || len(strings.Fields(label)) > 4
}

var headings = set("note notes goal task step steps hint hints link page site important warning example " +
	"remember instruction instructions then next finally after before tip tips todo remark caution " +
	"attention result expected output format answer question success criteria condition if when please " +
	"also context objective requirement requirements constraint constraints rule rules deadline http " +
	"https ps do open click press go navigate visit start begin end stop make check verify find read wait " +
	"scroll use repeat until once part phase stage summary background url deliverable deliverables return " +
	"reply say report here there error problem issue fields form data values inputs details")

// hit is a match: the spans of the parts of a form by name. Parts that the text leaves out are missing.
type hit map[string]span

// part is the text of the named part; "" is none.
func (x *extraction) part(m hit, name string) string { return x.text[m[name].from:m[name].to] }

// sentences reads the forms within sentences. Matches may overlap: the next one may begin one rune later.
func (x *extraction) sentences() {
	for _, form := range forms {
		for at := 0; at < len(x.text); {
			found := form.pattern.FindStringSubmatchIndex(x.text[at:])
			if found == nil {
				break
			}
			m := hit{}
			for i, name := range form.pattern.SubexpNames() {
				if found[2*i] >= 0 {
					m[name] = span{at + found[2*i], at + found[2*i+1]}
				}
			}
			start := m[""].from // "" is the whole match
			if x.asks(start) {
				form.read(x, m)
			}
			_, size := utf8.DecodeRuneInString(x.text[start:])
			at = start + size
		}
	}
}

// asks reports whether the sentence, up to i, asks for the action that begins there: it neither forbids it
// nor looks for a value.
func (x *extraction) asks(i int) bool {
	start := 0
	if ends := sentenceEnd.FindAllStringIndex(x.text[:i], -1); len(ends) > 0 {
		start = ends[len(ends)-1][1]
	}
	said := x.text[start:i]
	return !forbids.MatchString(said) && (!looks.MatchString(said) || ticks.MatchString(said))
}

// tick adds a box to tick or untick, whose name must be quoted: "check" can also mean "look".
func (x *extraction) tick(m hit) {
	label, at, _ := x.value(m["value"])
	label = strings.TrimSpace(label)
	if x.part(m, "check") != "" && x.part(m, "box")+x.part(m, "behind") == "" ||
		len(cua.LabelWords(label)) == 0 || len(label) > 200 || x.taken(at) || cua.SaysSecret(label) {
		return
	}
	value := "yes"
	if x.part(m, "off") != "" {
		value = "no"
	}
	x.found = append(x.found, Extracted{cua.PlanValue{Label: label, Value: value}, at.from, at.to})
}

// entry adds a value and its label: a known label, one with the word field, or one for a date or time with
// such a value. With "2nd" the word field belongs to the label. "Set" without a field requires a quotation,
// or a date or time: a quantity can also be set by its buttons.
func (x *extraction) entry(m hit) {
	_, _, quoted := x.value(m["value"])
	name, at, set := m["label"], x.bare(m["value"]), x.part(m, "set") != ""
	label, isField := trimLabel(x.part(m, "label")), x.part(m, "field") != ""
	if whole := x.text[name.from:max(name.from, m["field"].to)]; cua.SaysPlace(whole) {
		label = whole
	}
	known := isField || knownLabel(label) && (!set || quoted) || dated(label, x.goal[at.from:at.to])
	if !known || pronoun[strings.ToLower(label)] || !x.add(label, at) {
		return
	}
	last := &x.found[len(x.found)-1]
	switch strings.ToLower(x.part(m, "case")) {
	case "":
	case "lower":
		last.Value = strings.ToLower(last.Value)
	default:
		last.Value = strings.ToUpper(last.Value)
	}
}

// dated reports whether the last word of label asks for a date, month or time, and value is one.
func dated(label, value string) bool {
	w := cua.LabelWords(label)
	if len(w) == 0 {
		return false
	}
	parse := parsers[strings.Replace(w[len(w)-1], "day", "date", 1)]
	if parse == nil {
		return false
	}
	_, ok := parse(value)
	return ok
}

// pair adds both a name and a password, or neither.
func (x *extraction) pair(m hit) {
	named := role[strings.ToLower(x.part(m, "name"))] && role[strings.ToLower(x.part(m, "value"))]
	name, password := x.bare(m["name"]), x.bare(m["value"])
	if named && x.part(m, "slash") != "" || // "as admin/editor"
		x.taken(name) || x.taken(password) || !x.word(name) || !x.word(password) {
		return
	}
	user, lock := cmp.Or(x.part(m, "user"), "Username"), cmp.Or(x.part(m, "label"), "Password")
	if x.add(user, name) && !x.add(lock, password) {
		x.found = x.found[:len(x.found)-1]
	}
}

// word reports whether the span can be a name or a password: it is quoted, or is no common word.
func (x *extraction) word(s span) bool {
	v, _, quoted := x.value(s)
	return quoted || v != "" && !common[strings.ToLower(v)] && !knownLabel(v)
}

// inline reads "label: value" inside a longer line, for known labels.
func (x *extraction) inline(m hit) {
	label, from := trailingLabel(x.part(m, "label")), m[""].to
	if label == "" || from >= len(x.text) || x.text[from] == '\n' {
		return
	}
	if x.text[from] == '\x01' {
		x.add(label, span{from, len(x.text) - len(strings.TrimLeft(x.text[from+1:], "\x00"))})
	} else if end, ok := inlineEnd(x.text, from, mean(label).any(singleWords)); ok {
		x.add(label, span{from, end})
	}
}

// inlineEnd is the end of an unquoted value that begins at from; false if it cannot be determined.
func inlineEnd(text string, from int, token bool) (int, bool) {
	rest := text[from:]
	if token {
		end := tokenEnd.FindStringIndex(rest)[0]
		value := bareEnd(rest[:end])
		after := strings.TrimLeft(rest[len(value):], " \t")
		ends := len(value) < end || stops.MatchString(after) || goesOn.MatchString(after)
		return from + len(value), value != "" && ends
	}
	m := cut.FindStringIndex(rest)
	if m == nil {
		return from + len(strings.TrimRight(rest, " \t.!?)")), true
	}
	value, after := strings.TrimRight(rest[:m[0]], " \t)"), rest[m[0]:]
	next := pairForm.FindStringSubmatchIndex(after)
	follows := next != nil && next[0] <= 3 && trailingLabel(after[next[2]:next[3]]) != ""
	return from + len(value), follows || strings.ContainsAny(after[:1], "\n;|.") || goesOn.MatchString(after)
}

// bareEnd is an unquoted word without the punctuation of its sentence. The last dot of "7 p.m." belongs to
// the word.
func bareEnd(v string) string {
	out := strings.TrimRight(v, ".,;:!?)]")
	if strings.HasPrefix(v[len(out):], ".") && halfDay.MatchString(out) {
		out += "."
	}
	return out
}

var halfDay = regexp.MustCompile(`(?i)[ap]\.m$`)

// bare is the span without the punctuation of its sentence, unless it is quoted.
func (x *extraction) bare(s span) span {
	if x.text[s.from] == '\x01' {
		return s
	}
	return span{s.from, s.from + len(bareEnd(x.text[s.from:s.to]))}
}

var (
	role = set("admin administrator user guest visitor member customer owner editor root viewer manager " +
		"student teacher")
	// singleWords are the meanings with values of a single word.
	singleWords = set("username password email otp pin card_code quantity website")
	pronoun     = set("it this that them form page site website field fields box")
	common      = set("a an the and or of to in on at by for from with as is are was were be been it its " +
		"this that these those there here your my his her their our you me them us any all some each " +
		"every no not none one two if when where what which who how why then else so but field fields box " +
		"boxes link button page form given below above following same correct right wrong valid invalid " +
		"own new old reset change provided saved shown usual yourself reminder manager manager's " +
		"requirements rules policy strength protected hint must should can may will usual")
)

// plausible reports whether a fitting value may be unquoted.
func plausible(m meaning, v string) bool {
	if m.any(singleWords) && strings.ContainsAny(v, " \t") {
		return false
	}
	return !instructs(v) && !common[strings.ToLower(v)]
}

var placeholderValue = regexp.MustCompile(`^[\s?.…_\-*xX]+$|^(?i:tbd|n/a|\[.*\]|<[^<>:]*>|\{.*\})$`)

// fitting reports whether a value, quoted or not, can have that meaning.
func fitting(m meaning, v string) bool {
	v = strings.TrimSpace(v)
	switch {
	case cua.SecretName(v) != "":
		return true
	case v == "" || placeholderValue.MatchString(v) || strings.ContainsRune("[<{", rune(v[0])):
		return false
	case m.has("email") && len(m) == 1 || m.has("email") && m.has("confirm"):
		return cua.Field{Type: "email"}.Accepts(v)
	case m.has("phone") && len(m) == 1:
		return cua.Field{Type: "tel"}.Accepts(v)
	case m.has("quantity") || m.has("card_number") || m.has("zip"):
		return strings.ContainsAny(v, "0123456789")
	}
	return true
}

// instructs reports whether a text begins like an instruction.
func instructs(v string) bool {
	w, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(v, " \t(")), " ")
	return telling[strings.Trim(w, ",.:;")] && strings.ContainsAny(strings.TrimSpace(v), " \t")
}

var telling = set("the a an your my any see ask use as is are must should will please same leave whatever " +
	"to in on at if it this that enter type click press find open choose select pick check go required " +
	"optional unknown not only make you we i can may has have do does given fill wait scroll read then " +
	"from what which")
