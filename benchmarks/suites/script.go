package suites

import (
	"maps"
	"math/rand/v2"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The words of oracles.

// Press clicks the control of that name.
func Press(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
}

// Fill types value into the field of that label and replaces what is there.
func Fill(label, value string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: value, Clear: true}, On: label}
}

// Write types into whatever has the focus.
func Write(value string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: value}}
}

// Choose sets the list of that label.
func Choose(label, option string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Select, Text: option}, On: label}
}

// Key presses a key or a combination.
func Key(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Key, Keys: name}}
}

// Wait waits.
func Wait(ms int) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Wait, MS: ms}}
}

// Done ends the episode and claims success.
func Done(answer string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Text: answer, Success: true}}
}

// GiveUp ends the episode and says that it failed.
func GiveUp(answer string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Text: answer}}
}

// Times is s, n times.
func Times(n int, s cua.Scripted) []cua.Scripted {
	out := make([]cua.Scripted, n)
	for i := range out {
		out[i] = s
	}
	return out
}

// LastSent reports whether the last form that was accepted holds exactly want.
func LastSent(want map[string]string) func(State) bool {
	return func(s State) bool {
		return len(s.Sent) > 0 && maps.Equal(s.Sent[len(s.Sent)-1], want)
	}
}

// Pick draws one of from.
func Pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// Between is a number from lo to hi, both included.
func Between(r *rand.Rand, lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// Person is somebody to fill forms with.
type Person struct{ First, Last, User, Email, Password, Phone, Company string }

// Somebody draws a person.
func Somebody(r *rand.Rand) Person {
	p := Person{
		First:   Pick(r, "Mira", "Jonas", "Aiko", "Tomas", "Leila", "Henrik", "Paula", "Samir"),
		Last:    Pick(r, "Keller", "Novak", "Tanaka", "Berg", "Okafor", "Lindqvist", "Moreau", "Haddad"),
		Company: Pick(r, "Blue Heron Ltd", "Kestrel Tools", "Alder and Sons", "Quarry Street Press"),
		Phone:   Pick(r, "555 0142", "555 0168", "555 0175", "555 0191"),
	}
	p.User = strings.ToLower(p.First + "." + p.Last)
	p.Email = p.User + "@example.org"
	p.Password = Pick(r, "harbour", "lantern", "thistle", "granite") + "-" +
		Pick(r, "4821", "7390", "1657", "9034")
	return p
}

// Asked is one value that a form wants.
type Asked struct {
	Input
	Value string
}

// Inputs are the controls of list.
func Inputs(list []Asked) []Input {
	out := make([]Input, len(list))
	for i, a := range list {
		out[i] = a.Input
	}
	return out
}

// Values are the plan values of list.
func Values(list []Asked) []cua.PlanValue {
	out := make([]cua.PlanValue, len(list))
	for i, a := range list {
		out[i] = cua.PlanValue{Label: a.Label, Value: a.Value}
	}
	return out
}

// Wanted is the form that list fills, name to value.
func Wanted(list []Asked) map[string]string {
	out := map[string]string{}
	for _, a := range list {
		out[a.Name] = a.Value
	}
	return out
}

// Filled is the oracle's way through the fields: each by its label, or by its placeholder
// where that is all there is.
func Filled(list []Asked) []cua.Scripted {
	var out []cua.Scripted
	for _, a := range list {
		on := a.Label
		if a.Bare {
			on = a.Placeholder
		}
		if len(a.Options) > 0 {
			out = append(out, Choose(on, a.Value))
			continue
		}
		out = append(out, Fill(on, a.Value))
	}
	return out
}

// Text is a line of text that a form wants.
func Text(label, name, value string) Asked { return Typed(label, name, "text", value) }

// Typed is a value of an input of that kind that a form wants.
func Typed(label, name, kind, value string) Asked {
	return Asked{Input{Label: label, Name: name, Type: kind}, value}
}
