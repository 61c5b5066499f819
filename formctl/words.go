package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// begins reports whether words is a prefix of t.
func begins(t, words []string) bool {
	return len(t) >= len(words) && slices.Equal(t[:len(words)], words)
}

// noise are words that say nothing about which value is wanted. A text of noise alone matches nothing.
var noise = set("a an and as at at be can enter e g eg ex example field fill for go her here his i in " +
	"input insert is it its may me must my no of on optional or our please provide put required select " +
	"choose the their this to txt text type typed typing up use value we will with write you your answer " +
	"start off click tap placeholder ctl ctrl control form inp item data new")

// Phrases on one line mean the same; the first word of the line is the concept. Texts are compared by
// concepts where they have them. starting are the phrases by their first word, longest first; known are the
// concepts.
var starting, known = parsePhrases(`
username: user name | user id | login name | login id | account name | uname | log in | sign in name | user
email: e mail address | email address | e mail addr | e mail | mail address | mail
password: pass word | passwd | passwort | pass phrase | pwd | pass code | pass
confirm: confirm | confirmation | repeat | re type | re enter | verify | verification | again | conf
phone: phone number | telephone number | mobile number | cell number | mobile phone | cell phone | \
	phone no | tel national | telephone | phone | mobile | cell | tel
given_name: first name | given name | forename | fname | first
family_name: last name | family name | surname | lname | last
name: full name | whole name | name
middle_name: middle name | middle initial | additional name
company: company name | organization name | organisation name | company | \
	organization | organisation | employer | firm | business name
zip: zip code | postal code | post code | zip postal code | zip
dob: date of birth | birth date | birth day | bday | dob
address2: street address 2 | address line 2 | addressline 2 | address 2 | addr 2 | apartment | apt | suite
address: street address 1 | address line 1 | addressline 1 | street address | \
	address 1 | addr 1 | address | addr | street
city: address level 2 | city | town | locality
state: address level 1 | state province | state | province | region
country: country region | country name | country
card_number: credit card number | card number | cc number | card no
card_code: security code | card code | cvc | cvv | csc | cvc 2 | cc csc
card_expiry: expiration date | expiry date | expires | expiry | exp date | cc exp | exp
card_name: name on card | cc name | card holder name | cardholder name | card holder
otp: one time code | one time password | verification code | otp | 2 fa code | 2 fa
quantity: quantity | qty | amount of items
message: message | comment | comments
search: search query | search term | search | query
website: web site | homepage | url
birthplace: place of birth | birth place
`)

// generic words are shared by labels with different meanings. Alone they match only themselves.
var generic = set("name number code address date id no nr time first last full line")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// phrase is a sequence of words and its concept.
type phrase struct {
	words   []string
	concept string
}

// unfold joins lines that end with a backslash with the next one.
func unfold(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\\\n", " ") }

func parsePhrases(text string) (starting map[string][]phrase, known map[string]bool) {
	starting, known = map[string][]phrase{}, map[string]bool{}
	for l := range strings.Lines(unfold(text)) {
		concept, list, _ := strings.Cut(l, ":")
		known[concept] = true
		for p := range strings.SplitSeq(list, "|") {
			words := strings.Fields(p)
			for _, w := range [][]string{words, {strings.Join(words, "")}} {
				starting[w[0]] = append(starting[w[0]], phrase{w, concept})
			}
		}
	}
	for _, ps := range starting {
		slices.SortStableFunc(ps, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return starting, known
}

// meaning is a text as a sorted set of concepts and other words, without noise.
type meaning []string

// mean is the meaning of text. A trailing 2 after a password is its confirmation.
func mean(text string) meaning {
	t := cua.LabelWords(text)
	var out meaning
	for len(t) > 0 {
		n, word := 1, t[0]
		for _, p := range starting[word] {
			if begins(t, p.words) {
				n, word = len(p.words), p.concept
				break
			}
		}
		if n > 1 || known[word] || !noise[word] {
			out = append(out, word)
		}
		t = t[n:]
	}
	if i := slices.Index(out, "2"); i > 0 && out[i-1] == "password" {
		out[i] = "confirm"
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m meaning) has(word string) bool { return slices.Contains(m, word) }

// any reports whether one of the words is in set.
func (m meaning) any(set map[string]bool) bool {
	return slices.ContainsFunc(m, func(w string) bool { return set[w] })
}
