package perceptual

import (
	"image"
	"image/color"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestTolerance(t *testing.T) {
	for _, row := range []struct {
		name    string
		v       uint8
		changed bool
	}{{"eight is jitter", 108, false}, {"nine is a change", 109, true}, {"downwards too", 91, true}} {
		t.Run(row.name, func(t *testing.T) {
			a, b := image.NewGray(image.Rect(0, 0, 64, 64)), image.NewGray(image.Rect(0, 0, 64, 64))
			a.SetGray(40, 40, color.Gray{Y: 100})
			b.SetGray(40, 40, color.Gray{Y: row.v})
			if got := len(Compare(fromImage(a), fromImage(b), CompareOptions{},
				DefaultConfig()).Changed) > 0; got != row.changed {
				t.Errorf("changed = %v, want %v", got, row.changed)
			}
		})
	}
}

func TestHighRisk(t *testing.T) {
	press := cua.Action{Kind: cua.Click}
	rows := []struct {
		name    string
		a       cua.Action
		t       cua.Target
		thought string
		want    bool
	}{
		{"Return", cua.Action{Kind: cua.Key, Keys: "Return"}, cua.Target{}, "", true},
		{"Enter with modifiers", cua.Action{Kind: cua.Key, Keys: "Control+Shift+enter"}, cua.Target{}, "", true},
		{"Tab", cua.Action{Kind: cua.Key, Keys: "Tab"}, cua.Target{}, "I submit", false},
		{"a button that buys", press, cua.Target{Name: "Buy now"}, "", true},
		{"a submit control", press, cua.Target{Name: "Go", Submit: true}, "", true},
		{"reasoning", press, cua.Target{}, "now I sign in", true},
		{"a piece of a word", press, cua.Target{Name: "Buyers' guide"}, "resending", false},
		{"a hover", cua.Action{Kind: cua.Hover}, cua.Target{Name: "Buy"}, "", false},
		{"typing", cua.Action{Kind: cua.Type, Text: "buy"}, cua.Target{}, "submit", false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := highRisk(row.a, row.t, row.thought); got != row.want {
				t.Errorf("checked = %v, want %v", got, row.want)
			}
		})
	}
}

func TestVerify(t *testing.T) {
	near := func(i *image.RGBA) { fill(i, 1000, 300, 7, 11, ink) }
	far := func(i *image.RGBA) { fill(i, 60, 760, 300, 20, ink) }
	email := &cua.Field{ID: "mail", Label: "E-mail\n\"now\"", Editable: true, Empty: true}
	warning := "WARNING: no observed effect (global_and_region_stable)"
	rows := []struct {
		name     string
		paint    func(*image.RGBA) // nil: no frames
		change   func(*VerifyInput)
		mask     cua.ChurnMask
		shown    []cua.Box // where focus or hover came or went
		checked  bool
		observed bool
		reason   cua.VerifyReason
		warning  string
	}{
		{name: "stable", paint: func(*image.RGBA) {}, checked: true, reason: cua.GlobalAndRegionStable, warning: warning},
		{name: "near the point", paint: near, checked: true, observed: true, reason: cua.RegionChanged},
		{name: "elsewhere", paint: far, checked: true, observed: true, reason: cua.GlobalChanged},
		{name: "both", paint: func(i *image.RGBA) { near(i); far(i) }, checked: true, observed: true, reason: cua.GlobalAndRegionChanged},
		{name: "churn alone", paint: near, mask: cua.ChurnMask{Tiles: map[int]bool{9*40 + 31: true}}, checked: true,
			reason: cua.GlobalAndRegionStable, warning: warning},
		{name: "a focus ring alone", paint: near, shown: []cua.Box{{X: 990, Y: 290, W: 40, H: 24}}, checked: true,
			reason: cua.GlobalAndRegionStable, warning: warning},
		{name: "a focus ring and a result elsewhere", paint: func(i *image.RGBA) { near(i); far(i) },
			shown: []cua.Box{{X: 990, Y: 290, W: 40, H: 24}}, checked: true, observed: true,
			reason: cua.GlobalChanged},
		{name: "a focus ring far from the point", paint: far, shown: []cua.Box{{X: 50, Y: 750, W: 320, H: 40}}, checked: true,
			reason: cua.GlobalAndRegionStable, warning: warning},
		{name: "a button that took the focus and says Sent", paint: near, shown: []cua.Box{{X: 990, Y: 290, W: 40, H: 24}},
			change:  func(in *VerifyInput) { in.Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}} },
			checked: true, observed: true, reason: cua.RegionChanged},
		{name: "no frames", checked: false},
		{name: "no risk", paint: near, change: func(in *VerifyInput) { in.Target.Name = "Details" }},
		{name: "Return without focus has no region", paint: near, change: func(in *VerifyInput) {
			in.Action, in.Target = cua.Action{Kind: cua.Key, Keys: "Return"}, cua.Target{}
		}, checked: true, observed: true, reason: cua.GlobalChanged},
		{name: "the click focused a field, nothing visible", paint: func(*image.RGBA) {}, change: func(in *VerifyInput) { in.After.Focus = email },
			checked: true, observed: true, reason: cua.GlobalAndRegionStable,
			warning: `The click focused the field "E-mail \"now\"", which is empty; it waits for text: type now.`},
		{name: "a field without a name", paint: near, change: func(in *VerifyInput) { in.After.Focus = &cua.Field{ID: "x", Editable: true} },
			checked: true, observed: true, reason: cua.RegionChanged,
			warning: "The click focused a field that holds text; it waits for text: type now."},
		{name: "a click on the field that had the focus", paint: func(*image.RGBA) {}, change: func(in *VerifyInput) {
			in.Before.Focus, in.After.Focus = email, email
		}, checked: true, reason: cua.GlobalAndRegionStable, warning: warning},
		{name: "a button that takes the focus", paint: func(*image.RGBA) {}, change: func(in *VerifyInput) { in.After.Focus = &cua.Field{ID: "b"} },
			checked: true, reason: cua.GlobalAndRegionStable, warning: warning},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			in := VerifyInput{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1000, Y: 300}},
				Target: cua.Target{Name: "Submit"}}
			if row.change != nil {
				row.change(&in)
			}
			if row.paint != nil {
				d := Compare(fromImage(screen()), with(row.paint),
					CompareOptions{Point: Point(in.Action, in.Target, &in.Before), Churn: row.mask,
						Presentation: row.shown}, DefaultConfig())
				in.Diff = &d
			}
			got := Verify(in, DefaultConfig())
			if want := (Verdict{row.checked, row.observed, row.reason, row.warning}); got != want {
				t.Errorf("verdict %+v\nwant %+v", got, want)
			}
			if e := got.Effect(); (e != nil) != row.checked || e != nil && *e != row.observed {
				t.Errorf("effect observed = %v", e)
			}
		})
	}
}

func TestPoint(t *testing.T) {
	box := cua.Box{X: 10, Y: 10, W: 20, H: 20}
	focus := &cua.Observation{Focus: &cua.Field{Box: box}}
	p, q := &cua.Point{X: 1}, &cua.Point{X: 2}
	if Point(cua.Action{Kind: cua.Click, Point: p}, cua.Target{Point: q}, focus) != p ||
		Point(cua.Action{Kind: cua.Click, Mark: 1}, cua.Target{Point: q}, focus) != q ||
		Point(cua.Action{Kind: cua.Key}, cua.Target{}, &cua.Observation{}) != nil {
		t.Error("the action's point comes first, then the mark's, and there may be none")
	}
	if got := Point(cua.Action{Kind: cua.Key}, cua.Target{}, focus); got == nil || *got != box.Center() {
		t.Errorf("a key goes to the focus, not to %v", got)
	}
}
