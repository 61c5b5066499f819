package detector

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// still makes a history of clicks at points without any effect.
func still(target func(i int) cua.Target, points ...cua.Point) cua.History {
	s := newSim(newPage("https://a.test/"))
	for i, p := range points {
		s.do(click(p.X, p.Y), target(i), nil)
	}
	return s.h
}

func TestDriftTolerance(t *testing.T) {
	bare := func(int) cua.Target { return cua.Target{} }
	role := func(r string) func(int) cua.Target { return func(int) cua.Target { return cua.Target{Role: r} } }
	line := func(dx float64) []cua.Point {
		return []cua.Point{{X: 100, Y: 100}, {X: 100, Y: 100}, {X: 100 + dx, Y: 100}}
	}
	rows := []struct {
		name             string
		h                cua.History
		drifts, classics bool
	}{
		{"at the tolerance", still(bare, line(8)...), true, true},
		{"beyond it", still(bare, line(8.5)...), false, false},
		{"a button reaches further", still(role("button"), line(12)...), true, true},
		{"a link less far", still(role("link"), line(4.5)...), false, false},
		{"a menu item less far", still(role("menuitem"), line(6.5)...), false, false},
		{"the target's own box", still(func(int) cua.Target {
			return cua.Target{ID: "img|map", Box: cua.Box{X: 0, Y: 0, W: 400, H: 400}}
		}, line(200)...), true, false},
		{"one target at any offset", still(func(int) cua.Target { return cua.Target{ID: "row|1"} }, line(300)...), true, false},
		{"neighbours that are not one target", still(func(i int) cua.Target {
			return cua.Target{ID: "row|" + string(rune('a'+i)), Box: cua.Box{X: 95 + 20*float64(i), Y: 95,
				W: 10, H: 10}}
		}, cua.Point{X: 100, Y: 100}, cua.Point{X: 120, Y: 100}, cua.Point{X: 140, Y: 100}), false, false},
		{"two only", still(bare, line(0)[:2]...), false, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := len(Drift{Config: DefaultConfig()}.Detect(row.h)) > 0; got != row.drifts {
				t.Errorf("drift = %v, want %v", got, row.drifts)
			}
			if got := len(ClassicDrift{Config: DefaultConfig()}.Detect(row.h)) > 0; got != row.classics {
				t.Errorf("classic drift = %v, want %v", got, row.classics)
			}
		})
	}
}

func TestDriftReadsWordsForTheRole(t *testing.T) {
	rows := []struct {
		thought string
		drifts  bool
	}{
		{"I press the Button again", true},
		{"I press the buttonhole again", false},
		{"I follow the link", false},
	}
	for _, row := range rows {
		t.Run(row.thought, func(t *testing.T) {
			h := still(func(int) cua.Target { return cua.Target{} }, cua.Point{X: 100, Y: 100},
				cua.Point{X: 100, Y: 100}, cua.Point{X: 111, Y: 100})
			h.Steps[2].Thought = row.thought
			if got := len(Drift{Config: DefaultConfig()}.Detect(h)) > 0; got != row.drifts {
				t.Errorf("drift = %v, want %v", got, row.drifts)
			}
		})
	}
}

func TestDriftIsNotAWalk(t *testing.T) {
	var points []cua.Point
	for i := range 40 {
		points = append(points, cua.Point{X: 100 + 6*float64(i), Y: 100})
	}
	got := Drift{Config: DefaultConfig()}.Detect(still(func(int) cua.Target { return cua.Target{} },
		points...))
	if len(got) != 1 || got[0].Level != cua.Soft || got[0].Run > 3 {
		t.Errorf("signals %+v, want one soft signal over the newest steps alone", got)
	}
}

func TestSignal(t *testing.T) {
	s := newSim(newPage("https://a.test/"))
	s.do(cua.Action{Kind: cua.Navigate, URL: "https://a.test/x"}, cua.Target{},
		func(p *page) { p.url = "https://a.test/x" })
	for i := range 10 {
		s.do(click(400+float64(i%3), 300), button("Go"), nil)
		s.do(cua.Action{Kind: cua.Wait, MS: 10}, cua.Target{}, nil)
	}
	got := alarms(Shapes(DefaultConfig()).Detect(s.h))
	if len(got) != 4 || got[3].Shape != cua.ShapeCycle || got[3].Score != 2 {
		t.Fatalf("signals %+v, want three and a cycle of press and wait", got)
	}
	got = got[:3]
	for i, shape := range []cua.Shape{cua.ShapeRepeat, cua.ShapeDrift, cua.ShapeFrozen} {
		g := got[i]
		if g.Shape != shape || g.Level != cua.Hard || g.Run != 10 || g.Since != 2 {
			t.Errorf("signal %+v, want hard %s of run 10 since step 2", g, shape)
		}
		if want := []int{8, 10, 12, 14, 16, 18, 20}; !slices.Equal(g.Evidence, want) {
			t.Errorf("%s: evidence %v, want %v", shape, g.Evidence, want)
		}
	}
	if got[1].Score <= 0 || got[1].Score > 2 || got[0].Target != "button|Go" || got[2].Target != "" {
		t.Errorf("signals %+v: spread or targets are wrong", got)
	}
}

// TestIntervention: a substitution without effect neither ends the run nor counts as
// progress, and one with effect ends it.
func TestIntervention(t *testing.T) {
	play := func(effect bool) cua.History {
		s := newSim(newPage("https://a.test/"))
		for i := range 6 {
			step := s.do(click(400, 300), button("Go"), func(p *page) {
				if i == 4 && effect {
					p.values["name"] = "alice"
				}
			})
			if i == 4 {
				step.Action = &cua.Action{Kind: cua.Type, Text: "alice"}
				step.RecoveryReason = cua.TypePendingValue
				step.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace,
					Action: step.Action}}
			}
		}
		return s.h
	}
	for _, d := range []Detector{Repeat{Config: DefaultConfig()}, Drift{Config: DefaultConfig()},
		Frozen{Config: DefaultConfig()}, ClassicRepeat{DefaultConfig()}} {
		if got := d.Detect(play(false)); len(got) != 1 || got[0].Run != 6 {
			t.Errorf("%T without effect: %+v, want a run of 6", d, got)
		}
	}
	if got := alarms(Shapes(DefaultConfig()).Detect(play(true))); len(got) != 0 {
		t.Errorf("with effect: %+v, want none", got)
	}
}

func TestMissingEvidenceSaysNothing(t *testing.T) {
	h := still(func(int) cua.Target { return button("Go") }, make([]cua.Point, 6)...)
	for i := range h.Steps {
		h.Steps[i].Effect = nil
	}
	if got := alarms(Shapes(DefaultConfig()).Detect(h)); len(got) != 0 {
		t.Errorf("unknown effects: %+v, want nothing said", got)
	}
	for i := range h.Steps {
		h.Steps[i].After = cua.Observation{}
	}
	if got := (ClassicFrozen{DefaultConfig()}).Detect(h); len(got) != 0 {
		t.Errorf("neither URL nor hash: %+v, want nothing said", got)
	}
}

func TestFreshCounters(t *testing.T) {
	h := still(func(int) cua.Target { return button("Go") }, make([]cua.Point, 6)...)
	for _, row := range []struct {
		name  string
		fresh bool
		want  int
	}{{"a crash does not end the run", false, 3}, {"who chose to go on starts over", true, 0}} {
		t.Run(row.name, func(t *testing.T) {
			h := h
			h.Resumed = []cua.Resumption{{At: 5, Page: h.Start, Fresh: row.fresh}}
			if got := alarms(Shapes(DefaultConfig()).Detect(h)); len(got) != row.want {
				t.Errorf("%d signals, want %d", len(got), row.want)
			}
		})
	}
}

func TestClassicFrozenNeedsADifference(t *testing.T) {
	rows := []struct {
		name  string
		after []cua.Observation
		want  bool
	}{
		{"one URL", []cua.Observation{{URL: "a"}, {URL: "a"}, {URL: "a"}}, true},
		{"another URL", []cua.Observation{{URL: "a"}, {URL: "b"}, {URL: "a"}}, false},
		{"another frame", []cua.Observation{{URL: "a", FrameSHA: "1"}, {URL: "a", FrameSHA: "2"}, {URL: "a"}}, false},
		{"a gap between two frames", []cua.Observation{{URL: "a", FrameSHA: "1"}, {URL: "a"}, {URL: "a", FrameSHA: "2"}}, false},
		{"the perceptual hash before the bytes", []cua.Observation{
			{FrameSHA: "1", Fingerprint: &cua.Fingerprint{DHash64: "f"}}, {FrameSHA: "2", Fingerprint: &cua.Fingerprint{DHash64: "f"}},
			{FrameSHA: "3", Fingerprint: &cua.Fingerprint{DHash64: "f"}}}, true},
		{"one step left nothing", []cua.Observation{{URL: "a"}, {}, {URL: "a"}}, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var h cua.History
			for i, o := range row.after {
				h.Steps = append(h.Steps, cua.Step{N: i + 1, Action: &cua.Action{Kind: cua.Click}, After: o})
			}
			if got := len(ClassicFrozen{DefaultConfig()}.Detect(h)) > 0; got != row.want {
				t.Errorf("frozen = %v, want %v", got, row.want)
			}
		})
	}
}
