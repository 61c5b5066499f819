package brain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// steppers is a page with one stepper for each name: its buttons, and its number in the text of the page.
type steppers struct {
	*sim
	n       map[string]int
	names   []string
	limit   int                                   // the number cannot be more; 0 is no limit
	step    int                                   // what a press adds; 0 is 1
	shown   func(name string, n int) string       // a line of the text; nil is "name − n +"
	buttons func(name string) (less, more string) // nil is − and +
	lag     bool                                  // the text changes at the next wait
}

func (p *steppers) show() {
	var lines []string
	for _, name := range p.names {
		line := fmt.Sprintf("%s\n−\n%d\n+", name, p.n[name])
		if p.shown != nil {
			line = p.shown(name, p.n[name])
		}
		lines = append(lines, line)
	}
	p.text = "Book a table, up to 8 at each. Call 555 0191.\n" + strings.Join(lines, "\n")
}

func (p *steppers) add(name string, by int) func() {
	return func() {
		p.n[name] = max(0, p.n[name]+by*max(p.step, 1))
		if p.limit > 0 {
			p.n[name] = min(p.n[name], p.limit)
		}
		if p.lag {
			p.later = p.show
			return
		}
		p.show()
	}
}

func (p *steppers) build(start int) *steppers {
	p.sim, p.n = &sim{url: "http://h/party"}, map[string]int{}
	for _, name := range p.names {
		p.n[name] = start
		less, more := "−", "+"
		if p.buttons != nil {
			less, more = p.buttons(name)
		}
		p.els = append(p.els, button(less, p.add(name, -1)), button(more, p.add(name, 1)))
	}
	p.show()
	return p
}

// TestQuantityIsSet: a quantity ends at what the goal says, or the brain says that it could not set it.
func TestQuantityIsSet(t *testing.T) {
	const goal = "Set the party size to 4."
	unit := func(_ string, n int) string { return fmt.Sprintf("%d guests", n) }
	german := func(string) (string, string) { return "Eine Person weniger", "Eine Person mehr" }
	named := func(name string) (string, string) { return "Decrease " + name, "Increase " + name }
	size := []string{"Party size"}
	for _, tt := range []struct {
		name  string
		page  steppers
		start int
		goal  string
		want  map[string]int
		fails bool // it must end without success, and what it leaves is not judged
	}{
		{"a counter between − and +", steppers{names: size}, 2, goal, map[string]int{"Party size": 4}, false},
		{"downwards", steppers{names: size}, 7, goal, map[string]int{"Party size": 4}, false},
		{"nothing is pressed where it is right already", steppers{names: size}, 4, goal, map[string]int{"Party size": 4}, false},
		{"a number in words", steppers{names: size}, 2, "Set the party size to four.", map[string]int{"Party size": 4}, false},
		{"a counter that lags behind its buttons", steppers{names: size, lag: true}, 1, goal, map[string]int{"Party size": 4}, false},
		{"a live line with a unit, and another name than the goal's", steppers{names: size, shown: unit}, 1, goal, map[string]int{"Party size": 4}, false},
		{"German names", steppers{names: []string{"Personen"}, buttons: german}, 1, goal, map[string]int{"Personen": 4}, false},
		{"German strong words", steppers{names: []string{"Anzahl"}, buttons: func(string) (string, string) { return "Verringern", "Erhöhen" }},
			1, goal, map[string]int{"Anzahl": 4}, false},
		{"two counters by the names of their buttons", steppers{names: []string{"Adults", "Children"}, buttons: named}, 0,
			"Set adults to 2 and children to 1.", map[string]int{"Adults": 2, "Children": 1}, false},
		{"two counters whose buttons have no names", steppers{names: []string{"Adults", "Children"}}, 0,
			"Choose 2 adults and 1 child.", map[string]int{"Adults": 2, "Children": 1}, false},
		{"only the second of two", steppers{names: []string{"Adults", "Children"}}, 1,
			"Set the children to 3.", map[string]int{"Adults": 1, "Children": 3}, false},
		{"one of two that the page calls otherwise", steppers{names: []string{"Erwachsene", "Kinder"}}, 1, "Set the adults to 3.",
			map[string]int{"Erwachsene": 1, "Kinder": 1}, true},
		{"a limit below it", steppers{names: size, limit: 3}, 2, goal, nil, true},
		{"a button that adds three", steppers{names: size, step: 3}, 0, goal, nil, true},
		{"a number that is shown nowhere", steppers{names: size, shown: func(string, int) string { return "Guests" }}, 2, goal,
			map[string]int{"Party size": 2}, true},
		{"what comes next is not done with a wrong number", steppers{names: size, limit: 3}, 2, `Set the party size to 4, then press "Book".`, nil, true},
		{"what comes next leaves it alone", steppers{names: size}, 2, `Set the party size to 4, then press "Book".`, map[string]int{"Party size": 4}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, booked := tt.page.build(tt.start), -1
			p.els = append(p.els, button("Sign up", func() { t.Error("another button was pressed") }))
			p.els = append(p.els, button("Book",
				func() { booked = p.n[p.names[0]]; p.page("Thank you, it is booked") }))
			steps := play(t, Heuristic{}, p.sim, cua.Task{Goal: tt.goal}, 40)
			last := steps[len(steps)-1].Proposed
			if success := last.Kind == cua.Done && last.Success; success == tt.fails {
				t.Errorf("success %v: %s", success, told(steps))
			}
			for name, n := range tt.want {
				if p.n[name] != n {
					t.Errorf("%s is %d, want %d: %s", name, p.n[name], n, told(steps))
				}
			}
			if wants := strings.Contains(tt.goal, "Book") && !tt.fails; wants != (booked == 4) || !wants &&
				booked >= 0 {
				t.Errorf("booked %d: %s", booked, told(steps))
			}
		})
	}
}

// TestQuantityInAField: a number is typed into its field or chosen in its list, and what the page keeps
// counts.
func TestQuantityInAField(t *testing.T) {
	list := []string{"1 person", "2 people", "3 people", "4 people", "14 people"}
	for _, tt := range []struct {
		name, typ, start, want string
		mask                   func(string) string
		readOnly               bool
		buttons                bool
		success                bool
	}{
		{"a number field", "number", "1", "4", nil, false, false, true},
		{"a number field with buttons beside it", "number", "1", "4", nil, false, true, true},
		{"one that only its buttons change", "number", "1", "4", nil, true, true, true},
		{"one that nothing changes", "number", "1", "1", nil, true, false, false},
		{"a list", "select", "2 people", "4 people", nil, false, false, true},
		{"a page that keeps three at most", "number", "1", "3", func(v string) string { return strings.ReplaceAll(v, "4", "3") }, false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &sim{url: "http://h/party", mask: tt.mask}
			f := field("Party size", tt.typ)
			f.value, f.options, f.readOnly = tt.start, list, tt.readOnly
			step := func(by int) func() {
				return func() {
					var n int
					fmt.Sscan(f.value, &n)
					f.value = fmt.Sprint(n + by)
				}
			}
			s.els = []*el{f}
			if tt.buttons {
				s.els = append(s.els, button("−", step(-1)), button("+", step(1)))
			}
			sent := ""
			s.els = append(s.els, button("Sign up", func() { sent = f.value; s.page("Thank you") }))
			steps := play(t, Heuristic{}, s, cua.Task{Goal: "Set the party size to 4."}, 40)
			last := steps[len(steps)-1].Proposed
			if f.value != tt.want || last.Success != tt.success || sent != "" {
				t.Errorf("ended at %q, success %v, sent %q: %s", f.value, last.Success, sent, told(steps))
			}
		})
	}
}

// TestAChoiceThatIsAboutTheValues: words that name nothing on any page do not take the success away; an
// option that is there does.
func TestAChoiceThatIsAboutTheValues(t *testing.T) {
	for _, tt := range []struct {
		name, goal string
		success    bool
	}{
		{"words about the plan values", `Choose both stations from the lists that open, then press "Send".`, true},
		{"an option that cannot be chosen", `Choose Deck, then press "Send".`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &sim{url: "http://h/train"}
			class := button("Deck", nil)
			class.disabled = true
			s.els = []*el{field("From", "text"), class, button("Send", func() { s.page("Thank you") })}
			steps := play(t, Heuristic{}, s, cua.Task{Goal: tt.goal, Fields: fields("From", "Eastport")}, 20)
			if last := steps[len(steps)-1].Proposed; last.Success != tt.success {
				t.Errorf("success %v: %s", last.Success, told(steps))
			}
		})
	}
}
