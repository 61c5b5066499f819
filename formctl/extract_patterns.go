package formctl

import (
	"regexp"
	"strings"
)

// pattern compiles s, in which a space means one or more spaces or tabs and ~ means any number of them.
func pattern(s string) *regexp.Regexp {
	return regexp.MustCompile(strings.NewReplacer(" ", `[ \t]+`, "~", `[ \t]*`).Replace(s))
}

// Parts of the forms: a value is a quotation, a time, a day or one word; a label has up to four words.
const (
	aMonth  = `(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?`
	aMoment = `\d{1,2}(?::\d{2}){0,2}~[ap]\.?m\b\.?|\d{1,2}(?:st|nd|rd|th)? ` + aMonth + `,? \d{4}\b|` +
		aMonth + ` \d{1,2}(?:st|nd|rd|th)?,? \d{4}\b`
	oneValue = `(?P<value>\x01\x00*|` + aMoment + `|[^\s\x00\x01]+)`
	inCase   = `(?: (?:in|as|with|using) (?:all )?(?P<case>lower|upper|capital)(?:-?~case)?(?: letters?)?)?`
	oneWord  = `\x01\x00*|[^\s\x00\x01/,;]+`
	someWord = `[\pL][\pL\d'’/-]*`
	oneLabel = `(?P<label>(?:` + someWord + ` ){0,3}?` + someWord + `|\d{1,2}(?:st|nd|rd|th))`
	aThing   = `(?:the (?:number|text|word|value|string) )?`
	article  = `(?:(?:the|your|my|a|an) )?`
	aField   = ` (?:text )?(?P<field>field|box|input|textbox|text~area|entry)\b`
	aList    = ` (?:drop-?~down )?(?P<field>list|drop-?down|menu|select|selector|picker|box|field|options?)\b`
	anEnd    = `|[.,;:!?)\n]|$| (?:and|then|with)\b)`
	aUser    = `(?:the )?user(?:~name)? `
)

var (
	lineForm = pattern(`^~(?:[-*•+]|\d{1,2}[.)])?~[*_]*` +
		`([\pL][\pL\d\x20\t'’()/_.-]{0,60}?)[*_]*~[:=][*_]*~(.*)$`)
	pairForm = pattern(`(?P<label>(?:` + someWord + ` ){0,3}` + someWord + `)~[:=]~`)
)

// form is a way in which a sentence gives a value. The named parts are the value, its label, the word field
// behind the label, and what the reader needs.
type form struct {
	pattern *regexp.Regexp
	read    func(*extraction, hit)
}

// forms are matched in this order. Text that one has read is not read again.
var forms = []form{
	{pattern(`(?i)\b(?:log|sign)(?:ging|ing)?~-?(?:in|on) (?:as (?:` + aUser + `)?|with ` + aUser + `)` +
		`(?P<name>` + oneWord + `)(?:~(?P<slash>/)~|,? ` +
		`(?:with|using|and) (?:the )?(?:password|pass~code|pin) )(?P<value>` +
		oneWord + `)`), (*extraction).pair},
	{pattern(`(?i)\b(?P<user>user~name|user~id|user|e-?mail(?: address)?|account(?: name)?) ` +
		`(?P<name>` + oneWord + `),? ` +
		`(?:and|with|/) (?:the |my |your )?(?P<label>password|pass~code|pass~phrase|pin) (?P<value>` +
		oneWord + `)`), (*extraction).pair},
	{pattern(`(?i)\b(?:type|enter|put|write|fill in|fill|input|insert) ` + aThing + oneValue + inCase +
		` (?:in|into|as|for|to) ` + article + oneLabel + `(?:` + aField + anEnd), (*extraction).entry},
	{pattern(`(?i)\b(?:select|choose|pick) ` + oneValue + ` (?:in|from|as|for|under) ` + article + oneLabel +
		`(?:` + aList + anEnd), (*extraction).entry},
	{pattern(`(?i)\b(?P<set>fill in|fill|complete|set) ` + article + oneLabel + `(?:` + aField +
		`)? (?:with|to|as) ` + oneValue), (*extraction).entry},
	{pattern(`(?i)\b(?:with|using|use|enter|provide|give|and|,) ` + article + `(?P<label>(?:` + someWord +
		` ){1,4})(?:of |as |is )?(?P<value>\x01\x00*)`), (*extraction).entry},
	{pattern(`(?i)\b(?:with|using|use|enter|type) ` + article + `(?P<label>e-?mail(?: address)?) ` +
		`(?P<value>[^\s\x00\x01,;]+@[^\s\x00\x01,;]+)`), (*extraction).entry},
	{pattern(`(?i)\b(?:(?P<off>un-?tick|un-?check)|tick|(?P<check>check)) (?:the )?` +
		`(?:(?P<box>(?:check-?~)?box)(?: (?:for|named|labell?ed))? )?(?P<value>\x01\x00*)` +
		`(?P<behind> (?:check-?~)?box)?`), (*extraction).tick},
	{pairForm, (*extraction).inline},
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?;](?:\s|$)|\n`)
	forbids     = pattern(`(?i)\b(?:not|never|don['’]t|doesn['’]t|without|instead of|rather than|e\.g|` +
		`such as|example)\b`)
	looks = pattern(`(?i)^\W*(?:check|verify|make sure|ensure|find|delete|remove|tell|look|show|wait|see|` +
		`read|report|list|count|compare|explain|describe|was|were|is|are|does|did|wh(?:y|at|ich|o|en)|if)\b`)
	// ticks matches a sentence that begins with a box or button to tick, where "check" does not mean "look".
	ticks = pattern(`(?i)^\W*check the (?:[^\s.!?;]+ ){0,3}(?:radio|check-?~box)`)
)

var (
	cut    = pattern(`[,;|\n\x00\x01]|\.(?:\s|$)| /[ \t]| (?:and|then)\b`)
	goesOn = pattern(`(?i)^,?~(?:(?:and|then|,) )*(?:(?:and|then|press|click|submit|tick|check|save|send|` +
		`continue|hit|tap|choose|select|log|sign)\b|` +
		`to (?:get|log|sign|enter|continue|proceed|open|access)\b)`)
	tokenEnd = regexp.MustCompile(`[\s,;|\x00\x01]|$`)
	stops    = regexp.MustCompile(`(?i)^(?:$|[,;|/\n)]|with )`)
)
