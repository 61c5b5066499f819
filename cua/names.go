package cua

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// negations are words that negate, warn, or make a condition, in English, German, French, Spanish, Italian,
// Portuguese, Dutch, Polish, Russian and languages related to them. negationsWithin count anywhere, even
// inside words: Japanese, Chinese, Korean, and English contractions.
var (
	negations = set(`
		not no never nor neither none cannot dont doesnt didnt wont cant shouldnt mustnt wouldnt isnt arent
		without avoid avoiding instead nothing hardly beware careful dangerous wrong mistake alone leave leaving
		ignore ignoring skip skipping refrain if would rather except unless refuse refusing stop against forbidden
		nicht kein keine keinen keinem keiner nie niemals ohne statt weder
		ne n pas jamais sans aucun aucune ni
		nunca jamas jamás sin tampoco ningun ningún ninguna
		non mai senza nessun nessuno não nao nem sem nenhum nenhuma
		niet geen nooit zonder nigdy bez żaden
		не нет никогда без нельзя ни
		inte ej aldrig ikke aldri uden uten ei emme enkä ilman nem soha nelze nesmí jangan tidak bukan tanpa
		değil asla`)
	negationsWithin = []string{"n't", "n’t", "ない", "ません", "ずに", "禁止", "不", "别", "別", "勿", "没",
		"않", "마세요", "말고", "금지", "안 "}
)

// negated reports whether a sentence contains a negation.
func negated(sentence string) bool {
	lower := strings.ToLower(sentence)
	if slices.ContainsFunc(negationsWithin, func(n string) bool { return strings.Contains(lower, n) }) {
		return true
	}
	return slices.ContainsFunc(strings.Fields(spaceWords(lower)), func(w string) bool { return negations[w] })
}

// harmless is the closed list of names of controls that a gate may press without being asked
// (docs/recovery.md#safe-activation).
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
	add("close|dismiss|hide", "dialog|modal|popup|pop up|window|banner|notice|message|menu|panel|alert|"+
		"notification|overlay|drawer|tooltip")
	add("reject|decline|deny", "all|cookies|all cookies|optional cookies")
	for _, n := range strings.Split("next|previous|prev|back|go back|continue|go on|next page|previous page|"+
		"next step|previous step|next month|previous month|first page|last page|search|find|filter|"+
		"apply filter|apply filters|log in|login|sign in|show more|load more|see more|view more|more|"+
		"show all|show details|details|expand|collapse|refresh|retry|try again|check again|cancel|not now|no|"+
		"no thanks|no thank you|maybe later|later|skip|disagree|i disagree|only necessary|necessary only|"+
		"only essential|essential only|submit|×|✕|✖|✗|⨯|x|‹|›|«|»|←|→", "|") {
		names[n] = true
	}
	return names
}()

// HarmlessName reports whether the whole name is one that commits nobody to anything.
func HarmlessName(name string) bool { return harmless[FoldName(name)] }

// refusals are the first words of harmless names that close or reject an overlay.
var refusals = set(`close dismiss cancel hide × ✕ ✖ ✗ ⨯ x no later skip reject decline deny disagree not maybe`)

// Refusal reports whether the whole name is one that closes or rejects an overlay.
func Refusal(name string) bool {
	folded := FoldName(name)
	first, _, _ := strings.Cut(folded, " ")
	minimal := strings.Contains(folded, "necessary") || strings.Contains(folded, "essential")
	return harmless[folded] && (refusals[first] || minimal || folded == "i disagree")
}

// risky is the open list of words for buying, deleting, cancelling, publishing and agreeing: English words by
// their stem, then German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Japanese, Chinese
// and Korean ones anywhere in a name. A word too many prevents a rescue but does no harm.
var risky = regexp.MustCompile(`(?i)\b(?:` + anyOf(riskyEnglish) + `)|` + anyOf(riskyElsewhere))

// Each word is a regular expression without spaces.
const (
	riskyEnglish = `
		buy purchas pay order check\s?out book bid donat subscri unsubscri upgrad downgrad renew transfer withdraw
		authori approv delet remov eras discard reset clear empty cancel close deactivat terminat revok releas leav
		quit log\s?out sign\s?out publish post send agree accept allow consent confirm yes place tip trade sell
		invest block ban archiv destroy drop wipe uninstall`
	riskyElsewhere = `
		kauf bestell zahl überweis lösch entfern kündig akzept zustimm bestätig senden abonn spende
		achet acheter command payer supprim effac envoy résili
		compr(?:ar|a) pagar pedido elimin borrar envi acept confirm cancelar suscri
		acquist paga ordin cancell invia accett conferm abbon exclu apagar remover aceit assin
		koop kopen betal bestel verwijder verzend stuur accepteer bevestig
		kup zapła zamów usuń wyślij куп оплат заказ удал отправ соглас подтверд принять
		購入 買 支払 注文 削除 送信 同意 承諾 確認 解約 購買 购买 支付 付款 下单 删除 刪除 发送 發送 确认 確定
		구매 결제 주문 삭제 보내 동의 확인`
)

func anyOf(words string) string { return strings.Join(strings.Fields(words), "|") }

// riskyName reports whether name contains a word for something that only the brain may decide, or is
// disguised. A harmless name is not risky.
func riskyName(name string) bool {
	return !HarmlessName(name) && (risky.MatchString(name) || disguised(name))
}

// disguised reports whether name contains invisible characters, or a word with letters of two look-alike
// alphabets.
func disguised(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) ||
		slices.ContainsFunc(strings.Fields(spaceWords(name)), func(word string) bool {
			has := func(t *unicode.RangeTable) bool {
				return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(t, r) })
			}
			return has(unicode.Latin) && (has(unicode.Cyrillic) || has(unicode.Greek))
		})
}

// FoldName is the form in which names are compared: lower-case words separated by single spaces. A name of
// symbols alone stays as it is.
func FoldName(name string) string {
	if words := spaceWords(name); words != "" {
		return words
	}
	return Flat(name)
}

// spaceWords are the words of text in lower case, separated by single spaces. LabelWords would make two words
// of "Option2".
func spaceWords(text string) string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), apart), " ")
}

// HoldsWords reports whether text contains phrase as whole words, ignoring case. No text contains a phrase of
// symbols alone.
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
