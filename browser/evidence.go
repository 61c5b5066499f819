package browser

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// mergeInput is what an observation takes from elsewhere than the page.
type mergeInput struct {
	Viewport cua.Size
	// Secrets are the values of this episode's secrets by name.
	Secrets map[string]string
	// Spelled finds the spellings of Secrets; nil finds none.
	Spelled *redact.Set
	// Key is that of digests that tell no secret.
	Key *digestKey
	// ReadEndpoints are path prefixes whose non-GET requests change nothing.
	ReadEndpoints []string
	// NetWrites are the writes that only the network events know: form posts, and what a
	// document sent that is gone.
	NetWrites []cua.Write
}

// placed is one frame's answer with the place of its viewport in the top one.
type placed struct {
	*probeRaw
	dx, dy float64
	clip   cua.Box // the part of the top viewport in which it shows
	dialog string  // that holds the frame, in whatever document above; "" is none
}

// mergeProbes makes one observation of the answers of all frames, the top one among
// them (path ""). Frames that are not shown are left out.
func mergeProbes(answers []probeRaw, in mergeInput) (cua.Observation, error) {
	frames, err := place(answers, in.Viewport)
	if err != nil {
		return cua.Observation{}, err
	}
	top := frames[""]
	o := cua.Observation{
		URL: top.URL, Title: strings.ToValidUTF8(top.Title, "\uFFFD"), Document: top.Doc,
		Viewport: in.Viewport,
		DOMParts: map[string]string{}, Canvases: map[string]string{},
		Scroll: cua.Scrolled{X: top.Scroll.X, Y: top.Scroll.Y, MaxY: top.Scroll.MaxY},
	}
	if in.Viewport == (cua.Size{}) {
		o.Viewport = cua.Size{W: int(top.View[0]), H: int(top.View[1])}
	}
	in.Spelled.Learn(in.Secrets)
	m := merger{in: in, frames: frames, o: &o, done: map[string]bool{}}
	m.walk(top, 0)
	for i := range o.Marks {
		o.Marks[i].N = i + 1
	}
	o.Focus = m.focus(top, 0)
	o.Notices = clipped(o.Notices, maxNotices)
	o.Scroll.ContainerX, o.Scroll.ContainerY = m.container(top, 0)
	o.Writes = writesOf(m.writes, in)
	slices.Sort(o.Ambient.Parts)
	slices.Sort(o.Recut)
	o.FormDigest = formDigest(o.Fields)
	o.DOMDigest = partsDigest(o.DOMParts)
	if len(o.Canvases) == 0 {
		o.Canvases = nil
	}
	return o, nil
}

// place finds where each answered frame shows, by what its parent says of it.
func place(answers []probeRaw, view cua.Size) (map[string]placed, error) {
	byPath := map[string]*probeRaw{}
	for i := range answers {
		for _, p := range answers[i].flatten() {
			if _, ok := byPath[p.Path]; !ok {
				byPath[p.Path] = p
			}
		}
	}
	top, ok := byPath[""]
	if !ok {
		return nil, fmt.Errorf("browser: reading the page: no answer of the top document among %d",
			len(answers))
	}
	clip := cua.Box{W: float64(view.W), H: float64(view.H)}
	if clip.Empty() {
		clip = cua.Box{W: top.View[0], H: top.View[1]}
	}
	out := map[string]placed{}
	var add func(p placed, depth int)
	add = func(p placed, depth int) {
		out[p.Path] = p
		for _, f := range p.Frames {
			child, ok := byPath[f.Path]
			if _, seen := out[f.Path]; !ok || seen || depth >= maxDepth || !f.Box.finite() ||
				!under(f.Path, p.Path) {
				continue
			}
			box := shift(f.Box.box(), p.dx, p.dy)
			add(placed{child, box.X, box.Y, intersect(box, p.clip), cmp.Or(f.Dialog, p.dialog)}, depth+1)
		}
	}
	add(placed{top, 0, 0, clip, ""}, 0)
	return out, nil
}

func under(path, parent string) bool {
	return parent == "" && path != "" && !strings.Contains(path, "/") ||
		parent != "" && strings.HasPrefix(path, parent+"/") && !strings.Contains(path[len(parent)+1:], "/")
}

func shift(b cua.Box, dx, dy float64) cua.Box {
	return cua.Box{X: b.X + dx, Y: b.Y + dy, W: b.W, H: b.H}
}

func intersect(a, b cua.Box) cua.Box {
	x, y := math.Max(a.X, b.X), math.Max(a.Y, b.Y)
	return cua.Box{X: x, Y: y, W: math.Max(0, math.Min(a.X+a.W, b.X+b.W)-x),
		H: math.Max(0, math.Min(a.Y+a.H, b.Y+b.H)-y)}
}

type merger struct {
	in     mergeInput
	frames map[string]placed
	o      *cua.Observation
	writes []cua.Write
	done   map[string]bool // paths of frames that are in
}

// walk adds p and, where its parent shows them, the frames in it: document order throughout.
func (m *merger) walk(p placed, depth int) {
	m.done[p.Path] = true
	fields, marks := 0, 0
	upTo := func(nf, nm int) {
		for ; fields < min(nf, len(p.Fields)) && len(m.o.Fields) < maxFields; fields++ {
			m.o.Fields = append(m.o.Fields, m.field(p, p.Fields[fields]))
		}
		for ; marks < min(nm, len(p.Marks)) && len(m.o.Marks) < maxMarks; marks++ {
			m.mark(p, p.Marks[marks])
		}
	}
	for _, f := range p.Frames {
		child, ok := m.frames[f.Path]
		if !ok || m.done[f.Path] || depth >= maxDepth || !under(f.Path, p.Path) {
			continue
		}
		upTo(f.Fields, f.Marks)
		m.walk(child, depth+1)
	}
	upTo(len(p.Fields), len(p.Marks))
	m.parts(p)
}

func (m *merger) parts(p placed) {
	prefix := ""
	if p.Path != "" {
		prefix = "@" + p.Path + " "
	}
	for key, digest := range p.Parts {
		if len(m.o.DOMParts) < maxParts {
			m.o.DOMParts[prefix+key] = digest
		}
	}
	for key, digest := range p.Canvases {
		m.o.Canvases[prefix+key] = digest
	}
	for _, key := range p.Ambient.Parts {
		m.o.Ambient.Parts = append(m.o.Ambient.Parts, prefix+key)
	}
	for _, key := range p.Recut {
		m.o.Recut = append(m.o.Recut, prefix+key)
	}
	for _, key := range p.Ambient.Canvases {
		m.o.Ambient.Parts = append(m.o.Ambient.Parts, cua.CanvasPart(prefix+key))
	}
	m.o.Ambient.Boxes = append(m.o.Ambient.Boxes, boxes(p, p.Ambient.Boxes)...)
	m.o.Hover = append(m.o.Hover, boxes(p, p.Hover)...)
	m.o.Selected = append(m.o.Selected, boxes(p, p.Selected)...)
	m.o.Restyled = append(m.o.Restyled, boxes(p, p.Restyled)...)
	m.o.Pickers = append(m.o.Pickers, boxes(p, p.Pickers)...)
	m.writes = append(m.writes, p.Writes...)
	m.o.Notices = append(m.o.Notices, p.Notices...)
	m.o.Working = m.o.Working || p.Working
	m.o.Unread = m.o.Unread || p.Unread
	m.o.Answered += p.Answered
	m.forms(p)
}

// Caps on what an observation holds of forms and of what the page announces.
const (
	maxForms   = 100
	maxNotices = 20
	maxTexts   = 60
)

// clipped are the first n of the different texts, sorted.
func clipped(texts []string, n int) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	if len(texts) == 0 {
		return nil
	}
	return texts[:min(len(texts), n)]
}

func (m *merger) forms(p placed) {
	for _, f := range p.Forms {
		if len(m.o.Forms) >= maxForms {
			return
		}
		out := cua.Form{ID: f.ID, Frame: p.Path, Dialog: cmp.Or(f.Dialog, p.dialog),
			Texts: clipped(f.Texts, maxTexts)}
		if f.Default != nil {
			send := *f.Default
			send.Frame, send.Dialog = p.Path, cmp.Or(send.Dialog, p.dialog)
			out.Default = &send
		}
		m.o.Forms = append(m.o.Forms, out)
	}
}

func boxes(p placed, raw []rawBox) []cua.Box {
	var out []cua.Box
	for _, b := range raw {
		if b.finite() && len(out) < 100 {
			out = append(out, shift(b.box(), p.dx, p.dy))
		}
	}
	return out
}

func (m *merger) field(p placed, f fieldRaw) cua.Field {
	out := f.field(m.in)
	out.Frame = p.Path
	if top := m.frames[""]; p.Path != "" && (p.Origin != top.Origin || p.Origin == "null") {
		out.Origin = p.Origin
	}
	out.Box = shift(out.Box, p.dx, p.dy)
	out.Dialog = cmp.Or(out.Dialog, p.dialog)
	return out
}

func (m *merger) mark(p placed, k markRaw) {
	if !k.Box.finite() {
		return
	}
	box := shift(k.Box.box(), p.dx, p.dy)
	if !box.Overlaps(p.clip) {
		return
	}
	m.o.Marks = append(m.o.Marks, cua.Mark{ID: k.ID, Role: k.Role, Name: k.Name, Text: k.Text, Input: k.Input,
		Dialog: cmp.Or(k.Dialog, p.dialog), Tag: k.Tag, Type: k.Type, Submit: k.Submit,
		Form: k.Form, Frame: p.Path, Box: box, Disabled: k.Disabled, Covered: k.Covered})
}

// focus follows the focus into frames. The modal dialog that counts is that of the innermost document on the
// way that has one: it is the one that the keyboard cannot leave.
func (m *merger) focus(p placed, depth int) *cua.Field {
	m.o.Modal = cmp.Or(p.Modal, m.o.Modal)
	if p.FocusInto != nil && depth < maxDepth {
		if child, ok := m.frames[*p.FocusInto]; ok && under(child.Path, p.Path) {
			return m.focus(child, depth+1)
		}
		return nil
	}
	if p.Focus == nil {
		return nil
	}
	f := m.field(p, *p.Focus)
	return &f
}

// container is how far the container is scrolled that the action is in; inside a frame that has
// none it is the frame's document.
func (m *merger) container(p placed, depth int) (x, y float64) {
	s := p.Scroll
	if s.Into != nil {
		child, ok := m.frames[*s.Into]
		if !ok || !under(child.Path, p.Path) || depth >= maxDepth {
			return 0, 0
		}
		return m.container(child, depth+1)
	}
	if !s.Found && depth > 0 {
		return s.X, s.Y
	}
	return s.CX, s.CY
}

// formDigest covers what a person has put into the fields and what the page says of it.
func formDigest(fields []cua.Field) string {
	if len(fields) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range fields {
		fmt.Fprintf(h, "%q %q %q %t %t %t %q\n", f.ID, f.ValueDigest, f.Selected, f.Checked, f.Disabled,
			f.ReadOnly, f.Invalid)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func partsDigest(parts map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		fmt.Fprintf(h, "%q %s\n", key, parts[key])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// writesOf joins what the page and the network know, without the task's read endpoints. The
// answer that is known wins.
func writesOf(page []cua.Write, in mergeInput) []cua.Write {
	var out []cua.Write
	for _, w := range append(slices.Clone(page), in.NetWrites...) {
		u, err := url.Parse(w.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		read := slices.ContainsFunc(in.ReadEndpoints, func(p string) bool {
			return p != "" &&
				strings.HasPrefix(u.Path, p)
		})
		u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
		w.URL = u.String()
		if !read && len(out) < 100 {
			out = append(out, w)
		}
	}
	return out
}
