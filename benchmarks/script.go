package benchmarks

import (
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The words of oracles.

func press(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
}

func fill(label, value string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: value, Clear: true}, On: label}
}

// write types into whatever has the focus.
func write(value string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: value}}
}

func choose(label, option string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Select, Text: option}, On: label}
}

func key(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Key, Keys: name}}
}

func wait(ms int) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Wait, MS: ms}}
}

func done(answer string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Text: answer, Success: true}}
}

func giveUp(answer string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Text: answer}}
}

func times(n int, s cua.Scripted) []cua.Scripted {
	out := make([]cua.Scripted, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// lastSent says whether the last form that was accepted holds exactly want.
func lastSent(want map[string]string) func(State) bool {
	return func(s State) bool {
		return len(s.Sent) > 0 && maps.Equal(s.Sent[len(s.Sent)-1], want)
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// between is a number from lo to hi, both included.
func between(r *rand.Rand, lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// person is somebody to fill forms with.
type person struct{ first, last, user, email, password, phone, company string }

func somebody(r *rand.Rand) person {
	p := person{
		first:   pick(r, "Mira", "Jonas", "Aiko", "Tomas", "Leila", "Henrik", "Paula", "Samir"),
		last:    pick(r, "Keller", "Novak", "Tanaka", "Berg", "Okafor", "Lindqvist", "Moreau", "Haddad"),
		company: pick(r, "Blue Heron Ltd", "Kestrel Tools", "Alder and Sons", "Quarry Street Press"),
		phone:   pick(r, "555 0142", "555 0168", "555 0175", "555 0191"),
	}
	p.user = strings.ToLower(p.first + "." + p.last)
	p.email = p.user + "@example.org"
	p.password = pick(r, "harbour", "lantern", "thistle", "granite") + "-" + pick(r, "4821", "7390", "1657", "9034")
	return p
}

// asked is one value that a form wants.
type asked struct {
	input
	value string
}

func inputs(list []asked) []input {
	out := make([]input, len(list))
	for i, a := range list {
		out[i] = a.input
	}
	return out
}

func values(list []asked) []cua.PlanValue {
	out := make([]cua.PlanValue, len(list))
	for i, a := range list {
		out[i] = cua.PlanValue{Label: a.Label, Value: a.value}
	}
	return out
}

func wanted(list []asked) map[string]string {
	out := map[string]string{}
	for _, a := range list {
		out[a.Name] = a.value
	}
	return out
}

// filled is the oracle's way through the fields: each by its label, or by its placeholder
// where that is all there is.
func filled(list []asked) []cua.Scripted {
	var out []cua.Scripted
	for _, a := range list {
		on := a.Label
		if a.Bare {
			on = a.Placeholder
		}
		if len(a.Options) > 0 {
			out = append(out, choose(on, a.value))
			continue
		}
		out = append(out, fill(on, a.value))
	}
	return out
}

func text(label, name, value string) asked { return typed(label, name, "text", value) }

func typed(label, name, kind, value string) asked {
	return asked{input{Label: label, Name: name, Type: kind}, value}
}
