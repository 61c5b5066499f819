package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/egress"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// runFlags are those of run.
type runFlags struct {
	config     configFlags
	browser    browserFlags
	lessons    lessonFlags
	har        harFlag
	model      brainFlags
	serve      shower
	tags       []string
	goal       string
	fields     []string
	secrets    secretFlags
	brain      string
	director   string
	faults     []string
	out        string
	below      string // the folder of the episodes without out; "" is runs
	allow      []string
	beside     string
	fixtures   string
	maxSteps   int
	idempotent bool
	seed       int64
	json       bool
}

const runExample = `  cua-runner run http://localhost:8080/login --goal "sign in" --field "User name=alice" --field "Password=opensesame"
  cua-runner run https://example.com --goal 'press "More information"' --arm off --out /tmp/bare
  cua-runner run https://shop.test --goal "set the quantity to 3" --on-spiral continue --max-steps 200
  cua-runner run https://shop.test --goal "set the quantity to 3" --serve
  cua-runner run https://shop.test --goal "set the quantity to 3" --cdp-url http://127.0.0.1:9222 --unprotected-egress
  cua-runner run https://shop.test --goal "set the quantity to 3" --cdp-command ./start-browser.sh --unprotected-egress
  cua-runner run https://shop.test --goal "set the quantity to 3" --allow shop.test --ablate nudge --set detector.soft=4`

func newRun(a *app) *cobra.Command {
	f := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run URL --goal TEXT",
		Short: "Run one task on a page and record why each step was done",
		Long: `Run one task on a page. The steps are printed as they happen, and the journal with every
frame, ruling and reason is written below runs/. On a terminal the run pauses where it is stuck for good and asks what
to do; /rollback, /rollback N, "undo that" and "revert that" go back while it runs. With --serve whoever opens the
viewer is asked too, and can take the browser over. Elsewhere, and with --json or --on-spiral, a policy decides. Where
the browser ends meanwhile, the run continues in another one from its newest checkpoint. Ctrl-C finishes the current
step, seals the journal and leaves no browser behind; cua-runner resume continues from there.

Exit codes: 0 success, 1 the agent did not succeed, 2 bad input, 3 infrastructure (browser, network, disk),
130 and 143 interrupted.`,
		Example: runExample,
		Args:    exactArgs(1, "run needs the URL of the start page"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), f, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.goal, "goal", "", "the task in words (required)")
	fl.StringArrayVar(&f.fields, "field", nil,
		"a plan value as `label=value` (repeatable). A password is recorded by name alone; "+
			"label=<secret:NAME> takes it from CUA_SECRET_NAME")
	fl.StringVar(&f.brain, "brain", "heuristic", "who decides (see cua-runner brains)")
	fl.StringVar(&f.director, "director", "",
		"a stronger `brain` that decides when the run is stuck, at most once in three steps")
	fl.StringArrayVar(&f.faults, "fault", nil,
		"give the brain a fault, as click_fixation=0.5 or off_target=1@20, or words=none (repeatable; see "+
			"cua-runner brains)")
	fl.StringVar(&f.out, "out", "", "episode `folder` (default runs/<episode-id>)")
	fl.StringArrayVar(&f.allow, "allow", nil,
		"host or host:port that may be visited beside the start page's, names below it included "+
			"(repeatable). It bounds every request. Without it: any public host. A name that resolves to a "+
			"private address is reached only as host:port")
	fl.StringVar(&f.beside, "allow-subresources", "",
		"which other public hosts pages may load from: `any`, same-site (those of one registrable domain "+
			"with a listed one) or listed (default same-site)")
	fl.BoolVar(&f.idempotent, "idempotent", false,
		"sending a form twice does no harm: after an interruption it is sent again without a question")
	fl.StringVar(&f.fixtures, "fixtures", "", "`folder` whose files an upload may take")
	fl.IntVar(&f.maxSteps, "max-steps", 0, "step cap (0: the config's)")
	fl.Int64Var(&f.seed, "seed", 1, "seed of brain faults and task, written into the header")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON on standard output")
	f.config.addArm(cmd, "default")
	f.browser.add(cmd)
	f.har.add(cmd)
	f.lessons.add(cmd)
	f.model.add(cmd, "the run")
	f.secrets.add(cmd)
	f.browser.addAuth(cmd)
	f.serve.add(cmd, "the run")
	fl.StringSliceVar(&f.tags, "tag", nil, "`tags` of the task; lessons with one of them come first")
	completeRun(cmd)
	return cmd
}

func completeRun(cmd *cobra.Command) {
	complete(cmd, "brain", brainNames)
	complete(cmd, "director", brainNames)
	complete(cmd, "fault", faultNames)
	complete(cmd, "allow-subresources", func() []string {
		return []string{string(cua.AnyHost), string(cua.SameSite), string(cua.ListedOnly)}
	})
}

// secretTask is the task without its secrets, and their values by name.
func (f *runFlags) secretTask(a *app, rawURL string) (cua.Task, map[string]string, error) {
	task, err := f.task(rawURL)
	if err != nil {
		return task, nil, err
	}
	secrets, origins, err := f.secrets.read(os.Getenv)
	if err != nil {
		return task, nil, err
	}
	task.SecretOrigins = origins
	a.warnOfLiterals(task)
	if task, err = redacted(task, secrets, os.Getenv); err != nil {
		return task, nil, err
	}
	task.ID = taskID(task, secrets)
	a.redact.Learn(secrets)
	return task, secrets, nil
}

// session is how the episode's session is set up.
func (f *runFlags) session(cfg runner.Config, task cua.Task,
	secrets map[string]string) (o browser.SessionOptions, err error) {
	o = sessionOptions(cfg, f.fixtures, secrets)
	if o.HTTPAuth, err = f.browser.credentials(secrets, task.SecretOrigins); err != nil {
		return o, err
	}
	return o, f.har.begin(&o)
}

func (a *app) run(ctx context.Context, f *runFlags, rawURL string) error {
	task, secrets, err := f.secretTask(a, rawURL)
	if err != nil {
		return err
	}
	cfg, err := f.resolved(f.serve.on || !f.json && a.atTerminal())
	if err != nil {
		return err
	}
	o, err := f.model.opener(a, os.Getenv)
	if err != nil {
		return err
	}
	b, info, err := openBrain(o, f.brain, f.faults, f.seed, nil)
	if err != nil {
		return err
	}
	info.Director = f.director
	if b, err = withDirector(o, b, f.director); err != nil {
		return err
	}
	defer brain.Close(b) //nolint:errcheck // the episode is what counts
	lessons, err := f.lessons.read(a, secrets)
	if err != nil {
		return err
	}
	if err := f.browser.checkHAR(f.har); err != nil {
		return err
	}
	session, err := f.session(cfg, task, secrets)
	if err != nil {
		return err
	}
	dir, id, err := f.folder(task)
	if err != nil {
		return err
	}
	chromium, err := (&keeper{app: a, flags: f.browser}).alive(ctx)
	if err != nil {
		if f.out == "" {
			os.Remove(dir) //nolint:errcheck // it is empty; one that is not stays
		}
		return err
	}
	defer a.closeBrowsers()
	k := &keeper{app: a, flags: f.browser, browser: chromium}
	made := func(env runner.Env) *runner.Runner {
		return &runner.Runner{Brain: a.asking(b), Env: env, Config: cfg, Dir: dir, Secrets: secrets,
			Header: trajectories.Header{Episode: id, Arm: f.config.arm, Attempt: 1, Brain: info,
				Browser: browserInfo(chromium), Build: build(), Host: host(), Lessons: lessons}}
	}
	play := func(r *runner.Runner, ctx context.Context) (trajectories.RunResult, error) {
		return r.Run(ctx, task)
	}
	result, err := a.playWatched(ctx, &f.serve, k, session, task, f.json, made, play)
	a.redact.Learn(secrets) // with what the brain itself typed as a password
	ended := f.har.end(a.redact, a.finish(result, dir, f.json, err))
	return a.taught(&f.lessons, dir, secrets, ended, err)
}

// resolved is the config that the flags ask for, and puts its name into them. Attended says that somebody
// can be asked.
func (f *runFlags) resolved(attended bool) (runner.Config, error) {
	cfg, err := f.config.over(runner.DefaultConfig())
	if err != nil {
		return cfg, err
	}
	if f.model.cap(&cfg) || f.config.renames() {
		f.config.arm = runner.ArmName(cfg, f.config.arm)
	}
	if attended && f.config.onSpiral == "" {
		cfg.Recovery.Attended = true
	}
	return cfg, nil
}

// task is what the flags ask for.
func (f *runFlags) task(rawURL string) (cua.Task, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return cua.Task{}, usage("%q is not a web address: want http://… or https://…", rawURL)
	}
	if _, _, err := cua.ParseAddress(rawURL); err != nil {
		return cua.Task{}, usage("not a web address: %w", err)
	}
	if info, err := os.Stat(f.fixtures); f.fixtures != "" && (err != nil || !info.IsDir()) {
		return cua.Task{}, usage("--fixtures: %s is no folder", f.fixtures)
	}
	if f.goal == "" {
		return cua.Task{}, usage("--goal is missing: say in words what to do")
	}
	if f.maxSteps < 0 {
		return cua.Task{}, usage("--max-steps must be 0 or more, not %d", f.maxSteps)
	}
	t := cua.Task{Goal: f.goal, URL: rawURL, Allow: f.allow, Idempotent: f.idempotent,
		Tags: f.tags, Seed: f.seed, MaxSteps: f.maxSteps}
	for _, entry := range f.allow {
		if _, err := egress.ParseEntry(entry); err != nil {
			return cua.Task{}, usage("--allow: %w", err)
		}
	}
	if t.Subresources, err = cua.ParseSubresources(f.beside); err != nil {
		return cua.Task{}, usage("--allow-subresources: %w", err)
	}
	for _, raw := range f.fields {
		v, err := formctl.ParseField(raw)
		if err != nil {
			return cua.Task{}, usage("--field: %w", err)
		}
		t.Fields = append(t.Fields, v)
	}
	return t, nil
}

// folder is where the episode is recorded, and its id. Without out it is a new one in below.
func (f *runFlags) folder(t cua.Task) (dir, id string, err error) {
	if f.out != "" {
		if recorded(filepath.Join(f.out, trajectories.JournalName)) {
			return "", "", usage("%s holds a run already: choose another --out, or cua-runner resume %s",
				f.out, f.out)
		}
		return f.out, trajectories.EpisodeID(t.ID, f.config.arm, t.Seed, 1), nil
	}
	for attempt := 1; ; attempt++ {
		id = trajectories.EpisodeID(t.ID, f.config.arm, t.Seed, attempt)
		below := cmp.Or(f.below, "runs")
		dir = filepath.Join(below, id)
		if err := os.MkdirAll(below, 0o700); err != nil {
			return "", "", infra(err)
		}
		if err := os.Mkdir(dir, 0o700); err == nil {
			return dir, id, nil
		} else if !errors.Is(err, os.ErrExist) {
			return "", "", infra(err)
		}
	}
}

// recorded reports whether there is a journal that has at least its header; one without is that of no
// episode.
func recorded(journal string) bool {
	if _, err := os.Stat(journal); err != nil {
		return false
	}
	_, err := trajectories.Read(journal)
	return !errors.Is(err, trajectories.ErrNoHeader)
}

// stepLine prints a line for each step.
func (a *app) stepLine(quiet bool) func(*cua.Step) {
	if quiet {
		return nil
	}
	start := time.Now()
	return func(s *cua.Step) {
		fmt.Fprintf(a.err, "%6.1fs %3d  %s\n", time.Since(start).Seconds(), s.N, show.StepLine(s))
	}
}

// finish prints the result and turns its end reason into an exit code.
func (a *app) finish(r trajectories.RunResult, dir string, asJSON bool, err error) error {
	if err != nil {
		return infra(err)
	}
	r = redact.Value(a.redact, r)
	if asJSON {
		if err := printJSON(a, r); err != nil {
			return infra(err)
		}
	} else {
		end := string(r.TerminationReason)
		if r.Code != "" {
			end += " (" + r.Code + ")"
		}
		fmt.Fprintf(a.out, "%s after %d steps: %s\n", end, r.Steps, verdict(r))
		if r.Why != "" && !r.TerminationReason.Infrastructure() { // the error says the same of those
			fmt.Fprintf(a.out, "  why: %s\n", tty.Safe(r.Why))
		}
		fmt.Fprintf(a.out, "  stuck: %s\n", stuckWords(r))
		for _, c := range cua.Reasons() {
			if n := r.LoopRecoveries[c]; n > 0 {
				fmt.Fprintf(a.out, "  loop recovery: %s ×%d\n", c, n)
			}
			if n := r.Endings[c]; n > 0 {
				fmt.Fprintf(a.out, "  stopped by: %s ×%d\n", c, n)
			}
		}
		if cut := trajectories.CutWords(r.Cut, r.PossiblySent); cut != "" {
			fmt.Fprintf(a.out, "  %s\n", cut)
		}
		fmt.Fprintf(a.out, "journal: %s (cua-runner show %s)\n", dir, dir)
	}
	return endCode(r)
}

// stuckWords say what being stuck has cost.
func stuckWords(r trajectories.RunResult) string {
	out := r.Stuck.Words(r.Steps)
	if r.Stuck.Incidents > 0 {
		out += " (" + r.Stuck.OutcomeWords() + ")"
	}
	return out
}

func verdict(r trajectories.RunResult) string {
	word := "not solved"
	if r.Success {
		word = "success"
	}
	if r.Answer != "" {
		word += ", " + tty.Safe(r.Answer)
	}
	return word
}

// endCode is the exit code of an episode's end (design, errors); nil is success.
func endCode(r trajectories.RunResult) error {
	switch {
	case r.TerminationReason.Infrastructure():
		return &exitError{code: exitInfra, err: errors.New(string(r.TerminationReason) + ": " + r.Detail)}
	case r.TerminationReason == cua.EndCancelled:
		return &exitError{code: exitInt}
	case !r.Success:
		return &exitError{code: exitFailed}
	}
	return nil
}
