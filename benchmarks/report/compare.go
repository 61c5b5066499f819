package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/runner"
)

// Comparison compares arms of two studies on the cells that both have. Every difference is A minus B: better
// is what A did and B did not.
type Comparison struct {
	A     Side      `json:"a"`
	B     Side      `json:"b"`
	Pairs []ArmPair `json:"pairs"`
	// Warnings are what to know before a number is believed.
	Warnings []benchmarks.Warning `json:"warnings,omitzero"`
}

// Side is one of the two studies.
type Side struct {
	Dir string `json:"dir"`
	// Done of Total cells have a result.
	Done  int `json:"done"`
	Total int `json:"total"`
	// Brain is that of the study, with its faults.
	Brain string `json:"brain"`
	// Build is the version and revision of the program that began the study; "" where it is not known.
	Build   string   `json:"build"`
	Browser string   `json:"browser"`
	Suites  []string `json:"suites"`
	Seeds   int      `json:"seeds"`
	Arms    []string `json:"arms"`
}

// ArmNames are an arm of study A and the arm of study B that it is compared with.
type ArmNames struct {
	A string `json:"arm_a"`
	B string `json:"arm_b"`
}

// String is A:B, or the name alone where both have the same.
func (n ArmNames) String() string {
	if n.A == n.B {
		return n.A
	}
	return n.A + ":" + n.B
}

// ParseArmNames reads A:B, or one name for an arm that both studies have.
func ParseArmNames(s string) (ArmNames, error) {
	parts := runner.SplitArms(strings.TrimSpace(s), ':')
	a, b := parts[0], parts[len(parts)-1]
	if a == "" || b == "" || len(parts) > 2 {
		return ArmNames{}, fmt.Errorf("report: %q is not ARM, or ARM_OF_A:ARM_OF_B", s)
	}
	return ArmNames{a, b}, nil
}

// ArmPair is an arm of A against an arm of B, on the same cells. The p values of each question are corrected
// by Holm over all pairs of arms, those of Parts over all parts of all pairs.
type ArmPair struct {
	ArmNames
	// Cells are those that both have; OnlyA and OnlyB those of the arms that have no counterpart.
	Cells int `json:"cells"`
	OnlyA int `json:"only_in_a"`
	OnlyB int `json:"only_in_b"`
	// Retried are the cells that took more than one attempt in either study.
	Retried int `json:"retried"`
	// Faulted are those that an infrastructure fault ended in either study: they count as failures.
	Faulted int `json:"infrastructure_faults"`
	Contrast
	// Parts are the same by fault and suite; under the fault "" those of all faults together.
	Parts []Part `json:"parts"`
	// Each are numbers a cell.
	Each []Measure `json:"each"`
	// Wrong interventions of the two arms in these cells.
	WrongA WrongReport `json:"wrong_interventions_a"`
	WrongB WrongReport `json:"wrong_interventions_b"`
	// Worse are the cells that B did and A did not, Better the others way round: solved, or strictly where
	// both or neither solved it.
	Worse  []Differing `json:"worse"`
	Better []Differing `json:"better"`

	cells []pair
}

// Contrast compares the success of two arms in the same cells.
type Contrast struct {
	StrictA  benchmarks.Rate `json:"strict_a"`
	StrictB  benchmarks.Rate `json:"strict_b"`
	LenientA benchmarks.Rate `json:"lenient_a"`
	LenientB benchmarks.Rate `json:"lenient_b"`
	// Strict and Lenient are the differences.
	Strict  Paired `json:"strict"`
	Lenient Paired `json:"lenient"`
}

// Part is the contrast in the cells of one fault and place.
type Part struct {
	// Fault is "" for all of them, and where the studies have one brain.
	Fault string `json:"fault"`
	// Where is a suite, suites joined by "+" (those on whose pages nothing is wrong), or "all".
	Where string `json:"where"`
	Cells int    `json:"cells"`
	Contrast
}

// Measure compares a number a cell.
type Measure struct {
	Name string `json:"name"`
	// A and B are the means over the cells in which the number is known on both sides.
	A float64 `json:"mean_a"`
	B float64 `json:"mean_b"`
	Shift
}

// Differing is a cell that one of two arms did and the other did not.
type Differing struct {
	Suite  string `json:"suite"`
	Task   string `json:"task"`
	Fault  string `json:"fault,omitzero"`
	Seed   int64  `json:"seed"`
	Repeat int    `json:"repeat,omitzero"`
	// Solved says that it differs in being solved, else in being so strictly alone.
	Solved bool `json:"solved"`
	// Sound says that nothing is wrong with the page.
	Sound bool `json:"sound_page"`
	// EndA, EndB, EpisodeA and EpisodeB are how the two ended and their folders under runs/.
	EndA     string `json:"end_a"`
	EndB     string `json:"end_b"`
	EpisodeA string `json:"episode_a"`
	EpisodeB string `json:"episode_b"`
}

// Compare compares arms of a with arms of b; without names those that both have. An arm that its study does
// not have, studies without an arm in common and arms without a cell in common are errors.
func Compare(a, b *benchmarks.Study, names ...ArmNames) (Comparison, error) {
	c := Comparison{}
	var err error
	if c.A, err = side(a); err != nil {
		return c, err
	}
	if c.B, err = side(b); err != nil {
		return c, err
	}
	if len(names) == 0 {
		for _, arm := range c.A.Arms {
			if slices.Contains(c.B.Arms, arm) {
				names = append(names, ArmNames{arm, arm})
			}
		}
	}
	if len(names) == 0 {
		return c,
			fmt.Errorf("report: the studies have no arm in common (%s; %s): say which to compare, "+
				"as %s:%s",
				strings.Join(c.A.Arms, ", "), strings.Join(c.B.Arms, ", "), c.A.Arms[0], c.B.Arms[0])
	}
	for _, n := range names {
		p, err := compareArms(a, b, n)
		if err != nil {
			return c, err
		}
		c.Pairs = append(c.Pairs, p)
	}
	c.adjust()
	c.warn(a, b)
	return c, nil
}

func side(s *benchmarks.Study) (Side, error) {
	cells, err := s.Plan.Cells()
	if err != nil {
		return Side{}, err
	}
	p := s.Plan
	out := Side{Dir: s.Dir, Done: len(s.Results), Total: len(cells), Brain: brainName(p), Suites: p.Suites,
		Seeds: len(p.Seeds), Build: p.Build.String(), Browser: strings.TrimSpace(p.Browser.Name + " " +
			p.Browser.Version)}
	for _, a := range p.Arms {
		out.Arms = append(out.Arms, a.Name)
	}
	return out, nil
}

// compareArms compares one arm of a with one of b; no p is corrected yet.
func compareArms(a, b *benchmarks.Study, n ArmNames) (ArmPair, error) {
	out := ArmPair{ArmNames: n}
	for _, x := range []struct {
		s    *benchmarks.Study
		name string
	}{{a, n.A}, {b, n.B}} {
		if _, err := x.s.Plan.FindArm(x.name); err != nil {
			return out, fmt.Errorf("%w: %s", err, x.s.Dir)
		}
	}
	ps := out.pair(a, b)
	if len(ps) == 0 {
		return out,
			fmt.Errorf("report: arm %s of %s and arm %s of %s have no cell (task, fault, seed, repeat) "+
				"in common", n.A, a.Dir, n.B, b.Dir)
	}
	out.cells = ps
	out.Contrast = contrast(ps)
	out.Parts = partsOf(ps, a.Plan)
	out.Each = measures(ps)
	var left, right []benchmarks.Result
	for _, p := range ps {
		left, right = append(left, p.mine), append(right, p.base)
		if d, better := differing(p); d != nil && better {
			out.Better = append(out.Better, *d)
		} else if d != nil {
			out.Worse = append(out.Worse, *d)
		}
		if p.mine.AttemptsMade() > 1 || p.base.AttemptsMade() > 1 {
			out.Retried++
		}
		if p.mine.End.Infrastructure() || p.base.End.Infrastructure() {
			out.Faulted++
		}
	}
	out.WrongA, out.WrongB = wrongReport(left), wrongReport(right)
	return out, nil
}

// pair finds the cells that both have, in the order of a's plan.
func (n *ArmPair) pair(a, b *benchmarks.Study) []pair {
	of := func(s *benchmarks.Study, arm string) map[benchmarks.Cell]benchmarks.Result {
		by := map[benchmarks.Cell]benchmarks.Result{}
		for _, r := range s.Results {
			if r.Arm == arm {
				by[r.In("")] = r
			}
		}
		return by
	}
	left, right := of(a, n.A), of(b, n.B)
	cells, err := a.Plan.Cells()
	if err != nil {
		return nil // Compare has read the plan before
	}
	var out []pair
	for _, c := range cells {
		if c.Arm != n.A {
			continue
		}
		mine, ok := left[c.In("")]
		base, both := right[c.In("")]
		if ok && both {
			out = append(out, pair{mine, base})
		}
	}
	n.Cells = len(out)
	n.OnlyA, n.OnlyB = len(left)-n.Cells, len(right)-n.Cells
	return out
}

func contrast(ps []pair) Contrast {
	var left, right []benchmarks.Result
	for _, p := range ps {
		left, right = append(left, p.mine), append(right, p.base)
	}
	return Contrast{StrictA: rate(left, succeeded), StrictB: rate(right, succeeded),
		LenientA: rate(left, solved), LenientB: rate(right, solved), Strict: compared(ps, succeeded),
		Lenient: compared(ps, solved)}
}

// everywhere is Part.Where for all suites.
const everywhere = "all"

// partsOf are the cells by fault and place; all faults together come last.
func partsOf(ps []pair, plan benchmarks.Plan) []Part {
	var out []Part
	faults := []string{""}
	if f := plan.Brains(); len(f) > 1 || f[0] != "" {
		faults = append(slices.Clone(f), "")
	}
	for _, fault := range faults {
		some := slices.DeleteFunc(slices.Clone(ps), func(p pair) bool {
			return fault != "" &&
				p.mine.Fault != fault
		})
		for _, where := range places(ps) {
			in := slices.DeleteFunc(slices.Clone(some), func(p pair) bool { return !where.has(p.mine.Cell) })
			if len(in) > 0 {
				out = append(out, Part{Fault: fault, Where: where.name, Cells: len(in),
					Contrast: contrast(in)})
			}
		}
	}
	return out
}

// place is a part of the cells.
type place struct {
	name string
	has  func(benchmarks.Cell) bool
}

// places are the suites, those together on whose pages nothing is wrong, and all.
func places(ps []pair) []place {
	var suites, healthy []string
	for _, p := range ps {
		if !slices.Contains(suites, p.mine.Suite) {
			suites = append(suites, p.mine.Suite)
		}
		if sound(p.mine.Cell) && !slices.Contains(healthy, p.mine.Suite) {
			healthy = append(healthy, p.mine.Suite)
		}
	}
	var out []place
	for _, s := range suites {
		out = append(out, place{s, func(c benchmarks.Cell) bool { return c.Suite == s }})
	}
	if len(healthy) > 1 {
		out = append(out, place{strings.Join(healthy, "+"), sound})
	}
	if len(suites) > 1 && len(healthy) < len(suites) {
		out = append(out, place{everywhere, func(benchmarks.Cell) bool { return true }})
	}
	return out
}

// differing is the cell where its two results differ in success, and whether A's is the better; nil where
// they do not.
func differing(p pair) (d *Differing, better bool) {
	inSolved := solved(p.mine) != solved(p.base)
	if !inSolved && succeeded(p.mine) == succeeded(p.base) {
		return nil, false
	}
	c := p.mine.Cell
	better = succeeded(p.mine)
	if inSolved {
		better = solved(p.mine)
	}
	return &Differing{Suite: c.Suite, Task: c.Task, Fault: c.Fault, Seed: c.Seed, Repeat: c.Repeat,
		Solved: inSolved, Sound: sound(c), EndA: string(p.mine.End), EndB: string(p.base.End),
		EpisodeA: p.mine.Episode, EpisodeB: p.base.Episode}, better
}

// adjust corrects every question over the pairs, and over the parts of all pairs.
func (c *Comparison) adjust() {
	var strict, lenient, partStrict, partLenient []*Test
	each := map[string][]*Test{}
	for i := range c.Pairs {
		p := &c.Pairs[i]
		strict, lenient = append(strict, &p.Strict.Test), append(lenient, &p.Lenient.Test)
		for k := range p.Parts {
			partStrict, partLenient = append(partStrict, &p.Parts[k].Strict.Test),
				append(partLenient, &p.Parts[k].Lenient.Test)
		}
		for k := range p.Each {
			each[p.Each[k].Name] = append(each[p.Each[k].Name], &p.Each[k].Test)
		}
	}
	adjust(strict)
	adjust(lenient)
	adjust(partStrict)
	adjust(partLenient)
	for _, tests := range each {
		adjust(tests)
	}
}

// Worse are the pairs of arms in which A did significantly less than B, solved or strictly; nil is none.
func (c Comparison) Worse() (worse []ArmNames) {
	for _, p := range c.Pairs {
		if p.Lenient.Significant() && p.Lenient.Points < 0 || p.Strict.Significant() && p.Strict.Points < 0 {
			worse = append(worse, p.ArmNames)
		}
	}
	return worse
}

// order puts cells of one task and fault together.
func (d Differing) order(e Differing) int {
	return cmp.Or(strings.Compare(d.Suite, e.Suite), strings.Compare(d.Task, e.Task),
		strings.Compare(d.Fault, e.Fault))
}
