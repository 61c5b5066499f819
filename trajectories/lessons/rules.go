package lessons

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// maxTokens is how long a lesson may be (Tokens). Five of them are as much as a short
// paragraph of a prompt.
const maxTokens = 50

// Refusal is why a sentence may not be a lesson.
type Refusal struct {
	// Rule is the code: not_one_line, too_long, no_origin, no_id, unknown_action, bad_time, says_secret or
	// page_text.
	Rule string
	// Why is one line for the person. It never repeats a secret.
	Why string
}

// Error is the reason and its code.
func (r *Refusal) Error() string { return r.Why + " (" + r.Rule + ")" }

func refuse(rule, format string, args ...any) error {
	return &Refusal{rule, fmt.Sprintf(format, args...)}
}

// Tokens estimates the length of a text in tokens without a model's own vocabulary, and rather too long
// than too short: each four letters or digits in a row, begun or whole, count one, so does every other
// character that is no blank, and a letter outside of ASCII counts by itself.
func Tokens(text string) int {
	n, run := 0, 0
	for _, r := range text {
		word := r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if word {
			if run%4 == 0 {
				n++
			}
			run++
			continue
		}
		run = 0
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

var ids = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Check says which rule l breaks by itself; nil is none. QuotesPage and trajectories.HoldsSecret check what
// depends on a run.
func Check(l cua.Lesson) error {
	oneLine := func(s string) bool {
		return strings.TrimSpace(s) == s && !strings.ContainsFunc(s,
			func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsGraphic(r) })
	}
	switch {
	case !ids.MatchString(l.ID):
		return refuse("no_id", "the id must be 1 to 64 letters, digits, dots and lines")
	case l.Origin == "":
		return refuse("no_origin",
			"the origin is missing: scheme, host and port of the pages that it is about")
	case cua.Origin(l.Origin) != l.Origin:
		return refuse("no_origin",
			"the origin must be scheme, host and port of a web address and nothing else, as https://shop.test")
	case l.Text == "" || !oneLine(l.Text) || !oneLine(l.Tag):
		return refuse("not_one_line",
			"text and tag are one line each, without characters that cannot be seen")
	case len(l.Tag) > 64:
		return refuse("too_long", "a tag has at most 64 bytes")
	case Tokens(l.Text) > maxTokens:
		return refuse("too_long", "the text has %d tokens, and %d is the most", Tokens(l.Text),
			maxTokens)
	case l.At != "" && learned(l).IsZero():
		return refuse("bad_time", "the time must be as %s or a date", time.RFC3339)
	}
	for _, k := range l.Actions {
		if !k.Known() {
			return refuse("unknown_action", "no kind of action is called %q", cua.ClipBytes(string(k), 40))
		}
	}
	return saysSecret(l.Text + "\n" + l.Tag)
}

var (
	// toldAfter is what follows a word for a secret where the secret itself follows: "PIN: 1234", "password =
	// x".
	toldAfter = regexp.MustCompile(`^\s*(?:[:=]|(?:is|was|are)\b\s*:?)?\s*["'“‘]?(\S+)`)
	// keyed are runs that look like keys and tokens; numbers those of cards.
	keyed   = regexp.MustCompile(`[A-Za-z0-9_+/=-]{20,}`)
	numbers = regexp.MustCompile(`\d(?:[ -]?\d){11,18}`)
	// signed are addresses with a name and a password in them.
	signed  = regexp.MustCompile(`://[^\s/@]*:[^\s/@]+@`)
	anyWord = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// saysSecret finds what looks like a secret, whoever knows its value. Names of secrets, <secret:NAME> and a
// bare "password", are not.
func saysSecret(text string) error {
	bare := trajectories.WithoutSecretNames(text)
	for _, at := range anyWord.FindAllStringIndex(bare, -1) {
		two := twoWords(bare, at[0])
		for _, span := range [][2]int{{at[0], at[1]}, {at[0], two}} {
			if !cua.SaysSecret(bare[span[0]:span[1]]) || span[1] > at[1] && cua.SaysSecret(bare[at[1]:two]) {
				continue
			}
			m := toldAfter.FindStringSubmatchIndex(bare[span[1]:])
			if m == nil {
				continue
			}
			lead, value := strings.TrimSpace(bare[span[1]:span[1]+m[2]]), bare[span[1]+m[2]:span[1]+m[3]]
			if strings.ContainsAny(lead, `:="'“‘`) || mixed(value) {
				return refuse("says_secret", "after %q stands what looks like its value; say <secret:NAME>",
					bare[span[0]:span[1]])
			}
		}
	}
	for _, s := range keyed.FindAllString(bare, -1) {
		if mixed(s) {
			return refuse("says_secret", "it holds what looks like a key or a token")
		}
	}
	if signed.MatchString(bare) {
		return refuse("says_secret", "it holds an address with a password in it")
	}
	if numbers.MatchString(bare) {
		return refuse("says_secret", "it holds a number as long as that of a card")
	}
	return nil
}

// twoWords is where the word after the one at i ends: "security code" is two.
func twoWords(s string, i int) int {
	words := anyWord.FindAllStringIndex(s[i:], 2)
	return i + words[len(words)-1][1]
}

// mixed reports whether a word has digits, and is no ordinary number of one or two of them.
func mixed(word string) bool {
	digits, others := 0, 0
	for _, r := range strings.Trim(word, `.,;:!?()"'“”‘’`) {
		switch {
		case unicode.IsDigit(r):
			digits++
		default:
			others++
		}
	}
	return digits > 0 && others > 0 || digits > 2
}
