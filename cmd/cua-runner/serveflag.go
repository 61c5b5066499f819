package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/server/viewer"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shower is --serve: a viewer, on loopback, of what the command plays. The zero value is none.
type shower struct {
	on     bool
	app    *app
	server *server.Server // nil while nothing is served
	web    *http.Server
	base   string // of links
	token  string
}

func (v *shower) add(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&v.on, "serve", false, "serve a viewer of "+what+
		" on a loopback port and print its link on standard error; it ends with the command")
}

// begin listens, where that is asked for.
func (v *shower) begin(a *app) error {
	if !v.on {
		return nil
	}
	v.app = a
	view, err := viewer.Handler()
	if err != nil {
		return infra(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return infra(err)
	}
	v.token, v.base = rand.Text(), "http://"+l.Addr().String()
	sum := sha256.Sum256([]byte(v.token))
	v.server, err = server.New(server.Options{View: view, Hosts: (&serveFlags{}).names(l.Addr()),
		Tenants: []server.Tenant{{Name: "viewer", TokenSHA256: hex.EncodeToString(sum[:])}},
		Grace:   time.Second, Build: build().String(), Exports: exports(),
		Log: func(line string) { fmt.Fprintln(a.err, "cua-runner: "+tty.Safe(line)) }})
	if err != nil {
		l.Close()
		return infra(err)
	}
	v.web = &http.Server{Handler: v.server.Handler(), ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes: 64 << 10}
	go v.web.Serve(l) //nolint:errcheck // it ends with close
	return nil
}

// link prints the link of the episode; "" is the list of episodes.
func (v *shower) link(id string) {
	if v.server == nil {
		return
	}
	if id != "" {
		id = "?id=" + id
	}
	fmt.Fprintf(v.app.err, "viewer: %s/view/%s#token=%s\n", v.base, id, v.token)
}

// linger is how long pages that are open may take to fetch the end, once they have heard of it.
const linger = time.Second

// close lets pages that are open hear of the end, and stops.
func (v *shower) close() {
	if v.server == nil {
		return
	}
	watched := v.server.Streams() > 0
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(2 * linger) // a page that does not read keeps nobody
	for v.server.Streams() > 0 && time.Now().Before(end) {
		<-tick.C
	}
	if watched {
		time.Sleep(linger)
	}
	v.server.Drain(context.Background())
	last, cancel := context.WithTimeout(context.Background(), linger)
	defer cancel()
	if v.web.Shutdown(last) != nil {
		v.web.Close()
	}
	if watched {
		fmt.Fprintln(v.app.err, "the viewer has ended with the command; "+
			"cua-runner export RUN --format html writes a page that stays")
	}
}

// show makes the episode known that r is about to play, under a new id if its header has none. cancel ends
// it; nil: it can be watched alone. nil is an episode that is not shown.
func (v *shower) show(r *runner.Runner, task cua.Task, cancel context.CancelCauseFunc) *server.Showing {
	id, err := r.Header.ID, error(nil)
	if id == "" {
		id, err = trajectories.NewID(time.Now(), rand.Reader)
	}
	if err == nil {
		r.Header.ID = id
		h := r.Header
		h.Task = runner.RedactTask(task, maps.Collect(maps.All(r.Secrets))) // it adds what it finds
		var w *server.Showing
		if w, err = v.server.Show(shown(h, r.Dir, cancel)); err == nil {
			return w
		}
	}
	fmt.Fprintln(v.app.err, "cua-runner: the viewer does not show an episode: "+tty.Safe(err.Error()))
	return nil
}

// shown is the episode in dir that has this header.
func shown(h trajectories.Header, dir string, cancel context.CancelCauseFunc) server.Shown {
	return server.Shown{ID: h.ID, Dir: dir, Created: h.Started, Cancel: cancel,
		Request: server.Request{Instruction: h.Task.Goal, URL: h.Task.URL, Allow: h.Task.Allow,
			OutputFields: h.Task.OutputFields, Brain: h.Brain.Name, Director: h.Brain.Director, Arm: h.Arm,
			Seed: max(h.Task.Seed, 0), MaxSteps: h.Task.MaxSteps}}
}

// beside shows the one episode of a command: begin is called with each of its runners, end once it has ended.
// cancel ends it. Without --serve they do nothing.
func (v *shower) beside(task cua.Task, cancel context.CancelCauseFunc) (begin func(*runner.Runner),
	end func()) {
	if v.server == nil {
		return func(*runner.Runner) {}, func() {}
	}
	var showing *server.Showing
	begin = func(r *runner.Runner) {
		if showing == nil {
			if showing = v.show(r, task, cancel); showing == nil {
				return
			}
			v.link(r.Header.ID)
		}
		terminal := r.Attend
		showing.Begin(r)
		r.Attend = either(terminal, r.Attend)
	}
	return begin, func() {
		if showing != nil {
			showing.End()
		}
	}
}

// study shows each episode of a study while it is played, and those that it has already. They can be watched
// alone: what a person does to a cell is not what the study measures.
func (v *shower) study(s *benchmarks.Study) func(*runner.Runner, cua.Task) func() {
	if v.server == nil {
		return nil
	}
	for _, r := range s.Results {
		dir := s.EpisodeDir(r.Episode)
		h, err := trajectories.ReadHeader(dir)
		if err != nil {
			continue
		}
		if w, err := v.server.Show(shown(h, dir, nil)); err == nil { // an old journal may have no id
			w.End()
		}
	}
	return func(r *runner.Runner, task cua.Task) func() {
		w := v.show(r, task, nil)
		if w == nil {
			return func() {}
		}
		w.Begin(r)
		return w.End
	}
}

// playWatched plays with the runners that are made, before whoever sits at the terminal or opens the viewer.
func (a *app) playWatched(ctx context.Context, v *shower, k *keeper, session browser.SessionOptions,
	task cua.Task, asJSON bool, made func(runner.Env) *runner.Runner,
	play start) (trajectories.RunResult, error) {
	if err := v.begin(a); err != nil {
		return trajectories.RunResult{}, err
	}
	defer v.close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := a.stepLine(asJSON)
	beside, end := v.beside(task, cancel)
	defer end()
	return k.play(ctx, session, func(env runner.Env) *runner.Runner {
		r := made(env)
		r.Watch = watch
		a.attend(ctx, r, asJSON)
		beside(r)
		return r
	}, play)
}

// asker is Runner.Attend.
type asker = func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error)

// either asks at the terminal, where somebody is there (nil: nobody), and at the viewer: the first choice
// counts.
func either(terminal, viewer asker) asker {
	if terminal == nil {
		return viewer
	}
	type answer struct {
		choice trajectories.PauseChoice
		err    error
	}
	return func(ctx context.Context, card trajectories.PauseCard) (trajectories.PauseChoice, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		answers := make(chan answer, 2)
		for _, ask := range []asker{terminal, viewer} {
			go func() {
				c, err := ask(ctx, card)
				answers <- answer{c, err}
			}()
		}
		first := <-answers
		if errors.Is(first.err, tty.ErrNobody) {
			first = <-answers
			return first.choice, first.err
		}
		cancel()
		<-answers // who was slower has let go of the episode
		return first.choice, first.err
	}
}
