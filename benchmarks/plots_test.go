package benchmarks

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// plotted is wrongStudy's report with signals and recoveries, and an arm whose name a page would run.
func plotted(t *testing.T) (*Study, Report) {
	t.Helper()
	s := wrongStudy(t, 2)
	for i := range s.Results {
		r := &s.Results[i]
		if r.Arm == "classic" {
			r.FirstSoft, r.FirstHard = 3, 8
			r.Recoveries = map[cua.Reason]Tried{cua.Reasons()[0]: {Count: 2, Effect: 1}, cua.Reasons()[1]: {Count: 1}}
		}
		if r.Arm == "off" {
			r.Arm = "<b>off"
		}
	}
	s.Plan.Arms[1].Name, s.Plan.Base = "<b>off", "<b>off"
	rep, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	return s, rep
}

func TestPlots(t *testing.T) {
	_, rep := plotted(t)
	plots, err := rep.Plots()
	if err != nil {
		t.Fatal(err)
	}
	says := map[string][]string{"success": {"strict", "solved", "default", "classic", "&lt;b&gt;off"}, "steps": {"classic", "default"},
		"signals": {"classic soft", "classic hard"}, "recoveries": {string(cua.Reasons()[0]), string(cua.Reasons()[1]), "classic"}}
	if len(plots) != len(says) {
		t.Errorf("%d plots", len(plots))
	}
	for _, p := range plots {
		var svg, picture bytes.Buffer
		if err := p.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		for _, want := range says[p.Name] {
			if !strings.Contains(svg.String(), want) {
				t.Errorf("%s does not show %q", p.Name, want)
			}
		}
		for d := xml.NewDecoder(&svg); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s is no SVG: %v", p.Name, err)
			}
		}
		if err := p.WritePNG(&picture); err != nil {
			t.Fatal(err)
		}
		if img, err := png.Decode(&picture); err != nil || img.Bounds().Dx() < 800 {
			t.Errorf("%s: %v", p.Name, err)
		}
		page, err := p.inline()
		if err != nil || !strings.HasPrefix(string(page), "<svg") || strings.Contains(string(page), "<b>") {
			t.Errorf("%s in a page: %v", p.Name, err)
		}
	}
	if none, err := (Report{}).Plots(); err != nil || len(none) != 0 {
		t.Errorf("of nothing: %d plots, %v", len(none), err)
	}
}

// A study's folder can be read by what reads AgentLab's.
func TestAgentLabNames(t *testing.T) {
	s, _ := plotted(t)
	s.Results[0].End, s.Results[0].Reward, s.Results[0].Detail = cua.EndEnvError, 1, "gone"
	s.Results[1].Reward = 1
	if err := os.MkdirAll(s.EpisodeDir(s.Results[0].Episode), 0o755); err != nil {
		t.Fatal(err)
	}
	rep, err := s.Report()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := rep.WriteAgentLab(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 1+len(rep.Arms) || strings.Join(rows[0][2:], " ") != "avg_reward std_err avg_steps n_completed n_err cum_cost" {
		t.Fatalf("%v: %v", err, rows)
	}
	// Default and off have 28 cells each, of which one went wrong and one earned 1: a mean of 1/28, and a standard error of as much.
	if got := rows[1][2:]; strings.Join(got, " ") != "0 0 10 28/28 1 " {
		t.Errorf("default: %q", got)
	}
	if got := rows[2][2:]; strings.Join(got, " ") != "0.0357143 0.0357143 10 28/28 0 " {
		t.Errorf("off: %q", got)
	}
	if err := s.writeSummaryInfo(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.EpisodeDir(s.Results[0].Episode), "summary_info.json"))
	if err != nil {
		t.Fatal(err)
	}
	var info map[string]any
	if err := json.Unmarshal(text, &info); err != nil || info["n_steps"] != 10.0 || info["cum_reward"] != 0.0 || info["err_msg"] != "env_error: gone" || info["terminated"] != false {
		t.Errorf("%v: %v", err, info)
	}
}
