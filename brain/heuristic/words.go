package heuristic

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// Words are the whole words of s in lower case: letters and digits, split also where camelCase
// and snake_case names split. cua.LabelWords would also part the digits of "2nd", and the halves of "don't".
func Words(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	prev := ' '
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			if r != '\'' && r != '’' { // don't is one word
				flush()
			}
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			flush()
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
		prev = r
	}
	flush()
	return out
}

// smallWords do not help to identify an element.
var smallWords = []string{"the", "a", "an", "button", "link", "on", "to", "in", "into", "of", "for", "and",
	"then", "it", "my", "your", "this", "that", "field", "box", "tab", "please", "page", "at", "with", "as",
	"labelled", "labeled", "named", "called"}

// strong is w without small words; w itself when nothing is left.
func strong(w []string) []string {
	var out []string
	for _, x := range w {
		if !slices.Contains(smallWords, x) {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return w
	}
	return out
}

// within reports whether all words of a are among b; false if a is empty.
func within(a, b []string) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}

// alike is how well the words of a name match the words that were asked for, 0 to 1: 1 means the same
// words, and each extra word reduces it. Names that share only a word do not match.
func alike(asked, name []string) float64 {
	a, n := strong(asked), strong(name)
	switch {
	case len(a) == 0 || len(n) == 0:
		return 0
	case within(a, n) && within(n, a):
		return 1
	case within(a, n):
		return 0.5 + 0.4*float64(len(a))/float64(len(n))
	case within(n, a):
		return 0.4 + 0.4*float64(len(n))/float64(len(a))
	}
	return 0
}

var numberWords = map[string]int{"once": 1, "one": 1, "twice": 2, "two": 2, "thrice": 3, "three": 3,
	"four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"fifteen": 15, "twenty": 20}

// maxCount is the limit of repetitions that a goal can ask for.
const maxCount = 1000

// count parses "5", "five", "twice"; 0 if s is not a number.
func count(s string) int {
	s = strings.ToLower(strings.TrimSpace(s))
	if n, ok := numberWords[s]; ok {
		return n
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxCount {
		return 0
	}
	return n
}

var (
	successWords = regexp.MustCompile(`(?i)\b(thank you|thanks|welcome|saved|success|successful|successfully|order placed|signed in|logged in|signed up|registered|account created|confirmed|confirmation|booked|done|submitted|complete|completed|all set|congratulations)\b`)
	errorWords   = regexp.MustCompile(`(?i)\b(error|errors|wrong|invalid|incorrect|failed|failure|not found|try again|denied|unavailable|does not match|do not match|is required|are required|must be)\b`)
	busyWords    = regexp.MustCompile(`(?i)\b(loading|saving|please wait|processing|submitting|sending|one moment|uploading|in progress|working on it|signing in|logging in)\b`)
	// dangerWords match dialogs that are accepted only if the goal asks for it.
	dangerWords = regexp.MustCompile(`(?i)\b(delete|remove|erase|discard|cancel|unsubscribe|pay|purchase|buy|transfer|reset|overwrite|deactivate|close your account|leave|lose|install|permanently|irreversible|cannot be undone)\b`)
	negations   = regexp.MustCompile(`(?i)\b(not|un|no|never|isn't|yet)\b`)
)

// succeeded reports whether text claims success: a success word in a line without a negation.
func succeeded(text string) bool {
	for line := range strings.Lines(text) {
		if successWords.MatchString(line) && !negations.MatchString(line) && !errorWords.MatchString(line) {
			return true
		}
	}
	return false
}

// maxBusyLine is the maximum length of a line that counts as a busy indicator, runes. Prose about saving
// is longer.
const maxBusyLine = 60

// busyText reports whether a short line of text says that the page is busy.
func busyText(text string) bool {
	for line := range strings.Lines(text) {
		if len([]rune(line)) <= maxBusyLine && busyWords.MatchString(line) &&
			!successWords.MatchString(line) {
			return true
		}
	}
	return false
}

// clip is the first n runes of s on one line.
func clip(s string, n int) string {
	return cua.Clip(cua.Flat(s), n)
}
