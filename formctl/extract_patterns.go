package formctl

import (
	"regexp"
	"strings"
)

// pattern compiles s, in which a space stands for spaces and tabs and ~ for any number of them, none
// included.
func pattern(s string) *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer(" ", `[ \t]+`, "~", `[ \t]*`).Replace(s))
}

// Parts of the forms: a value is a quotation, a time or day as people write it, or one word; a label has up
// to four words.
const (
	aMonth  = `(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?`
	aMoment = `\d{1,2}(?::\d{2}){0,2}~[ap]\.?m\b\.?|\d{1,2}(?:st|nd|rd|th)? ` + aMonth + `,? \d{4}\b|` +
		aMonth + ` \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b`
	oneValue = `(\x01\x00*|` + aMoment + `|[^\s\x00\x01]+)`
	inCase   = `(?: (?:in|as|with|using) (?:all )?(lower|upper|capital)(?:-?~case)?(?: letters?)?)?`
	oneWord  = `(\x01\x00*|[^\s\x00\x01/,;]+)`
	someWord = `[\pL][\pL\d'’/-]*`
	oneLabel = `((?:` + someWord + ` ){0,3}?` + someWord + `|\d{1,2}(?:st|nd|rd|th))`
	aThing   = `(?:the (?:number|text|word|value|string) )?`
	article  = `(?:(?:the|your|my|a|an) )?`
	aField   = ` (?:text )?(field|box|input|textbox|text~area|entry)\b`
	aList    = ` (?:drop-?~down )?(list|drop-?down|menu|select|selector|picker|box|field|options?)\b`
	anEnd    = `|[.,;:!?)\n]|$| (?:and|then|with)\b)`
	aUser    = `(?:the )?user(?:~name)? `
)

var (
	lineForm = pattern(`^~(?:[-*•+]|\d{1,2}[.)])?~[*_]*` +
		`([\pL][\pL\d\x20\t'’()/_.-]{0,60}?)[*_]*~[:=][*_]*~(.*)$`)
	pairForm = pattern(`((?:` + someWord + ` ){0,3}` + someWord + `)~[:=]~`)
	intoForm = pattern(`(?i)\b(?:type|enter|put|write|fill in|fill|input|insert) ` + aThing + oneValue +
		inCase + ` (?:in|into|as|for|to) ` + article + oneLabel + `(?:` + aField + anEnd)
	withForm = pattern(`(?i)\b(fill in|fill|complete|set) ` + article + oneLabel + `(?:` + aField +
		`)? (with|to|as) ` + oneValue)
	chooseForm = pattern(`(?i)\b(?:select|choose|pick) ` + oneValue + ` (?:in|from|as|for|under) ` + article +
		oneLabel + `(?:` + aList + anEnd)
	loginForm = pattern(`(?i)\b(?:log|sign)(?:ging|ing)?~-?(?:in|on) (?:as (?:` + aUser + `)?|with ` + aUser +
		`)` + oneWord + `(?:(~/~)|,? (?:with|using|and) (?:the )?(?:password|pass~code|pin) )` + oneWord)
	credForm = pattern(`(?i)\b(user~name|user~id|user|e-?mail(?: address)?|account(?: name)?) ` + oneWord +
		`,? (?:and|with|/) (?:the |my |your )?(password|pass~code|pass~phrase|pin) ` + oneWord)
	quotedForm = pattern(`(?i)\b(?:with|using|use|enter|provide|give|and|,) ` + article + `((?:` + someWord +
		` ){1,4})(?:of |as |is )?(\x01\x00*)`)
	tickForm = pattern(`(?i)\b(?:(un-?tick|un-?check)|tick|check) (?:the )?` +
		`(?:(?:check-?~)?box(?: (?:for|named|labell?ed))? )?(\x01\x00*)(?: ((?:check-?~)?box|option))?`)
	addressForm = pattern(`(?i)\b(?:with|using|use|enter|type) ` + article + `(e-?mail(?: address)?) ` +
		`([^\s\x00\x01,;]+@[^\s\x00\x01,;]+)`)
)

var (
	sentenceEnd = regexp.MustCompile(`[.!?;](?:\s|$)|\n`)
	forbids     = pattern(`(?i)\b(?:not|never|don['’]t|doesn['’]t|without|instead of|rather than|e\.g|` +
		`such as|example)\b`)
	looks = pattern(`(?i)^\W*(?:check|verify|make sure|ensure|find|delete|remove|tell|look|show|wait|see|` +
		`read|report|list|count|compare|explain|describe|was|were|is|are|does|did|why|what|which|who|when|if)\b`)
	// ticks is a sentence that begins with a box or button that is to be ticked: to check that is not to
	// look.
	ticks = pattern(`(?i)^\W*check the (?:[^\s.!?;]+ ){0,3}(?:radio|check-?~box)`)
)

var (
	cut    = pattern(`[,;|\n\x00\x01]|\.(?:\s|$)| /[ \t]| (?:and|then)\b`)
	goesOn = pattern(`(?i)^,?~(?:(?:and|then|,) )*(?:(?:and|then|press|click|submit|tick|check|save|send|` +
		`continue|hit|tap|choose|select|log|sign)\b|to (?:get|log|sign|enter|continue|proceed|open|access)\b)`)
	tokenEnd = regexp.MustCompile(`[\s,;|\x00\x01]|$`)
	stops    = regexp.MustCompile(`(?i)^(?:$|[,;|/\n)]|with )`)
)
