package brain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FaultHelp is one fault's name and line of help.
type FaultHelp struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Px is the default magnitude, CSS pixels; 0 means that the fault has no magnitude.
	Px float64 `json:"px,omitzero"`
	// Values are the accepted values of a name that takes a word instead of a rate.
	Values []string `json:"values,omitzero"`
	// Same is the fault and rate for which the name is an alias; "" if it is not an alias.
	Same string `json:"same_as,omitzero"`
}

// Syntax is the accepted syntax: name=RATE, name=RATE@PX for a fault with a magnitude, name=A|B for a name
// that takes a word, or the name alone.
func (h FaultHelp) Syntax() string {
	switch {
	case h.Same != "":
		return h.Name
	case len(h.Values) > 0:
		return h.Name + "=" + strings.Join(h.Values, "|")
	case h.Px == 0:
		return h.Name + "=RATE"
	}
	return h.Name + "=RATE@PX"
}

// FaultList lists the faults that ParseFault accepts.
func FaultList() []FaultHelp {
	var out []FaultHelp
	for _, f := range faults() {
		out = append(out, FaultHelp{Name: f.name, Help: f.help, Px: f.px, Values: f.values})
	}
	return append(out, FaultHelp{Name: stubborn, Same: nudgeObedience + "=0",
		Help: "follow no nudge and no lesson; the default where nudge_obedience is not given"})
}

// FaultRate is a fault with its rate: the probability, 0 to 1, that it occurs in a step in which it can.
type FaultRate struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate"`
	// Px is the magnitude, CSS pixels, at most 500; 0 means the default of the fault.
	Px float64 `json:"px,omitzero"`
	// Words is the value of words, which has no rate. It is not part of the JSON, because Faults has a
	// field for it.
	Words string `json:"-"`
}

// String is r in the syntax of ParseFault.
func (r FaultRate) String() string {
	if r.Name == wordsName {
		return wordsName + "=" + r.Words
	}
	out := r.Name + "=" + strconv.FormatFloat(r.Rate, 'f', -1, 64)
	if r.Px > 0 {
		out += "@" + strconv.FormatFloat(r.Px, 'f', -1, 64)
	}
	return out
}

// ParseFault parses name=rate, name=rate@px for a fault with a magnitude, or words=VALUE. The name
// stubborn alone means nudge_obedience=0. An unknown name or value is an error that lists the known ones.
func ParseFault(s string) (FaultRate, error) {
	name, num, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	switch {
	case name == stubborn && !ok:
		return FaultRate{Name: nudgeObedience}, nil
	case name == wordsName:
		f := FaultRate{Name: wordsName, Words: strings.TrimSpace(num)}
		return f, f.check()
	case !ok:
		return FaultRate{}, fmt.Errorf("brain: fault %q: want name=rate, for example click_fixation=0.5", s)
	}
	num, size, sized := strings.Cut(num, "@")
	rate, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil {
		return FaultRate{}, fmt.Errorf("brain: fault %s: the rate must be a number, not %q", name, num)
	}
	f := FaultRate{Name: name, Rate: rate}
	if sized {
		if f.Px, err = strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(size), "px"), 64); err != nil {
			return FaultRate{}, fmt.Errorf("brain: fault %s: the pixels must be a number, not %q", name, size)
		}
		if f.Px == 0 {
			return FaultRate{}, outOfPixels(name, 0)
		}
	}
	return f, f.check()
}

// check returns an error if the name is unknown, or a number or word is out of range.
func (r FaultRate) check() error {
	list := FaultList()
	i := slices.IndexFunc(list, func(k FaultHelp) bool { return k.Name == r.Name })
	switch {
	case i < 0:
		var known []string
		for _, k := range list {
			known = append(known, k.Name)
		}
		return fmt.Errorf("brain: unknown fault %q; known: %s", r.Name, strings.Join(known, ", "))
	case list[i].Same != "":
		return fmt.Errorf("brain: fault %s takes no rate: it is %s", r.Name, list[i].Same)
	case len(list[i].Values) > 0 && !slices.Contains(list[i].Values, r.Words):
		known := strings.Join(list[i].Values, ", ")
		return fmt.Errorf("brain: fault %s: unknown value %q; known: %s", r.Name, r.Words, known)
	case !(r.Rate >= 0 && r.Rate <= 1): // so written, it refuses NaN too
		return fmt.Errorf("brain: fault %s: rate must be 0 to 1, not %v", r.Name, r.Rate)
	case r.Px != 0 && list[i].Px == 0:
		return fmt.Errorf("brain: fault %s takes no pixels: want %s", r.Name, list[i].Syntax())
	case !(r.Px >= 0 && r.Px <= maxPx):
		return outOfPixels(r.Name, r.Px)
	}
	return nil
}

func outOfPixels(name string, px float64) error {
	return fmt.Errorf("brain: fault %s: pixels must be above 0 and at most %d, not %v", name, maxPx, px)
}
