package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/trajectories"
)

// build is the version of this program as the Go toolchain recorded it.
func build() trajectories.Build {
	b := trajectories.Build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// host is the machine, as far as it explains timings.
func host() trajectories.Host {
	return trajectories.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
		MemoryMB: study.TotalMB()}
}

// versionLine is what `cua-runner version` prints.
func versionLine() string {
	b := build()
	line := fmt.Sprintf("cua-runner %s %s %s/%s, journal format %d", b.Version, b.Go, runtime.GOOS,
		runtime.GOARCH, trajectories.Version)
	if b.Revision != "" {
		line += ", revision " + b.Revision
		if b.Modified {
			line += " with local changes"
		}
	}
	return line
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  cua-runner version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionLine())
			return err
		},
	}
}
