package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// State says for each plan value which visible field it belongs in and whether it has landed: whether the
// start page or a live step read it back from its field, whoever typed it. A landed value stays landed when
// the page is left, and when a submission or a new document empties the field. If the field loses it in
// another way, it is pending again.
//
// A visible field that asks for a planned value again (confirm password) adds a value at the end. State is
// nil if the task has no plan values.
func State(task cua.Task, h cua.History, c Config) *cua.FormState {
	return new(Reader).Read(task, h, c)
}

// Reader computes the states of a history that grows and reads each step once; after a rewind it starts
// again. The zero value is ready. It caches only. Each history must extend the one that was read before
// (cua.Growth), and task and config must stay the same.
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
	t, now := *r.t, h.Now() // a resumption may have reloaded the page
	r.steps, t.values = len(h.Steps), slices.Clone(t.values)
	for i, v := range t.values {
		t.values[i] = new(*v)
	}
	return t.state(t.observe(&now, nil))
}

// sameForm reports whether the fields cannot have changed from a to b.
func sameForm(a, b *cua.Observation) bool {
	return b.FormDigest != "" && a.FormDigest == b.FormDigest && a.Document == b.Document &&
		pageOf(a.URL) == pageOf(b.URL)
}

// tracker computes step by step what has landed.
type tracker struct {
	config Config
	// values are those of the plan, followed by the confirmations.
	values  []*tracked
	planned int
	prev    *cua.Observation
	last    *view // that of prev
}

// tracked is the state of one value.
type tracked struct {
	wanted
	landed bool
	// at is the field where it landed, on page; "" after a submission or a new document has emptied it.
	at, page string
}

// observe reads one observation; a is the action that led to it, nil is none.
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

// shown is the field that shows value i: its own field; an unassigned one that fits as well; or, for a value
// that matches no field, an unassigned one that a typed it into. It is -1 if there is none.
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

// typed reports whether a typed or selected w, and f shows it only since then.
func (t *tracker) typed(w *tracked, f *cua.Field, a *cua.Action) bool {
	if a == nil || a.Kind != cua.Type && a.Kind != cua.Select ||
		a.Text != w.value.Value && a.Text != wire(f, w.value.Value) {
		return false
	}
	was := t.prev.FieldByID(f.ID)
	return was == nil || !w.holds(was)
}

// confirmations adds a value for each visible field that asks again for a value that the plan has once.
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

// alikeEnough is the smallest overlap of two labels with the same meaning: half of their words.
const alikeEnough = 0.7

// confirmed is the value that a text of c asks for again, the new one rather than the old; nil is none.
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

// submitted reports whether the server accepted a write between before and o, or o is a new document.
func submitted(before, o *cua.Observation) bool {
	return before != nil && before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)
}

// state is the form state for the fields of v.
func (t *tracker) state(v *view) *cua.FormState {
	out := &cua.FormState{}
	for i, w := range t.values {
		s := cua.FormValue{PlanValue: w.value, Landed: w.landed}
		if j := v.at[i]; j >= 0 {
			s.Field, s.Text = v.fields[j].ID, wire(&v.fields[j], w.value.Value)
			s.Score = max(v.fits[i][j], t.config.Threshold) // assigned by order: it has no score
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
