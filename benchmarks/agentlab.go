package benchmarks

import (
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

	"github.com/cua-runner/cua-runner/cua"
)

// agentLabInfo is summary_info.json of one episode as AgentLab names it, so that its readers can load a study's folders.
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
	USD     *float64 `json:"stats.cum_cost"`
}

func (r Result) agentLab() agentLabInfo {
	info := agentLabInfo{NSteps: r.Steps, CumReward: r.agentReward(), CumRawRew: r.Reward, Elapsed: float64(r.DurationMS) / 1000, Tokens: r.Tokens, USD: r.USD}
	switch {
	case r.End.Infrastructure():
		why := string(r.End) + ": " + r.Detail
		info.ErrMsg = &why
	case slices.Contains([]cua.EndReason{cua.EndMaxSteps, cua.EndMaxWall, cua.EndMaxTokens, cua.EndMaxCost}, r.End):
		info.Truncated = true
	default:
		info.Terminated = true
	}
	return info
}

// agentReward is the reward of a cell as a mean over cells takes it: an error earns nothing.
func (r Result) agentReward() float64 {
	if r.End.Infrastructure() {
		return 0
	}
	return r.Reward
}

// WriteAgentLab writes a row an arm with the columns of AgentLab's result tables: avg_reward and its std_err, avg_steps,
// n_completed of so many, n_err and cum_cost, which is empty where it is not known.
func (rep Report) WriteAgentLab(w io.Writer) error {
	rows := [][]string{{"agent.agent_name", "env.benchmark", "avg_reward", "std_err", "avg_steps", "n_completed", "n_err", "cum_cost"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, a := range rep.Arms {
		mine := rep.of(a.Arm)
		var rewards []float64
		errs := 0
		for _, r := range mine {
			rewards = append(rewards, r.agentReward())
			if r.End.Infrastructure() {
				errs++
			}
		}
		avg, sd := mean(rewards)
		usd := ""
		if a.USD != nil {
			usd = number(*a.USD)
		}
		total := (rep.Total + len(rep.Plan.Arms) - 1) / len(rep.Plan.Arms) // every arm has the same cells
		rows = append(rows, []string{brainName(rep.Plan) + " " + a.Arm, fmt.Sprint(rep.Plan.Suites), number(avg), number(sd / math.Sqrt(float64(max(len(rewards), 1)))),
			number(a.Steps), fmt.Sprintf("%d/%d", len(mine), total), strconv.Itoa(errs), usd})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writeSummaryInfo writes summary_info.json into the folder of each cell's episode that is there.
func (s *Study) writeSummaryInfo() error {
	for _, r := range s.Results {
		text, err := json.MarshalIndent(r.agentLab(), "", "  ")
		if err != nil {
			return fmt.Errorf("benchmarks: writing summary_info.json: %w", err)
		}
		err = os.WriteFile(filepath.Join(s.EpisodeDir(r.Episode), "summary_info.json"), append(text, '\n'), 0o644)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a cell that could not be played has no folder
			return fmt.Errorf("benchmarks: writing summary_info.json: %w", err)
		}
	}
	return nil
}
