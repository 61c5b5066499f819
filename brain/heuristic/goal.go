package heuristic

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// aim is one thing that a goal asks for, in addition to filling in the plan values.
type aim struct {
	kind aimKind
	// on names the control that is pressed, ticked, stepped or in which an option is chosen.
	on string
	// times is how many presses with an effect are asked for.
	times int
	// until is the condition of a repeated press; "" is none.
	until string
	// number is the page to reach (lastPage for the last) or the quantity to set.
	number int
	// text is the option to choose. For a quantity it is the possible name of an option: "2 adults".
	text string
	day  day
	// soft says that the words may match nothing on the page: "log in" if the button says "Sign in". A
	// soft aim without a match is skipped.
	soft bool
}

type aimKind int

const (
	aimPress aimKind = iota
	aimPage
	aimStep
	aimTick
	aimChoose
	aimDate
	aimBottom
)

const lastPage = -1

const smallNumber = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve`

// settable matches the number of a quantity: digits, or a word at the end.
const settable = `\d{1,3}|(?:` + smallNumber + `)$`

const quoted = `["“”„'‘’«»]`

var (
	setClause = regexp.MustCompile(`(?i)\b(?:set|change|increase|decrease|raise|lower|bring|adjust)\s+(?:the\s+)?(.+?)\s+to\s+` + quoted + `?(` + settable + `)\b(.?\d)?`)
	// moreClause continues a setClause: "and children to 1". amount is a number of things: "2 adults".
	moreClause   = regexp.MustCompile(`(?i)^(?:the\s+)?(\pL[\pL\s]{0,30}?)\s+to\s+` + quoted + `?(` + settable + `)\b(.?\d)?`)
	amount       = regexp.MustCompile(`(?i)^(\d{1,3}|` + smallNumber + `)\s+(\pL+(?:\s+\pL+)?)$`)
	pageClause   = regexp.MustCompile(`(?i)\b(?:open|go to|goto|navigate to|visit|show|reach|get to|turn to)\s+(?:the\s+)?(?:(last|first|final)\s+page|page\s+(?:number\s+)?(\d{1,4}))\b`)
	pressClause  = regexp.MustCompile(`(?i)^\W*(?:keep\s+)?(?:press|click|tap|push|hit|pressing|clicking|open|activate|follow)(?:\s+on)?\s+(.+)$`)
	tickClause   = regexp.MustCompile(`(?i)^\W*(?:tick|check|accept|agree to|enable|switch on|turn on)\s+(?:the\s+)?(.+)$`)
	chooseClause = regexp.MustCompile(`(?i)^\W*(?:select|choose|pick)\s+(?:the\s+)?(.+?)(?:\s+(?:in|from|as|for|under)\s+(?:the\s+)?(.+))?$`)
	// deedClause is a clause that names an action in words that buttons have.
	deedClause   = regexp.MustCompile(`(?i)^\W*((?:add|submit|save|send|confirm|place|buy|checkout|check out|apply|search|continue|finish|delete|remove|log in|login|sign in|log out|logout|sign out|register|sign up|subscribe|book|order|refresh|start|stop|close|download|create|load|update)\b.*)$`)
	bottomClause = regexp.MustCompile(`(?i)\bscroll\b.*\b(bottom|end)\b`)
	timesTail    = regexp.MustCompile(`(?i)\s+(?:exactly\s+)?(?:(\w+)\s+times|(once|twice|thrice))\b`)
	untilTail    = regexp.MustCompile(`(?i)\s+until\s+(.+)$`)
	quotedPart   = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|(?:^|[\s(])'([^']+)'|(?:^|[\s(])‘([^’]+)’`)
	typeInto     = regexp.MustCompile(`(?i)\b(?:type|enter|put|write|fill in|fill)\s+(?:the\s+(?:text|number|value|word|phrase|string)\s+)?(\x00\d+\x00|[^\s\x00]+)\s+(?:in|into|as|for)\s+(?:the\s+)?([^.;,\n]+?)(?:\s+(?:field|box|input))?(?:$|[.;,\n]|\s+and\b|\s+then\b)`)
	clauseEnd    = regexp.MustCompile(`(?i)[.;:!?\n]+(?:\s+|$)|,\s+|,?\s+\b(?:and then|then|and)\b\s+`)
	clauseLead   = regexp.MustCompile(`(?i)^(?:(?:then|and|finally|afterwards|please|first|now)\b\s*)+`)
	expected     = regexp.MustCompile(`(?i)\b(?:so that|wait until|wait till|wait for|make sure|check that|verify that)\s+([^.;!?\n]+)`)
	secretRef    = regexp.MustCompile(`<secret:[^<>]*>`)
	// letters asks for a quoted part in upper or lower case.
	letters = regexp.MustCompile(`(?i)\x00(\d+)\x00\s+(?:in|with|using|as)\s+(?:all\s+)?(lower|upper|capital)[- ]?(?:case)?(?:\s+letters?)?\b`)
	// anyList is a list without a name of its own: the option identifies it.
	anyList = regexp.MustCompile(`(?i)^(?:(?:drop-?\s?down|select|selection|scroll|options?|choices?|list|menu|box|field|below|following|given)\s*)+$`)
	// item is a further element of an enumeration: a name, not a clause.
	item = regexp.MustCompile(`^[^\s\x00]+(?:\s[^\s\x00]+){0,2}$`)
	held = regexp.MustCompile(`\x00(\d+)\x00`)
)

// hold replaces the quoted parts of text by numbers, so that no clause ends inside one. give restores
// them.
func hold(text string) (string, []string) {
	var parts []string
	out := quotedPart.ReplaceAllStringFunc(strings.ReplaceAll(text, "\x00", ""), func(q string) string {
		m := quotedPart.FindStringSubmatch(q)
		for _, s := range m[1:] {
			if s != "" {
				parts = append(parts, s)
				lead := ""
				if q[0] == ' ' || q[0] == '(' || q[0] == '\n' || q[0] == '\t' {
					lead = " "
				}
				return lead + "\x00" + itoa(len(parts)-1) + "\x00"
			}
		}
		return q
	})
	return out, parts
}

// recase converts the quoted parts for which the goal asks for small or capital letters, and removes the
// words that ask for it.
func recase(text string, parts []string) string {
	return letters.ReplaceAllStringFunc(text, func(s string) string {
		m := letters.FindStringSubmatch(s)
		i := atoi(m[1])
		if i < 0 || i >= len(parts) {
			return s
		}
		if parts[i] = strings.ToUpper(parts[i]); strings.EqualFold(m[2], "lower") {
			parts[i] = strings.ToLower(parts[i])
		}
		return "\x00" + m[1] + "\x00"
	})
}

func give(s string, parts []string) string {
	return held.ReplaceAllStringFunc(s, func(h string) string {
		i := atoi(strings.Trim(h, "\x00"))
		if i < 0 || i >= len(parts) {
			return ""
		}
		return parts[i]
	})
}

// readGoal parses a goal into aims, in order, and the values that it contains ("type "x" into the search
// field"). It recognises common forms of plain English only. For the rest see named.
func readGoal(goal string) (aims []aim, values []cua.PlanValue) {
	text, parts := hold(goal)
	text = recase(text, parts)
	for _, m := range typeInto.FindAllStringSubmatch(text, -1) {
		label := strings.TrimSpace(give(m[2], parts))
		values = append(values, cua.PlanValue{Label: label, Value: give(m[1], parts)})
	}
	// the name of a secret is not the name of a button
	text = secretRef.ReplaceAllString(typeInto.ReplaceAllString(text, " . "), " ")
	for _, clause := range clauses(text) {
		if n := len(aims); n > 0 && held.FindString(clause) == clause &&
			(aims[n-1].kind == aimPress || aims[n-1].kind == aimTick) {
			// press "A", "B" and "C"
			aims = append(aims, aim{kind: aims[n-1].kind, times: 1, on: give(clause, parts)})
			continue
		}
		if a, ok := readClause(clause, parts); ok {
			aims = append(aims, a...)
		} else if a, ok := goesOn(aims, unquote(give(clause, parts))); ok {
			aims = append(aims, a)
		} else if n := len(aims); n > 0 && item.MatchString(clause) &&
			(aims[n-1].kind == aimTick || aims[n-1].kind == aimChoose && aims[n-1].on == "") {
			// select a, b and c: it is unknown whether it is another option
			next := aim{kind: aims[n-1].kind, soft: true}
			if next.kind == aimTick {
				next.on = unquote(clause)
			} else {
				next.text = unquote(clause)
			}
			aims = append(aims, next)
		}
	}
	aims = withoutEchoes(aims)
	if d, ok := readDay(goal); ok && !slices.ContainsFunc(aims,
		func(a aim) bool { return a.kind == aimDate }) {
		aims = append([]aim{{kind: aimDate, day: d}}, aims...)
	}
	return aims, values
}

// goesOn parses a clause without a verb after a clause that sets a quantity: "children to 1", "1 child".
func goesOn(aims []aim, clause string) (aim, bool) {
	if len(aims) == 0 || aims[len(aims)-1].kind != aimStep {
		return aim{}, false
	}
	if aims[len(aims)-1].text != "" {
		return readThings(clause)
	}
	return readAmount(moreClause.FindStringSubmatch(clause))
}

// withoutEchoes removes soft aims that a plain press repeats: "sign in with this and press "Sign in"" asks
// for one press.
func withoutEchoes(aims []aim) []aim {
	var out []aim
	for _, s := range aims {
		if !s.soft || !slices.ContainsFunc(aims, func(a aim) bool {
			return a.kind == aimPress && !a.soft &&
				named(s.on, a.on) >= nameFloor
		}) {
			out = append(out, s)
		}
	}
	return out
}

// expectation are the words that the page will show after success, according to the goal: "so that the
// page says that the settings were saved". It is nil if the goal has none.
func expectation(goal string) []string {
	text, parts := hold(goal)
	m := expected.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return slices.DeleteFunc(Words(object(m[1], parts)), func(w string) bool {
		return slices.Contains(conditionWords, w) || slices.Contains([]string{"page", "that", "was", "were",
			"be", "are"}, w)
	})
}

// clauses splits text at sentence ends, "and", "then" and commas. The rest after "until" is kept together.
func clauses(text string) []string {
	var out []string
	for _, c := range clauseEnd.Split(text, -1) {
		if c = clauseLead.ReplaceAllString(strings.TrimSpace(c), ""); c != "" {
			out = append(out, c)
		}
	}
	return out
}

func readClause(c string, parts []string) ([]aim, bool) {
	whole := give(c, parts)
	if _, ok := readDay(whole); ok {
		return nil, false // dates are read from the whole goal
	}
	if a, ok := readAmount(setClause.FindStringSubmatch(whole)); ok {
		return []aim{a}, true
	}
	if m := pageClause.FindStringSubmatch(c); m != nil {
		n := atoi(m[2])
		switch strings.ToLower(m[1]) {
		case "last", "final":
			n = lastPage
		case "first":
			n = 1
		}
		return []aim{{kind: aimPage, number: n}}, true
	}
	if bottomClause.MatchString(c) {
		return []aim{{kind: aimBottom}}, true
	}
	if m := pressClause.FindStringSubmatch(c); m != nil {
		return readPress(m[1], parts)
	}
	if m := deedClause.FindStringSubmatch(c); m != nil {
		return []aim{{kind: aimPress, times: 1, on: unquote(give(m[1], parts)), soft: true}}, true
	}
	if m := tickClause.FindStringSubmatch(c); m != nil {
		return []aim{{kind: aimTick, on: object(m[1], parts)}}, true
	}
	if m := chooseClause.FindStringSubmatch(c); m != nil {
		on := object(m[2], parts)
		if a, ok := readThings(object(m[1], parts)); ok && on == "" {
			return []aim{a}, true
		}
		if anyList.MatchString(on) {
			on = ""
		}
		return []aim{{kind: aimChoose, text: object(m[1], parts), on: on}}, true
	}
	return nil, false
}

// readAmount is the quantity in a match of setClause or moreClause. A time or a fraction is not a
// quantity.
func readAmount(m []string) (aim, bool) {
	if m == nil || m[3] != "" {
		return aim{}, false
	}
	n := count(m[2])
	return aim{kind: aimStep, on: unquote(m[1]), number: n}, n > 0 || m[2] == "0"
}

// readThings parses "2 adults". The page decides whether it is a quantity or the name of an option.
func readThings(s string) (aim, bool) {
	m := amount.FindStringSubmatch(s)
	if m == nil {
		return aim{}, false
	}
	return aim{kind: aimStep, on: m[2], number: count(m[1]), text: s}, true
}

func readPress(rest string, parts []string) ([]aim, bool) {
	a := aim{kind: aimPress, times: 1}
	if m := untilTail.FindStringSubmatchIndex(rest); m != nil {
		a.until = object(rest[m[2]:m[3]], parts)
		rest = rest[:m[0]]
	}
	if m := timesTail.FindStringSubmatchIndex(rest); m != nil {
		word := rest[max(m[2], m[4]):max(m[3], m[5])]
		if n := count(word); n > 0 {
			a.times = n
		}
		rest = rest[:m[0]] + rest[m[1]:]
	}
	a.on = object(rest, parts)
	return []aim{a}, a.on != ""
}

// object is the object of a clause: its first quoted part, otherwise its words.
func object(s string, parts []string) string {
	if h := held.FindString(s); h != "" {
		return give(h, parts)
	}
	return unquote(s)
}

func unquote(s string) string {
	return strings.Trim(strings.TrimSpace(s), `"'“”„‘’«» .`)
}
