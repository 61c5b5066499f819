package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Result is the summary of an episode, with the reason why it did not succeed. The incidents must be in t.
func Result(t *trajectories.Trajectory) trajectories.RunResult {
	r := trajectories.Summarize(t, t.Incidents)
	r.Why = why(t)
	return r
}

// Incidents are those of a trajectory under the detectors of c with everything switched on. So the wasted
// steps of an episode without detectors are counted too.
func Incidents(t *trajectories.Trajectory, c Config) []cua.Incident {
	c.Toggles = cua.AllOn()
	a := Assemble(c)
	var end cua.EndReason
	if t.End != nil {
		end = t.End.Reason
	}
	return detector.Incidents(t.History(), a.Detectors, end)
}

// why says in one line why an episode did not succeed: the detail of its end, the labels of planned values
// that are not in the page, missing options, the newest error text on the page, and the status of an error
// page. It quotes the page's texts. It is "" if the episode succeeded or nothing is known.
func why(t *trajectories.Trajectory) string {
	if t.End == nil || t.End.Success {
		return ""
	}
	var says []string
	if t.End.Detail != "" {
		says = append(says, t.End.Detail)
	}
	h := t.History()
	now := h.Now()
	if cfg, err := Recorded(t.Header); err == nil {
		says = append(says, unplaced(Assemble(cfg).Turn(t.Header.Task, h, nil).Form.Pending(), now)...)
	}
	if text := errorText(now); text != "" {
		says = append(says, fmt.Sprintf("the page says %q", cua.OneLine(text)))
	}
	switch {
	case now.NavError != "":
		says = append(says, "the page could not be opened: "+now.NavError)
	case now.Status >= 400:
		says = append(says, fmt.Sprintf("the page is an error page (HTTP status %d)", now.Status))
	}
	return strings.Join(says, "; ")
}

// unplaced names the planned values that are not in the page.
func unplaced(pending []cua.FormValue, now cua.Observation) []string {
	var labels, out []string
	for _, v := range pending {
		labels = append(labels, v.Label)
		// a value that fits no option matches no field, so the label is compared here
		at := slices.IndexFunc(now.Fields, func(f cua.Field) bool {
			return len(f.Options) > 0 && cua.FoldName(f.Label) == cua.FoldName(v.Label)
		})
		if at < 0 {
			continue
		}
		want := cua.FoldName(v.Value)
		if !slices.ContainsFunc(now.Fields[at].Options,
			func(o string) bool { return cua.FoldName(o) == want }) {
			out = append(out, fmt.Sprintf("%s has no option %q", v.Label, cua.OneLine(v.Value)))
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return append([]string{"not placed: " + strings.Join(labels, ", ")}, out...)
}

// errorText is the page's error message: an alert, else that of the newest invalid field.
func errorText(now cua.Observation) string {
	if n := len(now.Alerts); n > 0 {
		return now.Alerts[n-1]
	}
	for _, f := range slices.Backward(now.Fields) {
		if f.Invalid != "" {
			return f.Invalid
		}
	}
	return ""
}
