package cua

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Activation is the case by which a replacement may activate a control on our own account (spec: recovery, safe
// activation).
type Activation string

// The cases. The zero Activation allows nothing.
const (
	// ActivateInput: the control changes local state only.
	ActivateInput Activation = "input"
	// ActivateAsked: it is the control that the brain proposed to press in this step.
	ActivateAsked Activation = "asked_for"
	// ActivateHarmless: its visible text and its accessible name are both on the list of harmless names.
	ActivateHarmless Activation = "harmless"
	// ActivateNamed: the brain's words name it, and it alone, without a negation.
	ActivateNamed Activation = "named"
)

// MayPress says by which case a replacement of p may press c; "" when it may not. The case ActivateNamed is
// NamedAlone and not among them: only retargeting may use it.
func MayPress(p Proposal, c Control) Activation {
	switch {
	case c.ID == "" || c.Disabled:
		return ""
	case c.ID == p.Target.ID && (p.Action.Kind.Pressing() || p.Action.PressesReturn()):
		return ActivateAsked
	case c.Input && (c.takesText() || !RiskyName(c.Name) && !RiskyName(c.Text)):
		return ActivateInput // a role is easily given: what is called Buy is no mere tick, whatever the markup says
	case HarmlessName(c.Text) && HarmlessName(c.Name) && !(c.Submit && (Refusal(c.Text) || Refusal(c.Name))):
		return ActivateHarmless // what sends a form is no closer, whatever its name
	}
	return ""
}

// takesText says whether a press of c only sets a caret in it, or opens its list.
func (c Control) takesText() bool {
	switch c.Tag {
	case "textarea", "select":
		return true
	case "input":
		return c.Type != "checkbox" && c.Type != "radio"
	}
	return c.Type == "contenteditable"
}

// MayReturn says by which case a replacement of p may press Return in the field f; "" when it may not. What counts
// is the control that Return activates there, in view or not. A form without one is sent only where p presses a submit
// control inside that form, and fields in no form are never sent. Return in a field of many lines, of another dialog than
// the one that p is aimed at, or beside an open modal dialog sends nothing that was asked for.
func MayReturn(o *Observation, p Proposal, f *Field) Activation {
	if !f.SingleLine() || f.Form == "" || f.Covered || !o.Reachable(f.Dialog) || p.Target.Identified() && p.Target.Dialog != f.Dialog {
		return ""
	}
	form := o.FormOf(f.Form, f.Frame)
	if form == nil {
		return ""
	}
	if form.Default != nil {
		return MayPress(p, *form.Default)
	}
	if p.Action.Kind.Pressing() && p.Target.Form == f.Form && p.Target.Frame == f.Frame && p.Target.SubmitShaped() {
		return ActivateAsked
	}
	return ""
}

// NamedAlone says whether the brain's words name c by its whole name, in a sentence without a negation, and none
// of the other controls in reach. A control whose text and name disagree, or say something risky, is never named.
func NamedAlone(p Proposal, c Control, reach []Control) bool {
	name := FoldName(c.Name)
	if c.Disabled || name == "" || FoldName(c.Text) != name || RiskyName(c.Name) {
		return false
	}
	words := wordsOf(p)
	return says(words, name, true) && !slices.ContainsFunc(reach, func(o Control) bool {
		other := FoldName(o.Name)
		return o.ID != c.ID && other != "" && !strings.Contains(name, other) && says(words, other, false)
	})
}

// Names says whether the brain's words hold c's whole name, whatever they say of it.
func Names(p Proposal, c Control) bool {
	name := FoldName(c.Name)
	return name != "" && says(wordsOf(p), name, false)
}

// Affirms says whether the brain's words hold name as a whole, and in no sentence with a negation.
func Affirms(p Proposal, name string) bool {
	folded := FoldName(name)
	return folded != "" && says(wordsOf(p), folded, true)
}

// wordsOf are the brain's words in this step.
func wordsOf(p Proposal) string { return p.Thought + ".\n" + p.Action.Why }

// sentenceEnd parts what is read together when a negation is looked for. What a colon or a line end parts belongs
// together: a list may follow on "I must not press:".
var sentenceEnd = regexp.MustCompile(`[.!?]+(?:[\s"')]|$)|[。！？]+`)

// sentences are those of text, with the signs that end them. A full stop after one or two letters may be that of an
// abbreviation and ends none.
func sentences(text string) (out []string) {
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		if text[at[0]] == '.' && abbreviated(text[from:at[0]]) {
			continue
		}
		out = append(out, text[from:at[1]])
		from = at[1]
	}
	return append(out, text[from:])
}

// abbreviated says whether text ends with one or two letters.
func abbreviated(text string) bool {
	last := strings.TrimRightFunc(text, unicode.IsLetter)
	n := utf8.RuneCountInString(text[len(last):])
	return n == 1 || n == 2
}

// says whether a sentence of text holds the folded name as whole words; affirmed asks for a sentence that does
// and for none that does with a negation, asks, or is in a language that we do not carry.
func says(text, name string, affirmed bool) bool {
	found := false
	for _, sentence := range sentences(text) {
		if !HoldsWords(sentence, name) {
			continue
		}
		if affirmed && (Negated(sentence) || strings.ContainsAny(sentence, "?？") || foreign(sentence)) {
			return false
		}
		found = true
	}
	return found
}

// foreign says whether a sentence holds a letter that none of the languages that we carry has: whether it holds a
// negation is not known then.
func foreign(sentence string) bool {
	return strings.ContainsFunc(strings.ToLower(sentence), func(r rune) bool {
		switch {
		case !unicode.IsLetter(r) || r >= 'a' && r <= 'z':
			return false
		case unicode.Is(unicode.Latin, r):
			return !strings.ContainsRune("äöüßàâæçéèêëîïôœùûÿñáíóúìòãõąćęłńśźżĳªº", r)
		}
		return !unicode.In(r, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && r != 'ー'
	})
}

// negations are words that turn a sentence around, in the languages that we carry: English, German, French, Spanish,
// Italian, Portuguese, Dutch, Polish, Russian, and those of their neighbours that are written in the same letters; among
// them what warns or supposes. negationsWithin are looked for inside words: Japanese, Chinese, Korean,
// and English contractions.
var (
	negations = set(`not no never nor neither none cannot dont doesnt didnt wont cant shouldnt mustnt wouldnt isnt arent without avoid avoiding instead
		nothing hardly beware careful dangerous wrong mistake alone leave leaving ignore ignoring skip skipping refrain if would
		inte ej aldrig ikke aldri uden uten ei emme enkä ilman nem soha nelze nesmí jangan tidak bukan tanpa değil asla
		rather except unless refuse refusing stop against forbidden nicht kein keine keinen keinem keiner nie niemals ohne statt weder ne n pas jamais
		sans aucun aucune ni nunca jamas jamás sin tampoco ningun ningún ninguna non mai senza nessun nessuno não nao nem sem nenhum nenhuma
		niet geen nooit zonder nie nigdy bez żaden не нет никогда без нельзя ни`)
	negationsWithin = []string{"n't", "n’t", "ない", "ません", "ずに", "禁止", "不", "别", "別", "勿", "没", "않", "마세요", "말고", "금지", "안 "}
)

// Negated says whether a sentence holds a negation.
func Negated(sentence string) bool {
	lower := strings.ToLower(sentence)
	if slices.ContainsFunc(negationsWithin, func(n string) bool { return strings.Contains(lower, n) }) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(spaceWords(lower)), func(w string) bool { return negations[w] })
}

// harmless is the closed list of names of controls that may be pressed unasked (spec: recovery, safe activation).
var harmless = func() map[string]bool {
	names := map[string]bool{}
	add := func(verbs, objects string) {
		for _, verb := range strings.Split(verbs, "|") {
			names[verb] = true
			for _, object := range strings.Split(objects, "|") {
				for _, article := range []string{" ", " the ", " this "} {
					names[verb+article+object] = true
				}
			}
		}
	}
	add("close|dismiss|hide", "dialog|modal|popup|pop up|window|banner|notice|message|menu|panel|alert|notification|overlay|drawer|tooltip")
	add("reject|decline|deny", "all|cookies|all cookies|optional cookies")
	for _, n := range strings.Split("next|previous|prev|back|go back|continue|go on|next page|previous page|next step|previous step|"+
		"next month|previous month|first page|last page|search|find|filter|apply filter|apply filters|log in|login|sign in|show more|load more|"+
		"see more|view more|more|show all|show details|details|expand|collapse|refresh|retry|try again|check again|cancel|not now|no|no thanks|"+
		"no thank you|maybe later|later|skip|disagree|i disagree|only necessary|necessary only|only essential|essential only|submit|"+
		"×|✕|✖|✗|⨯|x|‹|›|«|»|←|→", "|") {
		names[n] = true
	}
	return names
}()

// HarmlessName says whether name is, as a whole, one of the names that bind nobody.
func HarmlessName(name string) bool { return harmless[FoldName(name)] }

// refusals are those of the harmless names that say no to a layer or take it away.
var refusals = set(`close dismiss cancel hide × ✕ ✖ ✗ ⨯ x no later skip reject decline deny disagree`)

// Refusal says whether name is, as a whole, one that closes or rejects a layer.
func Refusal(name string) bool {
	folded := FoldName(name)
	if !harmless[folded] {
		return false
	}
	first, _, _ := strings.Cut(folded, " ")
	return refusals[first] || strings.HasPrefix(folded, "not now") || strings.HasPrefix(folded, "maybe") || strings.Contains(folded, "necessary") ||
		strings.Contains(folded, "essential") || folded == "i disagree"
}

// risky is the open list of words that say what costs, removes, gives up, publishes or agrees: English words by their
// beginnings, then German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Japanese, Chinese and Korean ones
// wherever they stand. A word too many costs a cure and no harm.
var risky = regexp.MustCompile(riskyEnglish + `|` + riskyElsewhere)

const (
	riskyEnglish = `(?i)\b(?:buy|purchas|pay|order|checkout|check out|book|bid|donat|subscri|unsubscri|upgrad|downgrad|renew|transfer|withdraw|authori|` +
		`approv|delet|remov|eras|discard|reset|clear|empty|cancel|close|deactivat|terminat|revok|releas|leav|quit|log ?out|sign ?out|publish|post|send|` +
		`agree|accept|allow|consent|confirm|yes|place|tip|trade|sell|invest|block|ban|archiv|destroy|drop|wipe|uninstall)`
	riskyElsewhere = `kauf|bestell|zahl|überweis|lösch|entfern|kündig|akzept|zustimm|bestätig|senden|abonn|spende|achet|acheter|command|payer|supprim|` +
		`effac|envoy|résili|compr(?:ar|a)|pagar|pedido|elimin|borrar|envi|acept|confirm|cancelar|suscri|acquist|paga|ordin|cancell|invia|accett|` +
		`conferm|abbon|exclu|apagar|remover|aceit|assin|koop|kopen|betal|bestel|verwijder|verzend|stuur|accepteer|bevestig|kup|zapła|zamów|usuń|wyślij|` +
		`куп|оплат|заказ|удал|отправ|соглас|подтверд|принять|購入|買|支払|注文|削除|送信|同意|承諾|確認|解約|購買|购买|支付|付款|下单|删除|刪除|发送|發送|确认|確定|구매|결제|주문|삭제|보내|동의|확인`
)

// RiskyName says whether name holds a word of what nobody but the brain decides. A harmless name is not risky as a whole.
// One that is disguised counts as one.
func RiskyName(name string) bool {
	return !HarmlessName(name) && (risky.MatchString(name) || disguised(name))
}

// disguised says whether name holds what cannot be seen, or a word in letters of two alphabets that look alike.
func disguised(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) ||
		slices.ContainsFunc(strings.Fields(spaceWords(name)), func(word string) bool {
			has := func(t *unicode.RangeTable) bool {
				return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(t, r) })
			}
			return has(unicode.Latin) && (has(unicode.Cyrillic) || has(unicode.Greek))
		})
}

// FoldName is a name in the one form in which names are compared: its words in lower case between single spaces; a name of
// signs alone stays as it is.
func FoldName(name string) string {
	if words := spaceWords(name); words != "" {
		return words
	}
	return strings.Join(strings.Fields(name), " ")
}

// spaceWords are the words of text in lower case between single spaces.
func spaceWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }), " ")
}

// HoldsWords says whether text holds phrase as whole words, in whatever case. A phrase of signs alone is in no text.
func HoldsWords(text, phrase string) bool {
	words := spaceWords(phrase)
	return words != "" && strings.Contains(" "+spaceWords(text)+" ", " "+words+" ")
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
