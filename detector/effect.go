package detector

import (
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// EffectInput is the input of Effect.
type EffectInput struct {
	Before cua.Observation
	After  cua.Observation
	Action cua.Action // dispatched
	Target cua.Target
	// Churn is the mask of the history before this step.
	Churn cua.ChurnMask
	// Tiles is the difference of the two frames, with its Masked and Presentation; nil if there were none to
	// compare.
	Tiles *cua.TileDiff
}

// Effect is what a step changed. A class of change is left out if its evidence is missing on either side
// (docs/detection.md#evidence-and-what-no-effect-means). Nil means that no content could be compared: the
// effect is unknown, which is not "no effect".
//
// A new document alone is no progress: a reload that shows the same page has changed nothing. Digests and
// frames decide.
func Effect(in EffectInput) *cua.Effect {
	e := &cua.Effect{Tiles: in.Tiles}
	in.page(e)
	in.content(e)
	in.pixels(e)
	in.attention(e)
	if len(e.Progress) == 0 && !in.judged() {
		return nil
	}
	in.atTarget(e)
	return e
}

// judged reports whether the content of the page is known on both sides, by text and structure or by pixels.
// While a dialog is open the page can be neither read nor changed, so the last known state counts.
func (in *EffectInput) judged() bool {
	b, a := &in.Before, &in.After
	return in.Tiles != nil || b.DOMDigest != "" && a.DOMDigest != "" || len(b.DOMParts) > 0 &&
		len(a.DOMParts) > 0 ||
		b.FrameSHA != "" && b.FrameSHA == a.FrameSHA
}

// page adds what changed around the page: address, requests, dialogs, tabs, downloads.
func (in *EffectInput) page(e *cua.Effect) {
	b, a := &in.Before, &in.After
	if b.URL != "" && a.URL != "" && b.URL != a.URL {
		e.Progress = append(e.Progress, cua.ChangeURL)
	}
	// A request that the server rejected is no result; one without an answer may be.
	if slices.ContainsFunc(a.Writes, func(w cua.Write) bool {
		return (w.OK() || w.Status == 0) &&
			!in.stale(w)
	}) {
		e.Progress = append(e.Progress, cua.ChangeWrite)
	}
	if dialog(b) != dialog(a) || len(a.Alerts) > 0 && !slices.Equal(b.Alerts, a.Alerts) {
		e.Progress = append(e.Progress, cua.ChangeDialog)
	}
	if b.Tabs > 0 && a.Tabs > 0 && (b.Tabs != a.Tabs || b.Tab != a.Tab) {
		e.Progress = append(e.Progress, cua.ChangeTab)
	}
	if a.Downloads > b.Downloads {
		e.Progress = append(e.Progress, cua.ChangeDownload)
	}
}

// stale reports whether w is from before: after a wait the page still lists the writes of the action before
// it.
func (in *EffectInput) stale(w cua.Write) bool {
	k := in.Action.Kind
	return (k == cua.Wait || k.ReadOnly()) && slices.Contains(in.Before.Writes, w)
}

func dialog(o *cua.Observation) cua.Dialog {
	if o.Dialog == nil {
		return cua.Dialog{}
	}
	return *o.Dialog
}

// content adds what changed on the page: values, text, structure, scroll position.
func (in *EffectInput) content(e *cua.Effect) {
	b, a := &in.Before, &in.After
	// An empty form digest means a page without fields only if the page could be read.
	read := b.DOMDigest != "" && a.DOMDigest != ""
	if b.FormDigest != a.FormDigest && (read || b.FormDigest != "" && a.FormDigest != "") {
		e.Progress = append(e.Progress, cua.ChangeForm)
	}
	parts, known := in.parts()
	if len(parts) > 0 || !known && read && b.DOMDigest != a.DOMDigest {
		e.Progress = append(e.Progress, cua.ChangeDOM)
		e.Parts = parts[:min(len(parts), cua.MaxEffectParts)]
	}
	// Tab scrolls the page only to show the focus: that is presentation.
	if in.scrolled() && !in.tabbed() {
		e.Progress = append(e.Progress, cua.ChangeScroll)
	}
}

// parts are the changed, new and removed DOM parts and canvases, sorted, without churn, ambient changes and
// regions that are only divided differently. known is false if a side has no parts.
func (in *EffectInput) parts() (changed []string, known bool) {
	b, a := &in.Before, &in.After
	// In a new document everything is new, so nothing is ambient.
	same := b.Document == a.Document
	add := func(part string) {
		if !in.Churn.Parts[part] && !(same && (slices.Contains(a.Ambient.Parts, part) ||
			slices.Contains(a.Recut, part))) {
			changed = append(changed, part)
		}
	}
	if known = len(b.DOMParts) > 0 && len(a.DOMParts) > 0; known &&
		(b.DOMDigest == "" || b.DOMDigest != a.DOMDigest) {
		for _, k := range differing(b.DOMParts, a.DOMParts) {
			add(k)
		}
	}
	for k, v := range a.Canvases {
		if old, ok := b.Canvases[k]; ok && old != v {
			add(cua.CanvasPart(k))
		}
	}
	slices.Sort(changed)
	return changed, known
}

// differing are the keys whose values differ or that one side lacks, in no order.
func differing(before, after map[string]string) (keys []string) {
	for k, v := range after {
		if before[k] != v {
			keys = append(keys, k)
		}
	}
	for k := range before {
		if _, ok := after[k]; !ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// scrolled reports whether the document moved by at least a pixel or, if the action can scroll, the container
// under it. For other actions the two containers may be different ones.
func (in *EffectInput) scrolled() bool {
	b, a := in.Before.Scroll, in.After.Scroll
	moved := func(p, q float64) bool { return math.Abs(p-q) >= 1 }
	if moved(b.X, a.X) || moved(b.Y, a.Y) {
		return true
	}
	switch in.Action.Kind {
	case cua.Scroll, cua.Key, cua.Drag:
		return moved(b.ContainerX, a.ContainerX) || moved(b.ContainerY, a.ContainerY)
	}
	return false
}

// tabbed reports whether the action only moves the focus.
func (in *EffectInput) tabbed() bool {
	return in.Action.Kind == cua.Key && strings.EqualFold(in.Action.Keys[strings.LastIndexByte(in.Action.Keys,
		'+')+1:], "Tab")
}

// pixels adds the pixel part: tiles outside and inside the boxes of focus and hover. A single tile far from
// the action, on a page whose structure is known not to have changed, is presentation: a blink or a tick.
func (in *EffectInput) pixels(e *cua.Effect) {
	if in.Tiles == nil {
		return
	}
	tiles, shown := in.Tiles.Progress(), len(in.Tiles.Presentation) > 0
	progress := len(tiles) > 0
	if progress && in.tabbed() && in.scrolled() || len(tiles) == 1 && !e.Any() && in.far(tiles[0]) {
		progress, shown = false, true
	}
	if progress {
		e.Progress = append(e.Progress, cua.ChangePixels)
	}
	if shown {
		e.Presentation = append(e.Presentation, cua.ChangeFocusPixels)
	}
}

// farPx is how far from all places of an action a single changed tile must lie to be unrelated, CSS px: the
// edge of the verifier's region.
const farPx = 200

// far reports whether tile t is farther than farPx from the action: from its points, its target, and what
// has or had the focus. It is false for an action without a place.
func (in *EffectInput) far(t int) bool {
	b, a := &in.Before, &in.After
	if b.DOMDigest == "" || a.DOMDigest == "" {
		return false
	}
	boxes := append([]cua.Box{in.Target.Box}, a.Restyled...)
	into, target := field(b.Fields, in.Action.Into), field(a.Fields, in.Target.Field)
	for _, f := range []*cua.Field{b.Focus, a.Focus, into, target} {
		if f != nil {
			boxes = append(boxes, f.Box)
		}
	}
	for _, p := range []*cua.Point{in.Action.Point, in.Action.To, in.Target.Point} {
		if p != nil {
			boxes = append(boxes, cua.Box{X: p.X, Y: p.Y, W: 1, H: 1})
		}
	}
	scale := 1.0
	if f := a.Fingerprint; f != nil && f.W > 0 && a.Viewport.W > 0 {
		scale = float64(a.Viewport.W) / float64(f.W)
	}
	tile := in.Tiles.TileBox(t)
	around := cua.Box{X: tile.X * scale, Y: tile.Y * scale, W: tile.W * scale, H: tile.H * scale}.Grow(farPx)
	placed := func(b cua.Box) bool { return !b.Empty() }
	return slices.ContainsFunc(boxes, placed) && !slices.ContainsFunc(boxes, around.Overlaps)
}

// attention adds the changes of focus and hover.
func (in *EffectInput) attention(e *cua.Effect) {
	id := func(f *cua.Field) string {
		if f == nil {
			return ""
		}
		return f.ID
	}
	if id(in.Before.Focus) != id(in.After.Focus) {
		e.Presentation = append([]cua.Change{cua.ChangeFocus}, e.Presentation...)
	}
	if !slices.Equal(in.Before.Hover, in.After.Hover) {
		e.Presentation = append(e.Presentation, cua.ChangeHover)
	}
}

// atTarget adds the progress at the target itself.
func (in *EffectInput) atTarget(e *cua.Effect) {
	if e.Has(cua.ChangeForm) && in.fieldChanged() {
		e.AtTarget = append(e.AtTarget, cua.ChangeForm)
	}
	if e.Has(cua.ChangePixels) && in.Tiles.Region {
		e.AtTarget = append(e.AtTarget, cua.ChangePixels)
	}
}

// fieldChanged reports whether the field that the action was aimed at has another value.
func (in *EffectInput) fieldChanged() bool {
	id := in.Target.Field
	if id == "" {
		id = in.Target.ID
	}
	if into := in.Action.Into; into != "" {
		id = into
	}
	if id == "" && in.Before.Focus != nil {
		id = in.Before.Focus.ID
	}
	b, a := field(in.Before.Fields, id), field(in.After.Fields, id)
	return b != nil && a != nil && (b.ValueDigest != a.ValueDigest || b.Checked != a.Checked ||
		b.Selected != a.Selected ||
		b.Secret != a.Secret || b.Empty != a.Empty)
}

func field(fields []cua.Field, id string) *cua.Field {
	for i := range fields {
		if fields[i].ID == id {
			return &fields[i]
		}
	}
	return nil
}
