package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// agentLabInfo is summary_info.json of one episode as AgentLab names it. Its readers take any "stats." as a
// sum or a maximum by its name's first word, and a cost that is null for a free one: what is not known is
// left out.
type agentLabInfo struct {
	NSteps     int     `json:"n_steps"`
	CumReward  float64 `json:"cum_reward"`
	CumRawRew  float64 `json:"cum_raw_reward"`
	Terminated bool    `json:"terminated"`
	Truncated  bool    `json:"truncated"`
	ErrMsg     *string `json:"err_msg"`
	StackTrace *string `json:"stack_trace"`
	// Elapsed is in seconds, tokens are all of the episode's.
	Elapsed float64  `json:"stats.cum_step_elapsed"`
	Tokens  int      `json:"stats.cum_n_token"`
	USD     *float64 `json:"stats.cum_cost,omitempty"`
}

func agentLab(r benchmarks.Result) agentLabInfo {
	info := agentLabInfo{NSteps: r.Steps, CumReward: r.Earned(), CumRawRew: r.Reward,
		Elapsed: float64(r.DurationMS) / 1000, Tokens: r.Tokens, USD: r.USD}
	if r.MiniWoB != nil {
		info.CumRawRew = r.MiniWoB.Raw
	}
	switch {
	case r.End.Infrastructure():
		why, none := string(r.End)+": "+r.Detail, "" // a reader looks for words in the trace of each error
		info.ErrMsg, info.StackTrace = &why, &none
	case slices.Contains([]cua.EndReason{cua.EndMaxSteps, cua.EndMaxWall, cua.EndMaxTokens,
		cua.EndMaxCost}, r.End):
		info.Truncated = true
	default:
		info.Terminated = true
	}
	return info
}

// agentLabTask is the task's name as AgentLab has it: what comes before the first dot is the benchmark.
func agentLabTask(c benchmarks.Cell) string {
	if strings.Contains(c.Task, ".") {
		return c.Task
	}
	return c.Suite + "." + c.Task
}

// agentLabAgent is one agent as AgentLab tells agents apart: the brain with its faults, and the arm.
func agentLabAgent(p benchmarks.Plan, c benchmarks.Cell) string {
	name := p.Brain.Name
	if p.Brain.Model != "" {
		name += ":" + p.Brain.Model
	}
	if faults := p.FaultsOf(c); len(faults) > 0 {
		name += " with faults " + strings.Join(faults, ", ")
	}
	return name + " " + c.Arm
}

// agentLabArgs is exp_args.pkl of a cell, the n-th of its study, by which AgentLab finds it and knows its
// agent and task.
func agentLabArgs(p benchmarks.Plan, c benchmarks.Cell, n, steps int) ([]byte, error) {
	const module = "agentlab.experiments.loop"
	return pickle(pickled{module, "ExpArgs", map[string]any{
		"agent_args": map[string]any{"agent_name": agentLabAgent(p, c), "arm": c.Arm, "brain": p.Brain.Name, "model": p.Brain.Model,
			"director": p.Brain.Director, "faults": strings.Join(p.FaultsOf(c), ", ")},
		"env_args": pickled{module, "EnvArgs", map[string]any{"task_name": agentLabTask(c), "task_seed": c.Seed, "max_steps": steps,
			"task_kwargs": map[string]any{"suite": c.Suite, "repeat": c.Repeat}}},
		"exp_name": c.Episode(1), "exp_id": c.Episode(1), "order": n,
	}})
}

// WriteAgentLab writes a row an agent and benchmark with the columns of AgentLab's result tables: avg_reward
// and its std_err, avg_steps, n_completed of so many, n_err and cum_cost, which is empty where it is not
// known.
func (rep Report) WriteAgentLab(w io.Writer) error {
	cells, err := rep.Plan.Cells()
	if err != nil {
		return err
	}
	type group struct{ agent, benchmark string }
	of := func(c benchmarks.Cell) group {
		benchmark, _, _ := strings.Cut(agentLabTask(c), ".")
		return group{agentLabAgent(rep.Plan, c), benchmark}
	}
	var order []group
	total, done := map[group]int{}, map[group][]benchmarks.Result{}
	for _, c := range cells {
		if total[of(c)] == 0 {
			order = append(order, of(c))
		}
		total[of(c)]++
	}
	for _, r := range rep.Results {
		done[of(r.Cell)] = append(done[of(r.Cell)], r)
	}
	slices.SortStableFunc(order, func(a, b group) int {
		return cmp.Or(strings.Compare(a.agent, b.agent), strings.Compare(a.benchmark, b.benchmark))
	})
	rows := [][]string{{"agent.agent_name", "env.benchmark", "avg_reward", "std_err", "avg_steps",
		"n_completed", "n_err", "cum_cost"}}
	for _, g := range order {
		rows = append(rows, append([]string{g.agent, g.benchmark}, agentLabRow(done[g], total[g])...))
	}
	return csv.NewWriter(redact.VisibleWriter(w)).WriteAll(rows)
}

// agentLabRow is what AgentLab's tables have of the cells that are done; the means are empty where none is.
func agentLabRow(done []benchmarks.Result, total int) []string {
	var rewards, steps []float64
	errs := 0
	for _, r := range done {
		rewards, steps = append(rewards, r.Earned()), append(steps, float64(r.Steps))
		if r.End.Infrastructure() {
			errs++
		}
	}
	row := []string{"", "", "", fmt.Sprintf("%d/%d", len(done), total), strconv.Itoa(errs), ""}
	if len(done) == 0 {
		return row
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	reward, _ := benchmarks.Mean(rewards)
	length, _ := benchmarks.Mean(steps)
	row[0], row[1], row[2] = number(reward), number(stdErr(rewards)), number(length)
	if usd := benchmarks.Cost(done); usd != nil {
		row[5] = number(*usd)
	}
	return row
}

// stdErr is the standard error of the mean as AgentLab has it: of a share where every reward is 0 or 1, else
// of a sample; 0 for one value.
func stdErr(x []float64) float64 {
	m, sd := benchmarks.Mean(x)
	if !slices.ContainsFunc(x, func(v float64) bool { return v != 0 && v != 1 }) {
		sd = math.Sqrt(m * (1 - m))
	}
	return sd / math.Sqrt(float64(max(len(x), 1)))
}

// agentLabName is the folder of cells that have none under runs: they could not be played, and count all the
// same.
const agentLabName = "agentlab"

// writeAgentLab makes the study one that AgentLab's readers find and read: exp_args.pkl and summary_info.json
// for each cell, in its episode's folder where there is one.
func writeAgentLab(s *benchmarks.Study) error {
	cells, err := s.Plan.Cells()
	if err != nil {
		return err
	}
	order := map[benchmarks.Cell]int{}
	for i, c := range cells {
		order[c] = i
	}
	tasks, err := s.Plan.Played()
	if err != nil {
		return err
	}
	caps := map[string]int{}
	for _, t := range tasks {
		caps[t.Name] = t.MaxSteps
	}
	for _, r := range s.Results {
		if err := writeAgentLabCell(s, r, order[r.Cell], caps[r.Task]); err != nil {
			return fmt.Errorf("report: writing %s for AgentLab: %w", r.Episode, err)
		}
	}
	return nil
}

func writeAgentLabCell(s *benchmarks.Study, r benchmarks.Result, n, steps int) error {
	dir := s.EpisodeDir(r.Episode)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Join(s.Dir, agentLabName, r.Episode)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	args, err := agentLabArgs(s.Plan, r.Cell, n, steps)
	if err != nil {
		return err
	}
	info, err := json.MarshalIndent(agentLab(r), "", "  ")
	if err != nil {
		return err
	}
	o := trajectories.FileOptions{Mode: 0o600}
	return cmp.Or(trajectories.WriteBytes(filepath.Join(dir, "exp_args.pkl"), o, args),
		trajectories.WriteBytes(filepath.Join(dir, "summary_info.json"), o, append(info, '\n')))
}
