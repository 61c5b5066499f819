package brain

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestMaskedFieldIsLeftAlone: a page that keeps a typed value in its own form is not corrected for ever.
func TestMaskedFieldIsLeftAlone(t *testing.T) {
	s := &sim{url: "http://h/x"}
	f := field("Phone", "text")
	s.els = []*el{f, button("Send", func() { s.page("Thank you") })}
	s.mask = func(v string) string { return strings.ReplaceAll(v, "5", "5 ") }
	if got, want := told(play(t, Heuristic{}, s, cua.Task{Goal: "Send it",
		Fields: fields("Phone", "555")}, 12)),
		"click Phone, type=555, click Send, extract, done"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnreachablePageIsReloadedThenGivenUp(t *testing.T) {
	s := &sim{url: "http://h/x", navError: "net::ERR_CONNECTION_REFUSED"}
	steps := play(t, Heuristic{}, s, cua.Task{Goal: "Press Save"}, 12)
	if got, want := told(steps), "reload ×2, done failed"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnswerHoldsTheOutputFields(t *testing.T) {
	s := &sim{url: "http://h/x"}
	s.els = []*el{button("Order", func() { s.page("Thank you\nOrder number: 4711\nTotal: 12.00") })}
	steps := play(t, Heuristic{}, s, cua.Task{Goal: "Press Order",
		OutputFields: []string{"order number"}}, 12)
	if last := steps[len(steps)-1].Proposed; !last.Success || !strings.Contains(last.Text,
		"\nOrder number: 4711") {
		t.Errorf("answer %q after %s", last.Text, told(steps))
	}
}

// TestComboboxOffer: what a combobox offers for the typed text is pressed.
func TestComboboxOffer(t *testing.T) {
	f := text("City", 100)
	f.Role, f.Empty, f.ValueDigest = "combobox", false, cua.Digest("Paris")
	o := cua.Observation{Fields: []cua.Field{f}, Focus: &f, Marks: []cua.Mark{{N: 1, ID: "o", Role: "option",
		Name: "Paris", Box: cua.Box{X: 100, Y: 140, W: 100, H: 30}}}}
	turn := after(now("Fill in", cua.Observation{Fields: []cua.Field{text("City", 100)}}, "City", "Paris"),
		cua.Action{Kind: cua.Type, Text: "Paris"}, cua.Target{}, o,
		&cua.Effect{Progress: []cua.Change{cua.ChangeForm}})
	if d := decide(t, turn); d.Action.Kind != cua.Click || d.Action.Point.Y != 155 {
		t.Errorf("got %+v", d)
	}
}

// TestRadioByItsValue: one control of a group is named by its value.
func TestRadioByItsValue(t *testing.T) {
	radio := func(label string, y float64) cua.Field {
		return cua.Field{ID: label, Label: label, Role: "radio", Type: "radio",
			Box: cua.Box{X: 100, Y: y, W: 20, H: 20}}
	}
	turn := now("Fill in", cua.Observation{Fields: []cua.Field{radio("Standard", 100),
		radio("Express", 140)}}, "Delivery", "Express")
	if d := decide(t, turn); d.Action.Kind != cua.Click || d.Action.Point == nil || d.Action.Point.Y != 150 {
		t.Errorf("got %+v", d)
	}
}
