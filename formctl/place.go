package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// view is the fields of one observation and the value that belongs in each.
type view struct {
	page   string
	fields []cua.Field
	scores [][]float64 // by value and field
	at     []int       // the field of each value, -1 for none
}

// identity is what a field says of itself: all that its scores depend on.
type identity struct {
	id, label, group, name, nameAttr, idAttr, placeholder, autocomplete, kind, options string
}

// read is the candidate of f, the same one for as long as f says the same of itself, with a score for each
// value.
func (t *tracker) read(f *cua.Field) *candidate {
	key := identity{f.ID, f.Label, f.Group, nameOf(f), f.NameAttr, f.IDAttr, f.Placeholder, f.Autocomplete,
		f.Type, ""}
	if f.Type == "radio" {
		key.options = strings.Join(f.Options, "\n")
	}
	c := t.cache[key]
	if c == nil {
		c = read(f)
		t.cache[key] = c
	}
	return c
}

// place assigns the fields of o: to each value the field that it landed in where that is still shown, else
// the best among the rest, all at once, and then by order.
func (t *tracker) place(o *cua.Observation) *view {
	v := &view{page: pageOf(o.URL), fields: o.Fields}
	reads := make([]*candidate, len(o.Fields))
	for j := range o.Fields {
		reads[j] = t.read(&o.Fields[j])
	}
	t.confirmations(reads)
	taken := t.keep(v)
	fits := t.fits(v, reads)
	company := t.company(v, fits)
	for i, row := range fits {
		for j := range row {
			if v.at[i] >= 0 || taken[j] {
				row[j] = 0
			}
		}
	}
	for i, j := range match(fits, company) {
		if j >= 0 {
			taken[j], v.at[i] = true, j
		}
	}
	t.inOrder(v, reads, taken)
	return v
}

// keep assigns the landed values to the fields that they landed in, and says which fields those are.
func (t *tracker) keep(v *view) (taken []bool) {
	taken, v.at = make([]bool, len(v.fields)), make([]int, len(t.values))
	for i, w := range t.values {
		v.at[i] = -1
		if !w.landed || w.page != v.page {
			continue
		}
		j := slices.IndexFunc(v.fields, func(f cua.Field) bool { return f.ID == w.at })
		if j >= 0 && !taken[j] {
			taken[j], v.at[i] = true, j
		}
	}
	return taken
}

// fits scores each value in each field, and gives the scores of those pairs that may be assigned, 0 for the
// others.
func (t *tracker) fits(v *view, reads []*candidate) [][]float64 {
	fits := make([][]float64, len(t.values))
	for i, w := range t.values {
		named := -1
		if w.byPlace {
			named = cua.ByPlace(w.value.Label, v.fields)
		}
		scores := make([]float64, len(v.fields))
		fits[i] = make([]float64, len(v.fields))
		for j := range v.fields {
			f := &v.fields[j]
			scores[j] = reads[j].score(i, &w.wanted, f)
			if j == named && !f.Sensitive() { // a place alone opens no password, code or card field
				scores[j] = byLabel
			}
			if scores[j] >= t.config.Threshold && takes(&w.wanted, f) {
				fits[i][j] = scores[j]
			}
		}
		v.scores = append(v.scores, scores)
	}
	return fits
}

// company is for each field how much its form has to do with the plan, 0 to 1: of two fields with the same
// label the one is meant whose form takes the other values too.
func (t *tracker) company(v *view, fits [][]float64) []float64 {
	out := make([]float64, len(v.fields))
	best := map[place][]float64{}
	for j := range v.fields {
		form := placeOf(&v.fields[j])
		if best[form] == nil {
			best[form] = make([]float64, len(fits))
		}
		for i := range fits {
			best[form][i] = max(best[form][i], fits[i][j])
		}
	}
	if len(best) < 2 {
		return out
	}
	for j := range v.fields {
		for _, s := range best[placeOf(&v.fields[j])] {
			out[j] += s / float64(len(fits))
		}
	}
	return out
}

// place is a form where it is: identities of forms are told apart only within one frame.
type place struct{ form, frame string }

func placeOf(f *cua.Field) place { return place{f.Form, f.Frame} }

// match is the best one-to-one assignment of values to fields: for each value the index of its field, -1 for
// none. fits is by value and field, 0 for no pair. The squares of the scores are summed, so that one exact
// label weighs more than two guesses; among equals the company decides, and then the order of the page.
func match(fits [][]float64, company []float64) []int {
	weights := make([][]float64, len(fits))
	for i, row := range fits {
		weights[i] = make([]float64, len(row))
		for j, s := range row {
			if s > 0 {
				d := float64(j-i) / 1000
				weights[i][j] = s*s + 1e-3*company[j] - 1e-4*d*d
			}
		}
	}
	return assign(weights)
}

// inOrder assigns the values that no field matches, in plan order, to the fields that say nothing of what
// they want, in document order: only where there are as many of the one as of the other, and nothing tells
// those fields apart. A secret, or what its label calls one, goes nowhere by order alone.
func (t *tracker) inOrder(v *view, reads []*candidate, taken []bool) {
	var values, fields []int
	for i, w := range t.values[:t.planned] {
		if v.at[i] < 0 && !w.landed && !w.byPlace && w.secret == "" && !cua.SaysSecret(w.value.Label) {
			values = append(values, i)
		}
	}
	for j := range v.fields {
		if !taken[j] && reads[j].nameless(&v.fields[j]) {
			fields = append(fields, j)
		}
	}
	if len(values) != len(fields) {
		return
	}
	for k, j := range fields {
		f, first := &v.fields[j], &v.fields[fields[0]]
		if f.Type != first.Type || placeOf(f) != placeOf(first) || !takes(&t.values[values[k]].wanted, f) {
			return
		}
	}
	for k, j := range fields {
		v.at[values[k]], v.scores[values[k]][j] = j, t.config.Threshold
	}
}
