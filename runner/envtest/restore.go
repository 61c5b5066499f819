package envtest

import (
	"context"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// pageState is what Restore needs: the page and what its fields hold. There is nothing stored, no cookie, no
// scrolling and one tab.
func (e *Env) pageState(o cua.Observation) *cua.PageState {
	p := &cua.PageState{URL: o.URL, Cookies: []cua.Cookie{}, Tabs: []cua.TabState{{ID: "1",
		URL: o.URL}}, Tab: 1}
	f := cua.FrameState{Origin: strings.TrimSuffix(URL(""), "/")}
	for _, c := range e.page().Controls {
		if c.field() {
			f.Controls = append(f.Controls, cua.ControlState{Key: c.Name, Alt: c.Name, Kind: "text",
				Value: e.value(c)})
		}
	}
	p.Frames = []cua.FrameState{f}
	return p
}

// Restore opens the page of the checkpoint again and gives its fields what they held.
func (e *Env) Restore(ctx context.Context, c cua.Checkpoint, facets []string) (cua.Outcome, error) {
	if err := e.ready(ctx); err != nil {
		return cua.Outcome{}, err
	}
	e.state.writes = nil
	to := c.URL
	if c.Page != nil {
		to = c.Page.URL
	}
	fail := e.act(cua.Action{Kind: cua.Navigate, URL: to})
	if c.Page != nil && fail == nil && slices.Contains(facets, cua.FacetForm) {
		e.fill(c.Page)
	}
	out := cua.Outcome{After: e.observe(), Failure: fail, Settle: cua.Settle{Frame: "scripted"},
		Facets: map[string]string{}}
	for _, f := range cua.Facets() {
		out.Facets[f] = cua.Kept
	}
	for _, f := range facets {
		switch {
		case !slices.Contains(cua.Facets(), f) || f != cua.FacetURL && c.Page == nil:
			out.Facets[f] = cua.Unsupported
		case f == cua.FacetURL && out.After.URL != to, f == cua.FacetForm && !e.holds(c.Page):
			out.Facets[f] = cua.Drifted
		default:
			out.Facets[f] = cua.WasRestored
		}
	}
	return out, nil
}

func (e *Env) fill(p *cua.PageState) {
	for _, want := range p.Frames[0].Controls {
		for _, c := range e.page().Controls {
			if c.Name == want.Key {
				e.state.values[e.key(c)] = want.Value
			}
		}
	}
}

// holds reports whether the page's fields hold what they held.
func (e *Env) holds(p *cua.PageState) bool {
	now := e.pageState(cua.Observation{})
	return slices.EqualFunc(p.Frames[0].Controls, now.Frames[0].Controls,
		func(a, b cua.ControlState) bool { return a.Key == b.Key && a.Value == b.Value })
}
