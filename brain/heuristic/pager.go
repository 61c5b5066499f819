package heuristic

import (
	"net/url"
	"regexp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// turnWords are the only words that the name of a control for pages or months may have.
var turnWords = []string{"next", "previous", "prev", "page", "month", "results", "older", "newer", "go", "to",
	"forward", "back", "the"}

func turns(name string, to ...string) bool {
	w, _ := Meaning(name)
	return within(w, turnWords) && slices.ContainsFunc(to, func(x string) bool {
		return slices.Contains(w,
			x)
	})
}

func isNext(name string) bool { return turns(name, "next", "older", "forward") }
func isPrev(name string) bool { return turns(name, "previous", "prev", "newer", "back") }

func turned(p press) int {
	switch {
	case isNext(p.name):
		return 1
	case isPrev(p.name):
		return -1
	}
	return 0
}

var (
	pageOf   = regexp.MustCompile(`(?i)\bpage\s+(\d{1,4})\b(?:\s*(?:of|/)\s*(\d{1,4}))?`)
	pagePath = regexp.MustCompile(`(?i)/page[/-]?(\d{1,4})(?:/|$)`)
	pageName = regexp.MustCompile(`(?i)^\W*(?:go to\s+)?(?:page\s+)?(\d{1,4})\W*$`)
)

// pageAt is the number of the page that state i shows, from the URL, the title, the text that was read, or
// the number that was pressed.
func (v *view) pageAt(i int) (int, bool) {
	o := v.t.History.Before(i)
	if u, err := url.Parse(o.URL); err == nil {
		for _, k := range []string{"page", "p", "pg"} {
			if n := atoi(u.Query().Get(k)); n > 0 {
				return n, true
			}
		}
		if m := pagePath.FindStringSubmatch(u.Path); m != nil {
			return atoi(m[1]), true
		}
	}
	for _, s := range []string{v.readAt(i), o.Title} {
		if m := pageOf.FindStringSubmatch(s); m != nil {
			return atoi(m[1]), true
		}
	}
	if i > 0 {
		if p, ok := v.pressAt(i - 1); ok && p.effect {
			if m := pageName.FindStringSubmatch(p.name); m != nil {
				return atoi(m[1]), true
			}
		}
	}
	return 0, false
}

func (v *view) pageReached(a aim, from int) (int, bool) {
	if a.number != lastPage {
		return v.firstState(from, v.trace(from, reckoned{1, true}, v.pageAt, turned), a.number)
	}
	for i := from; i <= len(v.steps); i++ {
		if v.atLastPage(i) {
			return i, true
		}
		if i > from {
			if p, ok := v.pressAt(i - 1); ok && p.effect && slices.Contains(Words(p.name), "last") {
				return i, true
			}
		}
	}
	return from, false
}

// atLastPage reports whether the page before step i shows that it is the last, by its number or by its
// next and previous controls.
func (v *view) atLastPage(i int) bool {
	before := v.t.History.Before(i)
	if m := pageOf.FindStringSubmatch(v.readAt(i) + "\n" + before.Title); m != nil && m[2] != "" &&
		m[1] == m[2] {
		return true
	}
	next, prev, ended := false, false, false
	for _, m := range before.Marks {
		next = next || isNext(m.Name) && !m.Disabled
		ended = ended || isNext(m.Name) && m.Disabled
		prev = prev || isPrev(m.Name) && !m.Disabled
	}
	return !next && (ended || prev)
}

func (v *view) turnPage(a aim, from int) *move {
	want := "last page"
	if a.number != lastPage {
		want = "page " + itoa(a.number)
		if m := v.find(func(m cua.Mark) float64 {
			if s := pageName.FindStringSubmatch(m.Name); s != nil && atoi(s[1]) == a.number {
				return 1
			}
			return 0
		}); m != nil {
			return v.click(*m, "press the number of the page")
		}
	} else if m := v.find(func(m cua.Mark) float64 {
		return max(named("last", m.Name),
			named("last page", m.Name))
	}); m != nil && !m.Disabled {
		return v.click(*m, "press the way to the last page")
	}
	way, forward := isNext, true
	if a.number != lastPage {
		t := v.trace(from, reckoned{1, true}, v.pageAt, turned)
		if at := t[len(t)-1]; at.known && at.n > a.number {
			way, forward = isPrev, false
		}
	}
	if m := v.find(func(m cua.Mark) float64 {
		if way(m.Name) {
			return 1
		}
		return 0
	}); m != nil {
		if forward {
			return v.click(*m, "go on towards "+want)
		}
		return v.click(*m, "go back towards "+want)
	}
	return v.sweep(want)
}
