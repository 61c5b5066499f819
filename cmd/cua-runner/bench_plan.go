package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// eachArm stands for the arm default and, for each mechanism that is on, the default without it.
const eachArm = "each"

// plan is what the flags ask for.
func (f *benchFlags) plan(o *opener) (benchmarks.Plan, error) {
	p := benchmarks.Plan{Version: 1, Suites: f.suites, Tasks: f.tasks, Seeds: benchmarks.SeedsUpTo(f.seeds),
		Faults: f.faults}
	var err error
	if p.MiniWoB, err = f.miniwob.plan(f.suites); err != nil {
		return p, err
	}
	if p.Tasklist, err = f.tasklist.plan(); err != nil {
		return p, err
	}
	if err := eachOnce(f.faults); err != nil {
		return p, err
	}
	b, info, err := openBrain(o, f.brain, p.BrainFaults(benchmarks.Cell{}), 1, anyTask)
	if err != nil {
		return p, err
	}
	if _, err := withDirector(o, b, f.director); err != nil {
		return p, err
	}
	p.Brain, p.Brain.Director = info, f.director
	if f.repeats > 1 {
		p.Repeats = f.repeats
	}
	if p.EachFault, err = oneByOne(f.eachFault); err != nil {
		return p, err
	}
	for _, one := range p.EachFault {
		if err := eachOnce(append(slices.Clone(f.faults), one)); err != nil {
			return p, err
		}
	}
	if err := f.addArms(&p); err != nil {
		return p, err
	}
	switch {
	case f.base != "":
		p.Base = f.base
	case slices.Contains(f.arms, eachArm) && !slices.Contains(f.arms, "off"):
		p.Base = defaultArm // the last arm would be some mechanism's
	default:
		p.Base = benchmarks.BaseOf(p.Arms)
	}
	if err := p.Validate(); err != nil {
		return p, usage("%w", err)
	}
	return p, nil
}

// defaultArm is the arm in which everything is on.
const defaultArm = "default"

// addArms puts the arms into the plan. Those that each stands for are left out where they are named too.
func (f *benchFlags) addArms(p *benchmarks.Plan) error {
	names, err := f.armList()
	if err != nil {
		return err
	}
	// A study of single mechanisms is read by the names of its arms; there the flags are those of all.
	renames := f.config.renames() && !slices.ContainsFunc(names,
		func(n string) bool { return strings.HasPrefix(n, "-") })
	for _, asked := range names {
		name := asked
		base, err := runner.DefaultConfig().Arm(name)
		if err != nil {
			return usage("--arms: %w, or %s", err, eachArm)
		}
		cfg, err := f.config.over(base)
		if err != nil {
			return err
		}
		if renames { // the flags change every arm, and its name says so
			if name = runner.ArmName(cfg, asked); f.base == asked {
				f.base = name
			}
		}
		if slices.ContainsFunc(p.Arms, func(a benchmarks.Arm) bool { return a.Name == name }) &&
			name != asked {
			return usage("--arms: %s is the same arm as another one with these flags", asked)
		}
		p.Arms = append(p.Arms, benchmarks.Arm{Name: name, Config: cfg})
	}
	return nil
}

// armList are the names of the arms, each resolved.
func (f *benchFlags) armList() ([]string, error) {
	var out []string
	for _, name := range f.arms {
		if name != eachArm {
			out = append(out, name)
			continue
		}
		all, err := f.eachMechanism()
		if err != nil {
			return nil, err
		}
		for _, arm := range all {
			if !slices.Contains(out, arm) && !slices.Contains(f.arms, arm) {
				out = append(out, arm)
			}
		}
	}
	return out, nil
}

// eachMechanism is default and an arm without each mechanism that is on. A mechanism that needs a director or
// lessons is left out if none are given, and so is the ledger for a brain that is shown no prompt.
func (f *benchFlags) eachMechanism() ([]string, error) {
	cfg, err := f.config.over(runner.DefaultConfig())
	if err != nil {
		return nil, err
	}
	given := map[string]bool{"director": f.director != "", "lessons": f.lessons != "",
		"ledger": !slices.Contains(promptless, brainName(f.brain))}
	out := []string{defaultArm}
	for _, m := range cua.Mechanisms() {
		on, err := cfg.Toggles.Get(m.Name)
		if err != nil {
			return nil, err
		}
		if has, needs := given[m.Name]; on && (has || !needs) {
			out = append(out, "-"+m.Name)
		}
	}
	return out, nil
}

// promptless are the brains that read the turn itself and no text of it.
var promptless = []string{"heuristic", "scripted", "replay", oracleBrain, playerBrain}

// brainName is the name in a brain's spec, NAME or NAME:ARGUMENT.
func brainName(spec string) string { name, _, _ := strings.Cut(spec, ":"); return name }

// eachOnce is an error where a fault is given twice: only the last would count, and nothing would say so.
// Texts that are no fault are left to the code that opens the brain.
func eachOnce(faults []string) error {
	seen := map[string]string{}
	for _, s := range faults {
		name := ""
		if r, err := brain.ParseFault(s); err == nil {
			name = r.Name
		} else if n, err := cua.ParseNetFault(s); err == nil {
			name = n.Name
		} else {
			continue
		}
		if first, twice := seen[name]; twice {
			return usage("--fault: %s and %s: a cell has each fault once", first, s)
		}
		seen[name] = s
	}
	return nil
}

// oneByOne are the faults of --each-fault, each in one spelling: it is their name in results and folders.
func oneByOne(faults []string) ([]string, error) {
	var out []string
	for _, s := range faults {
		if strings.TrimSpace(s) == benchmarks.NoFault {
			out = append(out, benchmarks.NoFault)
			continue
		}
		one, err := faultSpelled(s)
		if err != nil {
			return nil, usage("--each-fault: %w", err)
		}
		out = append(out, one)
	}
	return out, nil
}

// faultSpelled is a fault of the brain or of the network in its one spelling.
func faultSpelled(s string) (string, error) {
	if cua.IsNetFault(s) {
		f, err := cua.ParseNetFault(s)
		return f.String(), err
	}
	r, err := brain.ParseFault(s)
	return r.String(), err
}

// playable reports whether the brains of the plan can be opened.
func playable(o *opener, p benchmarks.Plan) error {
	for _, fault := range append([]string{""}, p.EachFault...) {
		if _, _, err := openBrain(o, p.Brain.Name, p.BrainFaults(benchmarks.Cell{Fault: fault}), 1,
			anyTask); err != nil {
			return err
		}
	}
	return nil
}

// against compares the arms of s with base; "" leaves the study's own.
func against(s *benchmarks.Study, base string) error {
	if base == "" {
		return nil
	}
	if err := s.Against(base); err != nil {
		return usage("--base: %w", err)
	}
	return nil
}

// whatIsPlayed are the flags that a study's plan is made of: one that is gone on with has it already.
var whatIsPlayed = []string{"suite", "task", "arms", "brain", "director", "fault", "each-fault", "seeds",
	"repeats", "lessons", "profile", "subset", "cap", "selftest", "config", "arm", "set", "ablate", "only",
	"shadow", "out", "overwrite", "shard", "fork"}

// goesOn says that --resume was given beside a flag that it would not heed.
func (f *benchFlags) goesOn(cmd *cobra.Command) error {
	if f.resume == "" {
		if f.retryErrors {
			return usage("--retry-errors is for a study that has results: --resume STUDY --retry-errors")
		}
		if f.overwrite && f.out == "" {
			return usage("--overwrite replaces the study in --out, which is not given")
		}
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		if slices.Contains(whatIsPlayed, fl.Name) {
			given = append(given, "--"+fl.Name)
		}
	})
	if len(given) > 0 {
		return usage("--resume: the study has its plan in itself, which %s cannot change",
			strings.Join(given, ", "))
	}
	return nil
}

// place says what is wrong with --out before anything is begun.
func (f *benchFlags) place() error {
	if f.out == "" {
		return nil
	}
	for at := filepath.Clean(f.out); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil && at != filepath.Dir(at) {
			continue // it is made, below the first folder that is there
		}
		if err == nil && !info.IsDir() {
			return usage("--out: a study is a folder, and %s is none", at)
		}
		break
	}
	err := taken(f.out, f.overwrite)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// taken is the usage error of a study that cannot be put into dir because of what is there, with what can be
// done about it; nil where it can, which includes a study that nobody plays and that is to be replaced.
func taken(dir string, replace bool) error {
	const elsewhere = "choose another --out, or remove the folder if nothing in it is to be kept"
	s, err := benchmarks.Open(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := study.Unbegun(dir); err != nil {
			return usage("--out: %w: %s", err, elsewhere)
		}
		return nil
	case err != nil:
		const bad = "%s holds a study that cannot be read, and is neither gone on with nor replaced: %s: %w"
		return usage(bad, dir, elsewhere, err)
	}
	if err := study.Free(dir); err != nil {
		return playedBy(err, dir)
	}
	if replace {
		return nil
	}
	if err := cmp.Or(s.Unchanged(), s.Plan.Validate()); err != nil {
		return usage("%s holds a study that cannot be gone on with; --overwrite replaces it: %w", dir, err)
	}
	if missing, err := s.Missing(); err == nil && len(missing) == 0 {
		return usage("%s holds a finished study: cua-runner report %s shows it, --overwrite replaces it", dir,
			dir)
	}
	return usage("%s holds a study already: --resume %s continues with it, --overwrite replaces it", dir, dir)
}

// playedBy is the usage error of a study in dir that another process plays, and infra of any other error; nil
// stays nil.
func playedBy(err error, dir string) error {
	var by *study.HeldError
	if !errors.As(err, &by) {
		return infra(err)
	}
	const live = "%s is being played by %s: wait until that has ended, or end it; --out takes another folder"
	return usage(live, dir, by.By)
}

// create makes the study's folder.
func (f *benchFlags) create(p benchmarks.Plan) (*benchmarks.Study, error) {
	if f.out == "" {
		for n := 1; ; n++ {
			s, err := study.Create(filepath.Join("studies", fmt.Sprintf("bench-%d", n)), p)
			if err == nil || !errors.Is(err, fs.ErrExist) {
				return s, infra(err)
			}
		}
	}
	if f.overwrite {
		s, err := study.Replace(f.out, p)
		return s, playedBy(err, f.out)
	}
	s, err := study.Create(f.out, p)
	if errors.Is(err, fs.ErrExist) { // since place looked
		return nil, cmp.Or(taken(f.out, false), infra(err))
	}
	return s, infra(err)
}
