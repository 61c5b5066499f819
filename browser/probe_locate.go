package browser

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// frameAt says which frame has to be asked instead, and where in it.
func (l *located) frameAt() (path string, x, y float64, ok bool) {
	if l.Target.Ask == nil {
		return "", 0, 0, false
	}
	return *l.Target.Ask, l.Target.X, l.Target.Y, true
}

// busy says whether anything mutated since the last read, or is animated.
func (l *located) busy() bool {
	return slices.ContainsFunc(l.Probe.flatten(), func(p *probeRaw) bool { return p.Busy })
}

// target is r in the top viewport, of which off is the origin of the frame that answered.
func (r *targetRaw) target(off cua.Point) cua.Target {
	t := cua.Target{ID: r.ID, Role: r.Role, Name: r.Name, Tag: r.Tag, Type: r.Type, Frame: r.Frame,
		Form: r.Form, Text: r.Text, Input: r.Input, Dialog: r.Dialog, Clickable: r.Clicks, Editable: r.Edit,
		Field: r.Field, Submit: r.Submit, Disabled: r.Disabled}
	if t.Frame == "" {
		t.Frame = frameOf(r.ID)
	}
	if r.Box.finite() && r.Box != (rawBox{}) {
		t.Box = shift(r.Box.box(), off.X, off.Y)
	}
	if r.Point != nil {
		t.Point = &cua.Point{X: r.Point[0] + off.X, Y: r.Point[1] + off.Y}
	}
	if c := r.Covering; c != nil && c.Box.finite() {
		t.Covering = &cua.Covering{ID: c.ID, Role: c.Role, Name: c.Name,
			Box: shift(c.Box.box(), off.X, off.Y), Controls: c.Controls}
	}
	return t
}

// idleBetween is what differs between two readings of the page with nothing dispatched in
// between. probes are those of the second.
func idleBetween(before, now cua.Observation, probes []probeRaw) cua.Idle {
	var idle cua.Idle
	if before.URL == "" {
		return idle // nothing was read before: nothing can have changed since
	}
	if now.URL != before.URL {
		idle.Changes = append(idle.Changes, cua.ChangeURL)
	}
	if now.FormDigest != before.FormDigest {
		idle.Changes = append(idle.Changes, cua.ChangeForm)
	}
	if now.Scroll.X != before.Scroll.X || now.Scroll.Y != before.Scroll.Y {
		idle.Changes = append(idle.Changes, cua.ChangeScroll)
	}
	idle.Parts = slices.DeleteFunc(changedParts(before.DOMParts, now.DOMParts),
		func(key string) bool { return slices.Contains(now.Recut, key) })
	for id, digest := range now.Canvases {
		if old, ok := before.Canvases[id]; ok && old != digest {
			idle.Parts = append(idle.Parts, cua.CanvasPart(id))
		}
	}
	slices.Sort(idle.Parts)
	caused := causedParts(probes)
	for _, key := range idle.Parts {
		if caused[key] {
			idle.Caused = append(idle.Caused, key)
		}
	}
	return idle
}

// causedParts are the parts that probes say were caused, by their keys in the whole page.
func causedParts(probes []probeRaw) map[string]bool {
	caused := map[string]bool{}
	for i := range probes {
		for _, p := range probes[i].flatten() {
			for _, key := range p.Caused {
				if p.Path != "" {
					key = "@" + p.Path + " " + key
				}
				caused[key] = true
			}
		}
	}
	return caused
}

// changedParts are the keys whose digests differ or that are in one only, sorted.
func changedParts(a, b map[string]string) []string {
	var out []string
	for key, digest := range b {
		if old, ok := a[key]; !ok || old != digest {
			out = append(out, key)
		}
	}
	for key := range a {
		if _, ok := b[key]; !ok {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out
}
