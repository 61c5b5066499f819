package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// plotted is wrongStudy's report with signals and recoveries, and an arm whose name a page would run.
func plotted(t *testing.T) (*benchmarks.Study, Report) {
	t.Helper()
	s := wrongStudy(t, 2)
	for i := range s.Results {
		r := &s.Results[i]
		if r.Arm == "classic" {
			r.FirstSoft, r.FirstHard = 3, 8
			r.Recoveries = map[cua.Reason]benchmarks.Tried{cua.Reasons()[0]: {Count: 2, Effect: 1},
				cua.Reasons()[1]: {Count: 1}}
		}
		if r.Arm == "off" {
			r.Arm = "<b>off"
		}
	}
	s.Plan.Arms[1].Name, s.Plan.Base = "<b>off", "<b>off"
	rep, err := Of(s)
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
	says := map[string][]string{"success": {"strict", "solved", "default", "classic", "&lt;b&gt;off"},
		"steps":   {"classic", "default"},
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
