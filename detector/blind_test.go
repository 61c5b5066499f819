package detector

import (
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// unseen is a run of which only actions are known, and no page.
func unseen(steps ...cua.Step) cua.History {
	for i := range steps {
		s := &steps[i]
		s.N, s.Proposed = i+1, *s.Action
	}
	return cua.History{Steps: steps}
}

func doing(a cua.Action, target string) cua.Step {
	return cua.Step{Action: &a, Target: cua.Target{ID: target, Point: a.Point}}
}

// times repeats what is done by turns, n steps in all.
func times(n int, turns ...cua.Step) cua.History {
	var steps []cua.Step
	for i := range n {
		s := turns[i%len(turns)]
		a := *s.Action
		s.Action = &a
		steps = append(steps, s)
	}
	return unseen(steps...)
}

// TestBlind: where a run has no page state at all, only what nobody does for long is a loop.
func TestBlind(t *testing.T) {
	press, other := doing(click(400, 300), ""), doing(click(90, 40), "")
	typed := func(text, target string) cua.Step {
		return doing(cua.Action{Kind: cua.Type,
			Text: text}, target)
	}
	key := func(keys string) cua.Step { return doing(cua.Action{Kind: cua.Key, Keys: keys}, "") }
	scroll := doing(cua.Action{Kind: cua.Scroll, DY: 300}, "")
	presses := func(n int, x func(i int) int) cua.History {
		var steps []cua.Step
		for i := range n {
			steps = append(steps, doing(click(float64(x(i)), 300), ""))
		}
		return unseen(steps...)
	}
	rows := []struct {
		name       string
		h          cua.History
		soft, hard int
		shapes     []cua.Shape // that hold after the last step
	}{
		{"three presses of one point", times(3, press), 0, 0, nil},
		{"four", times(4, press), 4, 0, []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift}},
		{"nine", times(9, press), 4, 9, []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift}},
		{"presses within half the tolerance", presses(4, func(i int) int { return 404 + 7*(i%2) }), 4, 0, []cua.Shape{cua.ShapeDrift}},
		{"presses on the rows of a list", presses(8, func(i int) int { return 400 + 13*i }), 0, 0, nil},
		{"four presses of one name: a page has many", times(4, doing(cua.Action{Kind: cua.Click}, "role=button name=Add")), 0, 0, nil},
		{"five", times(5, doing(cua.Action{Kind: cua.Click}, "role=button name=Add")), 5, 0, []cua.Shape{cua.ShapeRepeat}},
		{"one text three times", times(3, typed("x", "")), 3, 0, []cua.Shape{cua.ShapeRepeat}},
		{"three texts", unseen(typed("x", ""), typed("y", ""), typed("z", "")), 0, 0, nil},
		{"one drag three times", times(3, doing(cua.Action{Kind: cua.Drag, Point: at(1, 1), To: at(90, 1)}, "")), 3, 0, []cua.Shape{cua.ShapeRepeat}},
		{"reading on", times(20, scroll), 0, 0, nil},
		{"waiting", times(20, doing(cua.Action{Kind: cua.Wait, MS: 60000}, "")), 0, 0, nil},
		{"moving a cursor", times(20, key("Down")), 0, 0, nil},
		{"taking letters back", times(20, key("BackSpace")), 0, 0, nil},
		{"one chord over and over", times(5, key("Control+s")), 5, 0, []cua.Shape{cua.ShapeRepeat}},
		{"a word that nobody knows", times(20, doing(cua.Action{Kind: "script"}, "")), 0, 0, nil},
		{"two presses by turns, twice", times(5, press, other), 0, 0, nil},
		{"three times", times(6, press, other), 6, 0, []cua.Shape{cua.ShapeCycle}},
		{"four times", times(8, press, other), 6, 8, []cua.Shape{cua.ShapeCycle}},
		{"one text into a box again and again", times(8, typed("lamp", ""), key("Return"), typed("x", "a"), typed("lamp", "")), 8, 0, []cua.Shape{cua.ShapeRevisit}},
		{"several things of one name put on a list", times(12, typed("lamp", "textbox|item"), press), 6, 8, []cua.Shape{cua.ShapeCycle}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			d := Shapes(DefaultConfig())
			if soft, hard := firsts(row.h, d); soft != row.soft || hard != row.hard {
				t.Errorf("first soft after step %d, first hard after step %d, want %d and %d", soft, hard,
					row.soft, row.hard)
			}
			var shapes []cua.Shape
			for _, s := range alarms(d.Detect(row.h)) {
				shapes = append(shapes, s.Shape)
			}
			if !slices.Equal(shapes, row.shapes) {
				t.Errorf("shapes %v, want %v", shapes, row.shapes)
			}
		})
	}
}

// TestBlindReadsWhatIsKnown: effects may be known where pages are not.
func TestBlindReadsWhatIsKnown(t *testing.T) {
	press, other := doing(click(400, 300), ""), doing(click(90, 40), "")
	none, some := &cua.Effect{}, &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
	with := func(h cua.History, effects ...*cua.Effect) cua.History {
		for i := range h.Steps {
			h.Steps[i].Effect = effects[i%len(effects)]
		}
		return h
	}
	rows := []struct {
		name string
		h    cua.History
		want []cua.Shape
	}{
		{"three presses that did nothing", with(times(3, press), none), []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift}},
		{"four, of which one is known to have done nothing", with(times(4, press), nil, nil, none, nil), []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift}},
		{"four that did something", with(times(4, press), some), nil},
		{"four, of which one did something", with(times(4, press), nil, nil, some, nil), nil},
		{"by turns, and each did something", with(times(12, press, other), some), nil},
		{"by turns, and nothing is known", with(times(12, press, other), nil), []cua.Shape{cua.ShapeCycle}},
		{"by turns, and some did nothing", with(times(12, press, other), nil, nil, none), []cua.Shape{cua.ShapeCycle}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var shapes []cua.Shape
			for _, s := range alarms(Shapes(DefaultConfig()).Detect(row.h)) {
				shapes = append(shapes, s.Shape)
			}
			if !slices.Equal(shapes, row.want) {
				t.Errorf("shapes %v, want %v", shapes, row.want)
			}
		})
	}
}

// TestOnePageEndsBlindness: rules for coordinates alone are for runs of which no page is known.
func TestOnePageEndsBlindness(t *testing.T) {
	h := times(6, doing(click(400, 300), ""))
	h.Steps[2].After.DOMDigest = "x"
	if got := alarms(Shapes(DefaultConfig()).Detect(h)); len(got) != 0 {
		t.Errorf("signals %+v of a run with a page", got)
	}
	h.Steps[2].After = cua.Observation{URL: "https://a.test/" + strconv.Itoa(1)} // a URL alone is no state
	want := []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift}
	var shapes []cua.Shape
	for _, s := range alarms(Shapes(DefaultConfig()).Detect(h)) {
		shapes = append(shapes, s.Shape)
	}
	if !reflect.DeepEqual(shapes, want) {
		t.Errorf("shapes %v, want %v", shapes, want)
	}
}
