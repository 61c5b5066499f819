package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// sums are what the metrics count of one journal, or of many: by metric, then by its labels' values.
type sums map[string]map[string]float64

func (s sums) add(metric string, n float64, labels ...string) {
	if s[metric] == nil {
		s[metric] = map[string]float64{}
	}
	s[metric][strings.Join(labels, "\x00")] += n
}

func (s sums) plus(o sums) {
	for metric, by := range o {
		for labels, n := range by {
			s.add(metric, n, labels)
		}
	}
}

// described are the metrics that are sums over journals.
var described = []struct {
	name, help string
	labels     []string
}{
	{"cua_ends_total", "Ends of episodes by reason.", []string{"reason"}},
	{"cua_steps_total", "Steps on record.", nil},
	{"cua_signals_total", "Steps at which a signal held, by shape and level.", []string{"shape", "level"}},
	{"cua_loop_recoveries_total", "Replacements of the rescue table by code.", []string{"reason"}},
	{"cua_done_rejections_total", "Refused dones by code.", []string{"code"}},
	{"cua_incidents_total", "Incidents by outcome.", []string{"outcome"}},
	{"cua_wasted_steps_total", "Steps inside incidents that did not recover.", nil},
	{"cua_stage_seconds_total", "Time of the stages of steps, seconds.", []string{"stage"}},
	{"cua_tokens_total", "Tokens by kind.", []string{"kind"}},
	{"cua_cost_usd_total", "Known cost, US dollars.", nil},
}

// sumsOf counts one journal.
func sumsOf(t *trajectories.Trajectory, r *trajectories.RunResult) sums {
	out := sums{}
	for _, end := range t.Ends {
		out.add("cua_ends_total", 1, string(end.Reason))
	}
	out.add("cua_steps_total", float64(r.Steps))
	for shape, levels := range r.Signals {
		for level, n := range levels {
			out.add("cua_signals_total", float64(n), string(shape), string(level))
		}
	}
	for reason, n := range r.LoopRecoveries {
		out.add("cua_loop_recoveries_total", float64(n), string(reason))
	}
	for code, n := range r.DoneRejections {
		out.add("cua_done_rejections_total", float64(n), string(code))
	}
	for _, in := range r.Incidents {
		if in.Outcome != "" {
			out.add("cua_incidents_total", 1, string(in.Outcome))
		}
	}
	out.add("cua_wasted_steps_total", float64(r.WastedSteps))
	for i := range t.Steps {
		tm := t.Steps[i].Timing
		for n, ms := range []float64{tm.Turn, tm.Decide, tm.Locate, tm.Review, tm.Intent, tm.Act, tm.Verify,
			tm.Record} {
			out.add("cua_stage_seconds_total", ms/1000, runner.Stages()[n])
		}
	}
	out.add("cua_tokens_total", float64(r.InputTokens), "input")
	out.add("cua_tokens_total", float64(r.OutputTokens), "output")
	out.add("cua_tokens_total", float64(r.CachedTokens), "cached")
	if r.USD != nil {
		out.add("cua_cost_usd_total", *r.USD)
	}
	return out
}

// metrics are computed from the journals whenever they are asked for.
type metrics struct {
	s       *Server
	states  *prometheus.Desc
	sums    map[string]*prometheus.Desc
	handler http.Handler

	mu      sync.Mutex
	deleted sums // of episodes that were deleted since the start: a counter never falls
}

func newMetrics(s *Server) *metrics {
	m := &metrics{s: s, sums: map[string]*prometheus.Desc{}, deleted: sums{},
		states: prometheus.NewDesc("cua_episodes", "Episodes by state.", []string{"state"}, nil)}
	for _, d := range described {
		m.sums[d.name] = prometheus.NewDesc(d.name, d.help, d.labels, nil)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// keep keeps the sums of an episode that was deleted.
func (m *metrics) keep(of sums) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deleted.plus(of)
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(ch chan<- *prometheus.Desc) {
	ch <- m.states
	for _, d := range m.sums {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	states := map[State]int{Queued: 0, Running: 0, Paused: 0, Interrupted: 0, Ended: 0}
	all := sums{}
	m.mu.Lock()
	all.plus(m.deleted)
	m.mu.Unlock()
	for _, t := range m.s.tenants {
		for _, e := range t.all() {
			state, _, _ := e.now()
			states[state]++
			if sum, err := e.summary(); err == nil {
				all.plus(sum.sums)
			}
		}
	}
	for state, n := range states {
		ch <- prometheus.MustNewConstMetric(m.states, prometheus.GaugeValue, float64(n), string(state))
	}
	for _, d := range described {
		by := all[d.name]
		for _, labels := range slices.Sorted(maps.Keys(by)) {
			var values []string
			if len(d.labels) > 0 {
				values = strings.Split(labels, "\x00")
			}
			ch <- prometheus.MustNewConstMetric(m.sums[d.name], prometheus.CounterValue, by[labels],
				values...)
		}
	}
}

// all are the episodes of t, the oldest first.
func (t *tenant) all() []*episode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.episodes)
}
