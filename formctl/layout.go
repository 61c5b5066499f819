package formctl

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// layout is the fields of one page without what they hold. A history shows few of them, and as
// long as one is shown the assignment stays.
type layout struct {
	page   string
	fields []cua.Field // of the newest observation of it
	first  []cua.Field // of the one that it was made of: what others are compared with stays at hand
	reads  []*candidate
	// at is the field of each value, -1 for none, as placed at version; ties are the other fields that
	// fit a value just as well.
	at      []int
	ties    [][]int
	version int
	// named is the field of each value that its label names by its place, -1 for none.
	named []int
	// locked says that a field takes no input: whether it has a value's place depends on what it holds.
	locked bool
}

// maxLayouts is how many layouts are kept; a page that is older is read again.
const maxLayouts = 8

// layout is that of o, the same one for as long as the fields say the same of themselves (sameFields).
func (t *tracker) layout(o *cua.Observation, exact bool) *layout {
	page := pageOf(o.URL)
	for i, l := range t.layouts {
		if l.page == page && sameFields(l.first, o.Fields, exact) {
			l.fields = o.Fields
			if i > 0 { // the newest first: the next observation is most likely of it
				copy(t.layouts[1:i+1], t.layouts[:i])
				t.layouts[0] = l
			}
			return l
		}
	}
	l := &layout{page: page, fields: o.Fields, first: o.Fields, version: -1}
	for j := range o.Fields {
		f := &o.Fields[j]
		l.reads = append(l.reads, t.read(f))
		l.locked = l.locked || f.Disabled || f.ReadOnly
	}
	t.confirmations(l.reads)
	if len(t.layouts) == maxLayouts {
		t.layouts = t.layouts[:maxLayouts-1]
	}
	t.layouts = slices.Insert(t.layouts, 0, l)
	return l
}

// sameFields says whether a and b are the same fields, whatever they hold. All that a field says of
// itself is compared by its length first, and word by word only when exact is asked for: on the
// way through a history the identity, which has the name in it, is enough.
func sameFields(a, b []cua.Field, exact bool) bool {
	if len(a) != len(b) {
		return false
	}
	for j := range a {
		f, g := &a[j], &b[j]
		if len(f.Label) != len(g.Label) || len(f.Group) != len(g.Group) || len(f.Placeholder) != len(g.Placeholder) || len(f.NameAttr) != len(g.NameAttr) ||
			len(f.IDAttr) != len(g.IDAttr) || len(f.Autocomplete) != len(g.Autocomplete) || len(f.Options) != len(g.Options) ||
			f.Editable != g.Editable || f.Disabled != g.Disabled || f.ReadOnly != g.ReadOnly || f.Type != g.Type || f.ID != g.ID {
			return false
		}
		if exact && (f.Label != g.Label || f.Group != g.Group || f.Name != g.Name || f.Placeholder != g.Placeholder || f.NameAttr != g.NameAttr || f.IDAttr != g.IDAttr ||
			f.Autocomplete != g.Autocomplete || f.Role != g.Role || f.Form != g.Form) {
			return false
		}
		if len(f.Options) > 0 && !slices.Equal(f.Options, g.Options) {
			return false
		}
	}
	return true
}

// identity is what a field says of itself.
type identity struct{ id, label, group, name, nameAttr, idAttr, placeholder, autocomplete, kind string }

// read is the candidate of f, the same one for as long as f says the same of itself.
func (t *tracker) read(f *cua.Field) *candidate {
	key := identity{f.ID, f.Label, f.Group, f.Name, f.NameAttr, f.IDAttr, f.Placeholder, f.Autocomplete, f.Type}
	c := t.cache[key]
	if c == nil {
		c = read(f)
		t.cache[key] = c
	}
	return c
}

// rate adds the scores of the values that c was not compared with before.
func (c *candidate) rate(f *cua.Field, values []*tracked) {
	for i := len(c.scores); i < len(values); i++ {
		c.scores = append(c.scores, score(&values[i].wanted, f, c))
	}
}

// score says how well value i belongs in field j: by its words, or by the field's place where the label is that. A place alone
// opens no password, code or card field (spec: recovery, loop rule 1).
func (l *layout) score(i, j int) float64 {
	if l.named[i] == j && !l.fields[j].Sensitive() {
		return byLabel
	}
	return l.reads[j].scores[i]
}

// place assigns the fields of l: to each value the one that it landed in where that is still
// shown, else the best among the rest, all at once.
func (t *tracker) place(l *layout) {
	l.at, l.ties, l.version = make([]int, len(t.values)), make([][]int, len(t.values)), t.version
	taken := make([]bool, len(l.fields))
	for j := range l.fields {
		l.reads[j].rate(&l.fields[j], t.values)
	}
	for _, v := range t.values[len(l.named):] {
		l.named = append(l.named, cua.ByPlace(v.value.Label, l.fields))
	}
	for i, v := range t.values {
		l.at[i] = -1
		if !v.landed || v.page != l.page {
			continue
		}
		if j := slices.IndexFunc(l.fields, func(f cua.Field) bool { return f.ID == v.at }); j >= 0 && !taken[j] && !t.better(l, i, j) {
			taken[j], l.at[i] = true, j
		}
	}
	scores := make([][]float64, len(t.values))
	for i, v := range t.values {
		scores[i] = make([]float64, len(l.fields))
		if l.at[i] >= 0 {
			continue
		}
		for j := range l.fields {
			if s := l.score(i, j); !taken[j] && s >= t.config.Threshold && takes(&v.wanted, &l.fields[j]) {
				scores[i][j] = s
			}
		}
	}
	for i, j := range match(scores, t.config.Threshold, t.company(l)) {
		if l.at[i] < 0 && j >= 0 {
			taken[j], l.at[i] = true, j
		}
	}
	for i, j := range l.at {
		for k := range l.fields {
			if j >= 0 && !taken[k] && scores[i][k] > 0 && scores[i][k] == scores[i][j] {
				l.ties[i] = append(l.ties[i], k)
			}
		}
	}
}

// better says whether value i, which landed in the field at j although it does not belong there, surely belongs in
// another field of l.
func (t *tracker) better(l *layout, i, j int) bool {
	if l.score(i, j) >= t.config.Threshold {
		return false
	}
	for k := range l.fields {
		if k != j && l.score(i, k) >= sure && takes(&t.values[i].wanted, &l.fields[k]) {
			return true
		}
	}
	return false
}

// company is for each field how much its form has to do with the plan, 0 to 1: of two fields with
// the same label the one is meant whose form takes the other values too.
func (t *tracker) company(l *layout) []float64 {
	out := make([]float64, len(l.fields))
	in := func(f *cua.Field) place { return place{f.Form, f.Frame} }
	if !slices.ContainsFunc(l.fields, func(f cua.Field) bool { return in(&f) != in(&l.fields[0]) }) {
		return out
	}
	best := map[place][]float64{}
	for j := range l.fields {
		form := in(&l.fields[j])
		if best[form] == nil {
			best[form] = make([]float64, len(t.values))
		}
		for i := range t.values {
			s := l.score(i, j)
			if s >= t.config.Threshold && takes(&t.values[i].wanted, &l.fields[j]) {
				best[form][i] = max(best[form][i], s)
			}
		}
	}
	for j := range l.fields {
		for _, s := range best[in(&l.fields[j])] {
			out[j] += s / float64(len(t.values))
		}
	}
	return out
}

// match is the best one-to-one assignment of values to fields: for each value the index of its
// field, -1 where none reaches the threshold. scores is by value and field. The squares of the
// scores are summed, so that one exact label weighs more than two guesses; among equals the
// company decides, and then the order of the page.
func match(scores [][]float64, threshold float64, company []float64) []int {
	weights := make([][]float64, len(scores))
	for i, row := range scores {
		weights[i] = make([]float64, len(row))
		for j, s := range row {
			if s >= threshold {
				d := float64(j-i) / 1000
				weights[i][j] = s*s + 1e-3*company[j] - 1e-4*d*d
			}
		}
	}
	return assign(weights)
}
