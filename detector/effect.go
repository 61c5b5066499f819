package detector

import (
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// EffectInput is all that an effect is made of.
type EffectInput struct {
	Before cua.Observation
	After  cua.Observation
	Action cua.Action // dispatched
	Target cua.Target
	// Churn is the mask of the history before this step.
	Churn cua.ChurnMask
	// Tiles is the difference of the two frames; nil when they could not be compared. Its
	// Masked and Presentation are taken as they are.
	Tiles *cua.TileDiff
}

// Effect is what a step changed (spec: loops, effect). A class of change whose
// evidence is missing on either side says nothing. Nil means that nothing of the
// page's content could be compared, so that the effect is unknown; it is not "no effect".
//
// A new document alone is no progress: a reload that shows the same page has
// changed nothing. Its digests and frames decide.
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

// judged says whether the content of the page is known on both sides: by its text and
// structure, or by its pixels. Where a dialog is open the page can be neither read nor
// changed, and the last known state stands for it.
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
	// A request that the server turned down is no result; one without an answer may be.
	if slices.ContainsFunc(a.Writes, func(w cua.Write) bool {
		return (w.OK() || w.Status == 0) &&
			!in.told(w)
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

// told says whether w was there before an action that causes none: after a wait the page still
// shows what the action before it wrote.
func (in *EffectInput) told(w cua.Write) bool {
	k := in.Action.Kind
	return (k == cua.Wait || k.ReadOnly()) && slices.Contains(in.Before.Writes, w)
}

func dialog(o *cua.Observation) cua.Dialog {
	if o.Dialog == nil {
		return cua.Dialog{}
	}
	return *o.Dialog
}

// content adds what changed on the page: values, text and structure, scroll position.
func (in *EffectInput) content(e *cua.Effect) {
	b, a := &in.Before, &in.After
	// An empty form digest is a page without fields only where the page was read at all.
	read := b.DOMDigest != "" && a.DOMDigest != ""
	if b.FormDigest != a.FormDigest && (read || b.FormDigest != "" && a.FormDigest != "") {
		e.Progress = append(e.Progress, cua.ChangeForm)
	}
	parts, known := in.parts()
	if len(parts) > 0 || !known && read && b.DOMDigest != a.DOMDigest {
		e.Progress = append(e.Progress, cua.ChangeDOM)
		e.Parts = parts[:min(len(parts), cua.MaxEffectParts)]
	}
	// Tab moves the page only to show where the focus went: that is presentation.
	if in.scrolled() && !in.tabbed() {
		e.Progress = append(e.Progress, cua.ChangeScroll)
	}
}

// parts are the changed, new and gone DOM parts and canvases, sorted, without churn and
// without what moved by itself since the last observation. known is false where a side has no
// parts to compare.
func (in *EffectInput) parts() (changed []string, known bool) {
	b, a := &in.Before, &in.After
	// In a document that has just come everything is new and nothing is by itself.
	same := b.Document == a.Document
	add := func(part string) {
		if !in.Churn.Parts[part] && !(same && slices.Contains(a.Ambient.Parts, part)) {
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

// differing are the keys whose values differ, in no order; a key that one side lacks is one.
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

// scrolled says whether the document moved by a pixel or more, or, where the action was
// one that scrolls, the container under it. The container of another action is
// another container.
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

// tabbed says whether the action moves the focus and nothing else.
func (in *EffectInput) tabbed() bool {
	return in.Action.Kind == cua.Key && strings.EqualFold(in.Action.Keys[strings.LastIndexByte(in.Action.Keys,
		'+')+1:], "Tab")
}

// pixels adds the pixel part: tiles outside the boxes of focus and hover, or inside. A lone tile far
// from the action, on a page whose structure was read and did not change, is presentation: one blink
// or one tick of something that nobody touched.
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

// farPx is how far from all places of an action a lone changed tile lies that is none of its doing,
// CSS px: the edge of the region that the verifier watches around a press.
const farPx = 200

// far says whether tile t lies farther than farPx from where the action went: its points, its target
// and what has or had the focus. An action without a place is far from nothing.
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

// attention adds where focus and pointer went.
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

// atTarget adds the progress that was seen at the target itself.
func (in *EffectInput) atTarget(e *cua.Effect) {
	if e.Has(cua.ChangeForm) && in.fieldChanged() {
		e.AtTarget = append(e.AtTarget, cua.ChangeForm)
	}
	if e.Has(cua.ChangePixels) && in.Tiles.Region {
		e.AtTarget = append(e.AtTarget, cua.ChangePixels)
	}
}

// fieldChanged says whether the field that the action went to has another value.
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
