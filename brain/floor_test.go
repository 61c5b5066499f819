package brain

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestTheFloorPressesWhatSends(t *testing.T) {
	button := func(name string, more func(*cua.Mark)) cua.Mark {
		m := cua.Mark{Role: "button", Name: name, Box: cua.Box{X: 10, Y: 10, W: 20, H: 10}}
		if more != nil {
			more(&m)
		}
		return m
	}
	for _, row := range []struct {
		name  string
		marks []cua.Mark
		done  bool
	}{
		{"a button that says so", []cua.Mark{button("Help", func(m *cua.Mark) { m.Box.X = 90 }), button("Submit", nil)}, false},
		{"one that does so by the page's markup", []cua.Mark{button("Go", func(m *cua.Mark) { m.Submit = true })}, false},
		{"one that is disabled", []cua.Mark{button("Submit", func(m *cua.Mark) { m.Disabled = true })}, true},
		{"any button where nothing does", []cua.Mark{{Role: "link", Name: "Submit"}, button("Help", nil)}, false},
		{"no button", []cua.Mark{{Role: "link", Name: "Submit"}}, true},
		{"nothing", nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			turn := &cua.Turn{Now: cua.Observation{Marks: row.marks}, Decision: 1}
			d, err := submitAtOnce{}.Decide(t.Context(), turn)
			if err != nil || (d.Action.Kind == cua.Done) != row.done || !row.done &&
				*d.Action.Point != (cua.Point{X: 20, Y: 15}) {
				t.Errorf("%+v, %v", d.Action, err)
			}
			turn.Decision = 2
			if d, err := (submitAtOnce{}).Decide(t.Context(), turn); err != nil ||
				d.Action.Kind != cua.Done || d.Action.Success {
				t.Errorf("then: %+v, %v; want that it gives up", d.Action, err)
			}
		})
	}
}

func TestTheFloorClicksTenTimesInsideTheViewport(t *testing.T) {
	play := func(task string, seed int64) (out []cua.Point) {
		for n := 1; ; n++ {
			turn := &cua.Turn{Task: cua.Task{ID: task}, Now: cua.Observation{Viewport: cua.Size{W: 332,
				H: 214}}, Decision: n}
			d, err := randomClicks{}.WithSeed(seed).Decide(t.Context(), turn)
			if err != nil {
				t.Fatal(err)
			}
			if d.Action.Kind == cua.Done {
				return out
			}
			if bad := d.Action.Validate(turn.Now.Viewport); bad != nil {
				t.Errorf("step %d: %v", n, bad)
			}
			out = append(out, *d.Action.Point)
		}
	}
	first, again := play("a", 1), play("a", 1)
	if len(first) != floorClicks {
		t.Errorf("%d clicks", len(first))
	}
	same := 0
	for i := range first {
		if first[i] != again[i] {
			t.Errorf("click %d: %v and %v for one episode", i+1, first[i], again[i])
		}
		if first[i] == play("a", 2)[i] || first[i] == play("b", 1)[i] {
			same++
		}
	}
	if same > 2 {
		t.Errorf("%d of %d clicks are those of another episode", same, len(first))
	}
}

func TestFloors(t *testing.T) {
	for _, row := range []struct {
		spec, wrong string
		want        Brain
	}{
		{"floor:submit", "", submitAtOnce{}},
		{"floor:clicks", "", randomClicks{}},
		{"floor:marks", "", randomMarks{}},
		{"floor:marks@9x9", `unknown floor "marks"`, nil},
		{"floor:clicks@160x210", "", randomClicks{Area: cua.Size{W: 160, H: 210}}},
		{"floor:clicks@160x160+0+50", "", randomClicks{Area: cua.Size{W: 160, H: 160}, Top: 50}},
		{"floor:clicks@160x160+5", `"160x160+5" is not an area`, nil},
		{"floor:clicks@160x160+5-3", `"160x160+5-3" is not an area`, nil},
		{"floor:clicks@160", `"160" is not an area`, nil},
		{"floor:clicks@0x9", `"0x9" is not an area`, nil},
		{"floor:clicks@", `"" is not an area`, nil},
		{"floor:submit@9x9", `unknown floor "submit"`, nil},
		{"floor:", `unknown floor ""`, nil},
	} {
		t.Run(row.spec, func(t *testing.T) {
			b, err := Open(row.spec, Options{})
			if row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)) ||
				row.wrong == "" && (err != nil || b != row.want) {
				t.Errorf("%v, %v", b, err)
			}
		})
	}
	small := randomClicks{Area: cua.Size{W: 16, H: 21}}
	inner := randomClicks{Area: cua.Size{W: 16, H: 21}, Left: 5, Top: 7}
	for n := 1; n <= floorClicks; n++ {
		turn := &cua.Turn{Now: cua.Observation{Viewport: cua.Size{W: 332, H: 20}}, Decision: n}
		d, err := small.Decide(t.Context(), turn)
		if err != nil || d.Action.Point.X >= 16 || d.Action.Point.Y >= 20 {
			t.Errorf("click %d at %v, %v", n, d.Action.Point, err)
		}
		d, err = inner.Decide(t.Context(), turn)
		if p := d.Action.Point; err != nil || p.X < 5 || p.X >= 21 || p.Y < 7 || p.Y >= 20 {
			t.Errorf("click %d within an area that begins at 5,7 at %v, %v", n, p, err)
		}
	}
}

// TestTheFloorPressesWhateverCanBePressed: each of what is in sight, as often as the others, and nothing
// else.
func TestTheFloorPressesWhateverCanBePressed(t *testing.T) {
	marks := []cua.Mark{{ID: "a", Box: cua.Box{X: 0, Y: 0, W: 10, H: 10}},
		{ID: "b", Box: cua.Box{X: 20, Y: 0, W: 10, H: 10}},
		{ID: "c", Box: cua.Box{X: 900, Y: 0, W: 10, H: 10}}, {ID: "d"}}
	fields := []cua.Field{{ID: "b", Box: marks[1].Box}, {ID: "e", Box: cua.Box{X: 40, Y: 0, W: 10, H: 10}}}
	count := map[cua.Point]int{}
	for seed := range int64(300) {
		for n := 1; n <= floorClicks+1; n++ {
			turn := &cua.Turn{Now: cua.Observation{Viewport: cua.Size{W: 100, H: 100}, Marks: marks,
				Fields: fields}, Decision: n}
			d, err := randomMarks{}.WithSeed(seed).Decide(t.Context(), turn)
			if err != nil || (d.Action.Kind == cua.Done) != (n > floorClicks) {
				t.Fatalf("%d: %+v, %v", n, d.Action, err)
			}
			if n <= floorClicks {
				count[*d.Action.Point]++
			}
		}
	}
	for _, x := range []float64{5, 25, 45} {
		if n := count[cua.Point{X: x, Y: 5}]; n < 850 || n > 1150 {
			t.Errorf("%d of 3,000 clicks at %v", n, x)
		}
	}
	if len(count) != 3 {
		t.Errorf("clicked at %v", count)
	}
	turn := &cua.Turn{Now: cua.Observation{Viewport: cua.Size{W: 100, H: 100}}, Decision: 1}
	if d, err := (randomMarks{}).Decide(t.Context(), turn); err != nil || d.Action.Kind != cua.Wait ||
		d.Action.Validate(turn.Now.Viewport) != nil {
		t.Errorf("nothing to press: %+v, %v", d.Action, err)
	}
}
