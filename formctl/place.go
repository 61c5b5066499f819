package formctl

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// layout are the candidates of a page's fields and the scores of each value in each of them. It is reused as
// long as the candidates stay the same.
type layout struct {
	reads []*candidate
	// fits are the scores by value and field; 0 is a pair that must not be assigned.
	fits    [][]float64
	company []float64 // by field
}

// view is the fields of one observation and the value assigned to each.
type view struct {
	*layout
	page   string
	fields []cua.Field
	// kept and at are the field of each value: where it landed, and the best assignment. -1 is none.
	kept, at []int
}

// saysSame reports whether a layout treats two fields as equal. Role and frame are in the identity. Text that
// was typed into a field does not count.
func saysSame(a, b *cua.Field) bool {
	if a.ID != b.ID || a.Label != b.Label || a.Name != b.Name || a.Type != b.Type || a.Form != b.Form ||
		a.Editable != b.Editable || a.Disabled != b.Disabled || a.ReadOnly != b.ReadOnly {
		return false
	}
	shown := a.ValueDigest == b.ValueDigest && a.Selected == b.Selected && a.Secret == b.Secret
	return a.NameAttr == b.NameAttr && a.IDAttr == b.IDAttr && a.Placeholder == b.Placeholder &&
		a.Autocomplete == b.Autocomplete && a.Group == b.Group && slices.Equal(a.Options, b.Options) &&
		(shown && a.Checked == b.Checked || a.TakesText() && a.Typable())
}

// place assigns a field of o to each value: the one where it landed if that is still shown, else the best of
// the rest by match, else one by inOrder.
func (t *tracker) place(o *cua.Observation) *view {
	v, last := &view{page: pageOf(o.URL), fields: o.Fields}, t.last
	t.last = v
	same := last != nil && len(last.fields) == len(v.fields)
	for j := 0; same && j < len(v.fields); j++ {
		same = saysSame(&last.fields[j], &v.fields[j])
	}
	if same {
		v.layout = last.layout
	} else {
		v.layout = t.layout(v.fields)
	}
	v.kept = t.keep(v)
	if same && last.page == v.page && slices.Equal(last.kept, v.kept) {
		v.at = slices.Clone(last.at)
		return v
	}
	v.at = slices.Clone(v.kept)
	for i, j := range v.match() {
		if j >= 0 {
			v.at[i] = j
		}
	}
	t.inOrder(v)
	return v
}

// keep assigns the landed values to the fields where they landed.
func (t *tracker) keep(v *view) []int {
	kept := slices.Repeat([]int{-1}, len(t.values))
	for i, w := range t.values {
		if !w.landed || w.page != v.page {
			continue
		}
		j := slices.IndexFunc(v.fields, func(f cua.Field) bool { return f.ID == w.at })
		if j >= 0 && !slices.Contains(kept, j) {
			kept[i] = j
		}
	}
	return kept
}

// layout computes the candidates and all scores.
func (t *tracker) layout(fields []cua.Field) *layout {
	l := &layout{}
	for j := range fields {
		l.reads = append(l.reads, read(&fields[j]))
	}
	t.confirmations(l.reads)
	for _, w := range t.values {
		named, fits := cua.ByPlace(w.value.Label, fields), make([]float64, len(fields))
		for j := range fields {
			s := score(&w.wanted, &fields[j], l.reads[j])
			if j == named && !fields[j].Sensitive() { // a position does not identify a secret field
				s = byLabel
			}
			if s >= t.config.Threshold && takes(&w.wanted, &fields[j]) {
				fits[j] = s
			}
		}
		l.fits = append(l.fits, fits)
	}
	l.company = company(fields, l.fits)
	return l
}

// company is, for each field, how much its form is about the plan, 0 to 1: of two fields with the same label
// it prefers the one whose form takes the other values too.
func company(fields []cua.Field, fits [][]float64) []float64 {
	sum := map[place]float64{}
	for _, row := range fits {
		best := map[place]float64{}
		for j, s := range row {
			form := placeOf(&fields[j])
			best[form] = max(best[form], s)
		}
		for form, s := range best {
			sum[form] += s / float64(len(fits))
		}
	}
	out := make([]float64, len(fields))
	for j := range fields {
		out[j] = sum[placeOf(&fields[j])]
	}
	return out
}

// place is a form in its frame: identities of forms are unique only within a frame.
type place struct{ form, frame string }

func placeOf(f *cua.Field) place { return place{f.Form, f.Frame} }

// match is the best one-to-one assignment of the values and fields that are not kept: for each value the
// index of its field, -1 for none. It maximizes the sum of squared scores, so one exact label outweighs two
// guesses. Ties are broken by company, then by document order.
func (v *view) match() []int {
	weights := make([][]float64, len(v.fits))
	for i, row := range v.fits {
		weights[i] = make([]float64, len(row))
		for j, s := range row {
			if s > 0 && v.kept[i] < 0 && !slices.Contains(v.kept, j) {
				d := float64(j-i) / 1000
				weights[i][j] = s*s + 1e-3*v.company[j] - 1e-4*d*d
			}
		}
	}
	return assign(weights)
}

// inOrder assigns values without a matching field, in plan order, to the fields without any words, in
// document order. It does so only if there are as many of both, and nothing distinguishes those fields. A
// secret, or a value with a secret's label, is never assigned by order alone.
func (t *tracker) inOrder(v *view) {
	var values, fields []int
	for i, w := range t.values[:t.planned] {
		label := w.value.Label
		if v.at[i] < 0 && !w.landed && w.secret == "" && !cua.SaysPlace(label) && !cua.SaysSecret(label) {
			values = append(values, i)
		}
	}
	for j := range v.fields {
		if !slices.Contains(v.at, j) && v.reads[j].nameless(&v.fields[j]) {
			fields = append(fields, j)
		}
	}
	if len(values) != len(fields) {
		return
	}
	at := slices.Clone(v.at)
	for k, j := range fields {
		f, first := &v.fields[j], &v.fields[fields[0]]
		if f.Type != first.Type || placeOf(f) != placeOf(first) || !takes(&t.values[values[k]].wanted, f) {
			return
		}
		at[values[k]] = j
	}
	v.at = at
}
