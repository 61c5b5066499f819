package cua

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Sample is one step as the loop shapes read it: one per step, whatever the
// step dispatched underneath.
type Sample struct {
	Step *Step
	// Acting is Step.Acting().
	Acting bool
	// Signature is action kind, parameters and target identity, without the point where the
	// identity is known.
	Signature string
	// Before and After are state nodes; "" is unknown.
	Before, After string
	// Known says whether the effect could be judged at all.
	Known bool
	// Progress says that the step had a progress effect, at once or late; what the churn mask
	// explains by now does not count.
	Progress bool
	// New says that After is known and not among the nodes before it.
	New bool
}

// Samples reads the whole history, rewound steps included, with the churn mask
// as it is known now.
func (h History) Samples() []Sample {
	churn := h.Churn()
	out := make([]Sample, len(h.Steps))
	seen := map[string]bool{}
	before := Node(h.Start, churn)
	seen[before] = true
	for i := range h.Steps {
		s := &h.Steps[i]
		if len(h.Resumed) > 0 {
			before = Node(h.Before(i), churn)
			seen[before] = true
		}
		after := before
		if s.Dispatched() {
			after = Node(s.After, churn)
		}
		out[i] = Sample{Step: s, Acting: s.Acting(), Before: before, After: after,
			Known: s.Effect != nil, Progress: h.progress(i, churn), New: after != "" && !seen[after]}
		if s.Action != nil {
			out[i].Signature = Signature(*s.Action, s.Target)
		}
		seen[after] = true
		before = after
	}
	h.late(out, churn)
	return out
}

// progress says whether step i's recorded effect still counts under churn.
func (h History) progress(i int, churn ChurnMask) bool {
	e := h.Steps[i].Effect
	if !e.Any() {
		return false
	}
	for _, c := range e.Progress {
		switch c {
		case ChangeDOM:
			if !explained(e.Parts, churn.Parts) {
				return true
			}
		case ChangePixels:
			if e.Tiles == nil || !tilesExplained(*e.Tiles, churn.Tiles) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// maxEffectParts is where Effect.Parts is cut; a full list explains nothing.
const maxEffectParts = 20

func explained(parts []string, mask map[string]bool) bool {
	if len(parts) == 0 || len(parts) >= maxEffectParts {
		return false
	}
	return !slices.ContainsFunc(parts, func(p string) bool { return !mask[p] })
}

func tilesExplained(d TileDiff, mask map[int]bool) bool {
	return !slices.ContainsFunc(d.Changed, func(t int) bool { return !mask[t] && !d.Masked.Has(t) })
}

// late gives the last acting step the changes that came after it while nobody
// acted: those known by cause, and those that only waits precede.
func (h History) late(out []Sample, churn ChurnMask) {
	last := -1
	for i := range out {
		idle := h.Steps[i].Target.Idle
		fresh := slices.ContainsFunc(idle.Caused, func(p string) bool { return !churn.Parts[p] })
		if h.afterWait(i) && !fresh {
			fresh = len(idle.Changes) > 0 || slices.ContainsFunc(idle.Parts, func(p string) bool { return !churn.Parts[p] })
		}
		if last >= 0 && fresh {
			out[last].Progress = true
		}
		switch {
		case out[i].Acting:
			last = i
		case last >= 0 && h.Steps[i].Action != nil && h.Steps[i].Action.Kind == Wait && out[i].Progress:
			out[last].Progress = true
		}
	}
}

// Node is the state node of an observation: (origin, path with its query, form
// digest, dom digest without churn, scroll in 100-px buckets, canvas digests);
// "" when nothing of the page is known.
func Node(o Observation, churn ChurnMask) string {
	dom := o.DOMDigest
	if len(o.DOMParts) > 0 && len(churn.Parts) > 0 {
		h := sha256.New()
		for _, k := range slices.Sorted(maps.Keys(o.DOMParts)) {
			if !churn.Parts[k] {
				fmt.Fprintf(h, "%s=%s\n", k, o.DOMParts[k])
			}
		}
		dom = hex.EncodeToString(h.Sum(nil)[:8])
	}
	if o.URL == "" && dom == "" && o.FormDigest == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(page(o.URL))
	for _, s := range []string{o.FormDigest, dom, bucket(o.Scroll.Y), bucket(o.Scroll.ContainerY)} {
		b.WriteByte('|')
		b.WriteString(s)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Canvases)) {
		b.WriteString("|" + o.Canvases[k])
	}
	return b.String()
}

func page(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.User = "", nil
	return u.String()
}

func bucket(px float64) string { return strconv.Itoa(int(math.Floor(px / 100))) }

// Signature is action kind, parameters and target identity; the point counts
// only where no element was identified.
func Signature(a Action, t Target) string {
	place := cmp.Or(t.ID, a.Into)
	if place == "" && a.Point != nil {
		place = PointID(*a.Point)
	}
	b := []string{string(a.Kind), place}
	if a.To != nil {
		b = append(b, PointID(*a.To))
	}
	if a.DX != 0 || a.DY != 0 {
		b = append(b, fmt.Sprintf("%.0f,%.0f", a.DX, a.DY))
	}
	b = append(b, a.Text, a.Keys, a.URL, strings.Join(a.Files, ","))
	if a.Tab != 0 || a.MS != 0 {
		b = append(b, strconv.Itoa(a.Tab), strconv.Itoa(a.MS))
	}
	return strings.Join(b, "\x1f")
}

// pointBucket is the edge of the bucket that stands for a place where nothing can be
// identified, CSS px (spec: loops, target identity).
const pointBucket = 8

// PointID is the identity of a bare place: its 8-px bucket.
func PointID(p Point) string {
	return fmt.Sprintf("@%d,%d", int(math.Floor(p.X/pointBucket)), int(math.Floor(p.Y/pointBucket)))
}
