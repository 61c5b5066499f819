package brain

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestReadGoal: what the goal's words are taken to ask for.
func TestReadGoal(t *testing.T) {
	pressing := func(on string, times int, until string) aim {
		return aim{kind: aimPress, on: on, times: times, until: until}
	}
	tests := []struct {
		name, goal string
		aims       []aim
		values     []cua.PlanValue
	}{
		{"a quoted name", `Press "Sign in".`, []aim{pressing("Sign in", 1, "")}, nil},
		{"bare words", "click the Next button", []aim{pressing("the Next button", 1, "")}, nil},
		{"a count in words", `Press "Count" five times`, []aim{pressing("Count", 5, "")}, nil},
		{"a count in figures", `Click Next 12 times.`, []aim{pressing("Next", 12, "")}, nil},
		{"several quoted names", `Press "A", "B" and "C".`, []aim{pressing("A", 1, ""), pressing("B", 1, ""), pressing("C", 1, "")}, nil},
		{"a condition, and what comes then", `Press "Next month" until the page says "May 2026", then press "5", then press "Book".`,
			[]aim{pressing("Next month", 1, "May 2026"), pressing("5", 1, ""), pressing("Book", 1, "")}, nil},
		{"no clause ends inside quotes", `Press "Save, and then close".`, []aim{pressing("Save, and then close", 1, "")}, nil},
		{"the last page", "Go to the last page.", []aim{{kind: aimPage, number: lastPage}}, nil},
		{"a page by its number", "Open page 7 with Next", []aim{{kind: aimPage, number: 7}}, nil},
		{"a quantity", `Set the quantity to 10 with the "+" button`, []aim{{kind: aimStep, on: "quantity", number: 10}}, nil},
		{"a box to tick", `tick "I accept the terms"`, []aim{{kind: aimTick, on: "I accept the terms"}}, nil},
		{"an option to choose", `choose "Large" from Size`, []aim{{kind: aimChoose, text: "Large", on: "Size"}}, nil},
		{"a date", "Book for 15 March 2026", []aim{{kind: aimDate, day: day{2026, 3, 15}}}, nil},
		{"the end of the page", "Scroll down to the bottom", []aim{{kind: aimBottom}}, nil},
		{"a value for a field", `Type "red shoes" into the search box and press Go`, []aim{pressing("Go", 1, "")}, fields("search", "red shoes")},
		{"a name and a password", "Log in as alice / s3cret", []aim{{kind: aimPress, on: "Log in as alice / s3cret", times: 1, soft: true}},
			fields("Username", "alice", "Password", "s3cret")},
		{"a deed that a press says again", `Sign in to the library: press "Sign in".`, []aim{pressing("Sign in", 1, "")}, nil},
		{"nothing that it understands", "How is the weather?", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			aims, values := readGoal(tt.goal)
			if !reflect.DeepEqual(aims, tt.aims) || !reflect.DeepEqual(values, tt.values) {
				t.Errorf("%q\n got %+v %+v\nwant %+v %+v", tt.goal, aims, values, tt.aims, tt.values)
			}
		})
	}
}

// FuzzReadGoal: no goal, however odd, makes the reader panic or ask for endless counts.
func FuzzReadGoal(f *testing.F) {
	for _, g := range []string{`Press "A" five times`, "set x to 10", "\x00\x001\x00", `press "“„"`, "May 32 2026", "Type '' into '"} {
		f.Add(g)
	}
	f.Fuzz(func(t *testing.T, goal string) {
		aims, _ := readGoal(goal)
		for _, a := range aims {
			if a.times > maxCount || a.kind == aimDate && (a.day.month < 1 || a.day.month > 12) {
				t.Errorf("%+v", a)
			}
		}
		expectation(goal)
	})
}

func TestSucceededAndBusy(t *testing.T) {
	tests := []struct {
		text          string
		success, busy bool
	}{
		{"Thank you, Ada.", true, false},
		{"Your settings were saved", true, false},
		{"These settings have not been saved yet.", false, false},
		{"Nothing was submitted: 2 errors", false, false},
		{"The savedata folder", false, false},
		{"Saving…", false, true},
		{"Please wait", false, true},
		{"Saving takes a while on slow lines, so we ask you for some patience with it.", false, false},
		{"Price list", false, false},
	}
	for _, tt := range tests {
		if got := succeeded(tt.text); got != tt.success {
			t.Errorf("%q says success: %v", tt.text, got)
		}
		if got := busyText(tt.text); got != tt.busy {
			t.Errorf("%q says at work: %v", tt.text, got)
		}
	}
}

// TestMaskedFieldIsLeftAlone: a page that keeps a typed value in its own form is not corrected for ever.
func TestMaskedFieldIsLeftAlone(t *testing.T) {
	s := &sim{url: "http://h/x"}
	f := field("Phone", "text")
	s.els = []*el{f, button("Send", func() { s.page("Thank you") })}
	s.mask = func(v string) string { return strings.ReplaceAll(v, "5", "5 ") }
	if got, want := told(play(t, Heuristic{}, s, cua.Task{Goal: "Send it", Fields: fields("Phone", "555")}, 12)),
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
	steps := play(t, Heuristic{}, s, cua.Task{Goal: "Press Order", OutputFields: []string{"order number"}}, 12)
	if last := steps[len(steps)-1].Proposed; !last.Success || !strings.Contains(last.Text, "\nOrder number: 4711") {
		t.Errorf("answer %q after %s", last.Text, told(steps))
	}
}

// TestComboboxOffer: what a combobox offers for the typed text is pressed.
func TestComboboxOffer(t *testing.T) {
	f := text("City", 100)
	f.Role, f.Empty, f.ValueDigest = "combobox", false, cua.Digest("Paris")
	o := cua.Observation{Fields: []cua.Field{f}, Focus: &f, Marks: []cua.Mark{{N: 1, ID: "o", Role: "option", Name: "Paris", Box: cua.Box{X: 100, Y: 140, W: 100, H: 30}}}}
	turn := after(now("Fill in", cua.Observation{Fields: []cua.Field{text("City", 100)}}, "City", "Paris"),
		cua.Action{Kind: cua.Type, Text: "Paris"}, cua.Target{}, o, &cua.Effect{Progress: []cua.Change{cua.ChangeForm}})
	if d := decide(t, turn); d.Action.Kind != cua.Click || d.Action.Point.Y != 155 {
		t.Errorf("got %+v", d)
	}
}

// TestRadioByItsValue: one control of a group is named by its value.
func TestRadioByItsValue(t *testing.T) {
	radio := func(label string, y float64) cua.Field {
		return cua.Field{ID: label, Label: label, Role: "radio", Type: "radio", Box: cua.Box{X: 100, Y: y, W: 20, H: 20}}
	}
	turn := now("Fill in", cua.Observation{Fields: []cua.Field{radio("Standard", 100), radio("Express", 140)}}, "Delivery", "Express")
	if d := decide(t, turn); d.Action.Kind != cua.Click || d.Action.Point == nil || d.Action.Point.Y != 150 {
		t.Errorf("got %+v", d)
	}
}
