package formats

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Run is one trajectory that any agent made, as detectors read it.
type Run struct {
	// Path is the file as the caller named it; "-" is standard input.
	Path string
	// Line is where the run begins, from 1; 0 for a run folder.
	Line   int
	Format Format
	// ID, Source and Task are the input's own words; "" is unknown. They are hostile.
	ID, Source, Task string
	// Benchmark is the set of tasks that the run's is from, in the input's own words; "" is unknown.
	Benchmark string
	// History holds the steps, numbered from 1.
	History cua.History
	// Index is what the input calls each step: Index[i] belongs to History.Steps[i].
	Index []int
	// End is why the run ended; "" is unknown.
	End cua.EndReason
	// Success and Looping are labels that somebody gave; nil is none.
	Success, Looping *bool
	// Quality is how far the label of Looping is to be trusted; "" is not said.
	Quality string
	// Warnings are what is odd about it, in words: names of fields that are close to known ones, each once a
	// file.
	Warnings []Warning
}

// Warning is something odd at one line of the input.
type Warning struct {
	Line int
	Text string
}

// Format is a form in which trajectories come.
type Format string

// The formats.
const (
	// Auto finds out from the content.
	Auto Format = "auto"
	// CUA is the journal of this package.
	CUA Format = "cua"
	// Neutral is one trajectory a line, in a form that any agent can write (docs/trajectories-neutral.md).
	Neutral Format = "neutral"
	// BrowserUse is the history that agents of browser-use save.
	BrowserUse Format = "browser-use"
	// ATIF is the Agent Trajectory Interchange Format, of any version.
	ATIF Format = "atif"
)

// Formats lists the formats in the order in which they are documented.
func Formats() []Format { return []Format{Auto, CUA, Neutral, BrowserUse, ATIF} }

// Runs reads the trajectories of path one at a time: a file, also one packed with gzip; a folder, which is
// walked in the order of names for run folders and for *.jsonl, *.json and *.gz, names with a leading dot
// left out; or "-", which is in. It holds no more in memory than the longest of them. names are what the
// fields of the neutral form are called there; nil are their own names. Each item is a run or an error; an
// error about content is a *SyntaxError, and after an error the rest is still read.
func Runs(path string, f Format, in io.Reader, names Renames) iter.Seq2[*Run, error] {
	return func(yield func(*Run, error) bool) {
		r := runReader{format: f, names: names, yield: yield}
		switch {
		case !slices.Contains(Formats(), f):
			r.emit(nil, fmt.Errorf("trajectories: reading %s: unknown format %q; known: %v", path, f,
				Formats()))
		case path == "-" && in == nil:
			r.emit(nil, errors.New("trajectories: reading -: there is no standard input"))
		case path == "-":
			r.stream(in, path)
		default:
			r.path(path)
		}
	}
}

// maxSteps bounds the steps of one trajectory, maxLine the bytes of one line or document.
const (
	maxSteps = 100_000
	maxLine  = 256 << 20
)

// errForeign says that something is JSON but no trajectory.
var errForeign = errors.New("no trajectory: an object with steps (neutral, ATIF), with history " +
	"(browser-use) or the header of a journal is wanted")
