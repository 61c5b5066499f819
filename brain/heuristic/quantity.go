package heuristic

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// counter is the knowledge about a quantity that buttons change.
type counter struct {
	// shown is the number that the page showed last, and expected is that number after the presses since.
	shown, expected int
	known           bool
	// stale says that the page may have changed since shown was read.
	stale bool
	// paced says that one press was seen to change the number by one. Without that, each press is checked.
	paced bool
	// waits counts the waits since the last press.
	waits int
	// since is the first state with this number.
	since int
}

// outstanding reports whether the page does not show the expected number yet.
func (c counter) outstanding() bool { return c.shown != c.expected }

// see records the number that the page shows in state i. A counter may lag behind its buttons, so a number
// other than the expected one is accepted only after maxDoubt waits.
func (c *counter) see(n, i int) {
	was := c.shown
	if !c.known || n != was {
		c.since = i
	}
	if c.known && c.outstanding() && n == c.expected {
		c.paced = true
	}
	if !c.known || !c.outstanding() || c.waits >= maxDoubt {
		c.expected = n
	}
	c.shown, c.known, c.stale = n, true, false
}

// counted tracks the quantity of a from state from to state to. Only a state with a control for it shows
// the number.
func (v *view) counted(a aim, from, to int) counter {
	var c counter
	for i := from; i <= to; i++ {
		if n, ok := v.quantityAt(a, i); ok {
			c.see(n, i)
		}
		if i == to {
			break
		}
		s := &v.steps[i]
		switch delta := v.stepDelta(a, i); {
		case delta != 0:
			c.expected, c.stale, c.waits = c.expected+delta, true, 0
		case waited(s):
			c.waits++
			c.stale = c.stale || c.outstanding()
		}
	}
	return c
}

// stepDelta is the change of the quantity of a by step i: 1, -1, or 0 if it pressed none of its buttons.
// It ignores whether an effect was seen, because a counter may lag.
func (v *view) stepDelta(a aim, i int) int {
	p, ok := v.pressAt(i)
	if s := &v.steps[i]; !ok || s.Failure != nil || s.Target.Disabled {
		return 0
	}
	for _, way := range []int{1, -1} {
		m := v.stepper(a, way, i)
		if m != nil && (p.id != "" && p.id == m.ID || p.id == "" && p.name == m.Name) {
			return way
		}
	}
	return 0
}

// quantityReached is the state from which on the page shows the number that a wants. A later change
// revokes that, unless the number was sent before.
func (v *view) quantityReached(a aim, from int) (int, bool) {
	key := quantityKey{a, from}
	if r, ok := v.quantities[key]; ok {
		return r.since, r.ok
	}
	since, ok := v.findQuantity(a, from)
	v.quantities[key] = quantityResult{since, ok}
	return since, ok
}

type (
	quantityKey struct {
		aim
		from int
	}
	quantityResult struct {
		since int
		ok    bool
	}
)

func (v *view) findQuantity(a aim, from int) (int, bool) {
	if a.text != "" && v.offers(a) {
		return v.reached(aim{kind: aimChoose, text: a.text}, from)
	}
	is := func(c counter) bool { return c.known && !c.stale && !c.outstanding() && c.shown == a.number }
	for i := from; i < len(v.steps); i++ {
		if v.sends(i) {
			if c := v.counted(a, from, i); is(c) {
				return c.since, true
			}
		}
	}
	c := v.counted(a, from, len(v.steps))
	return c.since, is(c)
}

// sends reports whether step i pressed, with an effect, a submit control or a control that the goal names.
func (v *view) sends(i int) bool {
	p, ok := v.pressAt(i)
	return ok && p.effect && (p.submit || slices.ContainsFunc(v.aims, func(a aim) bool {
		return a.kind == aimPress && named(a.on, p.name) >= nameFloor
	}))
}

// offers reports whether the page has an option with the name that a asks for: "2 adults" in a list.
func (v *view) offers(a aim) bool {
	return slices.ContainsFunc(v.now.Fields, func(f cua.Field) bool { return option(f, a.text) != "" }) ||
		slices.ContainsFunc(v.now.Marks, func(m cua.Mark) bool {
			return alike(Words(a.text),
				Words(m.Name)) == 1
		})
}

// stepTo is the next step towards the number that a wants.
func (v *view) stepTo(a aim, from int) *move {
	if a.text != "" && v.offers(a) {
		return v.set(aim{kind: aimChoose, text: a.text})
	}
	c := v.counted(a, from, len(v.steps))
	up, down := v.stepper(a, 1, len(v.steps)), v.stepper(a, -1, len(v.steps))
	if up == nil && down == nil {
		if len(steppers(v.now, a, 1)) > 1 && v.canRead() {
			return v.extract() // the text may identify the right one
		}
		return v.sweep(a.on)
	}
	look := !c.known || c.stale && (c.expected == a.number || !c.paced)
	switch {
	case look && v.canRead():
		return v.extract()
	case !c.known:
		return v.failed("the page does not show the number of " + clip(a.on, 60))
	case look || c.outstanding() && !c.stale:
		return &move{cua.Action{Kind: cua.Wait, MS: waitMS}, "the number may lag behind the button; wait"}
	}
	m := up
	if c.expected > a.number {
		m = down
	}
	if m == nil || m.Disabled {
		return v.failed(fmt.Sprintf("%s is at %d and cannot be set to %d", clip(a.on, 60), c.shown, a.number))
	}
	return v.click(*m, fmt.Sprintf("it is at %d and should be %d", c.expected, a.number))
}

// textAt is the newest text that was read up to state i.
func (v *view) textAt(i int) string {
	for ; i > 0; i-- {
		if text := v.readAt(i); text != "" {
			return text
		}
	}
	return ""
}

// maxSmall is the limit of numbers that are recognised by the digest of a value.
const maxSmall = 1000

var smallNumbers = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for n := range maxSmall {
		out[cua.Digest(itoa(n))] = n
	}
	return out
})

// quantityAt is the number of a in state i: the value of its field, or the number next to its name in the
// text that was read.
func (v *view) quantityAt(a aim, i int) (int, bool) {
	o := v.t.History.Before(i)
	if f := counterField(&o, a); f != nil {
		if f.Type == "select" {
			return firstNumber(f.Selected)
		}
		n, ok := smallNumbers()[f.ValueDigest]
		return n, ok
	}
	if len(steppers(&o, a, 1))+len(steppers(&o, a, -1)) == 0 {
		return 0, false
	}
	text, fresh := v.readAt(i), true
	if i == len(v.steps) {
		text, fresh = v.read()
	}
	if !fresh {
		return 0, false
	}
	return quantityIn(text, a.on)
}

// counterField is the field that shows the quantity of a: the field of that name, otherwise a field
// between the two buttons of the only stepper.
func counterField(o *cua.Observation, a aim) *cua.Field {
	var best *cua.Field
	top := 0.0
	for i := range o.Fields {
		f := &o.Fields[i]
		for _, n := range names(*f) {
			s := alike(known(singular(Words(a.on))), known(singular(Words(n))))
			if s >= matchFloor && s > top && f.Type != "checkbox" && f.Type != "radio" {
				best, top = f, s
			}
		}
	}
	if best != nil {
		return best
	}
	ups, downs := steppers(o, a, 1), steppers(o, a, -1)
	if len(ups) != 1 || len(downs) != 1 {
		return nil
	}
	for i := range o.Fields {
		c := o.Fields[i].Box.Center()
		u, d := ups[0].Box.Center(), downs[0].Box.Center()
		if between(c.X, u.X, d.X) && between(c.Y, u.Y, d.Y) {
			return &o.Fields[i]
		}
	}
	return nil
}

// between reports whether x lies between a and b, give or take 20 CSS pixels.
func between(x, a, b float64) bool { return x > min(a, b)-20 && x < max(a, b)+20 }

// Words of buttons that change a number, by direction. A strong word is sufficient. A weak word counts
// only if another button has the same name with a word of the other direction: "Add one ticket" and
// "Remove one ticket", but not "Sign up".
var (
	strongStep = map[int][]string{
		1:  {"plus", "increase", "increment", "erhöhen"},
		-1: {"minus", "decrease", "decrement", "reduce", "verringern", "reduzieren"},
	}
	weakStep = map[int][]string{
		1:  {"up", "more", "add", "mehr", "hinzufügen"},
		-1: {"down", "less", "fewer", "remove", "weniger", "entfernen"},
	}
	signStep = map[int]string{1: "+＋", -1: "-−–"}
)

// steppers are the buttons in o that change the quantity of a in direction way: those that name it,
// otherwise all that name no quantity.
func steppers(o *cua.Observation, a aim, way int) []*cua.Mark {
	var naming, other []*cua.Mark
	label := singular(strong(Words(a.on)))
	for i := range o.Marks {
		m := &o.Marks[i]
		if m.Role != "button" && m.Tag != "button" || !stepsWay(o, *m, way) {
			continue
		}
		if within(label, singular(Words(m.Name))) {
			naming = append(naming, m)
		} else {
			other = append(other, m)
		}
	}
	if len(naming) > 0 {
		return naming
	}
	return other
}

// stepsWay reports whether a button changes a number in that direction, by its sign or its words.
func stepsWay(o *cua.Observation, m cua.Mark, way int) bool {
	for _, s := range []string{m.Text, m.Name} {
		if s = strings.TrimSpace(s); s != "" && strings.Contains(signStep[way], s) {
			return true
		}
	}
	w := Words(m.Name)
	if slices.ContainsFunc(strongStep[way], func(x string) bool { return slices.Contains(w, x) }) {
		return true
	}
	rest, weak := without(w, weakStep[way])
	return weak && slices.ContainsFunc(o.Marks, func(other cua.Mark) bool {
		r, opposite := without(Words(other.Name), weakStep[-way])
		return opposite && slices.Equal(r, rest)
	})
}

// without is w without the words of list, and whether there were any.
func without(w, list []string) ([]string, bool) {
	rest := slices.DeleteFunc(slices.Clone(w), func(x string) bool { return slices.Contains(list, x) })
	return rest, len(rest) < len(w)
}

// stepper is the button of state i that changes the quantity of a in that direction: the only one, the
// nearest to its field, or the one at the position of its name among the steppers in the text of the page.
// It is nil if these do not identify one.
func (v *view) stepper(a aim, way, i int) *cua.Mark {
	o := v.t.History.Before(i)
	all := slices.DeleteFunc(steppers(&o, a, way), func(m *cua.Mark) bool {
		_, visible := m.Box.CenterIn(o.Viewport)
		return !visible
	})
	if len(all) < 2 {
		return only(all)
	}
	if f := counterField(&o, a); f != nil {
		c := f.Box.Center()
		return slices.MinFunc(all, func(x, y *cua.Mark) int {
			return cmp.Compare(distance(c, x.Box.Center()), distance(c, y.Box.Center()))
		})
	}
	text := v.textAt(i)
	blocks := stepperText.FindAllStringSubmatchIndex(text, -1)
	if k := stepperIndex(text, labelPattern(a.on), blocks); k >= 0 && len(blocks) == len(all) {
		return all[k]
	}
	return nil
}

func only(marks []*cua.Mark) *cua.Mark {
	if len(marks) == 1 {
		return marks[0]
	}
	return nil
}

func distance(p, q cua.Point) float64 { return math.Hypot(p.X-q.X, p.Y-q.Y) }
