package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

func newLessons(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lessons",
		Short: "Keep what runs have taught: add, list, pin, remove and check lessons",
		Long: `Lessons are sentences that later runs on the same origin are given to read. They are kept in LESSONS.md, a
Markdown file in which each block fenced as json is one lesson; it is yours to edit.
run --learn writes down what a run taught; run reads LESSONS.md where there is one.`,
		Example: `  cua-runner lessons add "The form is sent by Return; the button does nothing." --origin https://shop.test --action click
  cua-runner lessons list
  cua-runner lessons lint
  cua-runner run https://shop.test --goal "buy a lamp" --learn`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unknown command %q; known: add, list, pin, rm, lint, report (see cua-runner "+
					"lessons --help)", args[0])
			}
			return usage(
				"lessons needs a command: add, list, pin, rm, lint or report (see cua-runner lessons --help)")
		},
	}
	cmd.AddCommand(newLessonsAdd(a), newLessonsList(a), newLessonsPin(a), newLessonsRemove(a),
		newLessonsLint(a), newLessonsReport(a))
	return cmd
}

// lessonsFile puts the flag for the file on a command.
func lessonsFile(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "lessons", lessons.FileName, "`file` of lessons")
}

// addFlags are those of lessons add.
type addFlags struct {
	file, origin, tag, run string
	actions                []string
	pin, json              bool
}

func newLessonsAdd(a *app) *cobra.Command {
	f := &addFlags{}
	cmd := &cobra.Command{
		Use:   "add [TEXT]",
		Short: "Add a sentence of your own, or what a run taught",
		Long: `Add a lesson. TEXT is one sentence of at most 50 tokens, about --origin or the start page of --run. It may hold no secret:
the values of CUA_SECRET_NAME are looked for in any spelling (the name, <secret:NAME>, may stand). With --run it may hold no
text of the run's pages either: titles, names, labels.

Without TEXT what the incidents and rewinds of --run teach is added; those that had effects after all were false alarms and
teach nothing.

Exit codes: 0 it is in the file, 2 bad input or refused.`,
		Example: `  cua-runner lessons add "Wait for the second of the two lists." --origin https://shop.test --tag order
  cua-runner lessons add "Return sends the form." --run runs/shop.test-cart-set-the-quantity@default.1-1 --action click --pin
  cua-runner lessons add --run runs/shop.test-cart-set-the-quantity@default.1-1`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.addLesson(f, args) },
	}
	fl := cmd.Flags()
	lessonsFile(cmd, &f.file)
	fl.StringVar(&f.origin, "origin", "", "`address` of the site that it is about")
	fl.StringVar(&f.tag, "tag", "", "`tag` of the tasks that it is for first of all")
	fl.StringVar(&f.run, "run", "", "`folder` of the run that it was learned in")
	fl.StringSliceVar(&f.actions, "action", nil, "`kinds` of action that it is about, as click,type")
	fl.BoolVar(&f.pin, "pin", false, "put it before all others")
	fl.BoolVar(&f.json, "json", false, "print what was added as JSON")
	return cmd
}

func (a *app) addLesson(f *addFlags, args []string) error {
	var t *trajectories.Trajectory
	var err error
	if f.run != "" {
		if t, err = readRun(f.run); err != nil {
			return err
		}
	}
	secrets := environmentSecrets(os.Environ())
	var taught []cua.Lesson
	var incidents []cua.Incident
	if t != nil {
		incidents = runner.Incidents(t, runner.DefaultConfig())
	}
	switch {
	case len(args) == 0 && t == nil:
		return usage(
			"lessons add needs a text, or --run to take lessons from (see cua-runner lessons add --help)")
	case len(args) == 0:
		taught = lessons.Compose(t, incidents)
		for i := range taught {
			taught[i].Pinned = f.pin
		}
	default:
		l, err := f.lesson(args[0], t, secrets)
		if err != nil {
			return usage("the lesson is refused: %w", err)
		}
		taught = []cua.Lesson{l}
	}
	added, err := a.keep(f.file, taught, secrets)
	if err != nil {
		return infra(err)
	}
	if t != nil && t.Dir != "" {
		// they are in the file all the same
		if err := lessons.Record(t.Dir, added, incidents, time.Now()); err != nil {
			fmt.Fprintf(a.err, "cua-runner: %s\n", tty.Safe(err.Error()))
		}
	}
	if f.json {
		return printJSON(a, append([]cua.Lesson{}, added...))
	}
	for _, l := range added {
		fmt.Fprintf(a.out, "%s  %s\n", l.ID, l.Text)
	}
	if n := len(taught) - len(added); n > 0 {
		fmt.Fprintf(a.out, "%d already in %s\n", n, f.file)
	} else if len(taught) == 0 {
		fmt.Fprintf(a.out,
			"%s teaches nothing: no incident without effects that recovered or ended it, and no rewind\n",
			f.run)
	}
	return nil
}

// lesson is a person's sentence, checked.
func (f *addFlags) lesson(text string, t *trajectories.Trajectory,
	secrets map[string]string) (cua.Lesson, error) {
	l := cua.Lesson{Text: strings.TrimSpace(text), Tag: f.tag, Pinned: f.pin,
		At: time.Now().UTC().Format(time.RFC3339)}
	for _, k := range f.actions {
		l.Actions = append(l.Actions, cua.Kind(k))
	}
	if l.Origin = cua.Origin(f.origin); l.Origin == "" && f.origin != "" {
		return l, fmt.Errorf("--origin: %q is no web address", f.origin)
	}
	if t != nil {
		if l.Origin == "" {
			l.Origin = cua.Origin(t.Header.Task.URL)
		}
		if tags := t.Header.Task.Tags; l.Tag == "" && len(tags) > 0 {
			l.Tag = tags[0]
		}
		if err := lessons.QuotesPage(l.Text+"\n"+f.tag, lessons.PageTexts(t)); err != nil {
			return l, err
		}
	}
	l.ID = lessons.ID(l)
	if err := trajectories.HoldsSecret(l.Text+"\n"+l.Tag, secrets); err != nil {
		return l, err
	}
	return l, lessons.Check(l)
}

// openLessons reads a lesson file for a command; no file is an empty one where none was named.
func openLessons(cmd *cobra.Command, path string) (*lessons.File, error) {
	file, err := lessons.Read(path)
	if errors.Is(err, fs.ErrNotExist) && !cmd.Flags().Changed("lessons") {
		return lessons.Parse(nil), nil
	}
	if err != nil {
		return nil, usage("%w", err)
	}
	return file, nil
}

// listedLesson is a lesson as `lessons list --json` prints it.
type listedLesson struct {
	Line int `json:"line"`
	cua.Lesson
}

func newLessonsList(a *app) *cobra.Command {
	var path, origin string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the lessons of the file, in its order",
		Example: "  cua-runner lessons list\n  cua-runner lessons list --origin https://shop.test --json | " +
			"jq -r '.[].text'",
		Args: exactArgs(0, "lessons list takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := openLessons(cmd, path)
			if err != nil {
				return err
			}
			if origin != "" && cua.Origin(origin) == "" {
				return usage("--origin: %q is no web address", origin)
			}
			for _, fault := range file.Faults() {
				fmt.Fprintf(a.err, "cua-runner: %s: %s\n", path, tty.Safe(fault.Error()))
			}
			list := []listedLesson{}
			for _, l := range file.Lessons() {
				if origin == "" || cua.Origin(origin) == l.Origin {
					list = append(list, listedLesson{file.Line(l.ID), l})
				}
			}
			if asJSON {
				return printJSON(a, list)
			}
			for _, l := range list {
				fmt.Fprintf(a.out, "%s  %s\n  %s\n", l.ID, strings.Join(l.facts(), "  "), tty.Safe(l.Text))
			}
			return nil
		},
	}
	lessonsFile(cmd, &path)
	cmd.Flags().StringVar(&origin, "origin", "", "only those about the site of this `address`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// facts are what a list says of a lesson beside its text.
func (l listedLesson) facts() []string {
	out := []string{l.Origin}
	if l.Tag != "" {
		out = append(out, "tag "+tty.Safe(l.Tag))
	}
	for _, k := range l.Actions {
		out = append(out, string(k))
	}
	if l.At != "" {
		out = append(out, l.At)
	}
	if l.Pinned {
		out = append(out, "pinned")
	}
	return out
}

func newLessonsPin(a *app) *cobra.Command {
	var path string
	var off bool
	cmd := &cobra.Command{
		Use:     "pin ID…",
		Short:   "Put lessons before all others of their origin",
		Example: "  cua-runner lessons pin l-1f0c2a9b\n  cua-runner lessons pin l-1f0c2a9b --off",
		Args:    minimumArgs(1, "lessons pin needs the id of a lesson"),
		RunE: func(_ *cobra.Command, ids []string) error {
			return eachLesson(path, ids, func(f *lessons.File, id string) bool { return f.Pin(id, !off) })
		},
	}
	lessonsFile(cmd, &path)
	cmd.Flags().BoolVar(&off, "off", false, "let them take their place again")
	return cmd
}

func newLessonsRemove(a *app) *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:     "rm ID…",
		Short:   "Take lessons out of the file; all else in it stays",
		Example: "  cua-runner lessons rm l-1f0c2a9b",
		Args:    minimumArgs(1, "lessons rm needs the id of a lesson"),
		RunE: func(_ *cobra.Command, ids []string) error {
			return eachLesson(path, ids, func(f *lessons.File, id string) bool { return f.Remove(id) })
		},
	}
	lessonsFile(cmd, &path)
	return cmd
}

// eachLesson changes the lessons of these ids, all or none.
func eachLesson(path string, ids []string, change func(*lessons.File, string) bool) error {
	if _, err := os.Stat(path); err != nil {
		return usage("%w", err)
	}
	err := lessons.Update(path, func(f *lessons.File) error {
		for _, id := range ids {
			if !change(f, id) {
				return usage("%s has no lesson %q that can be changed (see cua-runner lessons list)",
					path, id)
			}
		}
		return nil
	})
	var coded *exitError
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return infra(err)
}

func newLessonsLint(a *app) *cobra.Command {
	var path string
	var runs []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Say which entries of the file cannot be used, and why",
		Long: `Read the file and name each entry that no run is given: one that is no JSON, lacks something, is too long or holds a
secret (the values of CUA_SECRET_NAME are looked for). With --run it is an entry too that holds a text of that run's pages.
Nothing is changed.

Exit codes: 0 all can be used, 1 one cannot, 2 bad input.`,
		Example: "  cua-runner lessons lint\n  cua-runner lessons lint --lessons team/LESSONS.md --json | " +
			"jq '.[].line'",
		Args: exactArgs(0, "lessons lint takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, err := openLessons(cmd, path)
			if err != nil {
				return err
			}
			ts, err := lessonRuns(runs)
			if err != nil {
				return err
			}
			found := file.Lint(ts, environmentSecrets(os.Environ()))
			if err := a.linted(path, file, found, asJSON); err != nil {
				return err
			}
			if len(found) > 0 {
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	lessonsFile(cmd, &path)
	cmd.Flags().StringArrayVar(&runs, "run", nil,
		"`folder` of a run or of runs whose pages' texts are looked for (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// linted prints what lint found in the file at path.
func (a *app) linted(path string, file *lessons.File, found []lessons.Unusable, asJSON bool) error {
	if asJSON {
		return printJSON(a, found)
	}
	for _, f := range found {
		fmt.Fprintf(a.out, "%s:%d: %s\n", path, f.Line, tty.Safe(f.Why))
	}
	good := len(file.Lessons()) + len(file.Faults()) - len(found)
	_, err := fmt.Fprintf(a.out, "%s: %d can be used, %d cannot\n", path, good, len(found))
	return err
}

func newLessonsReport(a *app) *cobra.Command {
	var uses int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report RUN…",
		Short: "Show success and steps with and without each lesson",
		Long: `Compare the episodes that could be given a lesson with those of the same task, brain and configuration that could not
(run without it, or under --ablate lessons). RUN is the folder of a run or a study, or of many. A lesson that shows no more
successes, and no fewer steps at as many, after --uses episodes is marked.`,
		Example: "  cua-runner lessons report runs/\n  cua-runner lessons report studies/demo --json | jq " +
			"'.[] | select(.no_lift)'",
		Args: minimumArgs(1, "lessons report needs the folder of a run or a study"),
		RunE: func(_ *cobra.Command, args []string) error {
			c := lessons.Config{Uses: uses}
			if err := c.Validate(); err != nil {
				return usage("--uses: %w", err)
			}
			ts, err := lessonRuns(args)
			if err != nil {
				return err
			}
			lifts := lessons.Lifts(ts, c)
			if asJSON {
				return printJSON(a, append([]lessons.Lift{}, lifts...))
			}
			return lessons.WriteLifts(a.out, lifts, c)
		},
	}
	cmd.Flags().IntVar(&uses, "uses", runner.DefaultConfig().Lessons.Uses,
		"after how many `episodes` a lesson without lift is marked")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
