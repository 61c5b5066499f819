package cua

import "testing"

// A canvas moves by itself if a step changed it only where the frame had moved before the step.
func TestChurnOfACanvas(t *testing.T) {
	for _, row := range []struct {
		name    string
		idle    Idle
		changed TileSet // what the step changed and nothing masks
		blind   bool    // no frame was compared
		steps   int
		moves   bool
	}{
		{"twice where the frame moves", Idle{Tiles: []int{4}}, nil, false, 2, true},
		{"once", Idle{Tiles: []int{4}}, nil, false, 1, false},
		{"a stroke elsewhere", Idle{Tiles: []int{4}}, TileSet{9}, false, 5, false},
		{"the frame stood still before", Idle{}, nil, false, 5, false},
		{"the document shows what moved", Idle{Tiles: []int{4}, Parts: []string{"clock"}}, nil, false, 5, false},
		{"no frames", Idle{Tiles: []int{4}}, nil, true, 5, false},
	} {
		h := History{Start: Observation{URL: "https://a.test/", Document: "d"}}
		for i := range row.steps {
			s := Step{N: i + 1, Action: &Action{Kind: Click}, Target: Target{Idle: row.idle}, After: h.Start,
				Effect: &Effect{Parts: []string{CanvasPart("c"), "main"},
					Tiles: &TileDiff{Changed: row.changed}}}
			if row.blind {
				s.Effect.Tiles = nil
			}
			h.Steps = append(h.Steps, s)
		}
		var c churn
		c.read(h)
		mask := c.at(h.Start)
		if mask.Parts[CanvasPart("c")] != row.moves || mask.Parts["main"] {
			t.Errorf("%s: moving parts %v, want the canvas: %v", row.name, mask.Parts, row.moves)
		}
	}
}
