package cua

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
)

// Node is the state node of an observation: (origin, path with its query, form
// digest, dom digest without churn, scroll in 100-px buckets, canvas digests);
// "" when nothing of the page is known. Nodes under different masks do not compare.
func Node(o Observation, churn ChurnMask) string {
	dom := o.DOMDigest
	if len(churn.Parts) > 0 && len(o.DOMParts) > 0 {
		dom = partsDigest(o.DOMParts, churn.Parts)
	}
	return nodeOf(&o, page(o.URL), dom, churn.Parts)
}

// CanvasPart is the name under which a canvas's digest appears among changed
// parts and in the churn mask.
func CanvasPart(id string) string { return "canvas:" + id }

func nodeOf(o *Observation, page, dom string, mask map[string]bool) string {
	if o.URL == "" && dom == "" && o.FormDigest == "" {
		return ""
	}
	b := make([]byte, 0, 128)
	b = append(append(append(b, page...), '|'), o.FormDigest...)
	b = append(append(b, '|'), dom...)
	b = bucket(append(b, '|'), o.Scroll.Y)
	b = bucket(append(b, '|'), o.Scroll.ContainerY)
	for _, k := range slices.Sorted(maps.Keys(o.Canvases)) {
		if !mask[CanvasPart(k)] {
			b = append(append(b, '|'), o.Canvases[k]...)
		}
	}
	return string(b)
}

// bucket appends the 100-px bucket of a scroll position.
func bucket(b []byte, px float64) []byte {
	return strconv.AppendFloat(b, math.Floor(px/100), 'f', 0, 64)
}

// page is origin and path with query of a URL.
func page(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}

// path is origin and path alone: documents that share it are one page.
func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// partsDigest is a digest over the parts that mask leaves. It does not depend
// on an order, so nothing has to be sorted.
func partsDigest(parts map[string]string, mask map[string]bool) string {
	var sum uint64
	n := 0
	for k, v := range parts {
		if !mask[k] {
			sum += fnv(fnv(fnvOffset, k)*fnvPrime, v)
			n++
		}
	}
	return strconv.FormatUint(sum, 16) + "+" + strconv.Itoa(n)
}

// FNV-1a, 64 bit, over strings without a copy.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func fnv(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

// nodeReader reads the nodes of one history: neighbouring observations share
// most of what a node is made of.
type nodeReader struct {
	masks  churnMasks
	raw    string // the URL that page was made of
	page   string
	digest string // the DOM digest that masked was made of, under mask
	mask   *ChurnMask
	masked string
}

func (r *nodeReader) node(o *Observation) string {
	if o.URL != r.raw {
		r.raw, r.page = o.URL, page(o.URL)
	}
	mask := r.masks.of(o)
	dom := o.DOMDigest
	if len(mask.Parts) > 0 && len(o.DOMParts) > 0 {
		if dom == "" || dom != r.digest || mask != r.mask {
			r.digest, r.mask, r.masked = dom, mask, partsDigest(o.DOMParts, mask.Parts)
		}
		dom = r.masked
	}
	return nodeOf(o, r.page, dom, mask.Parts)
}
