package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

func newResume(a *app) *cobra.Command {
	var bf browserFlags
	var asJSON, noState bool
	var lessons lessonFlags
	var models brainFlags
	var named secretFlags
	var fixtures string
	var fields []string
	var maxSteps int
	var har harFlag
	var serve shower
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with an interrupted or halted episode",
		Long: `Go on with an episode that was interrupted, killed, or halted. Config and brain come from its header,
the page is opened again where it was and given what its newest checkpoint holds (what came back is said), and an action whose outcome was never recorded is
told to the brain instead of being done twice. A form that it may have sent is not sent again: the run ends as
asked (uncertain_send), and to resume it once more is to say that the form may be sent. The lessons are those of its header; --learn writes down what
it taught. The values of secrets are in no journal: they come from
the environment (CUA_SECRET_NAME, --secret) or are given again with --field.`,
		Example: `  cua-runner resume runs/example.com-sign-in@default.1-1
  cua-runner resume runs/example.com-sign-in@default.1-1 --serve`,
		Args: exactArgs(1, "resume needs the folder of a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resume(cmd.Context(), args[0], bf, models, fixtures, fields, named, lessons, asJSON,
				noState, maxSteps, har, &serve)
		},
	}
	bf.add(cmd)
	lessons.add(cmd)
	named.add(cmd)
	bf.addAuth(cmd)
	har.add(cmd)
	serve.add(cmd, "the episode")
	models.add(cmd, "")
	models.addSafety(cmd)
	models.addRecorded(cmd)
	cmd.Flags().StringVar(&fixtures, "fixtures", "", "`folder` whose files an upload may take")
	cmd.Flags().StringArrayVar(&fields, "field", nil,
		"the value of a secret once more, as `label=value` (repeatable)")
	cmd.Flags().BoolVar(&noState, noStateFlag, false, noStateHelp)
	cmd.Flags().IntVar(&maxSteps, "max-steps", 0,
		"cap on all steps of the episode from here on; one that had used up its steps continues with more "+
			"(0: as it was)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON on standard output")
	return cmd
}

func (a *app) resume(ctx context.Context, dir string, bf browserFlags, models brainFlags, fixtures string,
	fields []string, named secretFlags, lessons lessonFlags, asJSON, noState bool, maxSteps int,
	har harFlag, serve *shower) error {
	if maxSteps < 0 {
		return usage("--max-steps must be 0 or more, not %d", maxSteps)
	}
	dir = runNamed(dir)
	t, err := readRun(dir)
	if err != nil {
		return err
	}
	if err := runner.Resumable(t, maxSteps); err != nil {
		return usage("%w", err)
	}
	cfg, err := runner.Recorded(t.Header)
	if err != nil {
		return usage("%s: %w", dir, err)
	}
	cfg.Checkpoints.State = cfg.Checkpoints.State && !noState
	secrets, err := secretsAgain(t.Header.Task, fields, named)
	if err != nil {
		return err
	}
	a.redact.Learn(secrets)
	session, err := sessionAgain(cfg, t.Header.Task, fixtures, secrets, bf, &har)
	if err != nil {
		return err
	}
	o, err := models.opener(a, os.Getenv)
	if err != nil {
		return err
	}
	b, err := reopenBrain(o, t.Header.Brain)
	if err != nil {
		return err
	}
	defer brain.Close(b) //nolint:errcheck // the episode is what counts
	chromium, err := (&keeper{app: a, flags: bf}).alive(ctx)
	if err != nil {
		return err
	}
	defer a.closeBrowsers()
	k := &keeper{app: a, flags: bf, browser: chromium}
	made := func(env runner.Env) *runner.Runner {
		return &runner.Runner{Brain: a.asking(b), Env: env, Header: drivenBy(t.Header, env), Dir: dir,
			Secrets: secrets, NoState: noState, MaxSteps: maxSteps}
	}
	result, err := a.playWatched(ctx, serve, k, session, t.Header.Task, asJSON, made, (*runner.Runner).Resume)
	if !asJSON {
		a.givenBack(dir, len(t.Events))
	}
	var no *runner.NotResumable
	if errors.As(err, &no) {
		return usage("%w", err)
	}
	a.redact.Learn(secrets) // with what the brain itself typed as a password
	return a.taught(&lessons, dir, secrets, har.end(a.redact, a.finish(result, dir, asJSON, err)), err)
}

// drivenBy is h with the browser of env.
func drivenBy(h trajectories.Header, env runner.Env) trajectories.Header {
	if s, ok := env.(sharedSession); ok {
		h.Browser = browserInfo(s.in)
	}
	return h
}

// sessionAgain is how the session of a resumed episode is set up.
func sessionAgain(cfg runner.Config, task cua.Task, fixtures string, secrets map[string]string,
	bf browserFlags, har *harFlag) (o browser.SessionOptions, err error) {
	o = sessionOptions(cfg, fixtures, secrets)
	if o.HTTPAuth, err = bf.credentials(secrets, task.SecretOrigins); err != nil {
		return o, err
	}
	return o, har.begin(&o)
}

// secretsAgain are the values of the secrets that the task names: from fields, flags and the environment.
func secretsAgain(task cua.Task, fields []string, named secretFlags) (map[string]string, error) {
	secrets, err := given(task, fields)
	if err != nil {
		return nil, err
	}
	more, err := named.again(task, os.Getenv)
	if err != nil {
		return nil, err
	}
	maps.Copy(secrets, more)
	return secrets, knownSecrets(task, secrets, os.Getenv)
}

// givenBack says what the resumed session of dir got back of its newest checkpoint; known is how many events
// there were before.
func (a *app) givenBack(dir string, known int) {
	t, err := trajectories.Read(dir)
	if err != nil {
		return // it is told of by whoever reads the run next
	}
	for _, e := range t.Events[min(known, len(t.Events)):] {
		if e.Kind != trajectories.ResumeEvent && e.Kind != trajectories.ContinueEvent || e.After == nil {
			continue
		}
		says := "resumed in a new browser: only the address was known"
		if e.Restored != nil {
			says = "resumed in a new browser: " + show.FacetWords(*e.Restored)
		}
		fmt.Fprintln(a.err, says)
	}
}
