package brain

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// wordsPage has a form with a field, its submit control, and something else.
func wordsPage() *cua.Turn {
	email := text("E-mail", 100)
	return now("x", cua.Observation{Focus: &email, Fields: []cua.Field{email},
		Marks: []cua.Mark{mark(1, "Save", 200), mark(2, "Delete account", 300), mark(3, "", 400)}})
}

// wordsRow is what a brain decides and thinks, and what it says with those faults and words.
type wordsRow struct {
	name, specs string
	thought     string
	said        cua.Action
	want        string
}

// anotherName stands for the words about one of the other named controls.
const anotherName = "My target is OTHER."

func checkWords(t *testing.T, rows []wordsRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			turn := wordsPage()
			if strings.Contains(row.specs, "nudge_obedience") {
				turn.Notes = nudged
			}
			said := always{cua.Decision{Action: row.said, Thought: row.thought}}
			d, err := faulty(t, said, 1, strings.Fields(row.specs)...).Decide(context.Background(), turn)
			if err != nil {
				t.Fatal(err)
			}
			if row.want == anotherName {
				named := strings.TrimSuffix(strings.TrimPrefix(d.Thought, "My target is "), ".")
				target, _ := trueTarget(turn.Now, row.said)
				if !slices.Contains([]string{"Save", "E-mail", "Delete account"}, named) ||
					named == target.name {
					t.Errorf("said %q", d.Thought)
				}
			} else if d.Thought != row.want {
				t.Errorf("said %q, want %q", d.Thought, row.want)
			}
			if kept := row.specs == "" || strings.Contains(row.specs, "kept"); !kept && d.Action.Why != "" {
				t.Errorf("the action says %q", d.Action.Why)
			}
		})
	}
}

func TestWords(t *testing.T) {
	save, nameless, wait := click(150, 215), click(150, 415), cua.Action{Kind: cua.Wait, MS: 9}
	byMark := cua.Action{Kind: cua.Click, Mark: 1, Why: "it is the button"}
	typed := cua.Action{Kind: cua.Type, Text: "a@b.test"}
	checkWords(t, []wordsRow{
		{"left alone where words are not given", "", "press Save", save, "press Save"},
		{"kept as they are where they name the target", "words=kept", "now press SAVE", save, "now press SAVE"},
		{"kept, and the target named", "words=kept", "go on", save, "go on\nMy target is Save."},
		{"kept where the action names it", "words=kept", "go on",
			cua.Action{Kind: cua.Click, Mark: 1, Why: "save"}, "go on"},
		{"kept for a brain that says nothing", "words=kept", "", typed, "My target is E-mail."},
		{"kept where the target has no name", "words=kept", "the cross", nameless, "the cross"},
		{"kept where there is no target", "words=kept", "wait", wait, "wait"},
		{"none", "words=none", "press Save", save, ""},
		{"none of a target by its mark", "words=none", "press Save", byMark, ""},
		{"none where there is no target", "words=none", "then Save", wait, ""},
		{"wrong", "words=wrong", "press Save", save, anotherName},
		{"wrong about a target without a name", "words=wrong", "the cross", nameless, anotherName},
		{"wrong where there is no target", "words=wrong", "wait", wait, ""},
		{"negated", "words=negated", "press Save", save, "I must not press Save."},
		{"negated of a target by its mark", "words=negated", "x", byMark, "I must not press Save."},
		{"negated of the focused field", "words=negated", "x", typed, "I must not press E-mail."},
		{"negated where the target has no name", "words=negated", "the cross", nameless, ""},
	})
}

// TestWordsOfSpoiledDecisions: the words are about what the wrapped brain decided, whatever came of it.
func TestWordsOfSpoiledDecisions(t *testing.T) {
	save, typed := click(150, 215), cua.Action{Kind: cua.Type, Text: "a@b.test"}
	byMark := cua.Action{Kind: cua.Click, Mark: 1, Why: "it is the button"}
	checkWords(t, []wordsRow{
		{"kept, and the true target named", "words=kept off_target=1", "go on", save, "go on\nMy target is Save."},
		{"none", "words=none off_target=1", "press Save", byMark, ""},
		{"wrong", "words=wrong off_target=1", "press Save", byMark, anotherName},
		{"negated", "words=negated click_fixation=1", "x", typed, "I must not press E-mail."},
		{"not free after a nudge", "words=none off_target=1 nudge_obedience=1", "press Save", save, ""},
		{"an answer that cannot be parsed says nothing", "words=negated malformed=1", "x", save, ""},
	})
}

// TestWrongWordsAreDrawn: the other control is drawn by seed and step, and every one comes up.
func TestWrongWordsAreDrawn(t *testing.T) {
	said := map[string]bool{}
	for seed := range int64(30) {
		f := faulty(t, always{cua.Decision{Action: click(150, 215)}}, seed, "words=wrong")
		d, _ := f.Decide(context.Background(), wordsPage())
		again, _ := f.Decide(context.Background(), wordsPage())
		if d.Thought != again.Thought {
			t.Errorf("seed %d says %q and then %q", seed, d.Thought, again.Thought)
		}
		said[d.Thought] = true
	}
	if !reflect.DeepEqual(said, map[string]bool{"My target is E-mail.": true,
		"My target is Delete account.": true}) {
		t.Errorf("said %v", said)
	}
	email := text("E-mail", 200)
	field := cua.Mark{N: 1, ID: "E-mail", Name: "Your address", Box: email.Box}
	typed := cua.Action{Kind: cua.Type, Text: "x"}
	for _, row := range []struct {
		name string
		page cua.Observation
		said cua.Action
	}{
		{"there is no other control", cua.Observation{Marks: []cua.Mark{mark(1, "Save", 200)}}, click(150, 215)},
		{"the other has the same name",
			cua.Observation{Marks: []cua.Mark{mark(1, "Save", 200), mark(2, "SAVE", 300)}}, click(150, 215)},
		{"the other is the focused field itself", cua.Observation{Focus: &email, Marks: []cua.Mark{field}}, typed},
	} {
		f := faulty(t, always{cua.Decision{Action: row.said, Thought: "go on"}}, 1, "words=wrong")
		if d, _ := f.Decide(context.Background(), now("x", row.page)); d.Thought != "" {
			t.Errorf("%s, and it says %q", row.name, d.Thought)
		}
	}
}

// TestWordsProperties: words change what is said and never what is done, and what is said depends on what
// the wrapped brain decided, not on whether a fault struck.
func TestWordsProperties(t *testing.T) {
	var names []string
	for _, f := range FaultList() {
		if f.Name != nudgeObedience && f.Same == "" && len(f.Values) == 0 && f.Name != "malformed" {
			names = append(names, f.Name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		turn, said := anyTurn(t)
		for i := range turn.History.Steps {
			turn.History.Steps[i].Proposed.Why = rapid.SampledFrom([]string{"", "why"}).Draw(t, "why")
		}
		f := Faults{Rates: rates(rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "rate"), names...),
			Seed: rapid.Int64Range(0, 50).Draw(t, "seed")}
		decide := func(f Faults) cua.Decision {
			b, err := WithFaults(always{cua.Decision{Action: said, Thought: "as planned"}}, f)
			if err != nil {
				t.Fatal(err)
			}
			d, err := b.Decide(context.Background(), turn)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		plain := decide(f)
		f.Words = rapid.SampledFrom(wordsValues()).Draw(t, "words")
		spoken := decide(f)
		honest := decide(Faults{Words: f.Words, Seed: f.Seed})
		if spoken.Thought != honest.Thought || spoken.Action.Why != honest.Action.Why {
			t.Fatalf("with faults it says %q, %q; without %q, %q", spoken.Thought, spoken.Action.Why,
				honest.Thought, honest.Action.Why)
		}
		plain.Thought, plain.Action.Why, spoken.Thought, spoken.Action.Why = "", "", "", ""
		if !reflect.DeepEqual(plain, spoken) {
			t.Fatalf("%s became %s by its words", shown(plain.Action), shown(spoken.Action))
		}
	})
}

// TestPageCyclerFindsItsWayWithWords: the leaving is known in the history whatever was said of it.
func TestPageCyclerFindsItsWayWithWords(t *testing.T) {
	form := cua.Observation{URL: "http://h/form", Tabs: 1}
	other := cua.Observation{URL: "http://h/other", Tabs: 1}
	next := click(150, 115)
	next.Why = "it is next"
	for _, words := range wordsValues() {
		for seed := range int64(10) { // some would leave the other page by its front page
			f := faulty(t, always{cua.Decision{Action: next}}, seed, "page_cycler=1", "words="+words)
			first, _ := f.Decide(context.Background(), now("x", form))
			second, _ := f.Decide(context.Background(), did(form, first.Action, cua.Target{}, other, nil))
			if first.Action.Kind != cua.Navigate || second.Action.Kind != cua.Back {
				t.Errorf("%s: %s, then %s", words, shown(first.Action), shown(second.Action))
			}
		}
	}
}

func TestParseWords(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a value", "words=none", ""},
		{"spaces", " words = kept ", ""},
		{"unknown", "words=loud", `brain: fault words: unknown value "loud"; known: kept, none, wrong, negated`},
		{"a rate", "words=1", `brain: fault words: unknown value "1"; known: kept, none, wrong, negated`},
		{"no value", "words", `brain: fault words: unknown value ""; known: kept, none, wrong, negated`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseFault(tt.in)
			if got := errText(err); got != tt.want {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			if again, _ := ParseFault(r.String()); err == nil && again != r {
				t.Errorf("%+v is written %s", r, r)
			}
		})
	}
	var f Faults
	for _, spec := range []string{"toggler=1", "words=wrong"} {
		r, err := ParseFault(spec)
		if err != nil {
			t.Fatal(err)
		}
		f.Add(r)
	}
	text, err := json.Marshal(f)
	if want := `{"rates":[{"name":"toggler","rate":1}],"words":"wrong","seed":0}`; err != nil ||
		string(text) != want {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	for _, bad := range []Faults{{Words: "loud"}, {Rates: []FaultRate{{Name: "words", Words: "none"}}}} {
		if _, err := WithFaults(Heuristic{}, bad); err == nil {
			t.Errorf("%+v was wrapped", bad)
		}
	}
	if (Faults{}).None() != true || (Faults{Words: "none"}).None() ||
		(Faults{Rates: rates(1, "jitter")}).None() {
		t.Error("what is no fault")
	}
}
