package main

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
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
	b, info, err := openBrain(o, f.brain, f.faults, 1, anyTask)
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

// eachMechanism is default and an arm without each mechanism that is on. What needs a director or lessons
// that are not given cannot be missed, nor can the ledger by a brain that is shown no prompt.
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

// eachOnce is an error where a fault is given twice, of which the last would count without a word. What is no
// fault is left to who opens the brain.
func eachOnce(faults []string) error {
	seen := map[string]string{}
	for _, s := range faults {
		r, err := brain.ParseFault(s)
		if err != nil {
			continue
		}
		if first, twice := seen[r.Name]; twice {
			return usage("--fault: %s and %s: a brain has each fault once", first, s)
		}
		seen[r.Name] = s
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
		r, err := brain.ParseFault(s)
		if err != nil {
			return nil, usage("--each-fault: %w", err)
		}
		out = append(out, r.String())
	}
	return out, nil
}

// playable says whether the brains of the plan can be opened.
func playable(o *opener, p benchmarks.Plan) error {
	for _, fault := range append([]string{""}, p.EachFault...) {
		if _, _, err := openBrain(o, p.Brain.Name, p.FaultsOf(benchmarks.Cell{Fault: fault}), 1,
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
