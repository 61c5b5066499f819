package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// sides are the words of a text that have an opposite, a bit for each class of words. Labels of opposites
// have all other words in common: what they share says nothing.
type sides uint32

// opposites are classes that exclude one another, those of a line. Alternatives are parted by commas, classes
// by semicolons.
const opposites = `
new; old, former, previous, prior; current, existing, present
min, minimum, least, lowest; max, maximum, most, highest
from, departure, depart, departing, outbound, origin, pickup, pick up; \
	to, return, returning, inbound, destination, arrival, dropoff, drop off
start, begin, beginning, starts; end, ending, ends, until
check in, checkin; check out, checkout
home, private, personal; work, business, office
billing, invoice; shipping, delivery
`

// others are classes of what is not meant unless it is said: somebody else's, or another use. A field that
// names one takes only a value whose label does too.
const others = `
newsletter, newsletters, subscribe, mailing list
recipient, recipients, beneficiary, payee
emergency, next of kin
spouse, partner, wife, husband
mother; father; parent, guardian; child
friend; referee; supervisor
`

// sidePhrase is some of the words of a class, with a space behind each.
type sidePhrase struct {
	words string
	bit   sides
}

// sidePhrases are those of all classes by their first word; axes are the lines of opposites.
var (
	sidePhrases = map[string][]sidePhrase{}
	axes        = parseSides(opposites, sideNew)
	_           = parseSides(others, firstOther)
)

const (
	sideNew sides = 1 << iota // the first line of opposites, in its order
	sideOld
	sideCurrent
	firstOther     sides = 1 << 20 // above all opposites
	sideOthers           = ^(firstOther - 1)
	sideNewsletter       = firstOther
)

// parseSides adds the phrases of a text whose classes begin at bit, and gives the classes of each line.
func parseSides(text string, bit sides) (axes []sides) {
	for line := range strings.Lines(unfold(text)) {
		var axis sides
		for class := range strings.SplitSeq(line, ";") {
			for phrase := range strings.SplitSeq(class, ",") {
				w := strings.Fields(phrase)
				sidePhrases[w[0]] = append(sidePhrases[w[0]], sidePhrase{strings.Join(w, " ") + " ", bit})
			}
			axis, bit = axis|bit, bit<<1
		}
		axes = append(axes, axis)
	}
	return axes
}

// sidesOf reads lower-case words in order.
func sidesOf(plain string) (s sides) {
	for plain += " "; plain != ""; {
		word, rest, _ := strings.Cut(plain, " ")
		for _, p := range sidePhrases[word] {
			if strings.HasPrefix(plain, p.words) {
				s |= p.bit
			}
		}
		plain = rest
	}
	return s
}

// opposed says whether a and b are of different classes that exclude one another. A text that names both is
// on neither side. The old password is the current one.
func opposed(a, b sides, password bool) bool {
	if password {
		a, b = a.current(), b.current()
	}
	return slices.ContainsFunc(axes, func(axis sides) bool {
		x, y := a&axis, b&axis
		return x != y && single(x) && single(y)
	})
}

func single(s sides) bool { return s != 0 && s&(s-1) == 0 }

// current is s with old read as current.
func (s sides) current() sides {
	if s&sideOld != 0 {
		s = s&^sideOld | sideCurrent
	}
	return s
}

// foreign says whether a field speaks of somebody else, or of another use, than a value.
func foreign(value, field sides) bool { return field&^value&sideOthers != 0 }

// sidesOfField reads what a person reads of f, a hint only where nothing else tells the sides, and what
// attributes say of passwords and newsletters.
func sidesOfField(f *cua.Field) sides {
	plain := func(s string) string { return strings.Join(tokens(s), " ") }
	label := f.Label + " / " + nameOf(f)
	if f.Type == "radio" {
		label = f.Group
	}
	s, hint := sidesOf(plain(label)), sidesOf(plain(f.Placeholder))
	for _, axis := range axes {
		if s&axis == 0 {
			s |= hint & axis
		}
	}
	s |= hint & sideOthers
	s |= (sidesOf(plain(f.NameAttr)) | sidesOf(plain(f.IDAttr))) & sideNewsletter
	switch all := sideNew | sideOld | sideCurrent; {
	case s&all != 0:
	case strings.HasSuffix(f.Autocomplete, "new-password"):
		s |= sideNew
	case strings.HasSuffix(f.Autocomplete, "current-password"):
		s |= sideCurrent
	}
	return s
}

// beside are words in the label of a password field that do not tell which password it takes: rules for it,
// the account, and what the label links to.
var beside = set("min minimum max maximum least most characters character chars char letters digits " +
	"numbers number symbols long length case sensitive account username email forgot forgotten lost reset " +
	"show hide help remember caps lock confirm password s")

// sameLock says whether a password field takes what w is a password for: w's label has every telling word of
// the label that a person reads. One password alone is neither the old one nor that of something else.
func sameLock(w *wanted, c *candidate) bool {
	if c.sides.current()&sideCurrent != 0 && c.sides&sideNew == 0 && w.sides.current()&sideCurrent == 0 {
		return false
	}
	for _, t := range c.texts {
		if !t.visible || !t.meaning.has("password") {
			continue
		}
		return !slices.ContainsFunc(t.meaning, func(word string) bool {
			digit := word[0] >= '0' && word[0] <= '9'
			old := sidesOf(word).current()&sideCurrent != 0 // told by the sides
			return !digit && !old && !beside[word] && !w.meaning.has(word)
		})
	}
	return true
}
