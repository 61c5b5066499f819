package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
)

// librariesVariable names the folder of --libraries where the flag is not given.
const librariesVariable = "CUA_LIBRARIES"

// tasklistFlags say which list of tasks that the user brings is played.
type tasklistFlags struct {
	manifest       string
	webgames       string
	componentbench string
	uicube         string
	tasks          string
	libraries      string
}

func (f *tasklistFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.manifest, "manifest", "",
		"`file` of tasks of your own, as JSON: each with a goal, an address and what judges it")
	fl.StringVar(&f.webgames, "webgames", "",
		"`folder` with a build of WebGames (its dist), which is only read; with --tasks FILE.jsonl")
	fl.StringVar(&f.componentbench, "componentbench", "",
		"`address` at which you serve ComponentBench; with --tasks FOLDER")
	fl.StringVar(&f.uicube, "uicube", "",
		"`folder` with a build of UI-CUBE (its dist), which is only read; with --tasks FILE.json, else "+manifest.UICubeTasks+" in it or beside it")
	fl.StringVar(&f.tasks, "tasks", "",
		"`file or folder` with the tasks of --webgames, --componentbench or --uicube")
	fl.StringVar(&f.libraries, "libraries", "",
		"`folder` with what the pages of --manifest load (its site.mounts), which is only read (default $"+librariesVariable+")")
}

// chosen are the suites whose flags are given, by name.
func (f *tasklistFlags) chosen() []string {
	var out []string
	for i, v := range []string{f.manifest, f.webgames, f.componentbench, f.uicube} {
		if v != "" {
			out = append(out, manifest.Suites()[i])
		}
	}
	return out
}

// settle makes of the flags what they mean together: a list asks for its suite alone.
func (f *tasklistFlags) settle(cmd *cobra.Command, b *benchFlags) error {
	chosen := f.chosen()
	for _, s := range b.suites {
		if slices.Contains(manifest.Suites(), s) && !slices.Contains(chosen, s) {
			return usage("the suite %s needs --%s", s, s)
		}
	}
	switch {
	case f.libraries != "" && f.manifest == "":
		return usage("--libraries is for --manifest")
	case len(chosen) == 0 && f.tasks != "":
		return usage("--tasks is for --webgames, --componentbench or --uicube")
	case len(chosen) == 0:
		return nil
	case len(chosen) > 1:
		return usage("--%s: one list of tasks a study", strings.Join(chosen, " and --"))
	case b.resume != "":
		return usage("--%s: a study that is gone on with has its tasks in itself", chosen[0])
	case f.manifest != "" && f.tasks != "":
		return usage(
			"--tasks is for --webgames, --componentbench or --uicube: a manifest has its tasks in itself")
	}
	given := cmd.Flags().Changed
	if !given("suite") && !given("miniwob") {
		b.suites = nil
	}
	if !slices.Contains(b.suites, chosen[0]) {
		b.suites = append(slices.Clone(b.suites), chosen[0])
	}
	return nil
}

// plan is the list that the flags ask for; nil where they ask for none.
func (f *tasklistFlags) plan() (*benchmarks.Tasklist, error) {
	chosen := f.chosen()
	if len(chosen) == 0 {
		return nil, nil
	}
	if f.tasks == "" && (f.webgames != "" || f.componentbench != "") {
		return nil, usage("--%s needs --tasks: the benchmark's own list", chosen[0])
	}
	l := &benchmarks.Tasklist{Suite: chosen[0]}
	var m *manifest.Manifest
	var err error
	switch {
	case f.manifest != "":
		l.Source = f.manifest
		m, err = ownManifest(f.manifest, f.libraries)
	case f.webgames != "":
		l.Source = f.webgames
		m, l.Skipped, err = manifest.ReadWebGames(f.webgames, f.tasks)
	case f.componentbench != "":
		l.Source = f.componentbench
		m, err = manifest.ReadComponentBench(f.componentbench, f.tasks)
	default:
		l.Source = f.uicube
		m, l.Skipped, err = manifest.ReadUICube(f.uicube, f.tasks)
	}
	if err != nil {
		return nil, usage("--%s: %w", chosen[0], err)
	}
	l.Manifest = *m
	return l, nil
}

// listed says what is left out of a list, whose pages must be there; nil is no list.
func (a *app) listed(ctx context.Context, l *benchmarks.Tasklist) error {
	if l == nil {
		return nil
	}
	if err := l.Check(ctx); err != nil {
		return infra(err)
	}
	for _, line := range l.LeftOut() {
		fmt.Fprintf(a.err, "cua-runner: left out: %s\n", line)
	}
	return nil
}

// ownManifest reads a manifest of the user's own. The folder of its site is looked for beside it; libraries
// is the folder that its mounts are in, "" is what the manifest says, or else the environment.
func ownManifest(file, libraries string) (*manifest.Manifest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(file, text)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Site == nil && libraries != "":
		return nil, errors.New("--libraries is for a manifest with a site")
	case m.Site == nil:
		return m, nil
	case libraries == "" && m.Site.Libraries == "" && len(m.Site.Mounts) > 0:
		libraries = os.Getenv(librariesVariable)
	}
	if libraries != "" {
		if m.Site.Libraries, err = filepath.Abs(libraries); err != nil {
			return nil, err
		}
	}
	if !filepath.IsAbs(m.Site.Dir) {
		m.Site.Dir = filepath.Join(filepath.Dir(file), m.Site.Dir)
	}
	if err := m.Site.Check(); err != nil {
		return nil, err
	}
	s, err := manifest.OpenSite(m.Site.Dir)
	if err == nil {
		m.Site.Dir, m.Site.Index = s.Dir, s.Index
	}
	return m, err
}

// miniwobFlags say which MiniWoB++ is played and how.
type miniwobFlags struct {
	dir      string
	profile  string
	subsets  []string
	cap      int
	selftest bool
	episodes int // of each task
}

func (f *miniwobFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "miniwob", "",
		"`folder` of MiniWoB++ for the suite "+benchmarks.MiniWoBSuite+": a checkout of the repository, "+
			"which is only read")
	fl.StringVar(&f.profile, "profile", miniwob.BrowserGym,
		"how MiniWoB++ is shown and judged: "+strings.Join(profileNames(), ", "))
	fl.StringSliceVar(&f.subsets, "subset", []string{miniwob.All},
		"tasks of MiniWoB++: "+strings.Join(subsetNames(), ", ")+", or patterns such as click-*")
	fl.IntVar(&f.cap, "cap", 0,
		"steps that an episode of MiniWoB++ may take (0: 10; with more the report says too what 10 would "+
			"have given)")
	fl.BoolVar(&f.selftest, "selftest", false,
		"play the subset smoke of MiniWoB++ by scripts that solve it; exit code 1 where one does not")
	complete(cmd, "profile", profileNames)
	complete(cmd, "subset", subsetNames)
}

func profileNames() []string {
	var out []string
	for _, p := range miniwob.Profiles() {
		out = append(out, p.Name)
	}
	return out
}

func subsetNames() []string {
	var out []string
	for _, g := range miniwob.Subsets() {
		out = append(out, g.Name)
	}
	return out
}

// settle makes of the flags what they mean together: a folder alone asks for its suite, a self-test for its
// tasks, its brain and one arm. MiniWoB++ has five episodes a task, all of which are played where no number
// of seeds is given.
func (f *miniwobFlags) settle(cmd *cobra.Command, b *benchFlags) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	if f.dir != "" && !given("suite") {
		b.suites = []string{benchmarks.MiniWoBSuite}
	}
	f.episodes = miniwob.EpisodesPerTask
	if given("seeds") {
		f.episodes = b.seeds
	}
	if !slices.Contains(b.suites, benchmarks.MiniWoBSuite) {
		for _, name := range []string{"miniwob", "profile", "subset", "cap", "selftest"} {
			if given(name) {
				return usage("--%s is for --suite %s --miniwob FOLDER", name, benchmarks.MiniWoBSuite)
			}
		}
		return nil
	}
	if !f.selftest {
		return nil
	}
	for _, name := range []string{"subset", "brain", "arms", "seeds", "task", "fault", "each-fault",
		"resume"} {
		if given(name) {
			return usage("--selftest plays all episodes of the subset smoke by their scripts without any "+
				"mechanism: --%s is not for it", name)
		}
	}
	f.subsets, b.suites, b.brain, b.arms = []string{"smoke"}, []string{benchmarks.MiniWoBSuite}, oracleBrain,
		[]string{"off"}
	return nil
}

// plan is how a study with these suites plays MiniWoB++; nil where it does not.
func (f *miniwobFlags) plan(suites []string) (*benchmarks.MiniWoB, error) {
	if !slices.Contains(suites, benchmarks.MiniWoBSuite) {
		return nil, nil
	}
	if f.dir == "" {
		return nil,
			usage("the suite %s needs --miniwob FOLDER: a checkout of "+
				"https://github.com/Farama-Foundation/miniwob-plusplus", benchmarks.MiniWoBSuite)
	}
	checkout, err := miniwob.Open(f.dir)
	if err != nil {
		return nil, usage("--miniwob: %w", err)
	}
	m := &benchmarks.MiniWoB{Dir: checkout.Root, Core: checkout.Core, Cap: f.cap, Episodes: f.episodes}
	if m.Profile, err = miniwob.FindProfile(f.profile); err != nil {
		return nil, usage("--profile: %w", err)
	}
	if m.Groups, err = miniwob.Select(f.subsets...); err != nil {
		return nil, usage("--subset: %w", err)
	}
	if m.Cap == 0 {
		m.Cap = m.Profile.Cap
	}
	for _, g := range m.Groups {
		if missing := checkout.Missing(g.Tasks); len(missing) > 0 {
			return nil, usage("--miniwob: %s has no page for %s", checkout.Root, strings.Join(missing, ", "))
		}
	}
	return m, nil
}

// moved puts the folder that --miniwob names in place of the one that a study began with: the same benchmark
// at another place. Begun is what the study plays of it, named what the flags say; nil is nothing.
func (f *miniwobFlags) moved(begun, named *benchmarks.MiniWoB) error {
	switch {
	case f.dir == "" || named == nil:
		return nil
	case begun == nil:
		return usage("--miniwob: the study of --resume does not play MiniWoB++")
	case begun.Core != named.Core:
		return usage("--miniwob: %s is not the MiniWoB++ that the study began with: its core.js is another",
			named.Dir)
	}
	begun.Dir = named.Dir
	return nil
}

// language is the one that the pages of the plan want; "" is any. The date field of enter-date takes its
// parts in the order of the language.
func language(p benchmarks.Plan) string {
	if p.MiniWoB != nil {
		return "en-US"
	}
	return ""
}

// passed reports whether every episode of a self-test earned the full reward.
func (a *app) passed(s *benchmarks.Study) error {
	full, total := 0, 0
	for _, r := range s.Results {
		total++
		if r.MiniWoB != nil && r.MiniWoB.Full {
			full++
		}
	}
	if full == total {
		_, err := fmt.Fprintf(a.out, "self-test: %d of %d episodes earned the raw reward 1\n", full, total)
		return err
	}
	return &exitError{exitFailed, fmt.Errorf("self-test: %d of %d episodes earned the raw reward 1",
		full, total)}
}
