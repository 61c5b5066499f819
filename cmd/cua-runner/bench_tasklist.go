package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
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

// faultLines is an error on one line, or the faults of a file on one line each.
func faultLines(err error) string {
	var faults manifest.Faults
	if !errors.As(err, &faults) || len(faults) < 2 {
		return oneLine(err.Error())
	}
	lines := []string{strconv.Itoa(len(faults)) + " faults, nothing was run:"}
	for _, f := range faults {
		lines = append(lines, "  "+oneLine(f.Error()))
	}
	return strings.Join(lines, "\n")
}
