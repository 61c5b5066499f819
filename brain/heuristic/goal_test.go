package heuristic

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func fields(pairs ...string) []cua.PlanValue {
	var out []cua.PlanValue
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, cua.PlanValue{Label: pairs[i], Value: pairs[i+1]})
	}
	return out
}

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
		{"a deed in the words of buttons", "Log in", []aim{{kind: aimPress, on: "Log in", times: 1, soft: true}}, nil},
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

// TestReadGoalOfForms: lists, ordinals and letters.
func TestReadGoalOfForms(t *testing.T) {
	choosing := func(text string, soft bool) aim { return aim{kind: aimChoose, text: text, soft: soft} }
	submit := aim{kind: aimPress, on: "Submit", times: 1}
	for _, tt := range []struct {
		name, goal string
		aims       []aim
		values     []cua.PlanValue
	}{
		{"several to choose", "Select iCWsn, 1dy5xN and click Submit.", []aim{choosing("iCWsn", false), choosing("1dy5xN", true), submit}, nil},
		{"several to tick", "Tick Milk, Brown bread and Eggs.", []aim{{kind: aimTick, on: "Milk"}, {kind: aimTick, on: "Brown bread", soft: true}, {kind: aimTick, on: "Eggs", soft: true}}, nil},
		{"a clause of its own is none of them", `Choose Oslo, then press "Submit".`, []aim{choosing("Oslo", false), submit}, nil},
		{"a sentence is none of them", "Choose Oslo, since that is where it all began.", []aim{choosing("Oslo", false)}, nil},
		{"an option of a named list continues with nothing", "Choose Oslo from City, Bergen.", []aim{{kind: aimChoose, text: "Oslo", on: "City"}}, nil},
		{"a list without a name", "Select Aube from the list and click Submit.", []aim{choosing("Aube", false), submit}, nil},
		{"a drop-down list", `Choose 6ft 1in from the drop-down list.`, []aim{choosing("6ft 1in", false)}, nil},
		{"a list with a name", "Choose Large from the size list.", []aim{{kind: aimChoose, text: "Large", on: "size list"}}, nil},
		{"a box by its place", "Check the 2nd radio button.", []aim{{kind: aimTick, on: "2nd radio button"}}, nil},
		{"a field by its place", `Enter the number "22" into the 3rd textbox.`, nil, fields("3rd textbox", "22")},
		{"small letters", `Type "KANESHA" in all lower case letters in the text input and press Submit.`, []aim{submit}, fields("text", "kanesha")},
		{"capitals", `Enter "oslo" in upper-case into the city field.`, nil, fields("city", "OSLO")},
		{"letters of something else", `Type "a" in the letters box.`, nil, fields("letters", "a")},
	} {
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

func TestPutAsTheControlTakesIt(t *testing.T) {
	for _, tt := range []struct{ name, typ, value, want string }{
		{"the month first", "date", "04/15/2018", "2018-04-15"},
		{"the day first where it must be", "date", "15/04/2018", "2018-04-15"},
		{"with dots the day first", "date", "5.4.2018", "2018-04-05"},
		{"in words", "date", "March 3rd, 2026", "2026-03-03"},
		{"as it is taken already", "date", "2018-04-15", "2018-04-15"},
		{"a day without a year", "date", "3 March", "3 March"},
		{"no day", "date", "40/40/2018", "40/40/2018"},
		{"a month", "month", "04/15/2018", "2018-04"},
		{"the afternoon", "time", "8:35 PM", "20:35"},
		{"midnight", "time", "12:05 a.m.", "00:05"},
		{"noon", "time", "12 pm", "12:00"},
		{"no time", "time", "25:00", "25:00"},
		{"a number is no time", "time", "8", "8"},
		{"a text field takes any spelling", "text", "04/15/2018", "04/15/2018"},
		{"a secret has its name", "date", "<secret:DOB>", "<secret:DOB>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := put(cua.Field{Type: tt.typ}, tt.value); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
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
