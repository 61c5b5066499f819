package formctl

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// lines reads lines that are a label and its value. A label that nobody knows counts only in a run of such
// lines.
func (x *extraction) lines() {
	type line struct {
		label    string
		from, to int
		known    bool
	}
	var run []line
	flush := func() {
		for _, l := range run {
			if l.known || len(run) > 1 {
				x.add(l.label, l.from, l.to)
			}
		}
		run = nil
	}
	at := 0
	for text := range strings.SplitAfterSeq(x.text, "\n") {
		start := at
		at += len(text)
		text = strings.TrimRight(text, " \t\r\n")
		if text == "" {
			continue
		}
		m := lineForm.FindStringSubmatchIndex(text)
		if m == nil || m[4] == m[5] || pairs(text) > 1 {
			flush()
			continue
		}
		l := line{label: trimLabel(text[m[2]:m[3]]), from: start + m[4], to: start + m[5]}
		l.known = knownLabel(l.label)
		value, _, _, quoted := x.value(l.from, l.to)
		if l.label == "" || !l.known && (heading(l.label) || !quoted && !short(value)) {
			flush()
			continue
		}
		run = append(run, l)
	}
	flush()
}

// pairs is how often a line says "label:" with a known label.
func pairs(line string) int {
	n := 0
	for _, m := range pairForm.FindAllStringSubmatch(line, -1) {
		if trailingLabel(m[1]) != "" {
			n++
		}
	}
	return n
}

// short says whether a value of a label that nobody knows looks like one.
func short(v string) bool {
	return utf8.RuneCountInString(v) <= 60 && len(strings.Fields(v)) <= 8 &&
		strings.TrimRight(v, ".:") == v && !strings.HasPrefix(v, "//") && !instructs(v)
}

// heading says whether a line begins with a word that announces prose.
func heading(label string) bool {
	for _, w := range tokens(label) {
		if headings[w] {
			return true
		}
	}
	return len(strings.Fields(label)) > 4
}

var headings = set("note notes goal task step steps hint hints link page site important warning example " +
	"remember instruction instructions then next finally after before tip tips todo remark caution " +
	"attention result expected output format answer question success criteria condition if when please " +
	"also context objective requirement requirements constraint constraints rule rules deadline http " +
	"https ps do open click press go navigate visit start begin end stop make check verify find read wait " +
	"scroll use repeat until once part phase stage summary background url deliverable deliverables return " +
	"reply say report here there error problem issue fields form data values inputs details")

// sentences reads the forms that stand within sentences.
func (x *extraction) sentences() {
	x.each(loginForm, func(m []int) {
		as := func(i int) string { return strings.ToLower(x.text[m[i]:m[i+1]]) }
		if m[4] >= 0 && as(4) == "/" && role[as(2)] && role[as(6)] {
			return // "as admin/editor"
		}
		x.both("Username", m[2], m[3], "Password", m[6], m[7])
	})
	x.each(credForm, func(m []int) { x.both(x.text[m[2]:m[3]], m[4], m[5], x.text[m[6]:m[7]], m[8], m[9]) })
	x.each(intoForm, func(m []int) {
		if x.entry(m[6], m[7], m[9], m[2], m[3]) && m[4] >= 0 {
			last, as := &x.found[len(x.found)-1], strings.ToUpper
			if strings.EqualFold(x.text[m[4]:m[5]], "lower") {
				as = strings.ToLower
			}
			last.Value = as(last.Value)
		}
	})
	x.each(chooseForm, func(m []int) { x.entry(m[4], m[5], m[7], m[2], m[3]) })
	x.each(withForm, func(m []int) {
		set, with := strings.EqualFold(x.text[m[2]:m[3]], "set"), strings.EqualFold(x.text[m[8]:m[9]], "with")
		day := dated(x.text[m[4]:m[5]], x.text[m[10]:x.bare(m[10], m[11])])
		if set == with || m[6] < 0 && x.text[m[10]] != '\x01' && !day {
			return // a quantity is set by its buttons too
		}
		x.entry(m[4], m[5], m[7], m[10], m[11])
	})
	x.each(quotedForm, func(m []int) {
		said := x.text[m[2]:m[3]]
		if label := trailingLabel(said); label != "" && label == trimLabel(said) {
			x.add(label, m[4], m[5])
		}
	})
	x.each(addressForm, func(m []int) { x.add(x.text[m[2]:m[3]], m[4], x.bare(m[4], m[5])) })
	x.each(tickForm, func(m []int) { x.tick(x.text[m[0]:m[1]], m[2] < 0, m[4], m[5]) })
	x.inline()
}

// tick takes a box that is to be ticked or not: its name is quoted. To check may be to look.
func (x *extraction) tick(said string, on bool, from, to int) {
	said = strings.ToLower(said)
	if strings.HasPrefix(said, "check") && !strings.Contains(said, "box") {
		return
	}
	label, from, to, _ := x.value(from, to)
	label = strings.TrimSpace(label)
	if len(tokens(label)) == 0 || len(label) > 200 || x.taken(from, to) || cua.SaysSecret(label) {
		return
	}
	value := "no"
	if on {
		value = "yes"
	}
	x.found = append(x.found, Extracted{cua.PlanValue{Label: label, Value: value}, from, to})
}

// each calls f with every match whose sentence asks for it to be done. Matches may overlap: the next is
// looked for right after the beginning of the one before.
func (x *extraction) each(form *regexp.Regexp, f func(m []int)) {
	for at := 0; at < len(x.text); {
		m := form.FindStringSubmatchIndex(x.text[at:])
		if m == nil {
			return
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += at
			}
		}
		if x.asks(m[0]) {
			f(m)
		}
		_, size := utf8.DecodeRuneInString(x.text[m[0]:])
		at = m[0] + size
	}
}

// asks says whether what begins at i is asked for: its sentence, up to there, does not forbid it and does not
// look for it.
func (x *extraction) asks(i int) bool {
	start := 0
	if ends := sentenceEnd.FindAllStringIndex(x.text[:i], -1); len(ends) > 0 {
		start = ends[len(ends)-1][1]
	}
	said := x.text[start:i]
	return !forbids.MatchString(said) && (!looks.MatchString(said) || ticks.MatchString(said))
}

// entry takes a value that goes into a label: a known one, one that says that it is a field, or one for just
// such a day or time. fieldTo is where the word field, box or list behind the label ends, -1 where there is
// none: with "2nd" it is the label.
func (x *extraction) entry(labelFrom, labelTo, fieldTo, from, to int) bool {
	label, field := trimLabel(x.text[labelFrom:labelTo]), fieldTo >= 0
	if whole := x.text[labelFrom:max(labelFrom, fieldTo)]; cua.SaysPlace(whole) {
		label = whole
	}
	to = x.bare(from, to)
	value, _, _, _ := x.value(from, to)
	known := field || knownLabel(label) || dated(label, value)
	return label != "" && known && !pronoun[strings.ToLower(label)] && x.add(label, from, to)
}

// dated says whether label asks for a date, month or time by its last word, and value is one.
func dated(label, value string) bool {
	w := tokens(label)
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

// both takes a name and a password, or neither.
func (x *extraction) both(label string, from, to int, second string, from2, to2 int) {
	to, to2 = x.bare(from, to), x.bare(from2, to2)
	if x.taken(from, to) || x.taken(from2, to2) || !x.word(from, to) || !x.word(from2, to2) {
		return
	}
	if x.add(label, from, to) && !x.add(second, from2, to2) {
		x.found = x.found[:len(x.found)-1]
	}
}

// word says whether the span can be a name or a password: quoted, or no word of the language.
func (x *extraction) word(from, to int) bool {
	v, _, _, quoted := x.value(from, to)
	return quoted || v != "" && !common[strings.ToLower(v)] && !knownLabel(v)
}

// inline reads "label: value" within a line that has more than that, for known labels.
func (x *extraction) inline() {
	x.each(pairForm, func(m []int) {
		label := trailingLabel(x.text[m[2]:m[3]])
		if label == "" || m[1] >= len(x.text) || x.text[m[1]] == '\n' {
			return
		}
		if x.text[m[1]] == '\x01' {
			x.add(label, m[1], len(x.text)-len(strings.TrimLeft(x.text[m[1]+1:], "\x00")))
			return
		}
		if end, ok := inlineEnd(x.text, m[1], oneToken(mean(label))); ok {
			x.add(label, m[1], end)
		}
	})
}

// inlineEnd is where an unquoted value that begins at from ends; false where that cannot be told.
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

// bareEnd is an unquoted word without the punctuation of its sentence; the last point of "7 p.m." is its own.
func bareEnd(v string) string {
	out := strings.TrimRight(v, ".,;:!?)]")
	if strings.HasPrefix(v[len(out):], ".") && halfDay.MatchString(out) {
		out += "."
	}
	return out
}

var halfDay = regexp.MustCompile(`(?i)[ap]\.m$`)

// bare is the end of the span without the punctuation of its sentence, unless the span is quoted.
func (x *extraction) bare(from, to int) int {
	if x.text[from] == '\x01' {
		return to
	}
	return from + len(bareEnd(x.text[from:to]))
}

var (
	role = set("admin administrator user guest visitor member customer owner editor root viewer manager " +
		"student teacher")
	// singleWords are the meanings whose values are one word.
	singleWords = set("username password email zip otp pin card_code quantity website given_name")
	pronoun     = set("it this that them form page site website field fields box")
	common      = set("a an the and or of to in on at by for from with as is are was were be been it its " +
		"this that these those there here your my his her their our you me them us any all some each " +
		"every no not none one two if when where what which who how why then else so but field fields box " +
		"boxes link button page form given below above following same correct right wrong valid invalid " +
		"own new old reset change provided saved shown usual yourself reminder manager manager's " +
		"requirements rules policy strength protected hint must should can may will usual")
)

// oneToken says whether a value of that meaning is a single word.
func oneToken(m meaning) bool {
	return slices.ContainsFunc(m, func(w string) bool { return singleWords[w] })
}

// plausible says whether an unquoted value can be one of that meaning.
func plausible(m meaning, v string) bool {
	if oneToken(m) && strings.ContainsAny(v, " \t") && !m.has("zip") && !m.has("given_name") {
		return false
	}
	return fitting(m, v) && !instructs(v) && !common[strings.ToLower(v)]
}

var placeholderValue = regexp.MustCompile(`^[\s?.…_\-*xX]+$|^(?i:tbd|n/a|\[.*\]|<[^<>:]*>|\{.*\})$`)

// fitting says whether a value, quoted or not, can be one of that meaning.
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

// instructs says whether a text begins as one that tells somebody something.
func instructs(v string) bool {
	w, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(v, " \t(")), " ")
	return telling[strings.Trim(w, ",.:;")] && strings.ContainsAny(strings.TrimSpace(v), " \t")
}

var telling = set("the a an your my any see ask use as is are must should will please same leave whatever " +
	"to in on at if it this that enter type click press find open choose select pick check go required " +
	"optional unknown not only make you we i can may has have do does given fill wait scroll read then " +
	"from what which")
