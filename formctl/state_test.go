package formctl

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func typing(text, into string) cua.Action { return cua.Action{Kind: cua.Type, Text: text, Into: into} }

// doing makes a the action of the last step of h.
func doing(h cua.History, a cua.Action) cua.History {
	s := &h.Steps[len(h.Steps)-1]
	s.Proposed, s.Action = a, &a
	return h
}

func TestLanded(t *testing.T) {
	name, city := in("a", "Name"), in("b", "City")
	generic := in("g", "Reference")
	elsewhere := cua.Observation{URL: "https://shop.example/thanks", Document: "d2"}
	answered := func(o cua.Observation, status int) cua.Observation {
		o.Writes = []cua.Write{{Method: "POST", URL: "https://shop.example/form", Status: status}}
		return o
	}
	reloaded := func(o cua.Observation) cua.Observation { o.Document = "d2"; return o }
	rewound := steps(page(name), page(holding(name, "Ada")), elsewhere)
	rewound.Steps[1].RewoundTo = 1
	for _, c := range []struct {
		name  string
		value string
		h     cua.History
		want  bool
		field string
	}{
		{"nothing typed yet", "Ada", steps(page(name, city)), false, "a"},
		{"the start page holds it", "Ada", steps(page(holding(name, "Ada"))), true, "a"},
		{"a step reads it back", "Ada", steps(page(name), page(holding(name, "Ada"))), true, "a"},
		{"one character is missing", "Ada", steps(page(name), page(holding(name, "Ad"))), false, "a"},
		{"it is in another field", "Ada", steps(page(name, city), page(name, holding(city, "Ada"))), false, "a"},
		{"the page was left", "Ada", steps(page(name), page(holding(name, "Ada")), elsewhere), true, ""},
		{"the field shows another value", "Ada", steps(page(name), page(holding(name, "Ada")), page(holding(name, "Bob"))), false, "a"},
		{"and the right one again", "Ada", steps(page(name), page(holding(name, "Ada")), page(holding(name, "Bob")), page(holding(name, "Ada"))), true, "a"},
		{"the field was emptied", "Ada", steps(page(name), page(holding(name, "Ada")), page(name)), false, "a"},
		{"a submission emptied it", "Ada", steps(page(name), page(holding(name, "Ada")), answered(page(name), 200)), true, "a"},
		{"and it stays empty", "Ada", steps(page(name, city), page(holding(name, "Ada"), city), answered(page(name, city), 200), page(name, holding(city, "x"))), true, "a"},
		{"it was sent, and the next entry is another one", "Ada", steps(page(name), page(holding(name, "Ada")), answered(page(name), 200), page(holding(name, "Bob"))), true, "a"},
		{"a submission that failed emptied it", "Ada", steps(page(name), page(holding(name, "Ada")), answered(page(name), 422)), false, "a"},
		{"a new document shows it empty", "Ada", steps(page(name), page(holding(name, "Ada")), reloaded(page(name))), true, "a"},
		{"a new document shows another value", "Ada", steps(page(name), page(holding(name, "Ada")), reloaded(page(holding(name, "Bob")))), false, "a"},
		{"a rewind undid it", "Ada", rewound, false, ""},
		{"typed into a field that no value matches", "Ada", doing(steps(page(generic), page(holding(generic, "Ada"))), typing("Ada", "g")), true, "g"},
		{"it came there in another way", "Ada", doing(steps(page(generic), page(holding(generic, "Ada"))), typing("Eve", "g")), false, ""},
		{"typed into an unmatched field beside the right one", "Ada", doing(steps(page(name, generic), page(name, holding(generic, "Ada"))), typing("Ada", "g")), false, "a"},
		{"a secret by its name", "<secret:N>", steps(page(name), page(with(name, func(f *cua.Field) { f.Secret = "N" }))), true, "a"},
		{"another secret", "<secret:N>", steps(page(name), page(with(name, func(f *cua.Field) { f.Secret = "M" }))), false, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := state(plan("Name", c.value), c.h).Values[0]
			if v.Landed != c.want || v.Field != c.field {
				t.Errorf("%+v, want landed %v in %q", v, c.want, c.field)
			}
		})
	}
	if v := state(plan("Day", "01/31/2026"), steps(page(typed(in("d", "Day"),
		"date")))).Values[0]; v.Text != "2026-01-31" || v.Value != "01/31/2026" {
		t.Errorf("the text is the value as its field wants it: %+v", v)
	}
	if state(cua.Task{}, steps(page(name))) != nil {
		t.Error("a task without values has no form state")
	}
}

func TestHolds(t *testing.T) {
	date := typed(in("a", "Day"), "date")
	box := typed(in("a", "News"), "checkbox")
	sel := with(typed(in("a", "Country"), "select"), func(f *cua.Field) {
		f.Selected,
			f.ValueDigest = "United States", cua.Digest("US")
	})
	checked := func(f cua.Field) cua.Field { f.Checked = true; return f }
	for _, c := range []struct {
		name  string
		f     cua.Field
		value string
		want  bool
	}{
		{"text", holding(in("a", "x"), "Ada"), "Ada", true},
		{"text with other case", holding(in("a", "x"), "ada"), "Ada", false},
		{"spaces around are typing", holding(in("a", "x"), "Ada"), " Ada ", true},
		{"an empty field", in("a", "x"), "Ada", false},
		{"a number is trimmed", holding(typed(in("a", "x"), "number"), "7"), " 7 ", true},
		{"a date in American writing", holding(date, "2026-01-31"), "01/31/2026", true},
		{"a date in words", holding(date, "2026-01-31"), "31 January 2026", true},
		{"another date", holding(date, "2026-01-30"), "01/31/2026", false},
		{"an option by its label", sel, "united  states", true},
		{"an option by its value", sel, "US", true},
		{"another option", sel, "Peru", false},
		{"ticked: yes", checked(box), "yes", true},
		{"ticked: on", checked(box), "ON", true},
		{"ticked: false", checked(box), "false", false},
		{"not ticked: no", box, "no", true},
		{"not ticked: true", box, "true", false},
		{"a box of its own name", checked(box), "News", true},
		{"a radio button that is chosen", checked(radio("a", "Large", "size")), "large", true},
		{"a radio button that is not", radio("a", "Large", "size"), "large", false},
		{"the other radio button", checked(radio("a", "Small", "size")), "large", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shows(c.f, c.value); got != c.want {
				t.Errorf("holds %q: %v", c.value, got)
			}
		})
	}
}

func TestParseDate(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-31": "2026-01-31", "2026/1/31": "2026-01-31", "01/31/2026": "2026-01-31", "1-2-2026": "2026-01-02", "31/01/2026": "2026-01-31",
		"31.01.2026": "2026-01-31", "1.2.2026": "2026-02-01", "January 31, 2026": "2026-01-31", "31 Jan 2026": "2026-01-31", "Sept 3rd 2026": "2026-09-03",
		"29 Feb 2024": "2024-02-29", "29 Feb 2026": "", "2026-02-30": "", "13/13/2026": "", "01/31/26": "", "2026-01": "", "soon": "", "": "", "31 Foo 2026": "",
		"0000-01-01": "", "May 5 2026": "2026-05-05",
	} {
		got, ok := parseDate(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", in, got, ok, want)
		}
	}
}

// TestStatePropertyHeldIsNeverPending: a value that the page shows in its field is never
// pending, so no gate can propose it again.
func TestStatePropertyHeldIsNeverPending(t *testing.T) {
	labels, values := []string{"Name", "City", "Email"}, []string{"", "Ada", "Bob"}
	rapid.Check(t, func(t *rapid.T) {
		task := plan("Name", "Ada", "City", "Bob")
		var obs []cua.Observation
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			var fields []cua.Field
			for i, l := range labels {
				if rapid.Bool().Draw(t, "shown") {
					fields = append(fields, holding(in(string(rune('a'+i)), l),
						rapid.SampledFrom(values).Draw(t, "value")))
				}
			}
			obs = append(obs, page(fields...))
		}
		tn := turn(task, steps(obs...))
		for _, v := range tn.Form.Values {
			f := tn.Now.FieldByID(v.Field)
			if f == nil {
				continue
			}
			if shows(*f, v.Value) && !v.Landed {
				t.Fatalf("%+v is held and pending", v)
			}
			p := cua.Proposal{Action: cua.Action{Kind: cua.Click},
				Target: cua.Target{ID: f.ID, Field: f.ID, Editable: true}}
			r := review(t, ForceFill{DefaultConfig()}, tn, p)
			if r.Verdict == cua.Replace && (v.Landed || f.ValueDigest == cua.Digest(r.Action.Text)) {
				t.Fatalf("typed again: %+v", r)
			}
		}
		if again := state(task, tn.History); !slices.Equal(again.Values, tn.Form.Values) {
			t.Fatal("the state is no function of the history")
		}
	})
}
