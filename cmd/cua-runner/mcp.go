package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

// mcpFlags are those of mcp.
type mcpFlags struct {
	run       runFlags // those of the episodes
	wrap      bool
	recovery  string
	http      string
	hosts     []string
	tokenFile string
	brains    []string
	running   int
	model     brainFlags
}

func newMCP(a *app) *cobra.Command {
	f := &mcpFlags{}
	cmd := &cobra.Command{
		Use:   "mcp [--http ADDRESS] | mcp --wrap -- COMMAND…",
		Short: "Give an MCP client a browser with loop recovery, or add it to a browser MCP server",
		Long: `Offer a browser to an MCP client (Claude Code, Cursor, Codex, VS Code) on standard input and output, or
with --http by streamable HTTP. The client is the brain: each call of a tool is a step of an ordinary episode, which is
recorded below --dir. The tools have the names of playwright-mcp. A result says what the call changed; a call that
repeats itself without effect gets notes, and another call is offered (docs/mcp.md).

--recovery says what else is done: advise does each call as it is and offers another one; act does that one instead,
and says so first; off does nothing.

With --wrap, start COMMAND, a browser MCP server such as playwright-mcp, and serve its tools. Names, schemas and
answers stay as they are. A call that repeats itself without effect gets a section "### Notes" in its answer; one that
warnings did not help is refused. The page is observed by the server's tool browser_snapshot right before and right
after each acting call. The client never sees these answers.

With --http, requests with a foreign Host or Origin get 403. An address that other machines can reach needs a token:
--token-file, or a random one that is printed at the start.`,
		Example: `  cua-runner mcp
  cua-runner mcp --recovery act --allow shop.example --allow localhost:3000
  cua-runner mcp --http 127.0.0.1:8701
  cua-runner mcp --wrap -- npx @playwright/mcp@latest
  cua-runner mcp --wrap --set detector.soft=4 -- npx @playwright/mcp@latest --headless`,
		PreRunE: f.misplaced,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.wrap {
				return f.serveWrapped(a, cmd, args)
			}
			return f.serve(a, cmd)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.wrap, "wrap", false, "serve the tools of another server, with loop detection")
	fl.StringVar(&f.recovery, "recovery", string(mcp.Advise), "what is done about loops: advise, act or off")
	fl.StringVar(&f.http, "http", "", "serve by HTTP at this `address` (path /mcp)")
	fl.StringArrayVar(&f.hosts, "host", nil,
		"with --http: `name` (host or host:port) under which clients reach the server (repeatable)")
	fl.StringVar(&f.tokenFile, "token-file", "",
		"with --http: `file` with a token on each line, each with sessions of its own; nobody but its owner "+
			"may read it")
	fl.StringArrayVar(&f.run.allow, "allow", nil,
		"host or host:port that may be visited, names below it included (repeatable). Without it: any "+
			"public host. A private address, localhost too, is reached only as host:port")
	fl.StringVar(&f.run.below, "dir", "runs", "`folder` of the episodes")
	fl.StringVar(&f.run.fixtures, "fixtures", "", "`folder` whose files an upload may take")
	fl.StringArrayVar(&f.brains, "brain", []string{"heuristic"},
		"a brain that run_task may name (repeatable); the first decides where a call names none")
	fl.IntVar(&f.running, "max-running", 2, "tasks of run_task that run at a time, from 1")
	f.run.secrets.add(cmd)
	f.model.add(cmd, "")
	f.run.config.addArm(cmd, "default")
	f.run.browser.add(cmd)
	complete(cmd, "brain", brainNames)
	complete(cmd, "recovery", mcp.Recoveries)
	return cmd
}

// misplaced refuses arguments and flags that would have no effect: --allow does not bound a wrapped server.
func (f *mcpFlags) misplaced(cmd *cobra.Command, args []string) (err error) {
	if len(args) > 0 && !f.wrap {
		return usage("mcp takes no arguments; a wrapped server is: mcp --wrap -- COMMAND…")
	}
	wrap := &cobra.Command{}
	new(configFlags).addArm(wrap, "")
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case f.wrap && flag.Name != "wrap" && wrap.Flags().Lookup(flag.Name) == nil:
			err = usage("--%s has no effect with --wrap: give it to the wrapped server, after --", flag.Name)
		case f.http == "" && (flag.Name == "host" || flag.Name == "token-file"):
			err = usage("--%s needs --http", flag.Name)
		}
	})
	return err
}

// serveWrapped is mcp --wrap.
func (f *mcpFlags) serveWrapped(a *app, cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage("mcp --wrap needs the command of a browser MCP server, after --")
	}
	c, err := f.run.config.over(runner.DefaultConfig())
	if err != nil {
		return err
	}
	inner := exec.Command(args[0], args[1:]...)
	inner.Stderr = os.Stderr
	err = mcp.Wrap(cmd.Context(), c, build().Version, stdio(a), &sdk.CommandTransport{Command: inner})
	if cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	return infra(err)
}

func stdio(a *app) sdk.Transport {
	return &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: nopCloser{a.out}}
}

// serve is mcp without --wrap.
func (f *mcpFlags) serve(a *app, cmd *cobra.Command) error {
	s, err := f.server(a)
	if err != nil {
		return err
	}
	defer a.closeBrowsers()
	defer s.Close()
	if f.http != "" {
		return f.listen(a, cmd.Context(), s)
	}
	a.waitsFor("an MCP client")
	stop := closeAfter(cmd, a.in) // a read of standard input does not end with the context
	defer stop()
	err = s.Serve(cmd.Context(), stdio(a))
	if cmd.Context().Err() != nil {
		return cmd.Context().Err()
	}
	return infra(err)
}

// server is what the flags ask for.
func (f *mcpFlags) server(a *app) (*mcp.Server, error) {
	c, err := f.run.config.over(mcp.Limits(runner.DefaultConfig()))
	if err != nil {
		return nil, err
	}
	if c, err = mcp.Recovery(f.recovery).Config(c); err != nil {
		return nil, usage("--recovery: %w", err)
	}
	f.run.config.arm = runner.ArmName(c, "default")
	f.run.goal = "-" // the client says it
	if f.run.below, err = filepath.Abs(f.run.below); err != nil {
		return nil, infra(err)
	}
	task, err := f.run.task("http://unused.invalid")
	if err != nil {
		return nil, err
	}
	given, err := f.secrets(&task)
	if err != nil {
		return nil, err
	}
	jobs, err := f.jobs(a, given)
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Options{Config: c, Version: build().Version, Task: task,
		Secrets: slices.Sorted(maps.Keys(given)), Job: jobs.play, Brains: f.brains, Running: f.running,
		Detect: f.detect,
		Play: func(ctx context.Context, p *mcp.Play) (trajectories.RunResult, error) {
			return f.play(ctx, a, jobs.keeper, p, maps.Clone(given))
		}}), nil
}

// secrets are those that clients may use by name, each on the origin that it is bound to: the client chooses
// the pages, so an origin must be named here.
func (f *mcpFlags) secrets(t *cua.Task) (map[string]string, error) {
	values, origins, err := f.run.secrets.read(os.Getenv)
	if err != nil {
		return nil, err
	}
	for name := range values {
		if origins[name] == "" {
			return nil, usage("--secret: %s needs an origin (@https://shop.test): the client chooses the "+
				"pages", name)
		}
	}
	t.SecretOrigins = origins
	return values, nil
}

// play plays an episode below runs/.
func (f *mcpFlags) play(ctx context.Context, a *app, k *keeper, p *mcp.Play,
	secrets map[string]string) (r trajectories.RunResult, err error) {
	task := p.Task // passwords that the client types are recorded by name too
	// The client is no owner of this machine's secrets: what it names is not looked up.
	if task, err = redacted(task, secrets, func(string) string { return "" }); err != nil {
		return r, err
	}
	task.ID = taskID(task, secrets)
	a.redact.Learn(secrets)
	b, err := k.alive(ctx)
	if err != nil {
		return r, err
	}
	named := runFlags{below: f.run.below, config: configFlags{arm: "mcp-" + f.recovery}}
	dir, id, err := named.folder(task)
	if err != nil {
		return r, err
	}
	p.Begin(dir)
	begin := func(env runner.Env) *runner.Runner {
		return &runner.Runner{Brain: p.Brain, Env: env, Config: p.Config, Dir: dir, Secrets: secrets,
			Watch: p.Watch, Attend: p.Attend, Header: trajectories.Header{Episode: id, Attempt: 1,
				Arm: f.run.config.arm, Brain: trajectories.BrainInfo{Name: "mcp"},
				Browser: browserInfo(b), Build: build(), Host: host()}}
	}
	start := func(r *runner.Runner, ctx context.Context) (trajectories.RunResult, error) {
		return r.Run(ctx, task)
	}
	return k.play(ctx, sessionOptions(p.Config, f.run.fixtures, secrets), begin, start)
}

// listen serves by HTTP until the context ends.
func (f *mcpFlags) listen(a *app, ctx context.Context, s *mcp.Server) error {
	tokens, err := f.tokens(a)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return infra(err)
	}
	names := (&serveFlags{hosts: f.hosts}).names(l.Addr())
	web := &http.Server{Handler: s.Handler(names, tokens...), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(a.err, "cua-runner: serving http://%s%s\n", l.Addr(), mcp.Path)
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	select {
	case err = <-ended:
		return infra(err)
	case <-ctx.Done():
	}
	s.Close() // a call that waits is answered
	grace, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if web.Shutdown(grace) != nil {
		web.Close()
	}
	<-ended
	return ctx.Err()
}

// tokens are what requests must carry one of; none is nothing.
func (f *mcpFlags) tokens(a *app) ([]string, error) {
	host, _, err := net.SplitHostPort(f.http)
	if err != nil {
		return nil, usage("--http: %w", err)
	}
	if f.tokenFile != "" {
		text, err := server.ReadPrivate(f.tokenFile)
		if err != nil {
			return nil, usage("--token-file: %w", err)
		}
		tokens := strings.Fields(string(text))
		for _, t := range tokens {
			if len(t) < 16 {
				return nil, usage("a token in %s has fewer than 16 characters", f.tokenFile)
			}
		}
		if len(tokens) == 0 {
			return nil, usage("%s holds no token", f.tokenFile)
		}
		return tokens, nil
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil, nil
	}
	token := rand.Text()
	fmt.Fprintf(a.err, "cua-runner: other machines can reach %s: send the header Authorization: Bearer %s\n",
		f.http, token)
	return []string{token}, nil
}

// nopCloser is a writer that others close.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
