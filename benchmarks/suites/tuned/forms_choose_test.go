package tuned_test

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestWhatIsNotChosenIsNotSent: on the forms whose values are chosen, typing alone earns nothing, and going
// back loses nothing.
func TestWhatIsNotChosenIsNotSent(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	press := func(name string) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
	}
	key := func(keys string) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Key, Keys: keys}}
	}
	for _, c := range []struct {
		name, task string
		// edit makes another way of the oracle's.
		edit func(oracle []cua.Scripted) []cua.Scripted
		want float64
	}{
		{"a station that was typed and not chosen", "stations", func(o []cua.Scripted) []cua.Scripted { return slices.Delete(o, 1, 2) }, 0},
		{"a station that Return sends before it was chosen", "stations", func(o []cua.Scripted) []cua.Scripted {
			return slices.Concat(o[:2], o[4:5], o[2:3], []cua.Scripted{key("Return")})
		}, 0},
		{"a station that is chosen with the keyboard", "stations", func(o []cua.Scripted) []cua.Scripted {
			return slices.Concat(o[:1], []cua.Scripted{key("ArrowDown"), key("Return")}, o[2:])
		}, 1},
		{"a day that is typed into the field of the calendar", "two-dates", func(o []cua.Scripted) []cua.Scripted {
			typed := cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: "1 June 2026"}}
			return slices.Concat(o[:2], []cua.Scripted{typed, key("Escape")}, o[len(o)-2:])
		}, 0},
		{"a box that is ticked from the start and stays so", "boxes-and-buttons", func(o []cua.Scripted) []cua.Scripted { return slices.Delete(o, 2, 5) }, 0},
		{"back from the second part and on again", "three-steps", func(o []cua.Scripted) []cua.Scripted {
			return slices.Concat(o[:3], []cua.Scripted{press("Back"), press("Next")}, o[3:])
		}, 1},
		{"back from the third part, with what was entered there", "three-steps", func(o []cua.Scripted) []cua.Scripted {
			at := len(o) - 2 // the press that registers
			return slices.Concat(o[:at], []cua.Scripted{press("Back"), press("Next")}, o[at:])
		}, 1},
		{"on from a part that is empty", "three-steps", func(o []cua.Scripted) []cua.Scripted {
			return slices.Concat(o[2:3], []cua.Scripted{press("Full name")})
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			task, err := tuned.FindTask(c.task)
			if err != nil {
				t.Fatal(err)
			}
			st := enter(t, b, s, task, 1)
			if err := st.play(c.edit(slices.Clone(st.Oracle))); err != nil {
				t.Fatal(err)
			}
			if got := st.Reward(cua.EndDone); got != c.want {
				t.Errorf("earns %v, want %v; the server saw %+v", got, c.want, st.State())
			}
		})
	}
}
