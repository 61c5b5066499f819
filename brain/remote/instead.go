package remote

import (
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// instead is the action that was done instead of a requested one, in the actions of the protocol; "" if
// the protocol cannot express it.
func instead(o model.Outcome, t *cua.Turn, on model.Screen) string {
	a := o.Instead(t)
	if a == nil {
		return ""
	}
	out := map[string]any{"kind": a.Kind}
	if a.Point != nil {
		out["x"], out["y"] = on.Units(*a.Point)
	}
	if a.To != nil {
		x, y := on.Units(*a.To)
		out["to"] = map[string]any{"x": x, "y": y}
	}
	for name, text := range map[string]string{"text": a.Text, "keys": a.Keys, "url": a.URL} {
		if text != "" {
			out[name] = text
		}
	}
	for name, n := range map[string]int{"ms": a.MS, "tab": a.Tab, "step": a.Step} {
		if n != 0 {
			out[name] = n
		}
	}
	for name, yes := range map[string]bool{"clear": a.Clear, "accept": a.Accept} {
		if yes {
			out[name] = true
		}
	}
	if a.Kind == cua.Scroll {
		out["dx"], out["dy"] = a.DX, a.DY
	}
	if len(a.Facets) > 0 {
		out["facets"] = a.Facets
	}
	return model.JSON(out)
}
