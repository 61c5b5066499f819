package formctl

import (
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestRespelt: a planned day or time that is typed into a native control as the plan writes it goes in as the control takes it.
func TestRespelt(t *testing.T) {
	task := plan("Date", "04/15/2018", "Start time", "8:35 PM", "City", "Oslo")
	day, clock, city := typed(in("d", "Date"), "date"), typed(in("t", "Start time"), "time"), in("c", "City")
	words := in("d", "Date") // a text field of that label
	focused := func(f cua.Field) cua.History {
		o := page(day, clock, city)
		if f.Type == "text" && f.ID == "d" {
			o = page(words, clock, city)
		}
		o.Focus = &f
		return steps(o)
	}
	types := func(text string) cua.Proposal {
		return cua.Proposal{Action: cua.Action{Kind: cua.Type, Text: text}}
	}
	into := types("04/15/2018")
	into.Action.Into, into.Target = "d", cua.Target{ID: "d", Editable: true}
	directed := types("04/15/2018")
	directed.By = cua.DirectorPrefix + "x"
	landed := holding(day, "2018-04-15")
	for _, c := range []struct {
		name string
		h    cua.History
		p    cua.Proposal
		want *cua.Action
	}{
		{"a day", focused(day), types("04/15/2018"), &cua.Action{Kind: cua.Type, Into: "d", Text: "2018-04-15", Clear: true}},
		{"into a field that is named", focused(city), into, &cua.Action{Kind: cua.Type, Into: "d", Text: "2018-04-15", Clear: true}},
		{"a time", focused(clock), types(" 8:35 PM"), &cua.Action{Kind: cua.Type, Into: "t", Text: "20:35", Clear: true}},
		{"as the control takes it already", focused(day), types("2018-04-15"), nil},
		{"another day is the brain's own", focused(day), types("04/16/2018"), nil},
		{"a text field may want it so", focused(words), types("04/15/2018"), nil},
		{"a text", focused(city), types("Oslo"), nil},
		{"a director knows", focused(day), directed, nil},
		{"nothing is focused", steps(page(day)), types("04/15/2018"), nil},
		{"once it has landed it is no longer pending", func() cua.History {
			o := page(landed, clock, city)
			o.Focus = &landed
			return steps(page(day, clock, city), o)
		}(), types("05/15/2018"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(task, c.h), c.p)
			if c.want == nil && r.Verdict != cua.Pass || c.want != nil && (r.Verdict != cua.Replace || !reflect.DeepEqual(r.Action, c.want)) {
				t.Errorf("%s %+v (%s), want %+v", r.Verdict, r.Action, r.Detail, c.want)
			}
		})
	}
}
