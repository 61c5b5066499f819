package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// scored is the evaluation of the real trajectories under more flags.
func (p printed) scored(t *testing.T, more ...string) detection.Report {
	t.Helper()
	line := "bin/cua-runner detect " + fold + " --eval --labels " + fold +
		"/labels.jsonl --list none --json --group 'date pickers=/choose-date' "
	var out struct {
		Eval detection.Report `json:"eval"`
	}
	if err := json.Unmarshal([]byte(p.of(t, line+strings.Join(more, " "))), &out); err != nil {
		t.Fatal(err)
	}
	return out.Eval
}

// The sets that the tables name, as the trajectories call them.
const (
	experts = "agent-reward-bench"
	small   = "miniwob-plusplus-demos"
	sites   = "mind2web (copy in browser-use tests)"
	desktop = "osworld-verified (via izaias-saturnino)"
)

// set is the row of one source with one quality of label, or that of the date pickers ("").
func set(t *testing.T, rep detection.Report, source, quality string) detection.Row {
	t.Helper()
	for _, r := range rep.Rows {
		if source == "" && r.By == "group" || r.By == "label_quality" && source != "" && r.Source == source &&
			r.Quality == quality {
			return r
		}
	}
	t.Fatalf("the report has no row for %q %q", source, quality)
	return detection.Row{}
}

func rate(r *benchmarks.Rate) string {
	if r == nil || r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*r.Share, 100*r.Low, 100*r.High)
}

func bare(r *benchmarks.Rate) string {
	if r == nil || r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Share)
}

func f1(f *detection.F1) string { return fmt.Sprintf("%.3f [%.3f, %.3f]", f.Value, f.Low, f.High) }

func counted(r benchmarks.Rate) string { return fmt.Sprintf("%d of %d", r.Yes, r.Of) }

// headline compares the default config with the arm classic, a line a figure.
func headline(t *testing.T, p printed) string {
	ours, classic := p.scored(t), p.scored(t, "--arm", "classic")
	var b strings.Builder
	e := set(t, ours, experts, "ok")
	fmt.Fprintf(&b, "| alarm = first soft signal | default | `--arm classic` |\n|---|---|---|\n")
	row := func(name string, value func(detection.Report) string) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, value(ours), value(classic))
	}
	of := func(source, quality string, value func(a detection.Alarms) string,
		hard bool) func(detection.Report) string {
		return func(rep detection.Report) string {
			if r := set(t, rep, source, quality); hard {
				return value(r.Hard)
			} else {
				return value(r.Soft)
			}
		}
	}
	wrong := func(a detection.Alarms) string { return rate(a.False) }
	row(fmt.Sprintf("experts' labels, %d runs, %d of them loop: precision", e.Looping+e.NotLooping,
		e.Looping),
		of(experts, "ok", func(a detection.Alarms) string { return rate(a.Precision) }, false))
	row("– recall", of(experts, "ok", func(a detection.Alarms) string { return rate(a.Recall) }, false))
	row("– F1", of(experts, "ok", func(a detection.Alarms) string { return f1(a.F1) }, false))
	row("– false alarms", of(experts, "ok", wrong, false))
	row("– F1 of hard signals alone", of(experts, "ok", func(a detection.Alarms) string { return f1(a.F1) },
		true))
	row("– false alarms of hard signals alone", of(experts, "ok", wrong, true))
	row(fmt.Sprintf("people at date pickers, %d runs: alarmed", set(t, ours, "", "").Runs),
		of("", "", wrong, false))
	row(fmt.Sprintf("people on small pages (strict), %d runs: alarmed", set(t, ours, small, "strict").Runs),
		of(small, "strict", wrong, false))
	row(fmt.Sprintf("people on real sites, %d runs: alarmed", set(t, ours, sites, "strict").Runs),
		of(sites, "strict", wrong, false))
	row(fmt.Sprintf("desktop runs that succeeded, %d runs: alarmed", set(t, ours, desktop, "").Succeeded),
		of(desktop, "", func(a detection.Alarms) string { return rate(a.OfSucceeded) }, false))
	row("labelled windows with a loop: found",
		func(r detection.Report) string { return counted(r.Windows.Found) })
	row("– their loops: found",
		func(r detection.Report) string { return counted(r.Windows.Stretches) })
	row("labelled windows without a loop: alarmed",
		func(r detection.Report) string { return counted(r.Windows.False) })
	row("steps from a loop's first repetition to the alarm, median",
		func(r detection.Report) string { return fmt.Sprintf("%g", r.Windows.Delay.Median) })
	return b.String()
}

// ablations has a line for each mechanism of detection, and what is left without it.
func ablations(t *testing.T, p printed) string {
	var b strings.Builder
	b.WriteString("| `--ablate` | precision | recall | F1 | false alarms | date pickers | desktop " +
		"successes | windows with a loop | their loops | windows without | median delay |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	line := func(name string, rep detection.Report) {
		e := set(t, rep, experts, "ok").Soft
		fmt.Fprintf(&b, "| %s | %s | %s | %.3f | %s | %s | %s | %s | %s | %s | %g |\n", name,
			bare(e.Precision), bare(e.Recall), e.F1.Value, bare(e.False),
			bare(set(t, rep, "", "").Soft.False), bare(set(t, rep, desktop, "").Soft.OfSucceeded),
			counted(rep.Windows.Found), counted(rep.Windows.Stretches), counted(rep.Windows.False),
			rep.Windows.Delay.Median)
	}
	line("nothing", p.scored(t))
	for _, m := range cua.Mechanisms() {
		if strings.HasPrefix(m.Name, "shape_") || m.Name == "adaptive_windows" ||
			m.Name == "effect_conditioning" {
			line("`"+m.Name+"`", p.scored(t, "--ablate", m.Name))
		}
	}
	return b.String()
}

// The tables that come of several commands are what those print now.
func TestDetectionPageTables(t *testing.T) {
	needFold(t)
	p := printed{}
	for _, row := range []struct {
		page, name string
		make       func(*testing.T, printed) string
	}{
		{measuredPage, "headline", headline},
		{measuredPage, "ablations", ablations},
	} {
		page := read(t, row.page)
		open, shut := "<!-- table: "+row.name+" -->\n", "<!-- end -->"
		start := strings.Index(page, open)
		if start < 0 {
			t.Errorf("%s has no table %q", row.page, row.name)
			continue
		}
		start += len(open)
		rewrite(t, row.page, start, start+strings.Index(page[start:], shut), row.make(t, p))
	}
}

// kept are the trajectories of a set that the page lists by id.
var kept = map[string]func(*formats.Run) bool{
	"agent-reward-bench ok, not looping": func(r *formats.Run) bool {
		return r.Source == experts && r.Quality == "ok" && r.Looping != nil && !*r.Looping
	},
	"agent-reward-bench ok, looping": func(r *formats.Run) bool {
		return r.Source == experts && r.Quality == "ok" && r.Looping != nil && *r.Looping
	},
	"date pickers and mind2web": func(r *formats.Run) bool {
		return r.Source == sites || strings.Contains(r.ID, "/choose-date")
	},
	"osworld and successful": func(r *formats.Run) bool {
		return r.Source == desktop && r.Success != nil && *r.Success
	},
}

var (
	listing = regexp.MustCompile(`(?s)<!-- ids: (alarmed|silent), ([^\n]*) -->\n(.*?)<!-- end -->`)
	quoted  = regexp.MustCompile("`((?:abr|mw|m2w|osw)/[^`]+)`")
)

// The false alarms that the page lists are all there are, and the misses that it names are some.
func TestDetectionPageIDs(t *testing.T) {
	needFold(t)
	alarmed := map[string]bool{}
	for line := range strings.Lines(printed{}.of(t, "bin/cua-runner detect "+fold+" --json --list alarms")) {
		var d struct{ ID string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		alarmed[d.ID] = true
	}
	found := map[string][]string{} // by what and set
	for r, err := range formats.Runs(filepath.Join(root, fold), formats.Auto, nil, nil) {
		if err != nil {
			continue // the labels lie among them
		}
		for name, in := range kept {
			if in(r) {
				what := map[bool]string{true: "alarmed, ", false: "silent, "}[alarmed[r.ID]]
				found[what+name] = append(found[what+name], r.ID)
			}
		}
	}
	lists := listing.FindAllStringSubmatch(read(t, errorsPage), -1)
	if len(lists) != len(kept) {
		t.Errorf("the page has %d lists of ids, want %d", len(lists), len(kept))
	}
	for _, m := range lists {
		key := m[1] + ", " + m[2]
		var named []string
		for _, q := range quoted.FindAllStringSubmatch(m[3], -1) {
			named = append(named, q[1])
			if !slices.Contains(found[key], q[1]) {
				t.Errorf("%s is not %s", q[1], key)
			}
		}
		for _, id := range found[key] {
			if m[1] == "alarmed" && !slices.Contains(named, id) {
				t.Errorf("the list of %s lacks %s", key, id)
			}
		}
	}
}
