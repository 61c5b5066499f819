package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// State says for each plan value which visible field it belongs in and whether it has landed: whether the
// start page or a live step read it back from its field, whoever typed it. A value stays landed when the page
// is left or when a submission or a new document empties the field. It is pending again if the field loses it
// in another way.
//
// A visible field that asks for a planned value once more (confirm password) adds a value of its own at the
// end. Nil when the task has no plan values.
func State(task cua.Task, h cua.History, c Config) *cua.FormState {
	return new(Reader).Read(task, h, c)
}

// Reader reads the states of a history that grows, each step once; after a rewind it begins anew. The zero
// value is ready. It holds nothing that the history does not say. Each history must extend the one that was
// read before (cua.Growth), of one task under one config.
type Reader struct {
	t     *tracker
	steps int // how many have been read
}

// Read is State(task, h, c).
func (r *Reader) Read(task cua.Task, h cua.History, c Config) *cua.FormState {
	if len(task.Fields) == 0 {
		return nil
	}
	more := h.Steps[r.steps:]
	if r.t == nil || slices.ContainsFunc(more, func(s cua.Step) bool { return s.RewoundTo > 0 }) {
		r.t, more = &tracker{config: c, planned: len(task.Fields)}, cua.Live(h.Steps)
		for _, v := range task.Fields {
			r.t.values = append(r.t.values, &tracked{wanted: wantFor(task, v)})
		}
		r.t.observe(&h.Start, nil)
	}
	for i := range more {
		if o := &more[i].After; !sameForm(r.t.prev, o) {
			r.t.observe(o, more[i].Action)
		}
	}
	t, now := *r.t, h.Now() // a resumption may have shown the page anew
	r.steps, t.values = len(h.Steps), slices.Clone(t.values)
	for i, v := range t.values {
		t.values[i] = new(*v)
	}
	return t.state(t.observe(&now, nil))
}

// sameForm says whether nothing about the fields can have changed from a to b.
func sameForm(a, b *cua.Observation) bool {
	return b.FormDigest != "" && a.FormDigest == b.FormDigest && a.Document == b.Document &&
		pageOf(a.URL) == pageOf(b.URL)
}

// tracker folds observations into what has landed.
type tracker struct {
	config Config
	// values are those of the plan, the first planned ones, and after them the confirmations.
	values  []*tracked
	planned int
	prev    *cua.Observation
	last    *view // that of prev
}

// tracked is one value over time.
type tracked struct {
	wanted
	landed bool
	// at is the field that it landed in, on the page; "" once a submission or a new document emptied it.
	at, page string
}

// observe takes in one observation; a is the action that led to it, nil for none.
func (t *tracker) observe(o *cua.Observation, a *cua.Action) *view {
	v := t.place(o)
	for i := range t.values {
		t.settle(i, v, o, a)
	}
	t.prev = o
	return v
}

// settle updates whether value i has landed, by what the fields show.
func (t *tracker) settle(i int, v *view, o *cua.Observation, a *cua.Action) {
	w, j := t.values[i], v.at[i]
	if !w.landed || j < 0 || w.page != v.page || w.at != v.fields[j].ID {
		if j = t.shown(i, v, a); j >= 0 {
			v.at[i] = j
			w.landed, w.at, w.page = true, v.fields[j].ID, v.page
		}
		return
	}
	if f := &v.fields[j]; !w.holds(f) {
		w.landed, w.at = blank(f) && submitted(t.prev, o), ""
	}
}

// shown is the field that shows value i: its own field, an unclaimed one that fits just as well, or for a
// value that no field matches an unclaimed one that a typed it into. It is -1 when there is none.
func (t *tracker) shown(i int, v *view, a *cua.Action) int {
	w, own := t.values[i], v.at[i]
	if own >= 0 && w.holds(&v.fields[own]) {
		return own
	}
	for j := range v.fields {
		f := &v.fields[j]
		tied := own >= 0 && v.fits[i][j] > 0 && v.fits[i][j] == v.fits[i][own]
		if !tied && (own >= 0 || w.landed || !t.typed(w, f, a)) {
			continue
		}
		if f.ID != "" && !slices.Contains(v.at, j) && w.holds(f) {
			return j
		}
	}
	return -1
}

// typed says whether a typed or chose w and f shows it only since then.
func (t *tracker) typed(w *tracked, f *cua.Field, a *cua.Action) bool {
	if a == nil || a.Kind != cua.Type && a.Kind != cua.Select ||
		a.Text != w.value.Value && a.Text != wire(f, w.value.Value) {
		return false
	}
	was := t.prev.FieldByID(f.ID)
	return was == nil || !w.holds(was)
}

// confirmations adds a value for each visible field that asks again for one that the plan gives once.
func (t *tracker) confirmations(fields []*candidate) {
	for _, c := range fields {
		for _, r := range c.texts {
			v := t.confirmed(c, r.meaning)
			known := func(u *tracked) bool { return overlap(u.meaning, r.meaning) >= alikeEnough }
			if v == nil || slices.ContainsFunc(t.values, known) {
				continue
			}
			again := want(cua.PlanValue{Label: "Confirm " + v.value.Label, Value: v.value.Value})
			again.sides |= v.sides
			t.values = append(t.values, &tracked{wanted: again})
		}
	}
}

// alikeEnough is the least overlap of two labels of one thing: half of their words.
const alikeEnough = 0.7

// confirmed is the value that a text of c asks for once more, the new one rather than the old; nil is none.
func (t *tracker) confirmed(c *candidate, asked meaning) (found *tracked) {
	if !asked.has("confirm") {
		return nil
	}
	once := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return w == "confirm" })
	for _, v := range t.values {
		old := v.sides&^c.sides&sideOld != 0
		if old || overlap(v.meaning, once) < alikeEnough || opposed(v.sides, c.sides) {
			continue
		}
		if found == nil || v.sides&sideNew > found.sides&sideNew {
			found = v
		}
	}
	return found
}

// submitted says whether a write was answered well between before and o, or o is a new document.
func submitted(before, o *cua.Observation) bool {
	return before != nil && before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)
}

// state is the answer for the fields of v.
func (t *tracker) state(v *view) *cua.FormState {
	out := &cua.FormState{}
	for i, w := range t.values {
		s := cua.FormValue{PlanValue: w.value, Landed: w.landed}
		if j := v.at[i]; j >= 0 {
			s.Field, s.Text = v.fields[j].ID, wire(&v.fields[j], w.value.Value)
			s.Score = max(v.fits[i][j], t.config.Threshold) // by order alone there is none
		}
		if i < t.planned || w.landed || s.Field != "" {
			out.Values = append(out.Values, s)
		}
	}
	return out
}

// pageOf is the URL without query and fragment: a form that comes back with an error is the same page.
func pageOf(url string) string {
	page, _, _ := strings.Cut(url, "#")
	page, _, _ = strings.Cut(page, "?")
	return page
}
