package brain

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// spoiled is what a brain that says a says with the fault at rate 1.
func spoiled(t rapid.TB, seed int64, spec string, a cua.Action, turn *cua.Turn) cua.Action {
	t.Helper()
	r, err := ParseFault(spec)
	if err != nil {
		t.Fatal(err)
	}
	f, err := WithFaults(always{cua.Decision{Action: a}}, Faults{Rates: []FaultRate{r}, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Decide(context.Background(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return d.Action
}

// middle is an observation with one mark, a button of that size in the middle of the viewport.
func middle(w, h float64) cua.Observation {
	box := cua.Box{X: 640 - w/2, Y: 400 - h/2, W: w, H: h}
	save := cua.Mark{N: 7, ID: "Save", Role: "button", Name: "Save", Box: box}
	return cua.Observation{Viewport: view0, Marks: []cua.Mark{save}}
}

func TestOffTargetMovesThePress(t *testing.T) {
	page := now("x", middle(100, 40))
	to := at(900, 700)
	for _, row := range []struct {
		name string
		spec string
		said cua.Action
		want float64 // distance from the intended point; 0: as it was said
	}{
		{"a click, by the default distance", "off_target=1", click(640, 400), defaultMiss},
		{"as far as was asked for", "off_target=1@30", click(640, 400), 30},
		{"so near that it still hits", "off_target=1@2", click(640, 400), 2},
		{"from the point, not from the control", "off_target=1@30", click(600, 390), 30},
		{"from the centre of the mark that is named", "off_target=1@30", cua.Action{Kind: cua.Click, Mark: 7}, 30},
		{"the point wins where both are given", "off_target=1@30",
			cua.Action{Kind: cua.Click, Mark: 7, Point: at(200, 200)}, 30},
		{"where nothing can be pressed", "off_target=1@30", click(200, 200), 30},
		{"the click before a type", "off_target=1@30", cua.Action{Kind: cua.Type, Mark: 7, Text: "x"}, 30},
		{"the start of a drag", "off_target=1@30", cua.Action{Kind: cua.Drag, Point: at(640, 400), To: to}, 30},
		{"a mark that is not there", "off_target=1", cua.Action{Kind: cua.Click, Mark: 8}, 0},
		{"typing into the focused field presses nothing", "off_target=1", cua.Action{Kind: cua.Type, Text: "x"}, 0},
		{"a key presses nothing", "off_target=1", cua.Action{Kind: cua.Key, Keys: "Tab"}, 0},
		{"a select is no press", "off_target=1", cua.Action{Kind: cua.Select, Point: at(640, 400), Text: "x"}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := spoiled(t, 1, row.spec, row.said, page)
			if row.want == 0 {
				if !reflect.DeepEqual(got, row.said) {
					t.Errorf("got %s", shown(got))
				}
				return
			}
			p, _ := intended(page.Now, row.said)
			if got.Point == nil || math.Abs(got.Point.Distance(p)-row.want) > 1e-9 || got.Mark != 0 {
				t.Fatalf("got %s, want a press %g px from %v", shown(got), row.want, p)
			}
			said := row.said
			got.Point, got.Mark, said.Point, said.Mark = nil, 0, nil, 0
			if !reflect.DeepEqual(got, said) {
				t.Errorf("the rest became %s", shown(got))
			}
		})
	}
}

// TestOffTargetHitsWhatIsThere: a control that lies on the drawn point is pressed, be it the one that must
// not be.
func TestOffTargetHitsWhatIsThere(t *testing.T) {
	alone := now("x", middle(100, 40))
	hit := spoiled(t, 3, "off_target=1", click(640, 400), alone)
	crowded := now("x", middle(100, 40))
	crowded.Now.Marks = append(crowded.Now.Marks, cua.Mark{N: 8, ID: "Delete", Role: "button", Name: "Delete",
		Box: cua.Box{X: hit.Point.X - 10, Y: hit.Point.Y - 10, W: 20, H: 20}})
	got := spoiled(t, 3, "off_target=1", click(640, 400), crowded)
	if e, ok := aimed(crowded.Now, got); !ok || e.name != "Delete" {
		t.Errorf("pressed %+v at %s", e, shown(got))
	}
}

// TestOffTargetGoesEverywhere: the angles of many steps and of many seeds fill the circle evenly.
func TestOffTargetGoesEverywhere(t *testing.T) {
	for name, turns := range map[string]func(n int) (seed int64, step int){
		"steps of a seed": func(n int) (int64, int) { return 1, n },
		"seeds at a step": func(n int) (int64, int) { return int64(n), 1 },
	} {
		quarters := map[[2]bool]int{}
		const n = 4000
		for i := range n {
			turn := now("x", cua.Observation{})
			var seed int64
			seed, turn.Number = turns(i)
			p := spoiled(t, seed, "off_target=1", click(640, 400), turn).Point
			quarters[[2]bool{p.X > 640, p.Y > 400}]++
		}
		for q, got := range quarters { // the standard deviation of a quarter is 27
			if got < n/4-120 || got > n/4+120 {
				t.Errorf("%s: %d of %d presses in the quarter %v", name, got, n, q)
			}
		}
	}
}

// pressedSizes are width and height of the controls that the heuristic brain pressed, without a fault and
// without interventions, on 43 pages of the suites forms, traps and controls, and how many there were of
// each.
var pressedSizes = [][3]float64{
	{494, 38, 45}, {110, 40, 13}, {385, 38, 12}, {18, 18, 7}, {364, 38, 4}, {161, 40, 3}, {44, 40, 2},
	{119, 40, 2},
	{135, 40, 2}, {155, 40, 2}, {156, 40, 2}, {160, 40, 2}, {456, 38, 2}, {492, 35, 2}, {22, 22, 1}, {36, 36, 1},
	{67, 36, 1}, {127, 40, 1}, {128, 40, 1}, {133, 40, 1}, {136, 40, 1}, {138, 40, 1}, {145, 40, 1},
	{147, 40, 1},
	{154, 40, 1}, {157, 40, 1}, {159, 40, 1}, {162, 40, 1}, {168, 40, 1}, {170, 40, 1}, {175, 40, 1},
	{186, 40, 1},
	{201, 40, 1}, {227, 40, 1}, {494, 120, 1}, {494, 130, 1}, {496, 40, 1},
}

// TestShareOfMisses: how often the controls of the suites are missed by presses that are meant for their
// centres. The help and the documentation state the share of the default.
func TestShareOfMisses(t *testing.T) {
	for _, row := range []struct {
		spec string
		want float64
	}{{"off_target=1@18", 0.07}, {"off_target=1@30", 0.59}, {"off_target=1", 0.82},
		{"off_target=1@100", 0.92},
		{"jitter=1", 0.01}, {"jitter=1@18", 0.32}} {
		missed, all := 0.0, 0.0
		for step := range 4000 {
			turn := now("x", cua.Observation{})
			turn.Number = step
			p := spoiled(t, 1, row.spec, click(640, 400), turn).Point
			for _, size := range pressedSizes {
				if all += size[2]; !middle(size[0], size[1]).Marks[0].Box.Contains(*p) {
					missed += size[2]
				}
			}
		}
		if got := missed / all; math.Abs(got-row.want) > 0.015 {
			t.Errorf("%s misses %.3f of the controls, want %.2f", row.spec, got, row.want)
		}
	}
}

// anyPress is a press inside the viewport, by its point or by the mark 1 of the page.
func anyPress(t *rapid.T, page cua.Observation) cua.Action {
	if rapid.Bool().Draw(t, "by mark") && len(page.Marks) > 0 {
		return cua.Action{Kind: cua.Click, Mark: 1}
	}
	return click(rapid.Float64Range(0, 1279).Draw(t, "x"), rapid.Float64Range(0, 799).Draw(t, "y"))
}

// TestOffTargetIsAFunctionOfPointSeedAndStep: the distance is px unless the viewport cuts it, and what lies
// on the page does not move the press: marks that are removed, reordered, renamed or moved leave it where it
// was.
func TestOffTargetIsAFunctionOfPointSeedAndStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		turn, _ := anyTurn(t)
		said := anyPress(t, turn.Now)
		seed := rapid.Int64Range(0, 50).Draw(t, "seed")
		spec := rapid.SampledFrom([]string{"off_target=1", "off_target=1@7.5", "off_target=1@500",
			"jitter=1"}).Draw(t, "spec")
		p, aimable := intended(turn.Now, said)
		got := spoiled(t, seed, spec, said, turn)
		if !aimable {
			if !reflect.DeepEqual(got, said) {
				t.Fatalf("a press at nothing became %s", shown(got))
			}
			return
		}
		if got.Point == nil {
			if q := clamped(&p, view0); *q != p {
				return
			}
			t.Fatalf("%s stayed", shown(said))
		}
		px := map[string]float64{"off_target=1": defaultMiss, "off_target=1@7.5": 7.5,
			"off_target=1@500": 500}[spec]
		q := *got.Point
		cut := q.X == 0 || q.Y == 0 || q.X == 1279 || q.Y == 799
		if d := q.Distance(p); px > 0 && (d > px+1e-6 || !cut && d < px-1e-6) || got.Validate(view0) != nil {
			t.Fatalf("%s went %g px, to %s", spec, d, shown(got))
		}

		other := *turn
		other.History, other.Task = cua.History{}, cua.Task{Goal: "another"}
		other.Now = cua.Observation{Viewport: view0}
		for _, i := range rapid.Permutation([]int{1, 2, 3, 4}).Draw(t, "order") {
			if i < len(turn.Now.Marks) && rapid.Bool().Draw(t, "keep") {
				m := turn.Now.Marks[i]
				m.Name, m.Role, m.Box.X = "renamed", "link", m.Box.X/2
				other.Now.Marks = append(other.Now.Marks, m)
			}
		}
		if said.Mark > 0 {
			other.Now.Marks = append(other.Now.Marks, turn.Now.Marks[0])
		}
		if again := spoiled(t, seed, spec, said, &other); !reflect.DeepEqual(again, got) {
			t.Fatalf("on another page %s, not %s", shown(again), shown(got))
		}
	})
}

func TestJitter(t *testing.T) {
	drag := cua.Action{Kind: cua.Drag, Point: at(600, 400), To: at(640, 440)}
	for _, tt := range []struct {
		spec  string
		sigma float64
	}{{"jitter=1", 5}, {"jitter=1@12", 12}} {
		var sum, squares float64
		const n = 4000
		for step := 1; step <= n; step++ {
			a := spoiled(t, 7, tt.spec, drag, &cua.Turn{Number: step, Now: cua.Observation{Viewport: view0}})
			for _, off := range []float64{a.Point.X - 600, a.Point.Y - 400, a.To.X - 640, a.To.Y - 440} {
				sum, squares = sum+off, squares+off*off
			}
		}
		// Four standard errors of 16,000 draws.
		mean, sigma := sum/(4*n), math.Sqrt(squares/(4*n))
		if math.Abs(mean) > 4*tt.sigma/math.Sqrt(4*n) ||
			math.Abs(sigma-tt.sigma) > 4*tt.sigma/math.Sqrt(8*n) {
			t.Errorf("%s: mean %.3f, deviation %.3f, want 0 and %g", tt.spec, mean, sigma, tt.sigma)
		}
	}
	corner := now("x", cua.Observation{})
	for seed := range int64(50) {
		if err := spoiled(t, seed, "jitter=1@400", click(1279, 0), corner).Validate(view0); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	page := now("x", middle(100, 40))
	byMark := spoiled(t, 1, "jitter=1", cua.Action{Kind: cua.Click, Mark: 7}, page)
	if !reflect.DeepEqual(byMark, spoiled(t, 1, "jitter=1", click(640, 400), page)) {
		t.Errorf("a press by its mark became %s", shown(byMark))
	}
	if key := (cua.Action{Kind: cua.Key, Keys: "Tab"}); !reflect.DeepEqual(spoiled(t, 1, "jitter=1",
		key, page),
		key) {
		t.Error("a key was moved")
	}
}

// TestEqualSeedsErrAlike: two brains with the same seed and faults say the same at every step, other seeds
// do not.
func TestEqualSeedsErrAlike(t *testing.T) {
	points := func(seed int64) []cua.Point {
		var out []cua.Point
		for step := range 50 {
			turn := now("x", cua.Observation{})
			turn.Number = step
			out = append(out, *spoiled(t, seed, "off_target=0.5", click(640, 400), turn).Point)
		}
		return out
	}
	if !slices.Equal(points(4), points(4)) {
		t.Error("one seed, two paths")
	}
	if slices.Equal(points(4), points(5)) {
		t.Error("two seeds, one path")
	}
}
