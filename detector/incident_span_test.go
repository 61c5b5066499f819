package detector

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestIncidentSpan: which steps are one incident. Signals are given as they hold after each step.
func TestIncidentSpan(t *testing.T) {
	a := func(n ...int) []cua.Signal { return held(cua.ShapeRepeat, cua.Soft, "a", n...) }
	b := func(n ...int) []cua.Signal { return held(cua.ShapeSpiral, cua.Hard, "b", n...) }
	page := func(n ...int) []cua.Signal { return held(cua.ShapeCycle, cua.Soft, "", n...) }
	both := func(x, y []cua.Signal) []cua.Signal { return append(x, y...) }
	for name, row := range map[string]struct {
		after [][]cua.Signal
		want  []string
	}{
		"nothing":                              {[][]cua.Signal{nil, nil}, nil},
		"a note":                               {[][]cua.Signal{held(cua.ShapeStreak, cua.NoteLevel, "a", 1), nil}, nil},
		"a note beside a signal adds no shape": {[][]cua.Signal{both(a(1), held(cua.ShapeStreak, cua.NoteLevel, "b", 1)), nil, nil}, []string{"2-2 [repeat]"}},
		"after the last step":                  {[][]cua.Signal{nil, a(1, 2)}, nil},
		"to the last step":                     {[][]cua.Signal{a(1), a(1, 2)}, []string{"2-2 [repeat]"}},
		"one target":                           {[][]cua.Signal{a(1), a(2), a(3), nil, nil}, []string{"2-4 [repeat]"}},
		"one target with a gap":                {[][]cua.Signal{a(1), nil, a(1, 2, 3), nil, nil}, []string{"2-2 [repeat]", "4-4 [repeat]"}},
		"no target, one page of the cycle or other": {[][]cua.Signal{nil, page(1, 2), page(1, 2, 3), page(2, 3, 4), nil}, []string{"3-5 [cycle]"}},
		"one target, then another elsewhere":        {[][]cua.Signal{a(1), a(1), b(3), b(3, 4), nil}, []string{"2-3 [repeat]", "4-5 [spiral]"}},
		"one target, then where it led":             {[][]cua.Signal{a(1), a(1, 2), b(3), b(3, 4), nil}, []string{"2-5 [repeat spiral]"}},
		"one target, then another at the same node": {[][]cua.Signal{a(1), a(1, 2), b(2, 3), b(3, 4), nil}, []string{"2-5 [repeat spiral]"}},
		"two targets overlap":                       {[][]cua.Signal{a(1), both(a(1), b(2)), b(2, 3), nil, nil}, []string{"2-4 [repeat spiral]"}},
		"a target, then its page":                   {[][]cua.Signal{a(1), both(a(1), page(1)), page(1), nil}, []string{"2-4 [repeat cycle]"}},
		"without evidence, by the first step":       {[][]cua.Signal{{{Shape: cua.ShapeFrozen, Level: cua.Soft, Since: 1}}, {{Shape: cua.ShapeFrozen, Level: cua.Soft, Since: 1}}, nil}, []string{"2-3 [frozen]"}},
	} {
		var got []string
		for _, in := range incidents(steps(len(row.after)), row.after, cua.EndMaxSteps) {
			got = append(got, fmt.Sprintf("%d-%d %v", in.First, in.Last, in.Shapes))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// TestIncidentInside: waits, looks and refused steps inside an incident are part of it and
// of its price, and end nothing.
func TestIncidentInside(t *testing.T) {
	s := newSim(newPage("https://a.test/"))
	go1 := func() { s.stuck(click(400, 300), nil) }
	for range 4 {
		go1()
	}
	s.signalled(cua.Action{Kind: cua.Wait, MS: 500}, cua.Target{}, nil).Timing.Act = 500
	s.signalled(cua.Action{Kind: cua.Observe}, cua.Target{}, nil)
	s.refuse(click(400, 300)).Usage = cua.Usage{InputTokens: 7}
	go1()
	got := Incidents(s.h, loops(), cua.EndMaxSteps)
	if len(got) != 1 || got[0].First != 4 || got[0].Last != 8 || got[0].Tokens != 207 || got[0].USD != nil ||
		got[0].Seconds != 1.5 {
		t.Errorf("incidents %+v, want one of steps 4 to 8, 207 tokens, 1.5 s", got)
	}
}

// TestIncidentOfUnknownPages: where nothing is known of pages and elements, steps that go on as
// before are still one incident.
func TestIncidentOfUnknownPages(t *testing.T) {
	h := steps(12)
	for i := range h.Steps {
		h.Steps[i].Action.Point = at(100, 100)
		h.Steps[i].Proposed = *h.Steps[i].Action
	}
	got := Incidents(h, classic(DefaultConfig()), cua.EndMaxSteps)
	if len(got) != 1 || got[0].First != 4 || got[0].Last != 12 {
		t.Errorf("incidents %+v, want one of steps 4 to 12", got)
	}
}

func TestIncidentsApart(t *testing.T) {
	s := newSim(newPage("https://a.test/"))
	for range 5 {
		s.do(click(400, 300), button("Go"), nil)
	}
	s.do(cua.Action{Kind: cua.Navigate, URL: "https://b.test/"}, cua.Target{},
		func(p *page) { p.url = "https://b.test/" })
	for range 8 {
		s.do(click(10, 10), button("Other"), nil)
	}
	got := Incidents(s.h, loops(), cua.EndMaxSteps)
	if len(got) != 2 || got[0].ID != "i4" || got[0].Last != 6 || got[1].First < 10 || got[1].Last != 14 {
		t.Errorf("incidents %+v, want steps 4 to 6 and some to 14", got)
	}
}
