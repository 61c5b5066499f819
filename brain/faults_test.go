package brain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// always decides the same.
type always struct{ d cua.Decision }

func (a always) Decide(context.Context, *cua.Turn) (cua.Decision, error) { return a.d, nil }

func faulty(t *testing.T, b Brain, seed int64, specs ...string) *Faulty {
	t.Helper()
	f := Faults{Seed: seed}
	for _, s := range specs {
		r, err := ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		f.Add(r)
	}
	w, err := WithFaults(b, f)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var typeAda = always{cua.Decision{Action: cua.Action{Kind: cua.Type, Text: "Ada"}, Thought: "type",
	By: "heuristic"}}

// struck is the share of 4,000 steps in which the type became a click.
func struck(t *testing.T, f *Faulty, notes ...cua.Note) float64 {
	t.Helper()
	focus := text("Name", 100)
	n := 0
	for step := 1; step <= 4000; step++ {
		d, err := f.Decide(context.Background(), &cua.Turn{Number: step,
			Now: cua.Observation{Viewport: view0, Focus: &focus}, Notes: notes})
		if err != nil {
			t.Fatal(err)
		}
		if d.Action.Kind == cua.Click {
			n++
		}
	}
	return float64(n) / 4000
}

func TestFaultRates(t *testing.T) {
	nudge := cua.Note{From: "nudge", Level: 1}
	tests := []struct {
		name  string
		specs []string
		notes []cua.Note
		want  float64
	}{
		{"never", []string{"click_fixation=0"}, nil, 0},
		{"always", []string{"click_fixation=1"}, nil, 1},
		{"three in ten", []string{"click_fixation=0.3"}, nil, 0.3},
		{"the last rate of a name counts", []string{"click_fixation=1", "click_fixation=0"}, nil, 0},
		{"a nudge is not heeded unless said", []string{"click_fixation=1"}, []cua.Note{nudge}, 1},
		{"a nudge is heeded seven times in ten", []string{"click_fixation=1", "nudge_obedience=0.7"},
			[]cua.Note{nudge}, 0.3},
		{"both draw for themselves", []string{"click_fixation=0.5", "nudge_obedience=0.5"}, []cua.Note{nudge},
			0.25},
		{"who is stubborn heeds none", []string{"click_fixation=1", "nudge_obedience=1", "stubborn"},
			[]cua.Note{nudge}, 1},
		{"another note is no nudge", []string{"click_fixation=1", "nudge_obedience=1"},
			[]cua.Note{{From: "done_gate"}}, 1},
		{"no nudge, no obedience", []string{"click_fixation=1", "nudge_obedience=1"}, nil, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// 0.03 is about four standard deviations of 4,000 draws.
			if got := struck(t, faulty(t, typeAda, 7, tt.specs...),
				tt.notes...); math.Abs(got-tt.want) > 0.03 ||
				tt.want == math.Trunc(tt.want) && got != tt.want {
				t.Errorf("struck in %.3f of the steps, want %.2f", got, tt.want)
			}
		})
	}
}

func TestFaultsAreAFunctionOfSeedAndStep(t *testing.T) {
	focus := text("Name", 100)
	pattern := func(seed int64) string {
		var b strings.Builder
		for step := range 200 {
			d, _ := faulty(t, typeAda, seed, "click_fixation=0.5").Decide(context.Background(),
				&cua.Turn{Number: step, Now: cua.Observation{Viewport: view0, Focus: &focus}})
			b.WriteByte(string(d.Action.Kind)[0])
		}
		return b.String()
	}
	first, again := pattern(1), pattern(1)
	if first != again {
		t.Error("one seed, two patterns")
	}
	if first == pattern(2) {
		t.Error("two seeds, one pattern")
	}
}

func TestClickFixation(t *testing.T) {
	focus := text("Name", 100)
	other := text("City", 300)
	point := func(y float64) cua.Action {
		return cua.Action{Kind: cua.Click,
			Point: &cua.Point{X: 150, Y: y}}
	}
	shown := cua.Observation{Viewport: view0, Focus: &focus, Fields: []cua.Field{focus, other},
		Marks: []cua.Mark{mark(3, "City", 300)}}
	unfocused := shown
	unfocused.Focus = nil
	tests := []struct {
		name string
		o    cua.Observation
		in   cua.Action
		want cua.Action
	}{
		{"the focused field is clicked", shown, cua.Action{Kind: cua.Type, Text: "x"}, point(115)},
		{"or the one that the text goes into", shown, cua.Action{Kind: cua.Type, Text: "x", Into: "City"},
			point(315)},
		{"or the marked one", shown, cua.Action{Kind: cua.Type, Text: "x", Mark: 3}, point(315)},
		{"or the place that would be clicked first", shown, cua.Action{Kind: cua.Type, Text: "x",
			Point: &cua.Point{X: 150, Y: 7}}, point(7)},
		{"with nothing focused there is nothing to click", unfocused, cua.Action{Kind: cua.Type, Text: "x"},
			cua.Action{Kind: cua.Type, Text: "x"}},
		{"other actions are left alone", shown, cua.Action{Kind: cua.Key, Keys: "Tab"},
			cua.Action{Kind: cua.Key, Keys: "Tab"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := faulty(t, always{cua.Decision{Action: tt.in, By: "b"}}, 1,
				"click_fixation=1").Decide(context.Background(), &cua.Turn{Number: 1, Now: tt.o})
			if err != nil || !reflect.DeepEqual(d.Action, tt.want) || d.By != "b" {
				t.Errorf("got %+v by %s, %v; want %+v", d.Action, d.By, err, tt.want)
			}
		})
	}
}

func TestClickFixationLoops(t *testing.T) {
	s, task := login()
	steps := play(t, faulty(t, Heuristic{}, 1, "click_fixation=1"), s, task, 25)
	if got, want := told(steps), "click Username ×25"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !s.has(map[string]string{"Username": "", "Password": ""}) {
		t.Error("something was typed")
	}
}

func TestClickFixationAtHalfIsOvercome(t *testing.T) {
	s, task := login()
	steps := play(t, faulty(t, Heuristic{}, 3, "click_fixation=0.5"), s, task, 40)
	if last := steps[len(steps)-1].Proposed; !last.Success {
		t.Errorf("ended with %+v after %s", last, told(steps))
	}
}

func TestFaultyPassesOn(t *testing.T) {
	failed := cua.Decision{Failure: &cua.Failure{Kind: cua.FailNotFound}, By: "scripted"}
	d, err := faulty(t, always{failed}, 1, "click_fixation=1").Decide(context.Background(),
		&cua.Turn{Number: 1})
	if err != nil || !reflect.DeepEqual(d, failed) {
		t.Errorf("a failed decision became %+v, %v", d, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := faulty(t, Heuristic{}, 1).Decide(ctx, now("x", cua.Observation{})); !errors.Is(err,
		context.Canceled) {
		t.Errorf("a cancelled decision: %v", err)
	}
}

// knownFaults is the list of an error about an unknown one.
const knownFaults = "jumpy, click_fixation, return_submitter, off_target, jitter, toggler, page_cycler, " +
	"early_done, repeat_last, malformed, nudge_obedience, words, stubborn"

func TestParseFault(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a rate", "click_fixation=0.5", ""},
		{"spaces", " nudge_obedience = 1 ", ""},
		{"no rate", "click_fixation", `brain: fault "click_fixation": want name=rate, for example click_fixation=0.5`},
		{"pixels", "off_target=1@20", ""},
		{"pixels with their unit, spaces", "jitter = 0.5 @ 7.5px", ""},
		{"unknown", "typo=1",
			`brain: unknown fault "typo"; known: ` + knownFaults},
		{"stubborn has no rate", " stubborn ", ""},
		{"and takes none", "stubborn=1", `brain: fault stubborn takes no rate: it is nudge_obedience=0`},
		{"no number", "click_fixation=often", `brain: fault click_fixation: the rate must be a number, not "often"`},
		{"too high", "click_fixation=1.5", `brain: fault click_fixation: rate must be 0 to 1, not 1.5`},
		{"negative", "click_fixation=-1", `brain: fault click_fixation: rate must be 0 to 1, not -1`},
		{"not a number at all", "click_fixation=NaN", `brain: fault click_fixation: rate must be 0 to 1, not NaN`},
		{"pixels where there are none", "toggler=1@5", `brain: fault toggler takes no pixels: want toggler=RATE`},
		{"pixels that are no number", "off_target=1@far", `brain: fault off_target: the pixels must be a number, not "far"`},
		{"no pixels after the sign", "off_target=1@", `brain: fault off_target: the pixels must be a number, not ""`},
		{"no pixels at all", "off_target=1@0",
			`brain: fault off_target: pixels must be above 0 and at most 500, not 0`},
		{"negative pixels", "jitter=1@-5", `brain: fault jitter: pixels must be above 0 and at most 500, not -5`},
		{"too many pixels", "off_target=1@501",
			`brain: fault off_target: pixels must be above 0 and at most 500, not 501`},
		{"pixels that are not a number at all", "jitter=1@NaN",
			`brain: fault jitter: pixels must be above 0 and at most 500, not NaN`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseFault(tt.in)
			if got := errText(err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if _, err := WithFaults(Heuristic{}, Faults{Rates: []FaultRate{{Name: "nope", Rate: 1}}}); err == nil {
		t.Error("an unknown fault was wrapped")
	}
	for _, f := range FaultList() {
		if f.Name == "" || f.Help == "" || strings.HasSuffix(f.Syntax(), "@PX") != (f.Px > 0) {
			t.Errorf("a fault without name or help, or with the wrong syntax: %+v, %s", f, f.Syntax())
		}
	}
	if f, _ := ParseFault("jitter = 0.5 @ 7.5px"); f != (FaultRate{Name: "jitter", Rate: 0.5, Px: 7.5}) {
		t.Errorf("read as %+v", f)
	}
	if f, err := ParseFault("stubborn"); err != nil || f != (FaultRate{Name: nudgeObedience}) {
		t.Errorf("stubborn was read as %+v, %v", f, err)
	}
}

// FuzzParseFault: what is read is in range, and reads the same when it is written again.
func FuzzParseFault(f *testing.F) {
	for _, s := range []string{"off_target=1@20", "jitter=0.5@5px", "toggler=1", "toggler=1@2", "=", "@",
		"off_target=@", "off_target=1@@", "jitter=1e-3@1e2", "jitter=Inf@Inf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := ParseFault(in)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "brain: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		out := fmt.Sprintf("%s=%v", r.Name, r.Rate)
		if r.Px > 0 {
			out += fmt.Sprintf("@%v", r.Px)
		}
		if again, err := ParseFault(out); err != nil || again != r || r.Rate < 0 || r.Rate > 1 || r.Px < 0 ||
			r.Px > maxPx {
			t.Errorf("%q is %+v, and %q is %+v, %v", in, r, out, again, err)
		}
	})
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
