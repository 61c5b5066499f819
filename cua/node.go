package cua

import (
	"maps"
	"math"
	"math/bits"
	"net/url"
	"slices"
	"strconv"
)

// Node is the state node of an observation: origin, path with query, form digest, DOM digest without churn,
// scroll position in 100-px buckets, canvas digests. It is "" if no digest of the page is known, because a
// URL alone does not identify a state. Nodes under different masks cannot be compared.
func Node(o Observation, churn ChurnMask) string {
	dom := o.DOMDigest
	if len(churn.Parts) > 0 && len(o.DOMParts) > 0 {
		dom = partsDigest(o.DOMParts, churn.Parts)
	}
	return nodeOf(&o, PageURL(o.URL), dom, churn.Parts)
}

// CanvasPart is the name of a canvas's digest among changed parts and in the churn mask.
func CanvasPart(id string) string { return "canvas:" + id }

func nodeOf(o *Observation, page, dom string, mask map[string]bool) string {
	if dom == "" && o.FormDigest == "" && len(o.Canvases) == 0 {
		return ""
	}
	b := make([]byte, 0, 128)
	b = append(append(append(b, page...), '|'), o.FormDigest...)
	b = append(append(b, '|'), dom...)
	b = bucket(append(b, '|'), o.Scroll.Y)
	b = bucket(append(b, '|'), o.Scroll.ContainerY)
	if len(o.Canvases) == 0 {
		return string(b)
	}
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

// PageURL identifies a page: the URL without fragment and userinfo. If raw is no URL, it is raw.
func PageURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}

// path is origin and path only: documents that share it are one page.
func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// partsDigest is a digest over the parts that mask leaves. It does not depend on their order, so it need not
// sort: it is computed for each step.
func partsDigest(parts map[string]string, mask map[string]bool) string {
	var sum uint64
	n := len(parts)
	for k, v := range parts {
		sum += partHash(k, v)
	}
	for k := range mask {
		if v, ok := parts[k]; ok {
			sum -= partHash(k, v)
			n--
		}
	}
	return strconv.FormatUint(sum, 16) + "+" + strconv.Itoa(n)
}

// partHash is a fast 64-bit hash of one part. Nodes are only compared within one history, so a fast hash is
// good enough.
func partHash(k, v string) uint64 {
	h := mix(mix(0x9e3779b97f4a7c15, k)^uint64(len(k))<<32, v)
	h ^= h >> 29
	return h * 0xbf58476d1ce4e5b9
}

func mix(h uint64, s string) uint64 {
	for len(s) >= 8 {
		word := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = fold(h, word)
		s = s[8:]
	}
	var word uint64
	for i := range len(s) {
		word |= uint64(s[i]) << (8 * i)
	}
	return fold(h, word^uint64(len(s))<<56)
}

func fold(h, word uint64) uint64 {
	hi, lo := bits.Mul64(h^word, 0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(h, 23)
}

// nodeReader computes the nodes of one history. It caches, because neighbouring observations share most
// inputs.
type nodeReader struct {
	masks churnMasks
	raw   string // the URL that page and mask were computed from
	page  string
	mask  *ChurnMask
	// masked is the digest without churn that was computed from digest under maskedBy.
	digest, masked string
	maskedBy       *ChurnMask
	// views are the views of pages whose states structure cannot distinguish.
	views []view
}

// at is the mask for o.
func (r *nodeReader) at(o *Observation) *ChurnMask {
	if o.URL != r.raw || r.mask == nil {
		r.raw, r.page, r.mask = o.URL, PageURL(o.URL), r.masks.of(o)
	}
	return r.mask
}

func (r *nodeReader) node(o *Observation) string {
	mask := r.at(o)
	dom := o.DOMDigest
	if len(mask.Parts) > 0 && len(o.DOMParts) > 0 {
		if dom == "" || dom != r.digest || mask != r.maskedBy {
			r.digest, r.maskedBy, r.masked = dom, mask, partsDigest(o.DOMParts, mask.Parts)
		}
		dom = r.masked
	}
	node := nodeOf(o, r.page, dom, mask.Parts)
	if NodeBy(o, *mask) == NodeByFrame {
		node += "|" + r.view(o)
	}
	return node
}
