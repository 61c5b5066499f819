package browser

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// answering are the documents that one execution context answers for.
type answering struct {
	Covered bool   `json:"covered"`
	Places  []spot `json:"places"`
}

// spot is one document.
type spot struct {
	Path   string `json:"path"`
	Origin string `json:"origin"`
}

// toFrames calls __cua.FUNCTION in each document of the page with what make gives for the frames of the
// checkpoint that it answers for. A document of another origin than the checkpoint's frame is given nothing:
// what one site was told goes to no other. sum, if not nil, adds up the answers. The error is the last of
// make, or of the page.
func (r *restoration) toFrames(ctx context.Context, w *settling, function string,
	make func(cua.FrameState) (any, error), sum *int) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	read, done := w.t.interruptible(ctx)
	defer done()
	var lost error
	for i, c := range w.t.probe.open() {
		at, err := eval[answering](read, c, "__cua.places()")
		if err != nil && (i == 0 || !errors.Is(err, errUnnamed) && !errors.Is(err, errNoContext)) {
			return err
		}
		if err != nil || at.Covered {
			continue
		}
		list, err := made(r.want.Frames, at.Places, make)
		if err != nil {
			lost = err
		}
		if len(list) == 0 {
			continue
		}
		n, err := eval[*int](read, c, "__cua."+function+"("+literal(list)+")")
		if err != nil {
			return err
		}
		if n != nil && sum != nil {
			*sum += *n
		}
	}
	return lost
}

// made is what make gives for those of frames that are at places, and its last error.
func made(frames []cua.FrameState, places []spot, make func(cua.FrameState) (any,
	error)) (list []any, lost error) {
	for _, f := range frames {
		if !slices.Contains(places, spot{f.Path, f.Origin}) {
			continue
		}
		v, err := make(f)
		if err != nil {
			lost = err
		}
		if v != nil {
			list = append(list, v)
		}
	}
	return list, lost
}

// readBack compares what the page shows now with the checkpoint. known says that there was one; without it
// the address is all that can be told.
func (r *restoration) readBack(out *cua.Outcome, known bool) map[string]string {
	facets := map[string]string{}
	for _, f := range cua.Facets() {
		facets[f] = cua.Kept
	}
	for _, f := range r.asked {
		check, ok := checks[f]
		switch {
		case !ok || f != cua.FacetURL && !known:
			facets[f] = cua.Unsupported
		case f == cua.FacetURL && out.After.State == nil:
			facets[f] = word(r.seal.text(out.After.URL) == r.want.URL && out.After.NavError == "")
		case out.After.State == nil:
			facets[f] = cua.Drifted
		default:
			facets[f] = check(r.want, out.After.State)
			if r.failed[f] && facets[f] == cua.WasRestored {
				facets[f] = cua.Drifted
			}
		}
	}
	return facets
}

func word(restored bool) string {
	if restored {
		return cua.WasRestored
	}
	return cua.Drifted
}

// checks say of each facet whether it is as it was.
var checks = map[string]func(want, got *cua.PageState) string{
	cua.FacetURL:     func(want, got *cua.PageState) string { return word(want.URL == got.URL) },
	cua.FacetStorage: sameStores,
	cua.FacetCookies: sameCookies,
	cua.FacetForm:    sameForm,
	cua.FacetScroll:  sameScroll,
	cua.FacetTabs:    sameTabs,
}

func sameStores(want, got *cua.PageState) string {
	for _, s := range want.Stores {
		i := slices.IndexFunc(got.Stores, func(o cua.OriginStore) bool { return o.Origin == s.Origin })
		if s.Local == nil || s.Session == nil {
			return cua.Unsupported
		}
		if i < 0 || !maps.Equal(s.Local, got.Stores[i].Local) || !maps.Equal(s.Session,
			got.Stores[i].Session) {
			return cua.Drifted
		}
	}
	return cua.WasRestored
}

func sameCookies(want, got *cua.PageState) string {
	if want.Cookies == nil || got.Cookies == nil {
		return cua.Unsupported
	}
	return word(slices.EqualFunc(want.Cookies, got.Cookies, func(a, b cua.Cookie) bool {
		return cookieKey(a) == cookieKey(b) && a.Value == b.Value && a.Secure == b.Secure &&
			a.HTTPOnly == b.HTTPOnly && a.SameSite == b.SameSite
	}))
}

// sameForm says whether every control of the checkpoint is there and holds what it held. Where all others do,
// one whose value was not kept makes it unsupported.
func sameForm(want, got *cua.PageState) string {
	out := cua.WasRestored
	for _, f := range want.Frames {
		if len(f.Controls) == 0 {
			continue
		}
		now := frameAt(got, f.Path, f.Origin)
		if now == nil {
			return cua.Drifted
		}
		for _, c := range f.Controls {
			i := slices.IndexFunc(now.Controls, func(o cua.ControlState) bool { return o.Key == c.Key })
			if i < 0 {
				i = slices.IndexFunc(now.Controls, func(o cua.ControlState) bool { return o.Alt == c.Alt })
			}
			switch {
			case i < 0:
				return cua.Drifted
			case c.Withheld:
				out = cua.Unsupported
			case !sameControl(c, now.Controls[i]):
				return cua.Drifted
			}
		}
	}
	return out
}

func sameControl(a, b cua.ControlState) bool {
	return !b.Withheld && a.Value == b.Value && a.Mask == b.Mask && a.On == b.On &&
		slices.Equal(a.Chosen, b.Chosen)
}

// scrollSlack is how far from its place something may be scrolled and still be where it was, CSS pixels:
// browsers round to device pixels.
const scrollSlack = 1.5

func sameScroll(want, got *cua.PageState) string {
	near := func(a, b float64) bool { return math.Abs(a-b) <= scrollSlack }
	for _, f := range want.Frames {
		now := frameAt(got, f.Path, f.Origin)
		if now == nil || !near(f.X, now.X) || !near(f.Y, now.Y) {
			return cua.Drifted
		}
		for _, b := range f.Boxes {
			if !slices.ContainsFunc(now.Boxes, func(o cua.ScrolledBox) bool {
				return o.Path == b.Path &&
					near(o.X, b.X) && near(o.Y, b.Y)
			}) {
				return cua.Drifted
			}
		}
	}
	return cua.WasRestored
}

func sameTabs(want, got *cua.PageState) string {
	return word(want.Tab == got.Tab && slices.EqualFunc(want.Tabs, got.Tabs,
		func(a, b cua.TabState) bool { return a.URL == b.URL }))
}

func frameAt(p *cua.PageState, path, origin string) *cua.FrameState {
	i := slices.IndexFunc(p.Frames, func(f cua.FrameState) bool {
		return f.Path == path &&
			f.Origin == origin
	})
	if i < 0 {
		return nil
	}
	return &p.Frames[i]
}
