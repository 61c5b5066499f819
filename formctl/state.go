package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// State says for each plan value which visible field it belongs in and whether it has landed:
// whether the start page or a live step read it back from its field, whoever typed it. It stays
// landed when the page is left or when a submission empties the form, and is pending again
// only if the same field later shows another value.
//
// A visible field that asks for a planned value once more (confirm password) adds a value of
// its own at the end. Nil when the task has no plan values.
func State(task cua.Task, h cua.History, c Config) *cua.FormState {
	if len(task.Fields) == 0 {
		return nil
	}
	t := tracker{config: c, cache: map[identity]*candidate{}}
	for _, v := range task.Fields {
		t.values = append(t.values, &tracked{wanted: wantFor(task, v)})
	}
	t.observe(&h.Start, nil)
	live := cua.Live(h.Steps)
	for i := range live {
		t.observe(&live[i].After, &live[i])
	}
	now := h.Now() // a resumption may have shown the page anew
	t.last = true
	t.observe(&now, nil)
	out := t.state(len(task.Fields))
	out.Vague = sayNothing(now.Fields)
	return out
}

// sayNothing are the fields that take text and say nothing of which.
func sayNothing(fields []cua.Field) []string {
	var out []string
	for i := range fields {
		f := &fields[i]
		if f.Editable && len(mean(f.Label)) == 0 && len(mean(f.Name)) == 0 && len(mean(f.Placeholder)) == 0 && len(mean(f.Group)) == 0 {
			out = append(out, f.ID)
		}
	}
	return out
}

// tracker folds observations into what has landed.
type tracker struct {
	config Config
	values []*tracked
	// version counts what assignments depend on beside a layout: what landed where, and the values.
	version int
	cache   map[identity]*candidate
	layouts []*layout // the newest first
	now     *layout
	prev    *cua.Observation
	// last says that the newest observation is taken in: what it shows is what is acted on.
	last bool
}

// tracked is one value over time.
type tracked struct {
	wanted
	landed bool
	// at is the field that it landed in, on the page.
	at, page string
	// left says that the field was emptied by a submission or a new document: that is no
	// other value.
	left bool
}

// observe takes in one observation; step is the one that led to it, nil for none.
func (t *tracker) observe(o *cua.Observation, step *cua.Step) {
	before := t.prev
	if before != nil && !t.last && o.FormDigest != "" && o.FormDigest == before.FormDigest && o.Document == before.Document && pageOf(o.URL) == pageOf(before.URL) {
		return
	}
	t.prev = o
	l := t.layout(o, t.last)
	t.now = l
	if l.version != t.version || len(l.at) != len(t.values) || l.locked {
		t.place(l)
	}
	stands := true
	for i := range t.values {
		stands = t.settle(i, l, before, o) && stands
	}
	if stands {
		l.version = t.version
	}
	t.typed(l, o, before, step)
}

// settle says whether value i has landed, by what its field shows. The answer is whether the
// assignment of l stands: a value that lands where it was placed changes nothing there.
func (t *tracker) settle(i int, l *layout, before, o *cua.Observation) (stands bool) {
	v, j := t.values[i], l.at[i]
	if j < 0 {
		return true
	}
	f, stands := &l.fields[j], true
	held, known := v.holds(f), v.landed && v.at == f.ID && v.page == l.page
	if !held && !known {
		k := slices.IndexFunc(l.ties[i], func(k int) bool { return !slices.Contains(l.at, k) && v.holds(&l.fields[k]) })
		if k < 0 {
			return true
		}
		j = l.ties[i][k] // of two that fit, it went into the other one
		f, l.at[i], held, stands = &l.fields[j], j, true, false
	}
	switch {
	case held && !known:
		t.land(v, l.page, f.ID)
	case held:
		v.left = false
	case blank(f) && (v.left || submitted(before, o)):
		v.left = true
	default:
		v.landed, v.at, v.page, v.left = false, "", "", false
		t.version++
		return false
	}
	return stands
}

func (t *tracker) land(v *tracked, page, field string) {
	v.landed, v.at, v.page, v.left = true, field, page, false
	t.version++
}

// typed lands the values that match no visible field and were typed by the step into a field
// that no value claims: a lone field with a generic placeholder.
func (t *tracker) typed(l *layout, o, before *cua.Observation, step *cua.Step) {
	if step == nil || step.Action == nil || step.Action.Kind != cua.Type && step.Action.Kind != cua.Select {
		return
	}
	into := []string{step.Action.Into}
	if step.Action.Into == "" {
		into = []string{step.Target.Field, step.Target.ID}
		for _, seen := range []*cua.Observation{o, before} {
			if seen != nil && seen.Focus != nil {
				into = append(into, seen.Focus.ID)
			}
		}
	}
	for i, v := range t.values {
		if l.at[i] >= 0 || v.landed {
			continue
		}
		for j := range l.fields {
			f := &l.fields[j]
			same := step.Action.Text == v.value.Value || step.Action.Text == wire(f, v.value.Value)
			if f.ID != "" && same && !slices.Contains(l.at, j) && slices.Contains(into, f.ID) && v.holds(f) {
				l.at[i] = j
				t.land(v, l.page, f.ID)
				l.version = t.version
				break
			}
		}
	}
}

// confirmations adds a value for each visible field that asks for a planned one again, unless
// the plan has a value for it.
func (t *tracker) confirmations(fields []*candidate) {
	for _, c := range fields {
		for _, r := range c.texts {
			if !r.confirms {
				continue
			}
			v := t.confirmed(r)
			if v == nil || slices.ContainsFunc(t.values, func(u *tracked) bool { return overlap(u.meaning, r.meaning) >= 0.7 }) {
				continue
			}
			again := want(cua.PlanValue{Label: "Confirm " + v.value.Label, Value: v.value.Value})
			again.sides |= v.sides
			t.values = append(t.values, &tracked{wanted: again})
			t.version++
		}
	}
}

// confirmed is the value that r asks for once more: of two passwords the new one. Nil is none.
func (t *tracker) confirmed(r reading) (found *tracked) {
	again := slices.DeleteFunc(slices.Clone(r.meaning), func(w string) bool { return w == "confirm" })
	for _, v := range t.values {
		password := v.meaning.has("password")
		if v.meaning.has("confirm") || overlap(v.meaning, again) < 0.7 || opposed(v.sides, r.sides, password) ||
			password && (v.sides&^r.sides).current()&sideCurrent != 0 {
			continue
		}
		if found == nil || password && v.sides&sideNew > found.sides&sideNew {
			found = v
		}
	}
	return found
}

// submitted says whether the way from before to o sent something that was answered well, or
// led to a new document.
func submitted(before, o *cua.Observation) bool {
	return before != nil && before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)
}

// state is the answer; plan is how many values the task itself has.
func (t *tracker) state(plan int) *cua.FormState {
	out := &cua.FormState{}
	for i, v := range t.values {
		s := cua.FormValue{PlanValue: v.value, Landed: v.landed}
		if j := t.now.at[i]; j >= 0 {
			f := &t.now.fields[j]
			s.Field, s.Text, s.Score = f.ID, wire(f, v.value.Value), t.now.score(i, j)
		}
		if i < plan || v.landed || s.Field != "" {
			out.Values = append(out.Values, s)
		}
	}
	return out
}

// pageOf is the URL without query and fragment: a form that comes back with an error is the
// same page.
func pageOf(url string) string {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		return url[:i]
	}
	return url
}
