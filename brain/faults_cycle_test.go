package brain

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// spell is an action in one line.
func spell(a cua.Action, p, q *cua.Point) string {
	out, _ := json.Marshal(a)
	for _, x := range []*cua.Point{p, q} {
		if x != nil {
			out = fmt.Appendf(out, " at %.1f,%.1f", x.X, x.Y)
		}
	}
	return string(out)
}

func TestPageCycler(t *testing.T) {
	form := cua.Observation{URL: "http://h/form", Tabs: 1}
	front := cua.Observation{URL: "http://h/", Tabs: 1}
	leave := cua.Action{Kind: cua.Navigate, URL: "http://h/"}
	back := cua.Action{Kind: cua.Back}
	next := click(150, 115)
	link := func(name string) cua.Mark {
		return cua.Mark{N: 1, ID: name, Role: "link", Name: name, Box: cua.Box{X: 100, Y: 100, W: 100, H: 30}}
	}
	linked := cua.Observation{URL: "http://h/", Marks: []cua.Mark{link("Help")}}
	risky := cua.Observation{URL: "http://h/", Marks: []cua.Mark{link("Delete")}}
	gone := did(form, leave, cua.Target{}, front, nil)
	again := after(gone, back, cua.Target{}, front, &cua.Effect{})
	opened := front
	opened.Tabs = 2
	asked := front
	asked.Dialog = &cua.Dialog{Type: "alert"}
	home := after(gone, back, cua.Target{}, form, &cua.Effect{Progress: []cua.Change{cua.ChangeURL}})
	refused := func(s *cua.Step) { s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailPolicy} }
	lost := after(after(again, back, cua.Target{}, front, &cua.Effect{}), back, cua.Target{}, front,
		&cua.Effect{})
	heeded := did(form, next, cua.Target{}, form, func(s *cua.Step) { s.Notes = nudged })
	backNudged := after(gone, back, cua.Target{}, form, &cua.Effect{Progress: []cua.Change{cua.ChangeURL}})
	backNudged.History.Steps[1].Notes = nudged
	behind := did(form, next, cua.Target{}, front, nil) // the front page has no other way out than back
	checkRows(t, "page_cycler=1", []faultRow{
		{"the front page, where nothing else leads away", now("x", form), next, leave},
		{"by a link", now("x", linked), cua.Action{Kind: cua.Key, Keys: "Tab"}, next},
		{"by a link whatever it says", now("x", risky), cua.Action{Kind: cua.Key, Keys: "Tab"}, next},
		{"not by one that leads nowhere", did(linked, next, cua.Target{ID: "Help"}, linked, nil),
			cua.Action{Kind: cua.Key, Keys: "Tab"}, cua.Action{}},
		{"back to what lies behind", behind, next, back},
		{"and comes back", gone, next, back},
		{"by closing the tab that it opened", did(form, leave, cua.Target{}, opened, nil), next,
			cua.Action{Kind: cua.CloseTab}},
		{"after an answer to a dialog", did(form, leave, cua.Target{}, asked, nil), cua.Action{Kind: cua.AnswerDlg},
			cua.Action{}},
		{"by the address where back does not do", again, next, cua.Action{Kind: cua.Navigate,
			URL: "http://h/form"}},
		{"also where the brain has nothing to say", gone, cua.Action{Kind: cua.Done, Text: "lost"}, back},
		{"and leaves again", home, next, leave},
		{"a way back that is not found is not sought for ever", lost, cua.Action{Kind: cua.Wait, MS: 5},
			cua.Action{}},
		{"a page on which a nudge was heeded is not left", heeded, next, cua.Action{}},
		{"nor one to which a nudge brought it back", backNudged, next, cua.Action{}},
		{"nor one that a gate kept it on", did(form, leave, cua.Target{}, form, refused), next, cua.Action{}},
		{"a done is no work to be left", now("x", form), cua.Action{Kind: cua.Done, Success: true, Text: "done"},
			cua.Action{}},
		{"nor is a look", now("x", form), cua.Action{Kind: cua.Extract}, cua.Action{}},
		{"a page without a way out", now("x", front), next, cua.Action{}},
	})
}

// TestPageCyclerGoesBackAndForth: the way back to a page that was left by going back is forward.
func TestPageCyclerGoesBackAndForth(t *testing.T) {
	list, item := cua.Observation{URL: "http://h/"}, cua.Observation{URL: "http://h/item"}
	for seed := range int64(100) {
		turn := did(list, click(1, 1), cua.Target{}, item, nil)
		f := faulty(t, always{cua.Decision{Action: click(2, 2)}}, seed, "page_cycler=1")
		d, _ := f.Decide(context.Background(), turn)
		if d.Action.Kind != cua.Back {
			continue
		}
		turn = after(turn, d.Action, cua.Target{}, list, &cua.Effect{Progress: []cua.Change{cua.ChangeURL}})
		if d, _ = f.Decide(context.Background(), turn); d.Action.Kind != cua.Forward {
			t.Errorf("seed %d: %s", seed, shown(d.Action))
		}
		return
	}
	t.Error("no seed goes back")
}

// alone are the faults that spoil a login by themselves, each in the steps that it makes at rate 1.
var alone = []struct{ spec, want string }{
	{"click_fixation=1", "click Username ×24"},
	{"return_submitter=1", "click Username, type=alice, key ×22"},
	{"toggler=1", "click Username, " + strings.Repeat("type=alice, type=, ", 11) + "type=alice"},
	{"page_cycler=1", strings.Repeat("navigate, back, ", 11) + "navigate, back"},
	{"early_done=1", "click Username, done"},
	{"repeat_last=1", "click Username ×24"},
	{"malformed=1", " ×24"},
}

func TestFaultsLoop(t *testing.T) {
	for _, tt := range alone {
		t.Run(tt.spec, func(t *testing.T) {
			s, task := login()
			if got := told(play(t, faulty(t, Heuristic{}, 2, tt.spec), s, task, 24)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if s.url == "http://h/home" {
				t.Error("it got in all the same")
			}
		})
	}
}

// TestFaultsAreOvercome: a fault is not so strong that nothing helps. Nudges that are followed, or a done
// that is refused, bring every brain through a login.
func TestFaultsAreOvercome(t *testing.T) {
	specs := []string{"off_target=1", "jitter=1@60"}
	for _, tt := range alone {
		specs = append(specs, tt.spec)
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			s, task := login()
			advise := func(h cua.History) []cua.Note { return nudged[:len(h.Steps)%4/3] }
			refuse := func() cua.DoneCode {
				if s.url != "http://h/home" {
					return cua.PendingFormValues
				}
				return ""
			}
			b := faulty(t, Heuristic{}, 2, spec, "nudge_obedience=1")
			h := playWith(t, b, s, task, 60, around{advise: advise, refuse: refuse})
			if s.url != "http://h/home" {
				t.Errorf("still outside after %s", told(h.Steps))
			}
		})
	}
}

// TestFaultyResumes: a brain that is asked again after any step, with the history as a journal keeps
// it, decides as it did.
func TestFaultyResumes(t *testing.T) {
	for _, f := range FaultList() {
		if f.Same != "" || len(f.Values) > 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			s, task := signup()
			b := faulty(t, Heuristic{}, 5, f.Name+"=0.4", "nudge_obedience=0.5")
			h := playWith(t, b, s, task, 40,
				around{advise: func(h cua.History) []cua.Note { return nudged[:len(h.Steps)%2] }})
			for k := range h.Steps {
				raw, err := json.Marshal(h.Steps[:k])
				if err != nil {
					t.Fatal(err)
				}
				kept := cua.History{Start: h.Start}
				if err := json.Unmarshal(raw, &kept.Steps); err != nil {
					t.Fatal(err)
				}
				d, err := b.Decide(context.Background(), &cua.Turn{Task: task, History: kept, Now: kept.Now(),
					Number: k + 1, Decision: k + 1, Notes: h.Steps[k].Notes})
				if err != nil || !reflect.DeepEqual(d.Action, h.Steps[k].Proposed) {
					t.Errorf("step %d: %s, %v; was %s", k+1, shown(d.Action), err, shown(h.Steps[k].Proposed))
				}
			}
		})
	}
}

// anyTurn is a turn on a page of a few elements, some steps in.
func anyTurn(t *rapid.T) (*cua.Turn, cua.Action) {
	id := rapid.SampledFrom([]string{"Next", "Previous", "Name", "I agree", "Send", "Menu", ""})
	role := rapid.SampledFrom([]string{"button", "link", "textbox", "checkbox"})
	point := rapid.Custom(func(t *rapid.T) *cua.Point {
		return at(rapid.Float64Range(0, 1279).Draw(t, "x"), rapid.Float64Range(0, 799).Draw(t, "y"))
	})
	action := rapid.Custom(func(t *rapid.T) cua.Action {
		return rapid.SampledFrom([]cua.Action{{Kind: cua.Click, Point: point.Draw(t, "p")},
			{Kind: cua.Click, Mark: 1}, {Kind: cua.Type, Text: "x"}, {Kind: cua.Back},
			{Kind: cua.Drag, Point: point.Draw(t, "from"), To: point.Draw(t, "to")}, {Kind: cua.Key, Keys: "Tab"},
			{Kind: cua.Wait, MS: 9}, {Kind: cua.Extract},
			{Kind: cua.Done, Success: true, Text: "x"}, {Kind: cua.Navigate, URL: "http://h/"},
			{Kind: cua.Forward}}).Draw(t, "action")
	})
	observation := rapid.Custom(func(t *rapid.T) cua.Observation {
		o := cua.Observation{Viewport: view0,
			URL:  "http://h/" + rapid.SampledFrom([]string{"", "a", "b?p=1"}).Draw(t, "url"),
			Tabs: rapid.IntRange(0, 2).Draw(t, "tabs")}
		for i := range rapid.IntRange(0, 4).Draw(t, "marks") {
			p := point.Draw(t, "corner")
			box := cua.Box{X: p.X, Y: p.Y, W: rapid.Float64Range(0, 300).Draw(t, "w"),
				H: rapid.Float64Range(0, 60).Draw(t, "h")}
			name := id.Draw(t, "name")
			o.Marks = append(o.Marks, cua.Mark{N: i + 1, ID: name, Name: name,
				Role: role.Draw(t, "role"), Box: box})
			if rapid.Bool().Draw(t, "field") {
				o.Fields = append(o.Fields, cua.Field{ID: name, Tag: "input", Editable: true,
					Empty: rapid.Bool().Draw(t, "empty"), Box: box})
				o.Focus = &o.Fields[len(o.Fields)-1]
			}
		}
		return o
	})
	turn := &cua.Turn{History: cua.History{Start: observation.Draw(t, "start")}}
	for n := range rapid.IntRange(0, 6).Draw(t, "steps") {
		a := action.Draw(t, "did")
		s := cua.Step{N: n + 1, Proposed: a, Action: &a, Target: cua.Target{ID: id.Draw(t, "target"),
			Role: role.Draw(t, "of"), Name: id.Draw(t, "named")},
			Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}, After: observation.Draw(t, "after")}
		if rapid.Bool().Draw(t, "refused") {
			s.Action = nil
		}
		if rapid.Bool().Draw(t, "nudged") {
			s.Notes = nudged
		}
		turn.History.Steps = append(turn.History.Steps, s)
	}
	turn.Now, turn.Number = turn.History.Now(), len(turn.History.Steps)+1
	if rapid.Bool().Draw(t, "nudge") {
		turn.Notes = nudged
	}
	return turn, action.Draw(t, "said")
}

func rates(r float64, names ...string) []FaultRate {
	var out []FaultRate
	for _, n := range names {
		out = append(out, FaultRate{Name: n, Rate: r})
	}
	return out
}

// TestFaultyProperties: rate 0 changes nothing; a decision is a function of the turn and leaves it as
// it was; what is said can be done or is a failure; and one fault at most has struck.
func TestFaultyProperties(t *testing.T) {
	var names []string
	for _, f := range FaultList() {
		if f.Name != nudgeObedience && f.Same == "" && len(f.Values) == 0 {
			names = append(names, f.Name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		turn, said := anyTurn(t)
		seed := rapid.Int64Range(0, 50).Draw(t, "seed")
		decide := func(r []FaultRate) cua.Decision {
			f, err := WithFaults(always{cua.Decision{Action: said, By: "b"}}, Faults{Rates: r, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			d, err := f.Decide(context.Background(), turn)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		before, _ := json.Marshal(turn)
		if d := decide(rates(0, names...)); !reflect.DeepEqual(d, cua.Decision{Action: said, By: "b"}) {
			t.Fatalf("rate 0 made %s", shown(d.Action))
		}
		some := append(rates(rapid.SampledFrom([]float64{0.3, 1}).Draw(t, "rate"), names...),
			rates(0.5, nudgeObedience)...)
		d := decide(some)
		if again := decide(some); !reflect.DeepEqual(d, again) {
			t.Fatalf("first %s, then %s", shown(d.Action), shown(again.Action))
		}
		if now, _ := json.Marshal(turn); string(now) != string(before) {
			t.Fatal("the turn was changed")
		}
		if d.Failure == nil && d.Action.Validate(turn.Now.Viewport) != nil {
			t.Fatalf("%s cannot be done", shown(d.Action))
		}
		single := reflect.DeepEqual(d.Action, said) && d.Failure == nil
		for _, n := range names {
			rate := slices.IndexFunc(some, func(r FaultRate) bool { return r.Name == n })
			single = single || reflect.DeepEqual(d, decide(append(rates(0.5, nudgeObedience), some[rate])))
		}
		if !single {
			t.Fatalf("no fault alone makes %s of %s", shown(d.Action), shown(said))
		}
	})
}
