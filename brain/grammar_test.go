package brain

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

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
		{"an option of a named list goes on with nothing", "Choose Oslo from City, Bergen.", []aim{{kind: aimChoose, text: "Oslo", on: "City"}}, nil},
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

// native controls: the sim of the browser keeps what it is given, so what is typed is what such a control takes.
func formsByWords() []simCase {
	page := func(goal string, els ...*el) func() (*sim, cua.Task) {
		return func() (*sim, cua.Task) {
			s := &sim{url: "http://h/f"}
			for _, e := range els {
				c := *e
				s.els = append(s.els, &c)
			}
			s.els = append(s.els, button("Submit", func() { s.page("Thank you") }))
			return s, cua.Task{Goal: goal}
		}
	}
	list := field("", "select")
	list.options = []string{"Kay", "Aube"}
	under := field("", "select")
	under.options, under.covered = list.options, true
	return []simCase{
		{"a day in a date control", page("Enter 04/15/2018 as the date and hit submit.", field("", "date")), "click, type=2018-04-15, click Submit, extract, done"},
		{"a list that has no name", page("Select Aube from the list and click Submit.", list), "select=Aube, click Submit, extract, done"},
		{"a list that another is drawn over", page("Select Aube from the list and click Submit.", under), "select=Aube, click Submit, extract, done"},
		{"several boxes", page("Select Milk, Eggs and click Submit.", field("Milk", "checkbox"), field("Bread", "checkbox"), field("Eggs", "checkbox")),
			"click Milk, click Eggs, click Submit, extract, done"},
		{"what a list of names has too much", page("Select Milk, if you like and click Submit.", field("Milk", "checkbox")), "click Milk, click Submit, extract, done"},
		{"fields by their places", page(`Check the 2nd check box and enter the number "22" into the 2nd textbox.`, field("a", "checkbox"), field("b", "checkbox"), field("c", "text"), field("d", "text")),
			"click d, type=22, click b, click Submit, extract, done"},
	}
}

func TestHeuristicReadsForms(t *testing.T) {
	for _, c := range formsByWords() {
		t.Run(c.name, func(t *testing.T) {
			s, task := c.make()
			if got := told(play(t, Heuristic{}, s, task, 30)); got != c.want {
				t.Errorf("goal %q\n got %s\nwant %s", task.Goal, got, c.want)
			}
		})
	}
}

// TestHeuristicDeclinesWhatComesUp: a question that comes up over the form is declined, and agreed to never.
func TestHeuristicDeclinesWhatComesUp(t *testing.T) {
	for _, tt := range []struct{ name, yes, no, want string }{
		{"a question", "OK", "Cancel", "Cancel"},
		{"an offer", "Subscribe", "No thanks", "No thanks"},
		{"a notice", "Got it", "", "Got it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, task := login()
			form, up := s.els, false
			form[1].press = func() {
				if up {
					return
				}
				up, s.focus = true, nil
				cover := func(on bool) {
					for _, e := range form {
						e.covered, e.disabled = on, on
					}
				}
				down := func() { s.els = form; cover(false) }
				cover(true)
				s.els = form[:len(form):len(form)]
				if tt.no == "" {
					s.els = append(s.els, button(tt.yes, down))
					return
				}
				s.els = append(s.els, button(tt.yes, func() { s.page("Left") }), button(tt.no, down))
			}
			got := told(play(t, Heuristic{}, s, task, 30))
			if want := "click Username, type=alice, click Password, click " + tt.want + ", click Password, type=<secret:PW>, click Sign in, extract, done"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// TestHeuristicPressesTheOnlyButton: a form without a telling button is sent by the one there is; of two neither is.
func TestHeuristicPressesTheOnlyButton(t *testing.T) {
	o := func(names ...string) *cua.Turn {
		f := text("Name", 100)
		f.Empty, f.ValueDigest = false, cua.Digest("Ada")
		page := cua.Observation{Fields: []cua.Field{f}}
		for i, n := range names {
			page.Marks = append(page.Marks, mark(i+1, n, float64(200+40*i)))
		}
		turn := after(now("Fill it in", cua.Observation{Fields: []cua.Field{text("Name", 100)}, Marks: page.Marks}, "Name", "Ada"),
			cua.Action{Kind: cua.Type, Text: "Ada"}, cua.Target{Field: "Name"}, page, &cua.Effect{Progress: []cua.Change{cua.ChangeForm}})
		return turn
	}
	for _, tt := range []struct {
		name    string
		buttons []string
		y       float64 // 0: none is pressed
	}{
		{"the only one", []string{"Weiter"}, 215},
		{"the only one beside one that cancels", []string{"Cancel", "Weiter"}, 255},
		{"none of two", []string{"Weiter", "Hinweise"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := decide(t, o(tt.buttons...))
			if pressed := d.Action.Kind == cua.Click; pressed != (tt.y > 0) || pressed && d.Action.Point.Y != tt.y {
				t.Errorf("got %+v at %v", d.Action, d.Action.Point)
			}
		})
	}
}
