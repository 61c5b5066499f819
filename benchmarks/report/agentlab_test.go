package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestAgentLabNames holds what is written against what AgentLab's readers take: the values of the table are
// those that its summarize_study printed for such rewards.
func TestAgentLabNames(t *testing.T) {
	s, _ := plotted(t)
	s.Plan.Brain.Name = "scripted"
	s.Results[0].End, s.Results[0].Reward, s.Results[0].Detail = cua.EndEnvError, 1, "gone"
	s.Results[1].Reward = 1
	played := s.EpisodeDir(s.Results[1].Episode)
	if err := os.MkdirAll(played, 0o755); err != nil {
		t.Fatal(err)
	}
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := rep.WriteAgentLab(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || strings.Join(rows[0],
		" ") != "agent.agent_name env.benchmark avg_reward std_err avg_steps n_completed n_err cum_cost" {
		t.Fatalf("%v: %v", err, rows)
	}
	// A row an agent, which is a brain with its faults in an arm, and suite: of the eight cells under the
	// first fault one went wrong in default, and one earned 1 in off: a mean of 1/8 with the error of a
	// share, √(p(1-p)/n).
	found := map[string]string{}
	for _, row := range rows[1:] {
		found[row[0]+" on "+row[1]] = strings.Join(row[2:], " ")
	}
	for agent, want := range map[string]string{
		"scripted with faults a=1 default on traps": "0 0 10 8/8 1 ",
		"scripted with faults a=1 <b>off on traps":  "0.125 0.116927 10 8/8 0 ",
		"scripted classic on forms":                 "0 0 10 2/2 0 ",
	} {
		if got := found[agent]; got != want {
			t.Errorf("%s: %q, want %q of %v", agent, got, want, rows)
		}
	}
	if len(found) != 3*2*3 {
		t.Errorf("%d rows for 3 arms, 2 brains and 3 suites", len(found))
	}
	if err := writeAgentLab(s); err != nil {
		t.Fatal(err)
	}
	// The first cell has no folder, and is told all the same.
	bare := filepath.Join(s.Dir, agentLabName, s.Results[0].Episode)
	for _, row := range []struct {
		dir  string
		want map[string]any
	}{
		{bare, map[string]any{"n_steps": 10.0, "cum_reward": 0.0, "cum_raw_reward": 1.0, "err_msg": "env_error: gone", "stack_trace": "", "terminated": false, "truncated": false}},
		{played, map[string]any{"n_steps": 10.0, "cum_reward": 1.0, "err_msg": nil, "terminated": true}},
	} {
		text, err := os.ReadFile(filepath.Join(row.dir, "summary_info.json"))
		if err != nil {
			t.Fatal(err)
		}
		var info map[string]any
		if err := json.Unmarshal(text, &info); err != nil {
			t.Fatal(err)
		}
		for name, want := range row.want {
			if got, there := info[name]; got != want || !there {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		if _, there := info["stats.cum_cost"]; there {
			t.Error("a cost that nobody knows is told")
		}
		args, err := os.ReadFile(filepath.Join(row.dir, "exp_args.pkl"))
		if err != nil || !bytes.Contains(args, []byte("cagentlab.experiments.loop\nExpArgs\n)\x81")) {
			t.Errorf("exp_args.pkl: %v, %q", err, args)
		}
	}
}

// Python's pickle.loads makes the same of these bytes; pickletools.dis prints them.
func TestPickle(t *testing.T) {
	for _, row := range []struct {
		name string
		of   any
		want string
	}{
		{"nothing", nil, "N"},
		{"true and false", map[string]any{"a": true, "b": false}, "}(X\x01\x00\x00\x00a\x88X\x01\x00\x00\x00b\x89u"},
		{"text beyond ASCII", "ß|", "X\x03\x00\x00\x00\xc3\x9f|"},
		{"text that is none", "a\xff", "X\x04\x00\x00\x00a\xef\xbf\xbd"},
		{"a small number", 1, "\x8a\x08\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"a negative one", int64(-2), "\x8a\x08\xfe\xff\xff\xff\xff\xff\xff\xff"},
		{"an object", pickled{"m.n", "C", map[string]any{"x": nil}}, "cm.n\nC\n)\x81}(X\x01\x00\x00\x00xNub"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := pickle(row.of)
			if err != nil || string(got) != "\x80\x02"+row.want+"." {
				t.Errorf("%q, %v; want %q", got, err, row.want)
			}
		})
	}
	if got, err := pickle([]int{1}); err == nil {
		t.Errorf("what it does not know became %q", got)
	}
}
