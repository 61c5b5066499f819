package formctl

import (
	"slices"
	"strings"
)

// sides are the words of a text that have an opposite, one bit per class of words. Labels of opposites share
// all other words, so only these distinguish them.
type sides uint32

// opposites are classes that exclude each other, one line each. Commas separate alternatives, semicolons
// classes. The old password is the current one.
const opposites = `
new; old, former, previous, prior, current, existing, present
former, previous, prior; current, existing, present
min, minimum, least, lowest; max, maximum, most, highest
from, departure, depart, departing, outbound, origin, pickup, pick up; \
	to, return, returning, inbound, destination, arrival, dropoff, drop off
start, begin, beginning, starts; end, ending, ends, until
check in, checkin; check out, checkout
home, private, personal; work, business, office
billing, invoice; shipping, delivery
`

// others are classes that are not meant unless they are named: another person, or another use. A field that
// names one takes only a value whose label does too.
const others = `
newsletter, newsletters, subscribe, mailing list
recipient, recipients, beneficiary, payee
emergency, next of kin
spouse, partner, wife, husband
mother; father; parent, guardian; child
friend; referee; supervisor
`

// sidePhrase is one phrase of a class.
type sidePhrase struct {
	words []string
	bit   sides
}

// sidePhrases are those of all classes by their first word; axes are the lines of opposites.
var (
	sidePhrases = map[string][]sidePhrase{}
	axes        = parseSides(opposites, sideNew)
	_           = parseSides(others, sideNewsletter)
)

const (
	sideNew        sides = 1 // the first bit of the first line of opposites
	sideOld        sides = 2
	sideNewsletter sides = 1 << 20 // the first bit of others, above all opposites
	sideOthers           = ^(sideNewsletter - 1)
)

// parseSides adds the phrases of a text; its classes begin at bit. It returns the classes of each line.
func parseSides(text string, bit sides) (axes []sides) {
	for line := range strings.Lines(unfold(text)) {
		var axis sides
		for class := range strings.SplitSeq(line, ";") {
			for words := range strings.SplitSeq(class, ",") {
				w := strings.Fields(words)
				sidePhrases[w[0]] = append(sidePhrases[w[0]], sidePhrase{w, bit})
			}
			axis, bit = axis|bit, bit<<1
		}
		axes = append(axes, axis)
	}
	return axes
}

// sidesOf are the sides of the tokens of a text.
func sidesOf(t []string) (s sides) {
	for ; len(t) > 0; t = t[1:] {
		for _, p := range sidePhrases[t[0]] {
			if begins(t, p.words) {
				s |= p.bit
			}
		}
	}
	return s
}

// opposed reports whether a and b are on opposite sides. A text that names both sides is on neither.
func opposed(a, b sides) bool {
	single := func(s sides) bool { return s != 0 && s&(s-1) == 0 }
	return slices.ContainsFunc(axes, func(axis sides) bool {
		x, y := a&axis, b&axis
		return x != y && single(x) && single(y)
	})
}

// and adds b to a, except where a has decided between opposites.
func (a sides) and(b sides) sides {
	for _, axis := range axes {
		if a&axis != 0 {
			b &^= axis
		}
	}
	return a | b
}

// beside are words in the label of a password field that do not identify the password: rules, the account,
// and links in the label.
var beside = set("min minimum max maximum least most characters character chars char letters digits " +
	"numbers number symbols long length case sensitive account username email forgot forgotten lost reset " +
	"show hide help remember caps lock confirm password s")

// sameLock reports whether a password field is for the same password as w: w's label has every significant
// word of the visible texts. A mere "password" is neither the old one nor one for something else.
func sameLock(w *wanted, c *candidate) bool {
	another := func(word string) bool {
		digit := word[0] >= '0' && word[0] <= '9'
		return !digit && !beside[word] && !w.meaning.has(word) && sidesOf([]string{word})&w.sides == 0
	}
	return !slices.ContainsFunc(c.texts, func(t reading) bool {
		return t.visible && t.meaning.has("password") && slices.ContainsFunc(t.meaning, another)
	})
}
