package cua

import (
	"math"
	"slices"
	"strings"
)

// ChangedSince names what changed since the turn and is not churn, including the interval in which at was
// located; "" is nothing.
func (t *Turn) ChangedSince(at Target) string {
	idle := at.Idle
	if len(idle.Changes) > 0 {
		var names []string
		for _, c := range idle.Changes {
			names = append(names, string(c))
		}
		return strings.Join(names, ", ")
	}
	h := t.History
	h.Steps = append(slices.Clone(h.Steps), Step{N: t.Number, Target: at, After: t.Now})
	churn := h.Churn()
	for _, part := range idle.Parts {
		if slices.Contains(idle.Caused, part) || !churn.Parts[part] {
			return "part " + OneLine(part)
		}
	}
	for _, tile := range idle.Tiles {
		if !churn.Tiles[tile] && !t.Now.ambientTile(tile) {
			return "pixels"
		}
	}
	return ""
}

// ambientTile reports whether the tile touches a box that moves without an action.
func (o *Observation) ambientTile(tile int) bool {
	cols := int(math.Ceil(float64(o.Viewport.W) / TileSize))
	box := TileDiff{Cols: cols}.TileBox(tile)
	return slices.ContainsFunc(o.Ambient.Boxes, box.Overlaps)
}
