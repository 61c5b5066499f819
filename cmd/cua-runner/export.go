package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// exporters are the forms in which trajectories leave, in the order of their names: the one table that help,
// completion, the server and the docs take them from.
func exporters() []formats.Exporter {
	page := formats.Exporter{Name: "html", About: "a page to read, that needs nothing beside it",
		MediaType: "text/html; charset=utf-8", Ext: ".html", One: true,
		Write: func(w io.Writer, runs []formats.DatasetRun, _ formats.ExportOptions) error {
			return show.WriteHTML(w, runs[0].Trajectory)
		}}
	out := append(formats.Exporters(), page)
	slices.SortFunc(out, func(a, b formats.Exporter) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// exporterOf is the exporter of that name, which is one of exportFormats.
func exporterOf(name string) formats.Exporter {
	all := exporters()
	return all[slices.IndexFunc(all, func(x formats.Exporter) bool { return x.Name == name })]
}

// exportFormats are the names of the exporters.
func exportFormats() []string {
	var out []string
	for _, x := range exporters() {
		out = append(out, x.Name)
	}
	return out
}

// exportHelp says what each format is, a line each.
func exportHelp() string {
	var b strings.Builder
	for _, x := range exporters() {
		about := x.About
		if x.Folder != nil && x.Write == nil {
			about += " (a folder)"
		}
		fmt.Fprintf(&b, "  %-11s %s\n", x.Name, about)
	}
	return strings.TrimRight(b.String(), "\n")
}

// exportFlags are the flags of export.
type exportFlags struct {
	format, out, frames, otlp string
	options                   formats.ExportOptions
}

func newExport(a *app) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export RUN…",
		Short: "Write trajectories in the forms of other tools: JSON, tables, pages, traces, training data",
		Long: `Write the runs at RUN…: folders of runs, studies, journals, patterns, the ids of episodes, or "latest",
the newest below runs/.
What cannot be read is told, the others are written, and the exit code is 1.

The formats (docs/exports.md has an example of each):

` + exportHelp(),
		Example: `  cua-runner export runs/* --format csv > steps.csv
  cua-runner export runs/example.com-sign-in@default.1-1 --format html --out episode.html
  cua-runner export runs --format html --out pages
  cua-runner export studies/demo/*/ --format jsonl | jq -c 'select(.loop_recovery_reason)'
  cua-runner export studies/demo --format dataset --out demo-data
  cua-runner export latest --format trace --out trace.zip && npx playwright show-trace trace.zip
  cua-runner export studies/demo --format sft --layout llamafactory --out demo-sft
  cua-runner export runs/* --format neutral | cua-runner detect -`,
		Args: minimumArgs(1, "export needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.export(&f, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "json", strings.Join(exportFormats(), ", "))
	fl.StringVar(&f.out, "out", "",
		"`file` to write (default: standard output), or the folder of a form with several files or of many runs")
	fl.BoolVar(&f.options.Blobs, "blobs", false, "put the frames and the prompts into json and jsonl")
	fl.StringVar(&f.frames, "frames", "",
		"frames of atif, sft, dpo, trace and inspect: "+strings.Join(formats.FrameChoices(), ", ")+
			" (default: what the format needs)")
	t := &f.options.Training
	fl.StringVar(&t.Layout, "layout", formats.LayoutOpenAI,
		"layout of sft and dpo: "+strings.Join(formats.Layouts(), ", "))
	fl.IntVar(&t.History, "history", 3, "frames of a sample of sft and dpo at most")
	fl.BoolVar(&t.All, "all", false, "take samples of episodes that were not solved too")
	fl.StringVar(&t.Replaced, "replaced", "drop",
		"what a replaced step teaches in sft: "+strings.Join(formats.ReplacedChoices(), ", "))
	fl.BoolVar(&t.AnyBrain, "any-brain", false, "take what a heuristic or faulty brain decided as a target")
	fl.BoolVar(&f.options.Content, "content", false,
		"put arguments, results and messages into the spans of otel")
	fl.StringVar(&f.otlp, "otlp", "",
		"send the spans of otel to the OTLP/HTTP receiver at that `URL` instead")
	fl.StringVar(&f.options.LogFormat, "log-format", "",
		"files of inspect: "+strings.Join(formats.LogFormats(), ", ")+" (default: that of --out, else json)")
	complete(cmd, "format", exportFormats)
	complete(cmd, "frames", formats.FrameChoices)
	complete(cmd, "layout", formats.Layouts)
	complete(cmd, "replaced", formats.ReplacedChoices)
	complete(cmd, "log-format", formats.LogFormats)
	return cmd
}

// check says which flag has a word that is none of its own, and is the exporter that is meant.
func (f *exportFlags) check() (formats.Exporter, error) {
	choices := []struct {
		flag, value string
		known       []string
	}{
		{"format", f.format, exportFormats()}, {"frames", f.frames, append(formats.FrameChoices(), "")},
		{"layout", f.options.Training.Layout, formats.Layouts()},
		{"replaced", f.options.Training.Replaced, formats.ReplacedChoices()},
		{"log-format", f.options.LogFormat, append(formats.LogFormats(), "")},
	}
	for _, c := range choices {
		if !slices.Contains(c.known, c.value) {
			return formats.Exporter{}, usage("unknown %s %q; known: %s", c.flag, c.value,
				strings.TrimSuffix(strings.Join(c.known, ", "), ", "))
		}
	}
	x := exporterOf(f.format)
	f.options.Frames = cmp.Or(formats.Frames(f.frames), x.Frames)
	if x.Name == "inspect" {
		return f.inspectFile(x)
	}
	return x, nil
}

// inspectFile is the exporter x of Inspect's logs with the extension of the log format that is asked for, by
// its own flag or by the name of --out.
func (f *exportFlags) inspectFile(x formats.Exporter) (formats.Exporter, error) {
	for _, one := range formats.LogFormats() {
		if filepath.Ext(f.out) != "."+one {
			continue
		}
		if f.options.LogFormat = cmp.Or(f.options.LogFormat, one); f.options.LogFormat != one {
			return x, usage("--log-format %s and --out %s name two forms", f.options.LogFormat, f.out)
		}
	}
	x.Ext = "." + cmp.Or(f.options.LogFormat, "json")
	return x, nil
}

// export writes the runs that args name.
func (a *app) export(f *exportFlags, args []string) error {
	x, err := f.check()
	if err != nil {
		return err
	}
	if err := f.checkOTLP(); err != nil {
		return err
	}
	ts, broken, err := a.runsAt(args)
	if err != nil {
		return err
	}
	runs := datasetRuns(ts)
	switch {
	case f.otlp != "":
		err = sendOTLP(f.otlp, x, runs, f.options)
	case f.format == "html" && manyPages(args, f.out):
		err = a.exportPages(ts, f.out)
	case x.Folder != nil && (x.Write == nil || f.out != "" && filepath.Ext(f.out) != x.Ext):
		if f.out == "" {
			return usage("--format %s writes a folder: name it with --out", f.format)
		}
		if err = x.Folder(f.out, runs, f.options); err != nil {
			err = infra(err)
		}
	case x.One && len(runs) > 1:
		err = usage("--format %s writes a file a run, and %d were named: name a folder with --out", f.format,
			len(runs))
	default:
		err = a.write(f.out, func(w io.Writer) error {
			c := counter{w: w}
			defer a.sayNone(f.format, &c)
			return x.Write(&c, runs, f.options)
		})
	}
	if err == nil && broken > 0 {
		return &exitError{code: exitFailed,
			err: fmt.Errorf("%s could not be read, the others were written", plural(broken, "run"))}
	}
	return err
}

// counter counts the bytes that are written, n.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += n
	return n, err
}

// sayNone says that a file of training data is empty, which no error is.
func (a *app) sayNone(format string, c *counter) {
	if c.n == 0 && (format == "sft" || format == "dpo") {
		fmt.Fprintf(a.err, "cua-runner: %s: no step of these runs is a sample (--all and --any-brain admit "+
			"more; docs/exports.md)\n", format)
	}
}

// datasetRuns are runs with what the studies that they lie in say of them.
func datasetRuns(ts []*trajectories.Trajectory) []formats.DatasetRun {
	known := map[string]map[string]bool{} // by study and episode: whether the task can be done
	var runs []formats.DatasetRun
	for _, t := range ts {
		r := formats.DatasetRun{Trajectory: t}
		study := filepath.Dir(filepath.Dir(filepath.Clean(t.Dir)))
		if _, read := known[study]; !read {
			known[study] = studyCells(filepath.Join(study, "results.jsonl"))
		}
		if cells := known[study]; cells != nil {
			solvable, scored := cells[filepath.Base(t.Dir)]
			r.Scored = &scored
			if scored {
				r.Solvable = &solvable
			}
		}
		runs = append(runs, r)
	}
	return runs
}

// studyCells are the episodes that the results at path are of, and whether the task of each can be done;
// nil where there are none.
func studyCells(path string) map[string]bool {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for line := range bytes.Lines(raw) {
		var r struct {
			Episode  string `json:"episode"`
			Solvable bool   `json:"solvable"`
		}
		if json.Unmarshal(line, &r) == nil && r.Episode != "" {
			out[r.Episode] = r.Solvable
		}
	}
	return out
}

// indexName is the page that lists the pages of many runs.
const indexName = "index.html"

// manyPages reports whether runs are exported as a page each with a list of them: all but one run that is
// named itself, unless out is a folder.
func manyPages(paths []string, out string) bool {
	if info, err := os.Stat(out); len(paths) > 1 || out != "" && err == nil && info.IsDir() {
		return true
	}
	info, err := os.Stat(runNamed(paths[0]))
	return err != nil || info.IsDir() && !isRun(runNamed(paths[0]))
}

// exportPages writes a page for each run into the folder out, and one that lists them.
func (a *app) exportPages(ts []*trajectories.Trajectory, out string) error {
	if out == "" {
		return usage("--format html of many runs needs --out with the folder to write to")
	}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return usage("making the folder of --out: %w", err)
	}
	var rows []show.IndexRow
	taken := map[string]bool{indexName: true}
	for _, t := range ts {
		name := pageName(t.Dir, taken)
		page := func(w io.Writer) error { return show.WriteHTML(w, t) }
		if err := a.write(filepath.Join(out, name), page); err != nil {
			return err
		}
		rows = append(rows, show.NewIndexRow(t, "./"+name))
	}
	list := filepath.Join(out, indexName)
	if err := a.write(list, func(w io.Writer) error { return show.WriteIndex(w, rows) }); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.err, list)
	return err
}

// pageName is that of a run's page, and no other run's.
func pageName(dir string, taken map[string]bool) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = dir
	}
	base := filepath.Base(abs)
	name := base + ".html"
	for n := 2; taken[strings.ToLower(name)]; n++ { // some disks do not tell the case of letters apart
		name = fmt.Sprintf("%s-%d.html", base, n)
	}
	taken[strings.ToLower(name)] = true
	return name
}

// exports are the formats of a single file, for one episode.
func exports() map[string]server.Export {
	out := map[string]server.Export{}
	for _, x := range exporters() {
		if x.Write == nil {
			continue
		}
		options := formats.ExportOptions{Frames: x.Frames}
		out[x.Name] = server.Export{MediaType: x.MediaType, Write: func(w io.Writer,
			t *trajectories.Trajectory) error {
			return x.Write(w, []formats.DatasetRun{{Trajectory: t}}, options)
		}}
	}
	return out
}
