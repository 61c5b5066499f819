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
		t.values = append(t.values, tracked{wanted: want(v)})
	}
	t.observe(h.Start, nil)
	live := cua.Live(h.Steps)
	for i := range live {
		t.observe(live[i].After, &live[i])
	}
	t.observe(h.Now(), nil) // a resumption may have shown the page anew
	return t.state(len(task.Fields))
}

// tracker folds observations into what has landed.
type tracker struct {
	config Config
	values []tracked
	cache  map[identity]*candidate
	fields []*candidate // of the observation that is taken in
	prev   *cua.Observation
}

// identity is what a field says of itself.
type identity struct{ id, label, name, nameAttr, idAttr, placeholder, autocomplete, kind string }

// tracked is one value over time.
type tracked struct {
	wanted
	landed bool
	// at is the field that it landed in, on the page.
	at, page string
	// left says that the field was emptied by a submission or a new document: that is no
	// other value.
	left bool
	// field is the visible one that it belongs in now, "" is none; text is the value as that
	// field wants it and score that of the match.
	field, text string
	score       float64
}

// observe takes in one observation; step is the one that led to it, nil for none.
func (t *tracker) observe(o cua.Observation, step *cua.Step) {
	if t.prev != nil && o.FormDigest != "" && o.FormKey() == t.prev.FormKey() && o.Document == t.prev.Document {
		return
	}
	before := t.prev
	t.prev = &o
	t.fields = t.fields[:0]
	for j := range o.Fields {
		t.fields = append(t.fields, t.read(&o.Fields[j]))
	}
	t.confirmations()
	for j, c := range t.fields {
		c.rate(&o.Fields[j], t.values)
	}
	page := pageOf(o)
	for i, f := range t.place(o, page) {
		v := &t.values[i]
		if f == nil {
			continue
		}
		switch {
		case holds(*f, v.value.Value):
			v.landed, v.at, v.page, v.left = true, f.ID, page, false
		case !v.landed || v.at != f.ID || v.page != page:
		case blank(*f) && (v.left || submitted(before, o)):
			v.left = true
		default:
			v.landed, v.at, v.page, v.left = false, "", "", false
		}
	}
	t.typed(o, page, before, step)
}

// place is the field of each value in o, nil for none: the one that it landed in where that is
// still shown, else the best match among the rest.
func (t *tracker) place(o cua.Observation, page string) []*cua.Field {
	out := make([]*cua.Field, len(t.values))
	taken := map[int]bool{}
	for i := range t.values {
		v := &t.values[i]
		v.field, v.text, v.score = "", "", 0
		if !v.landed || v.page != page {
			continue
		}
		if j := slices.IndexFunc(o.Fields, func(f cua.Field) bool { return f.ID == v.at }); j >= 0 && !taken[j] {
			taken[j], out[i] = true, &o.Fields[j]
		}
	}
	scores := make([][]float64, len(t.values))
	for i := range t.values {
		scores[i] = make([]float64, len(o.Fields))
	}
	for j, c := range t.fields {
		for i := range t.values {
			if s := c.scores[i]; out[i] == nil && !taken[j] && s >= t.config.Threshold && takes(&t.values[i].wanted, &o.Fields[j]) {
				scores[i][j] = s
			}
		}
	}
	for i, j := range match(scores, t.config.Threshold) {
		if out[i] == nil && j >= 0 {
			out[i] = &o.Fields[j]
		}
	}
	for i, f := range out {
		if f != nil {
			v := &t.values[i]
			v.field, v.text, v.score = f.ID, wire(*f, v.value.Value), t.read(f).scores[i]
		}
	}
	return out
}

// read is the candidate of f, the same one for as long as f says the same of itself.
func (t *tracker) read(f *cua.Field) *candidate {
	key := identity{f.ID, f.Label, f.Name, f.NameAttr, f.IDAttr, f.Placeholder, f.Autocomplete, f.Type}
	c := t.cache[key]
	if c == nil {
		c = read(f)
		t.cache[key] = c
	}
	return c
}

// rate adds the scores of the values that c was not compared with before.
func (c *candidate) rate(f *cua.Field, values []tracked) {
	for i := len(c.scores); i < len(values); i++ {
		c.scores = append(c.scores, score(&values[i].wanted, f, c))
	}
}

// typed lands the values that match no visible field and were typed by the step into a field
// that no value claims: a lone field with a generic placeholder.
func (t *tracker) typed(o cua.Observation, page string, before *cua.Observation, step *cua.Step) {
	if step == nil || step.Action == nil || step.Action.Kind != cua.Type && step.Action.Kind != cua.Select {
		return
	}
	into := []string{step.Action.Into}
	if step.Action.Into == "" {
		into = []string{step.Target.Field, step.Target.ID}
		for _, seen := range []*cua.Observation{&o, before} {
			if seen != nil && seen.Focus != nil {
				into = append(into, seen.Focus.ID)
			}
		}
	}
	for i := range t.values {
		v := &t.values[i]
		if v.field != "" || v.landed {
			continue
		}
		for _, f := range o.Fields {
			claimed := slices.ContainsFunc(t.values, func(u tracked) bool { return u.field == f.ID })
			same := step.Action.Text == v.value.Value || step.Action.Text == wire(f, v.value.Value)
			if f.ID != "" && same && !claimed && slices.Contains(into, f.ID) && holds(f, v.value.Value) {
				v.landed, v.at, v.page, v.left, v.field, v.text = true, f.ID, page, false, f.ID, wire(f, v.value.Value)
				break
			}
		}
	}
}

// confirmations adds a value for each visible field that asks for a planned one again, unless
// the plan has a value for it.
func (t *tracker) confirmations() {
	for _, c := range t.fields {
		for _, r := range c.texts {
			if !r.confirms {
				continue
			}
			again := slices.DeleteFunc(slices.Clone(r.meaning), func(w string) bool { return w == "confirm" })
			for _, v := range t.values {
				if v.meaning.has("confirm") || overlap(v.meaning, again) < 0.7 {
					continue
				}
				if !slices.ContainsFunc(t.values, func(u tracked) bool { return overlap(u.meaning, r.meaning) >= 0.7 }) {
					t.values = append(t.values, tracked{wanted: want(cua.PlanValue{Label: "Confirm " + v.value.Label, Value: v.value.Value})})
				}
				break
			}
		}
	}
}

// submitted says whether the way from before to o sent something that was answered well, or
// led to a new document.
func submitted(before *cua.Observation, o cua.Observation) bool {
	return before != nil && before.Document != o.Document || slices.ContainsFunc(o.Writes, cua.Write.OK)
}

// state is the answer; plan is how many values the task itself has.
func (t *tracker) state(plan int) *cua.FormState {
	out := &cua.FormState{}
	for i, v := range t.values {
		if i < plan || v.landed || v.field != "" {
			out.Values = append(out.Values, cua.FormValue{PlanValue: v.value, Field: v.field, Text: v.text, Score: v.score, Landed: v.landed})
		}
	}
	return out
}

// pageOf is the URL without query and fragment: a form that comes back with an error is the
// same page.
func pageOf(o cua.Observation) string {
	if i := strings.IndexAny(o.URL, "?#"); i >= 0 {
		return o.URL[:i]
	}
	return o.URL
}
