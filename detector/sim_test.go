package detector

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// page is a page as a test imagines it.
type page struct {
	url      string
	parts    map[string]string
	values   map[string]string // form values by field identity
	canvas   string
	scroll   float64
	focus    string // field identity
	document string
	tiles    map[int]int // what each tile shows
}

func newPage(url string) *page {
	return &page{url: url, document: "d1", parts: map[string]string{"main": "hello"},
		values: map[string]string{}, tiles: map[int]int{}}
}

func text(m map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		b.WriteString(k + "=" + m[k] + ";")
	}
	return b.String()
}

func (p *page) observe() cua.Observation {
	o := cua.Observation{URL: p.url, Document: p.document, Viewport: cua.Size{W: 1280, H: 800},
		DOMParts: map[string]string{}, DOMDigest: cua.Digest(text(p.parts)),
		FormDigest: cua.Digest(text(p.values)), Scroll: cua.Scrolled{Y: p.scroll}, Tabs: 1, Tab: 1}
	for k, v := range p.parts {
		o.DOMParts[k] = cua.Digest(v)
	}
	for _, k := range slices.Sorted(maps.Keys(p.values)) {
		o.Fields = append(o.Fields, cua.Field{ID: k, ValueDigest: cua.Digest(p.values[k]),
			Empty: p.values[k] == "", Editable: true})
	}
	if p.canvas != "" {
		o.Canvases = map[string]string{"c": cua.Digest(p.canvas)}
	}
	if p.focus != "" {
		o.Focus = &cua.Field{ID: p.focus, Editable: true}
	}
	o.FrameSHA = cua.Digest(fmt.Sprint(p.tiles, text(p.parts), text(p.values), p.canvas, p.scroll, p.url))
	return o
}

// sim makes a history the way a runner does: idle changes at Locate, churn, effect, step.
type sim struct {
	h    cua.History
	page *page
	// idle is what the page does by itself in each interval; nil is nothing.
	idle func(p *page)
}

func newSim(p *page) *sim { return &sim{h: cua.History{Start: p.observe()}, page: p} }

func tileDiff(before, after map[int]int, churn cua.ChurnMask) *cua.TileDiff {
	d := &cua.TileDiff{Cols: 40, Rows: 25}
	for t := range 1000 {
		if before[t] != after[t] {
			d.Changed = append(d.Changed, t)
			if churn.Tiles[t] {
				d.Masked = append(d.Masked, t)
			}
		}
	}
	return d
}

// do makes one step; change is what the page does about it.
func (s *sim) do(a cua.Action, t cua.Target, change func(p *page)) *cua.Step {
	before := s.h.Now()
	seen := maps.Clone(s.page.tiles)
	if s.idle != nil {
		s.idle(s.page)
		now := s.page.observe()
		for k, v := range now.DOMParts {
			if before.DOMParts[k] != v {
				t.Idle.Parts = append(t.Idle.Parts, k)
			}
		}
		slices.Sort(t.Idle.Parts)
		t.Idle.Tiles = tileDiff(seen, s.page.tiles, cua.ChurnMask{}).Changed
	}
	if change != nil {
		change(s.page)
	}
	churn := s.h.Churn()
	step := cua.Step{N: len(s.h.Steps) + 1, Decision: len(s.h.Steps) + 1, Proposed: a, Action: &a, Target: t,
		After: s.page.observe()}
	if t.Point == nil {
		step.Target.Point = a.Point
	}
	step.Effect = Effect(EffectInput{Before: before, After: step.After, Action: a, Target: step.Target,
		Churn: churn,
		Tiles: tileDiff(seen, s.page.tiles, churn)})
	s.h.Steps = append(s.h.Steps, step)
	return &s.h.Steps[len(s.h.Steps)-1]
}

func at(x, y float64) *cua.Point { return &cua.Point{X: x, Y: y} }

func click(x, y float64) cua.Action { return cua.Action{Kind: cua.Click, Point: at(x, y)} }

func button(name string) cua.Target {
	return cua.Target{ID: "button|" + name, Role: "button", Name: name,
		Box: cua.Box{X: 380, Y: 290, W: 40, H: 20}}
}

// firsts are the numbers of the steps after which a signal of each level first held; 0 is never.
func firsts(h cua.History, d Detector) (soft, hard int) {
	for i := 1; i <= len(h.Steps); i++ {
		for _, s := range d.Detect(prefix(h, i)) {
			if soft == 0 && s.Level.AtLeast(cua.Soft) {
				soft = i
			}
			if hard == 0 && s.Level == cua.Hard {
				hard = i
			}
		}
	}
	return soft, hard
}

// alarms are the signals of soft level and above: notes are none.
func alarms(signals []cua.Signal) []cua.Signal {
	return slices.DeleteFunc(signals, func(s cua.Signal) bool { return !s.Level.AtLeast(cua.Soft) })
}

// wait makes a wait of that many seconds.
func (s *sim) wait(seconds int, change func(p *page)) *cua.Step {
	return s.do(cua.Action{Kind: cua.Wait, MS: 1000 * seconds}, cua.Target{}, change)
}

// look makes a read-only step that changes nothing.
func (s *sim) look() *cua.Step { return s.do(cua.Action{Kind: cua.Observe}, cua.Target{}, nil) }

// key presses keys on what has the focus.
func (s *sim) key(keys string, change func(p *page)) *cua.Step {
	return s.do(cua.Action{Kind: cua.Key, Keys: keys}, cua.Target{}, change)
}

// press clicks the button of that name.
func (s *sim) press(name string, change func(p *page)) *cua.Step {
	return s.do(click(400, 300), button(name), change)
}

// fail makes a step that was dispatched and failed.
func (s *sim) fail(kind cua.FailureKind) *cua.Step {
	step := s.do(click(400, 300), button("Go"), nil)
	step.Failure = &cua.Failure{Kind: kind}
	return step
}

// show is a change of what the page shows.
func show(text string) func(*page) { return func(p *page) { p.parts["main"] = text } }

// fill is a change of one field.
func fill(field, value string) func(*page) { return func(p *page) { p.values[field] = value } }

// box is a target that takes text.
func box(name string) cua.Target {
	return cua.Target{ID: "textbox|" + name, Field: "textbox|" + name, Role: "textbox", Editable: true}
}

// put types text over what a field holds.
func put(text string) cua.Action {
	return cua.Action{Kind: cua.Type, Point: at(200, 40), Text: text, Clear: true}
}

// shapeRow is what one shape says of a history.
type shapeRow struct {
	name string
	play func(*sim)
	// soft and hard are the numbers of the steps after which a signal of that level or above first held; 0 is
	// never.
	soft, hard int
	// want is the signal after the last step; the zero Signal is none.
	want cua.Signal
}

func checkShape(t *testing.T, d Detector, rows []shapeRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s := newSim(newPage("https://a.test/"))
			row.play(s)
			if soft, hard := firsts(s.h, d); soft != row.soft || hard != row.hard {
				t.Errorf("first soft after step %d, first hard after step %d, want %d and %d", soft, hard,
					row.soft, row.hard)
			}
			var got cua.Signal
			if all := d.Detect(s.h); len(all) > 1 {
				t.Errorf("%d signals of one shape: %+v", len(all), all)
			} else if len(all) == 1 {
				got = all[0]
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("after the last step\n%+v, want\n%+v", got, row.want)
			}
		})
	}
}

// span are the numbers from one step to another.
func span(from, to int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}
