package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// checked is one violation with the journal that it is in.
type checked struct {
	Run string `json:"run"`
	Arm string `json:"arm,omitzero"`
	invariants.Violation
}

// checkSummary is the result of a check.
type checkSummary struct {
	Journals   int `json:"journals"`
	Invariants int `json:"invariants"`
	// Broken counts the journals with a violation, by name the violations of each invariant.
	Broken     int            `json:"broken_journals"`
	Violations int            `json:"violations"`
	ByName     map[string]int `json:"violations_by_invariant"`
	// Cut counts the intents whose outcome nobody saw, PossiblySent those of them that send a form.
	Cut          int `json:"interrupted_intents,omitzero"`
	PossiblySent int `json:"possibly_sent,omitzero"`
	// Unchecked counts the journals that did not give what an invariant needs.
	Unchecked map[string]map[string]int `json:"unchecked,omitzero"`
	// Results are those of studies that were compared with their journals, Differing those that say something
	// else.
	Results   int `json:"results,omitzero"`
	Differing int `json:"results_that_differ,omitzero"`
	// Arms counts what was wrong, by one rule for all arms.
	Arms []checkedArm `json:"arms"`
	// Interrupted says that not everything was read.
	Interrupted bool `json:"interrupted,omitzero"`
}

// checkedArm counts the interventions of one arm.
type checkedArm struct {
	Arm           string                       `json:"arm"`
	Journals      int                          `json:"journals"`
	Steps         int                          `json:"steps"`
	Substitutions int                          `json:"substitutions"`
	Wrong         map[benchmarks.WrongKind]int `json:"wrong_interventions"`
}

// add counts the journal t.
func (s *checkSummary) add(t *trajectories.Trajectory) {
	s.Journals++
	i := slices.IndexFunc(s.Arms, func(a checkedArm) bool { return a.Arm == t.Header.Arm })
	if i < 0 {
		i = len(s.Arms)
		s.Arms = append(s.Arms, checkedArm{Arm: t.Header.Arm, Wrong: map[benchmarks.WrongKind]int{}})
	}
	a := &s.Arms[i]
	a.Journals++
	a.Steps += len(t.Steps)
	for k := range t.Steps {
		if t.Steps[k].Substituted() {
			a.Substitutions++
		}
	}
	for _, w := range study.WrongInterventions(t) {
		a.Wrong[w.Kind]++
	}
	cut, sent := t.Cut()
	s.Cut, s.PossiblySent = s.Cut+cut, s.PossiblySent+sent
}

func (s *checkSummary) violation(v invariants.Violation) {
	if s.ByName == nil {
		s.ByName = map[string]int{}
	}
	s.Violations++
	s.ByName[v.Invariant]++
}

func (s *checkSummary) unchecked(name, why string) {
	if why == "" {
		return
	}
	if s.Unchecked == nil {
		s.Unchecked = map[string]map[string]int{}
	}
	if s.Unchecked[name] == nil {
		s.Unchecked[name] = map[string]int{}
	}
	s.Unchecked[name][why]++
}

// done is the summary, complete.
func (s *checkSummary) done(invariants []invariants.Invariant, interrupted bool) *checkSummary {
	s.Invariants, s.Interrupted = len(invariants), interrupted
	if s.ByName == nil {
		s.ByName = map[string]int{}
	}
	if s.Arms == nil {
		s.Arms = []checkedArm{}
	}
	return s
}

// words are the summary in one line: "340 journals, 15 invariants, 0 broken".
func (s *checkSummary) words() string {
	out := fmt.Sprintf("%s, %s, %d broken", plural(s.Journals, "journal"), plural(s.Invariants, "invariant"),
		len(s.ByName))
	if s.Violations > 0 {
		out += fmt.Sprintf(" (%s in %s)", plural(s.Violations, "violation"), plural(s.Broken, "journal"))
	}
	if s.Interrupted {
		out += ", interrupted"
	}
	return out
}

// checkList prints violations as they are found.
type checkList struct {
	app  *app
	json *json.Encoder // nil for the table
	rows int
}

func newCheckList(a *app, asJSON bool) *checkList {
	l := &checkList{app: a}
	if asJSON {
		l.json = a.json()
		l.json.SetEscapeHTML(false)
	}
	return l
}

// add prints one violation.
func (l *checkList) add(v checked) error {
	if l.json != nil {
		return l.json.Encode(v)
	}
	if l.rows == 0 {
		if err := l.row("step", "invariant", "run", "detail"); err != nil {
			return err
		}
	}
	l.rows++
	step := "–"
	if v.Step > 0 {
		step = fmt.Sprint(v.Step)
	}
	return l.row(step, v.Invariant, v.Run, tty.Safe(v.Detail))
}

// row prints one line of the table, cut where a terminal would break it.
func (l *checkList) row(step, invariant, run, detail string) error {
	line := fmt.Sprintf("%4s  %-18s  %-40s  %s", step, invariant, tty.Safe(run), detail)
	if w := tty.Width(l.app.out); w > 0 {
		line = cua.Clip(line, w)
	}
	_, err := fmt.Fprintln(l.app.out, line)
	return err
}

// fault tells what could not be read.
func (l *checkList) fault(err error) {
	fmt.Fprintln(l.app.err, "cua-runner: "+tty.Safe(err.Error()))
}

// foot prints the summary; with more than one journal, what was wrong by arm too.
func (l *checkList) foot(s *checkSummary) error {
	if l.json != nil {
		return l.json.Encode(struct {
			Summary *checkSummary `json:"summary"`
		}{s})
	}
	var b strings.Builder
	if l.rows > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(s.words() + "\n")
	if s.Cut > 0 {
		b.WriteString(trajectories.CutWords(s.Cut, s.PossiblySent) + "\n")
	}
	if s.Results > 0 {
		fmt.Fprintf(&b, "%s compared with the journals, %d differ\n", plural(s.Results, "result"),
			s.Differing)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Unchecked)) {
		for _, why := range slices.Sorted(maps.Keys(s.Unchecked[name])) {
			fmt.Fprintf(&b, "%s was not checked in %s: %s\n", name, plural(s.Unchecked[name][why], "journal"),
				tty.Safe(why))
		}
	}
	if s.Journals > 1 {
		b.WriteString("\n")
		wrongByArm(&b, s.Arms)
	}
	_, err := l.app.out.Write([]byte(b.String()))
	return err
}

// wrongByArm is a table of the wrong interventions by kind.
func wrongByArm(b *strings.Builder, arms []checkedArm) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "arm\tjournals\tsteps\tsubstitutions\twrong\t")
	for _, k := range benchmarks.WrongKinds() {
		fmt.Fprintf(w, "%s\t", k)
	}
	fmt.Fprintln(w)
	for _, a := range arms {
		all := 0
		for _, n := range a.Wrong {
			all += n
		}
		name := tty.Safe(a.Arm)
		if name == "" {
			name = "–"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t", name, a.Journals, a.Steps, a.Substitutions, all)
		for _, k := range benchmarks.WrongKinds() {
			fmt.Fprintf(w, "%d\t", a.Wrong[k])
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
}

// resultsCheck compares the results of a study with its journals. It is listed beside the invariants.
var resultsCheck = invariants.Invariant{Name: "result", Source: "docs/benchmarks.md#studies",
	Help: "of a study: each line of results.jsonl says of its episode what the journal says: whose it is, " +
		"reward, end, successes, steps, tokens, cost, time"}

// heldStudy is a study whose journals are checked.
type heldStudy struct {
	*benchmarks.Study
	by   map[string][]benchmarks.Result // by episode: one each, but where somebody changed it
	held map[string]bool                // the episodes whose journal was read
}

// studyOf is the study that the run folder dir belongs to; nil where it is none, or cannot be read, which is
// told once.
func (c *checking) studyOf(dir string) *heldStudy {
	runs := filepath.Dir(dir)
	root := filepath.Dir(runs)
	if s, known := c.studies[root]; known {
		return s
	}
	c.studies[root] = nil
	if info, err := os.Stat(filepath.Join(root, "study.json")); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	study, err := benchmarks.Open(root)
	if err == nil && filepath.Dir(study.EpisodeDir("x")) != runs {
		return nil
	}
	if err != nil {
		c.bad = true
		c.list.fault(err)
		return nil
	}
	s := &heldStudy{study, map[string][]benchmarks.Result{}, map[string]bool{}}
	for _, r := range study.Results {
		s.by[r.Episode] = append(s.by[r.Episode], r)
	}
	c.studies[root] = s
	return s
}

// result holds what a study says of the journal at path against the journal.
func (c *checking) result(path string, t *trajectories.Trajectory) error {
	if !c.results {
		return nil
	}
	s := c.studyOf(t.Dir)
	if s == nil {
		return nil
	}
	episode := filepath.Base(t.Dir)
	s.held[episode] = true
	for _, r := range s.by[episode] { // none: an attempt beside the one that counts
		if err := c.agree(s, r, path, t); err != nil {
			return err
		}
	}
	return nil
}

// withoutJournal are the results of the studies that args name whose journal was not there to be read.
func (c *checking) withoutJournal(args []string) error {
	for _, root := range slices.Sorted(maps.Keys(c.studies)) {
		s := c.studies[root]
		if s == nil || !slices.ContainsFunc(args, func(arg string) bool {
			return above(arg,
				filepath.Dir(s.EpisodeDir("x")))
		}) {
			continue
		}
		for _, r := range s.Results {
			path := s.EpisodeDir(r.Episode)
			if _, err := os.Stat(filepath.Join(path, trajectories.JournalName)); err == nil ||
				s.held[r.Episode] || !c.ofArm(r.Arm) {
				continue
			}
			if err := c.agree(s, r, path, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// above reports whether dir is at or below what arg names.
func above(arg, dir string) bool {
	paths := []string{arg}
	if matches, err := filepath.Glob(arg); err == nil && len(matches) > 0 {
		paths = matches
	}
	return slices.ContainsFunc(paths, func(p string) bool {
		rel, err := filepath.Rel(p, dir)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}

// agree tells in which fields r is not what t comes to; nil is no journal.
func (c *checking) agree(s *heldStudy, r benchmarks.Result, path string, t *trajectories.Trajectory) error {
	differs, err := study.Disagreements(s.Study, r, t)
	if err != nil {
		return err
	}
	c.sum.Results++
	if len(differs) > 0 {
		c.sum.Differing++
	}
	for _, d := range differs {
		if err := c.list.add(checked{Run: path, Arm: r.Arm,
			Violation: invariants.Violation{Invariant: resultsCheck.Name, Detail: d.String()}}); err != nil {
			return err
		}
	}
	return nil
}
