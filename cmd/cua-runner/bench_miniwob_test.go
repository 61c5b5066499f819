package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
)

func TestMiniWoBOnTheCommandLine(t *testing.T) {
	const fixture = "../../benchmarks/miniwob/testdata"
	empty := t.TempDir()
	for _, row := range []struct {
		name, args, wrong string
	}{
		{"a folder that is none", "--miniwob " + empty, "is no MiniWoB++ folder: there is no core/core.js"},
		{"no folder", "--suite miniwob", "the suite miniwob needs --miniwob FOLDER"},
		{"an unknown profile", "--miniwob " + fixture + " --profile gym", `unknown profile "gym"; known: browsergym, farama-binary`},
		{"an unknown subset", "--miniwob " + fixture + " --subset form", `unknown subset "form"; known: smoke, forms, loops, controls, all`},
		{"a subset that the folder has no pages for", "--miniwob " + fixture + " --subset controls", "has no page for use-spinner, choose-date"},
		{"beside another suite", "--suite miniwob,forms --subset smoke --miniwob " + fixture, "need a study of their own"},
		{"another suite", "--suite forms --subset smoke", "--subset is for --suite miniwob"},
		{"more episodes than a task has", "--subset smoke --seeds 6 --miniwob " + fixture, "the benchmark has 1 to 5"},
		{"no steps", "--subset smoke --cap -1 --miniwob " + fixture, "an episode needs a step"},
		{"a self-test with a brain", "--selftest --brain heuristic --miniwob " + fixture, "--brain is not for it"},
		{"a self-test of nothing", "--selftest", "--selftest is for --suite miniwob"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "study")
			code, _, said := command(t, append([]string{"bench", "--out", out},
				strings.Fields(row.args)...)...)
			if code != exitUsage || !strings.Contains(said, row.wrong) {
				t.Errorf("exit code %d: %s; want %d: %s", code, said, exitUsage, row.wrong)
			}
		})
	}
}

// A study is gone on with where its checkout is now, if it is the same benchmark.
func TestACheckoutMayHaveMoved(t *testing.T) {
	f := miniwobFlags{dir: "new"}
	begun := &benchmarks.MiniWoB{Dir: "/old", Core: "1"}
	for _, row := range []struct {
		name         string
		begun, named *benchmarks.MiniWoB
		says, dir    string
	}{
		{"nothing is said of it", begun, nil, "", "/old"},
		{"another benchmark", begun, &benchmarks.MiniWoB{Dir: "/new", Core: "2"}, "its core.js is another", "/old"},
		{"a study without it", nil, &benchmarks.MiniWoB{Dir: "/new", Core: "1"}, "does not play MiniWoB++", "/old"},
		{"the same elsewhere", begun, &benchmarks.MiniWoB{Dir: "/new", Core: "1"}, "", "/new"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := f.moved(row.begun, row.named)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) ||
				begun.Dir != row.dir {
				t.Errorf("%v, the folder is %s", err, begun.Dir)
			}
		})
	}
}
