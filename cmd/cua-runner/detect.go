package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// detectFlags are those of detect.
type detectFlags struct {
	config configFlags
	format string
	list   string
	labels string
	groups []string
	names  []string
	fit    []string
	eval   bool
	json   bool
}

func newDetect(a *app) *cobra.Command {
	f := &detectFlags{}
	cmd := &cobra.Command{
		Use:   "detect FILE…",
		Short: "Find the loops in trajectories that any agent made: no browser is needed",
		Long: `Read trajectories, a file (also .gz), a folder or - for standard input, and print for each of
them after which step a soft and a hard signal first held, which shapes were seen, and what the
incidents cost: the steps inside them, those of them that were wasted (the incident did not
recover), tokens, dollars and seconds, as far as the trajectory knows them. Steps are called what
the input calls them.

Formats: the journal of this program (cua), one JSON object a line (neutral), and the history that
browser-use saves (browser-use). What cannot be read is named with file and line; the rest is scored
all the same, and the exit code is 2. Below each trajectory with an alarm the table says in a phrase what
looped. A field of the neutral form whose name is close to a known one is warned about; --map renames the
fields of other logs.

--eval compares the alarms with the labels that trajectories carry (looping, success), --labels
with windows that a person has labelled. An alarm is the first soft signal of a trajectory.`,
		Example: `  cua-runner detect runs/*
  cua-runner detect history.json --json | jq -c 'select(.first_soft)'
  zcat logs.jsonl.gz | cua-runner detect - --format neutral --list alarms
  cua-runner detect logs.jsonl.gz --arm classic --set detector.soft=4
  cua-runner detect other.jsonl --map target=selector,action_type=action
  cua-runner detect logs/ --eval --list none --labels labels.jsonl --group 'date pickers=choose-date'`,
		Args: minimumArgs(1, "detect needs a file, a folder or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.detect(cmd.Context(), f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", string(formats.Auto),
		"what the input is: "+strings.Join(inputFormats(), ", "))
	fl.StringVar(&f.list, "list", listAll, "which trajectories to list: "+strings.Join(listings(), ", "))
	fl.BoolVar(&f.eval, "eval", false, "compare alarms with the labels that trajectories carry")
	fl.StringVar(&f.labels, "labels", "",
		"compare alarms with the labelled windows in `file` too (implies --eval)")
	fl.StringArrayVar(&f.groups, "group", nil,
		"give trajectories a row of their own in --eval, as `NAME=REGEXP` of their ids or benchmarks "+
			"(repeatable)")
	fl.StringArrayVar(&f.names, "map", nil,
		"what the input calls the fields of the neutral form, as `OURS=THEIRS,…` (repeatable)")
	fl.StringArrayVar(&f.fit, "fit", nil,
		"judge a choice of this threshold by leaving one source out, as `PATH=V,V,…` (repeatable, implies "+
			"--eval)")
	fl.BoolVar(&f.json, "json", false,
		"print one JSON line a trajectory, and the evaluation as the last line")
	f.config.addArm(cmd, "default")
	complete(cmd, "format", inputFormats)
	complete(cmd, "list", listings)
	return cmd
}

func inputFormats() []string {
	var out []string
	for _, f := range formats.Formats() {
		out = append(out, string(f))
	}
	return out
}

// Which trajectories are listed.
const (
	listAll    = "all"
	listAlarms = "alarms"
	listNone   = "none"
)

func listings() []string { return []string{listAll, listAlarms, listNone} }

// detecting is one call of detect.
type detecting struct {
	flags    *detectFlags
	assembly runner.Assembly
	names    formats.Renames
	labels   *detection.Labels
	// candidates are what --fit names, the config itself first.
	candidates []detection.Candidate
	// labelled is the file of the labels, which is no trajectory; nil is none.
	labelled fs.FileInfo
	eval     *detection.Evaluation
	bad      bool // something could not be read
	// faulty is the file with the newest fault, faults is how many it has.
	faulty string
	faults int
}

// maxFaults is how many faults of one file are printed one by one: one that is something else
// altogether has one in each line.
const maxFaults = 20

// prepare reads everything that the flags name, before any trajectory is.
func (f *detectFlags) prepare() (*detecting, error) {
	d := &detecting{flags: f}
	if !slices.Contains(inputFormats(), f.format) {
		return nil, usage("--format: unknown format %q; known: %s", f.format,
			strings.Join(inputFormats(), ", "))
	}
	if !slices.Contains(listings(), f.list) {
		return nil, usage("--list: unknown word %q; known: %s", f.list, strings.Join(listings(), ", "))
	}
	names, err := formats.ParseRenames(f.names)
	if err != nil {
		return nil, usage("--map: %w", err)
	}
	d.names = names
	cfg, err := f.config.over(runner.DefaultConfig())
	if err != nil {
		return nil, err
	}
	d.assembly = runner.Assemble(cfg)
	if len(d.assembly.Detectors) == 0 {
		return nil, usage("this configuration has no detector switched on: nothing could be found")
	}
	if f.labels != "" {
		if d.labels, d.labelled, err = readLabels(f.labels); err != nil {
			return nil, err
		}
	}
	groups, err := f.group()
	if err != nil {
		return nil, err
	}
	if d.candidates, err = f.candidates(cfg); err != nil {
		return nil, err
	}
	if f.eval || d.labels != nil || len(d.candidates) > 0 {
		d.eval = detection.NewEvaluation(groups, d.labels)
		d.eval.Fit(d.candidates)
	}
	return d, nil
}

func readLabels(path string) (*detection.Labels, fs.FileInfo, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, usage("--labels: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, usage("--labels: %w", err)
	}
	labels, err := detection.ReadLabels(file)
	if err != nil {
		return nil, nil, usage("--labels: %s: %w", path, err)
	}
	return labels, info, nil
}

func (f *detectFlags) group() ([]detection.Group, error) {
	var out []detection.Group
	for _, g := range f.groups {
		name, expr, ok := strings.Cut(g, "=")
		if !ok || name == "" || expr == "" {
			return nil, usage("--group: want NAME=REGEXP, not %q", g)
		}
		match, err := regexp.Compile(expr)
		if err != nil {
			return nil, usage("--group %s: %w", name, err)
		}
		out = append(out, detection.Group{Name: name, Match: match})
	}
	return out, nil
}

func (a *app) detect(ctx context.Context, f *detectFlags, paths []string) error {
	d, err := f.prepare()
	if err != nil {
		return err
	}
	a.onSignal("stopping: printing what was found so far (again: stop at once)")
	out := newDetectList(a, f)
	err = d.all(ctx, a, paths, out)
	if err == nil || ctx.Err() != nil {
		err = d.sum(ctx, a, out)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case d.bad:
		return &exitError{code: exitUsage} // each fault has been printed where it was met
	}
	return nil
}

// all scores the trajectories of all paths in their order. Its error is one of writing, or that of ctx.
func (d *detecting) all(ctx context.Context, a *app, paths []string, out *detectList) error {
	defer out.stop()
	judge := func(r *formats.Run) detection.Detected {
		return detection.Detect(r, d.assembly, d.labels, d.candidates...)
	}
	for _, path := range paths {
		runs := formats.Runs(path, formats.Format(d.flags.format), a.in, d.names)
		for j, err := range detection.InOrder(ctx, runs, judge) {
			if err != nil {
				d.fault(a, out, err)
				continue
			}
			out.warn(j)
			if d.eval != nil {
				d.eval.Add(j)
			}
			if err := out.add(j); err != nil {
				return err
			}
		}
		d.moreFaults(a)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// fault reports what could not be read. The file of the labels lies beside the trajectories
// often enough, and is none.
func (d *detecting) fault(a *app, out *detectList, err error) {
	file := ""
	if bad := (*trajectories.SyntaxError)(nil); errors.As(err, &bad) {
		file = bad.Path
	}
	if info, statErr := os.Stat(file); d.labelled != nil && statErr == nil && os.SameFile(info, d.labelled) {
		return
	}
	d.bad = true
	if d.eval != nil {
		d.eval.Unreadable()
	}
	out.pause()
	if file == "" || file != d.faulty {
		d.moreFaults(a)
		d.faulty = file
	}
	if d.faults++; d.faults <= maxFaults {
		fmt.Fprintln(a.err, "cua-runner: "+tty.Safe(err.Error()))
	}
}

// moreFaults says how many faults of the last file were not printed.
func (d *detecting) moreFaults(a *app) {
	if n := d.faults - maxFaults; n > 0 {
		fmt.Fprintf(a.err, "cua-runner: %s: %d more that could not be read\n", tty.Safe(d.faulty), n)
	}
	d.faulty, d.faults = "", 0
}

// sum prints what comes after the list.
func (d *detecting) sum(ctx context.Context, a *app, out *detectList) error {
	if d.bad && out.runs == 0 {
		return nil // nothing was read: the errors have said so
	}
	if err := out.foot(ctx.Err() != nil); err != nil || d.eval == nil {
		return err
	}
	if ctx.Err() != nil {
		d.eval.Interrupted()
	}
	rep := d.eval.Report()
	if d.flags.json {
		return out.line(struct {
			Eval detection.Report `json:"eval"`
		}{rep})
	}
	return rep.WriteText(a.out)
}

// maxCandidates bounds how many settings --fit compares: each of them scores every labelled trajectory.
const maxCandidates = 500

// candidates are the settings that --fit names, each value of one path with each of the others, the config
// itself first; nil where there is no --fit.
func (f *detectFlags) candidates(cfg runner.Config) ([]detection.Candidate, error) {
	if len(f.fit) == 0 {
		return nil, nil
	}
	all := []variant{{"", cfg}}
	for _, fit := range f.fit {
		path, values, ok := strings.Cut(fit, "=")
		if !ok || path == "" || values == "" {
			return nil, usage("--fit: want PATH=V,V,…, not %q", fit)
		}
		var next []variant
		for _, s := range all {
			for v := range strings.SplitSeq(values, ",") {
				c, err := s.with(path, v)
				if err != nil {
					return nil, usage("--fit: %w", err)
				}
				next = append(next, c)
			}
		}
		if all = next; len(all) > maxCandidates {
			return nil, usage("--fit: more than %d settings", maxCandidates)
		}
	}
	out := []detection.Candidate{{Name: "this config", Assembly: runner.Assemble(cfg)}}
	for _, s := range all {
		out = append(out, detection.Candidate{Name: s.name, Assembly: runner.Assemble(s.cfg)})
	}
	return out, nil
}

// variant is a config and the values that tell it from the others.
type variant struct {
	name string
	cfg  runner.Config
}

// with is s with one more value.
func (s variant) with(path, value string) (variant, error) {
	c, err := s.cfg.Set(path + "=" + value)
	if err == nil {
		err = c.Validate()
	}
	name := path[strings.Index(path, ".")+1:] + "=" + value
	return variant{strings.TrimSpace(s.name + " " + name), c}, err
}

// scoreLines scores trajectories as they come, for one request of a server.
func scoreLines(ctx context.Context, in io.Reader, line func(any) error) error {
	assembly := runner.Assemble(runner.DefaultConfig())
	for run, err := range formats.Runs("-", formats.Neutral, in, nil) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			var bad *trajectories.SyntaxError
			if !errors.As(err, &bad) {
				return err
			}
			err = line(map[string]any{"line": bad.Line, "error": "not a trajectory of the neutral form"})
		default:
			err = line(detection.Detect(run, assembly, nil))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
