package server

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A reader that never reads delays no step, and is dropped once a write takes too long.
func TestAReaderThatNeverReads(t *testing.T) {
	for _, row := range []struct {
		name    string
		slowest time.Duration
		dropped bool
	}{
		{"it is waited for, and the steps go on", time.Hour, false},
		{"it is dropped", 100 * time.Millisecond, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, t.TempDir(), nil)
			s.player.gate = make(chan struct{})
			path := s.begin(many("long"))
			closed := make(chan struct{})
			web := httptest.NewUnstartedServer(s.server.Handler())
			web.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
				_ = c.(*net.TCPConn).SetWriteBuffer(4096) // else the system takes megabytes for the reader
				return ctx
			}
			web.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateClosed {
					close(closed)
				}
			}
			web.Start()
			defer web.Close()
			c, err := net.Dial("tcp", web.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.(*net.TCPConn).SetReadBuffer(4096)
			usual := s.server.slowest
			s.server.slowest = row.slowest // for the reader alone: the test's own requests may take longer
			fmt.Fprintf(c, "GET %s/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path,
				aToken)
			if line, err := bufio.NewReaderSize(c, 16).ReadSlice('\n'); err != nil && line == nil {
				t.Fatal(err)
			}
			s.server.slowest = usual
			close(s.player.gate)
			v := s.await(path, Ended)
			if v["result"].(map[string]any)["steps"] != 100.0 {
				t.Errorf("it ended as %v", v["result"])
			}
			if !row.dropped {
				if n := s.server.Streams(); n != 1 {
					t.Errorf("%d streams are open: the reader was not the slow one", n)
				}
				return
			}
			select {
			case <-closed:
			case <-t.Context().Done():
			}
			s.server.mu.Lock()
			defer s.server.mu.Unlock()
			if s.server.streams != 0 {
				t.Errorf("%d streams are open", s.server.streams)
			}
		})
	}
}

var (
	load     = flag.Int("load", 0, "measure what so many event streams cost the steps of an episode")
	loadStep = flag.Duration("load-step", 100*time.Millisecond, "how long the page of -load takes for a step")
)

// paced is a player whose page takes its time.
type paced struct{ player }

type pacedEnv struct{ envtest.Env }

func (e *pacedEnv) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	time.Sleep(*loadStep)
	return e.Env.Act(ctx, a)
}

func (p *paced) Play(ctx context.Context, play *Play) (trajectories.RunResult, error) {
	r := &runner.Runner{Brain: brain.Scripted{Script: scripts[play.Brain]},
		Env: &pacedEnv{envtest.Env{Site: counter}}, Config: play.Config, Dir: play.Dir, Header: play.Header}
	play.Begin(r)
	return r.Run(ctx, play.Task)
}

// The cost of -load event streams for the steps of an episode: episodes alternate, without and with them.
func TestLoad(t *testing.T) {
	if *load == 0 {
		t.Skip("-load 200 measures it")
	}
	scripts["load"] = append(slices.Repeat([]cua.Scripted{press("Next")}, 60), done())
	s := serve(t, t.TempDir(), func(o *Options) {
		o.Player, o.Streams, o.StreamsPerEpisode = &paced{}, *load, *load
	})
	var steps [2][]float64 // ms, without and with
	for round := range 8 {
		with := round % 2
		path := s.begin(many("load"))
		var readers sync.WaitGroup
		for range *load * with {
			readers.Go(func() {
				r, _ := http.NewRequestWithContext(t.Context(), "GET", s.url+path+"/events", nil)
				r.Header.Set("Authorization", "Bearer "+aToken)
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return
				}
				defer resp.Body.Close()
				text, err := io.ReadAll(resp.Body)
				if err != nil || !strings.Contains(string(text), "event: end\n") {
					t.Errorf("a reader has %d bytes without the end (%v)", len(text), err)
				}
			})
		}
		s.await(path, Ended)
		readers.Wait()
		j, err := readJournal(s.server.tenants[0].find(strings.TrimPrefix(path, "/v1/cua/")).dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, st := range j.t.Steps[20:60] { // all readers are there by then
			steps[with] = append(steps[with], float64(st.AtMS-j.t.Steps[19+i].AtMS))
		}
	}
	without, with := mid(steps[0]), mid(steps[1])
	t.Logf("a step of %v: %.0f ms without, %.0f ms with %d event streams: %+.1f %% (means %.1f and %.1f ms)",
		*loadStep, without, with, *load, 100*(with/without-1), mean(steps[0]), mean(steps[1]))
	if with > 1.1*without {
		t.Errorf("more than 10 %%")
	}
}

// many is asked with room for many steps.
func many(brain string) map[string]any {
	r := asked(brain)
	r["max_steps"] = 100
	return r
}

func mid(v []float64) float64 {
	slices.SortFunc(v, cmp.Compare)
	return v[len(v)/2]
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}
