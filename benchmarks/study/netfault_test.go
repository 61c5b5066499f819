package study_test

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A network fault belongs to the cell: header and result have it, and the page meets it. Requests of the
// study itself, to prepare and to judge the task, are never struck.
func TestNetworkFaultsOfACell(t *testing.T) {
	shop := httptest.NewServer(&bought{orders: map[string]int{}})
	defer shop.Close()
	m, err := manifest.Parse("tasks.json", []byte(strings.ReplaceAll(`{"version": 1, "tasks": [
 {"id": "order", "goal": "Order once.", "url": "HOST/?run={run}", "cap": 5, "success": {"http": {"reset": "HOST/reset", "state": "HOST/state?run={run}", "verdict": "HOST/verdict?run={run}"}}}]}`, "HOST", shop.URL)))
	if err != nil {
		t.Fatal(err)
	}
	p := listed(t, manifest.Own, m)
	p.EachFault = []string{benchmarks.NoFault, "net_503=1", "net_latency=1@30"}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	play := solving{press: map[string]string{"manifest.order": "Order"}}
	play.b = browsertest.Launch(t, browser.Options{})
	if err := study.Play(t.Context(), s, study.Options{Factory: play}); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		fault, name string
		success     bool
		end         cua.EndReason
	}{
		{benchmarks.NoFault, "", true, cua.EndEnvEnded},
		{"net_503=1", cua.NetUnavailable, false, cua.EndDone},
		{"net_latency=1@30", cua.NetLatency, true, cua.EndEnvEnded},
	} {
		t.Run(row.fault, func(t *testing.T) {
			i := slices.IndexFunc(s.Results, func(r benchmarks.Result) bool { return r.Fault == row.fault })
			if i < 0 {
				t.Fatalf("no result of %s", row.fault)
			}
			r := s.Results[i]
			if r.Success != row.success || r.End != row.end || r.Judged == nil || !r.Judged.Judged {
				t.Errorf("success %v, end %s: %s, judged %+v", r.Success, r.End, r.Detail, r.Judged)
			}
			if row.name == "" && r.Struck != nil || row.name != "" && r.Struck[row.name] == 0 {
				t.Errorf("struck %v", r.Struck)
			}
			j, err := trajectories.Read(s.EpisodeDir(r.Episode))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(j.Header.NetFaults, ","); row.name != "" && (got != row.fault ||
				j.Header.NetSeed != r.Chance()) || row.name == "" && got != "" {
				t.Errorf("the header has %q, seed %d", got, j.Header.NetSeed)
			}
		})
	}
}

// A plan with a network fault that is none is refused, and its brain is given those of brains alone.
func TestPlansWithNetworkFaults(t *testing.T) {
	m := &manifest.Manifest{Version: 1, Tasks: []manifest.Task{{ID: "a", Goal: "g", URL: "http://h/",
		Success: manifest.Success{Text: "x"}}}}
	for _, row := range []struct {
		name, fault, each, err string
	}{
		{"a fault of the network", "net_reset=0.5", "", ""},
		{"one that is none", "net_fog=1", "", "unknown network fault"},
		{"one of each that is none", "net_503=1", "net_latency=2", "from 0 to 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := listed(t, manifest.Own, m)
			p.Faults = []string{"click_fixation=1", row.fault}
			if row.each != "" {
				p.EachFault = []string{row.each}
			}
			err := p.Validate()
			if (err != nil) != (row.err != "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("%v, want %q", err, row.err)
			}
			c := benchmarks.Cell{Fault: row.each}
			if got := p.BrainFaults(c); !slices.Equal(got, []string{"click_fixation=1"}) {
				t.Errorf("the brain is given %v", got)
			}
			if n := len(p.NetFaults(c)); row.err == "" && n != 1 {
				t.Errorf("%d faults of the network", n)
			}
		})
	}
}
