package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

//go:embed report.html report.css
var reportFiles embed.FS

// reportPage is what the template shows. Text that pages and brains wrote is hostile; the
// template escapes it.
type reportPage struct {
	Report Report
	Brain  string
	Style  template.CSS
	Script template.JS
	Source string // by which the policy allows the script
	Suites []suiteBars
	// SuiteNames are those that cells carry.
	SuiteNames []string
	Tasks      []taskRow
	Cases      []caseRow
	Shadow     string // what the precision of gates in shadow mode is; "" where none ruled
	// Versus says that there is more than one arm, Unsolvable that some task cannot be solved.
	Versus, Unsolvable bool
	// Harms says that in some task harm can be done.
	Harms                 bool
	WrongHead             []string
	WrongNote, PairsNote  string
	WorthNote, LessonNote string
	Seed                  int64
	Tried                 string // what is counted where cells are played more than once
	// Numbers are those a cell against the base's, Attempts those at the cells.
	Numbers, Attempts plainTable
	// Worth is that of reason codes; without rows in a study that is none of forks.
	Worth   plainTable
	Plots   []template.HTML
	Films   []film
	Omitted int
	Bare    int // films without their steps
	Unread  []string

	PageOptions
	up string // leads from the page to the study's folder; "" where it lies there
}

// PageOptions say how the page is written.
type PageOptions struct {
	// SingleFile puts the frames into the page; else it shows them from the episodes' folders.
	SingleFile bool
	// Folder is where the page will lie; "" is the study's folder. Its links lead from there.
	Folder string
}

type suiteBars struct {
	Name string
	Arms []NamedRate // by arm
}

// taskRow is one task's part of the grid, with a line a fault.
type taskRow struct {
	Name, About string
	Lines       []taskLine
}

// taskLine is one line of it. Fault is "" where the study has one brain.
type taskLine struct {
	Fault string
	Arms  []armCells
}

type armCells struct {
	Cells []box
	Steps float64
}

// box is one cell of the grid.
//
// Link leads to the episode: its steps on this page, or its journal; "" where there is none.
type box struct{ Class, Sign, Title, Link string }

// WritePage writes the report as a page without any network. The steps of the first seed are in it; their
// frames are those of the episodes' folders, or in the page, each once. Its one script is named in the page's
// policy by its hash.
func WritePage(w io.Writer, s *benchmarks.Study, o PageOptions) error {
	w = redact.VisibleWriter(w)
	rep, err := Of(s)
	if err != nil {
		return err
	}
	p, err := page(s, rep, o)
	if err != nil {
		return err
	}
	links := template.FuncMap{"journal": func(episode string) string {
		return p.journal(benchmarks.Result{
			Episode: episode})
	}}
	t, err := template.New("report.html").Funcs(pageFuncs).Funcs(links).ParseFS(reportFiles,
		"report.html")
	if err != nil {
		return fmt.Errorf("report: reading the report's template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("report: making the report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("report: writing the report: %w", err)
	}
	return nil
}

// page gathers what the template shows.
func page(s *benchmarks.Study, rep Report, o PageOptions) (*reportPage, error) {
	own, err := reportFiles.ReadFile("report.css")
	if err != nil {
		return nil, fmt.Errorf("report: reading the style: %w", err)
	}
	cards, err := show.CardStyle()
	if err != nil {
		return nil, err
	}
	up, err := from(s, o.Folder)
	if err != nil {
		return nil, err
	}
	p := &reportPage{Report: rep, PageOptions: o, up: up, Style: template.CSS(own) + cards,
		Brain: brainName(rep.Plan), Suites: suiteRows(rep), SuiteNames: rep.Plan.SuiteNames(),
		Cases: rep.caseRows(), Seed: rep.Plan.Seeds[0], WrongHead: wrongColumns(), WrongNote: wrongNote,
		PairsNote: pairsNote, WorthNote: worthNote, LessonNote: lessonNote, Tried: rep.tried()}
	p.Tasks = p.taskRows(rep)
	_, p.Versus = rep.versusTable()
	numbers, _ := rep.cellTable()
	p.Numbers, p.Attempts = forPage(numbers), forPage(rep.attemptsTable())
	worth, _ := rep.worthTable()
	p.Worth = forPage(worth)
	_, p.Unsolvable = rep.unsolvableTable()
	p.Harms = rep.harms()
	if len(rep.shadowGates()) > 0 {
		p.Shadow = trajectories.ShadowDefinition + " " + shadowsAlike
	}
	if p.Script, p.Source, err = show.CardScript(); err != nil {
		return nil, err
	}
	if p.Plots, err = rep.inlined(); err != nil {
		return nil, err
	}
	return p, p.shoot(s, rep)
}

// from is what leads from a page in folder to the study's folder.
func from(s *benchmarks.Study, folder string) (string, error) {
	if folder == "" {
		return "", nil
	}
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("report: finding the page's folder: %w", err)
	}
	study, err := filepath.Abs(s.Dir)
	if err != nil {
		return "", fmt.Errorf("report: finding the study: %w", err)
	}
	rel, err := filepath.Rel(at, study)
	if err != nil {
		return "", fmt.Errorf("report: finding the way from the page to the study: %w", err)
	}
	if rel == "." {
		return "", nil
	}
	return (&url.URL{Path: filepath.ToSlash(rel) + "/"}).EscapedPath(), nil
}

// pageFuncs are what the template calls.
var pageFuncs = template.FuncMap{
	"counted": func(m map[string]int) string { return dash(counted(m)) },
	"p":       pValue,
	"grouped": trajectories.Grouped,
	"dollars": trajectories.Dollars,
	"seconds": trajectories.Seconds,
	"plural": func(n int, one string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", n, one)
	},
	"suite":  NamedRate.percent,
	"both":   func(of []NamedRate, suite string) string { return find(of, suite).both() },
	"wrongs": func(a ArmReport) []string { return a.Wrong.counts() },
	"arm":    func(i int) string { return fmt.Sprintf("arm-%d", i%len(shades)) },
	"px":     func(share float64) string { return fmt.Sprintf("%.1f", share*barWidth) },
}

// barWidth is that of the bars in the template, px.
const barWidth = 240

func suiteRows(rep Report) []suiteBars {
	var out []suiteBars
	for _, name := range rep.Plan.SuiteNames() {
		s := suiteBars{Name: name}
		for _, a := range rep.Arms {
			r := find(a.Suites, name)
			r.Name = a.Arm
			s.Arms = append(s.Arms, r)
		}
		out = append(out, s)
	}
	return out
}

func (p *reportPage) taskRows(rep Report) []taskRow {
	tasks, err := rep.Plan.Played()
	if err != nil {
		return nil
	}
	by := map[benchmarks.Cell]benchmarks.Result{}
	for _, r := range rep.Results {
		by[r.Cell] = r
	}
	var out []taskRow
	for _, t := range tasks {
		row := taskRow{Name: t.Name, About: t.About}
		for _, fault := range rep.Plan.Brains() {
			line := taskLine{Fault: fault}
			for _, a := range rep.Plan.Arms {
				c := benchmarks.Cell{Suite: t.Suite, Task: t.Name, Arm: a.Name, Fault: fault}
				line.Arms = append(line.Arms, p.boxes(rep, t, c, by))
			}
			row.Lines = append(row.Lines, line)
		}
		out = append(out, row)
	}
	return out
}

// boxes are those of one task and arm, one a seed and repeat.
func (p *reportPage) boxes(rep Report, t suites.Task, c benchmarks.Cell,
	by map[benchmarks.Cell]benchmarks.Result) armCells {
	var out armCells
	var steps []float64
	for i, d := range rep.Plan.Draws(t) {
		c.Seed, c.Repeat = d.Seed, d.Repeat
		r, ok := by[c]
		if ok {
			steps = append(steps, float64(r.Steps))
		}
		b := cellBox(r, ok, d)
		switch {
		case ok && i == 0:
			b.Link = "#" + anchor(r.Episode)
		case ok:
			b.Link = p.journal(r)
		}
		out.Cells = append(out.Cells, b)
	}
	out.Steps, _ = benchmarks.Mean(steps)
	return out
}

// episode is what leads from the page to the episode's folder.
func (p *reportPage) episode(r benchmarks.Result) string {
	return p.up + (&url.URL{Path: benchmarks.RunsName + "/" + r.Episode + "/"}).EscapedPath()
}

func (p *reportPage) journal(r benchmarks.Result) string {
	return p.episode(r) + trajectories.JournalName
}

func cellBox(r benchmarks.Result, played bool, d benchmarks.Draw) box {
	which := fmt.Sprintf("seed %d", d.Seed)
	if d.Repeat > 0 {
		which += fmt.Sprintf(", repeat %d", d.Repeat)
	}
	title := fmt.Sprintf("%s: %s after %d steps", which, r.End, r.Steps)
	switch {
	case !played:
		return box{Class: "none", Sign: "·", Title: which + ": not played"}
	case r.End.Infrastructure():
		return box{Class: "fault", Sign: "!", Title: title}
	case r.Success:
		return box{Class: "yes", Sign: "✓", Title: title}
	case r.Lenient:
		return box{Class: "unsaid", Sign: "✓", Title: title + ", solved"}
	}
	return box{Class: "no", Sign: "×", Title: title}
}

// anchor is an episode's name as Cards takes it: letters, digits and lines.
func anchor(episode string) string {
	return "s-" + strings.Map(func(r rune) rune {
		if r == '@' || r == '.' || r == '_' {
			return '-'
		}
		return r
	}, episode) + "-"
}

// recovered lists the reason codes of an episode.
func recovered(r benchmarks.Result) string {
	n := map[string]int{}
	for reason, t := range r.Recoveries {
		n[string(reason)] = t.Count
	}
	return counted(n)
}

// WriteAll writes the report in every format beside the study: report.html, .csv, .json, .md and .txt,
// agentlab.csv, what AgentLab reads of each episode in its folder, and the plots as SVG and PNG. It returns
// the path of the page.
func WriteAll(s *benchmarks.Study) (string, error) {
	rep, err := Of(s)
	if err != nil {
		return "", err
	}
	page := func(w io.Writer) error { return WritePage(w, s, PageOptions{}) }
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.txt", rep.WriteText}, {"report.md", rep.WriteMarkdown}, {"report.csv", rep.WriteCSV},
		{"report.json", rep.WriteJSON}, {"agentlab.csv", rep.WriteAgentLab}, {"report.html", page},
	} {
		if err := writeFile(s, f.name, f.write); err != nil {
			return "", err
		}
	}
	if err := writePlots(s, rep); err != nil {
		return "", err
	}
	return s.Path("report.html"), writeAgentLab(s)
}

// writeFile makes a file appear whole or not at all.
func writeFile(s *benchmarks.Study, name string, write func(io.Writer) error) error {
	err := trajectories.WriteFile(s.Path(name), trajectories.FileOptions{Mode: 0o600}, write)
	if err != nil {
		return fmt.Errorf("report: writing %s: %w", s.Path(name), err)
	}
	return nil
}
