package benchmarks

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

//go:embed report
var reportFiles embed.FS

// maxPictures is about how many bytes of frames the report holds; episodes beyond it are shown
// without pictures.
const maxPictures = 13 << 20

// reportPage is what the template shows. Text that pages and brains wrote is hostile; the
// template escapes it.
type reportPage struct {
	Report  Report
	Brain   string
	Style   template.CSS
	Suites  []suiteBars
	Tasks   []taskRow
	Cases   []caseRow
	Shadow  string // what the precision of gates in shadow mode is; "" where none ruled
	Seed    int64
	Films   []film
	Omitted int
	Unread  []string
}

type suiteBars struct {
	Name string
	Arms []NamedRate // by arm
}

// taskRow is one task's line of the grid.
type taskRow struct {
	Name, About string
	Arms        []armCells
}

type armCells struct {
	Cells []box
	Steps float64
}

// box is one cell of the grid.
//
// Link leads to the episode: its steps on this page, or its journal; "" where there is none.
type box struct{ Class, Sign, Title, Link string }

// film is one task's episodes under one seed, arm by arm.
type film struct {
	Task, Goal string
	Episodes   []filmEpisode
}

type filmEpisode struct {
	box
	ID, Arm, Episode, End, Recovered, Detail string
	Steps                                    int
	// Stuck is what its incidents cost, in words; "" when there was none.
	Stuck string
	// Quiet is how many steps have no card.
	Quiet int
	Cards template.HTML
}

// WriteHTML writes the report as one page that needs nothing else: no script, no network. The
// steps of the first seed are in it with their pictures, each picture once.
func (s *Study) WriteHTML(w io.Writer) error {
	rep, err := s.Report()
	if err != nil {
		return err
	}
	own, err := reportFiles.ReadFile("report/report.css")
	if err != nil {
		return fmt.Errorf("benchmarks: reading the style: %w", err)
	}
	cards, err := trajectories.CardStyle()
	if err != nil {
		return err
	}
	p := reportPage{Report: rep, Brain: brainName(rep.Plan), Suites: suiteRows(rep), Tasks: taskRows(rep), Cases: rep.caseRows(), Seed: rep.Plan.Seeds[0]}
	if len(rep.shadowGates()) > 0 {
		p.Shadow = trajectories.ShadowDefinition + " " + shadowsAlike
	}
	frames, err := p.shoot(s, rep)
	if err != nil {
		return err
	}
	p.Style = template.CSS(own) + cards + frames
	t, err := template.New("report.html").Funcs(template.FuncMap{
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
		"px": func(share float64) string { return fmt.Sprintf("%.1f", share*barWidth) },
	}).ParseFS(reportFiles, "report/report.html")
	if err != nil {
		return fmt.Errorf("benchmarks: reading the report's template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("benchmarks: making the report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("benchmarks: writing the report: %w", err)
	}
	return nil
}

// barWidth is that of the bars in the template, px.
const barWidth = 240

func suiteRows(rep Report) []suiteBars {
	var out []suiteBars
	for _, name := range rep.Plan.Suites {
		s := suiteBars{Name: name}
		for _, a := range rep.Arms {
			s.Arms = append(s.Arms, NamedRate{a.Arm, find(a.Suites, name)})
		}
		out = append(out, s)
	}
	return out
}

func taskRows(rep Report) []taskRow {
	tasks, err := rep.Plan.tasks()
	if err != nil {
		return nil
	}
	by := map[Cell]Result{}
	for _, r := range rep.Results {
		by[r.Cell] = r
	}
	var out []taskRow
	for _, t := range tasks {
		row := taskRow{Name: t.Name, About: t.About}
		for _, a := range rep.Plan.Arms {
			var cells armCells
			var steps []float64
			for _, seed := range rep.Plan.Seeds {
				r, ok := by[Cell{t.Suite, t.Name, seed, a.Name}]
				if ok {
					steps = append(steps, float64(r.Steps))
				}
				b := cellBox(r, ok, seed)
				switch {
				case ok && seed == rep.Plan.Seeds[0]:
					b.Link = "#" + anchor(r.Episode)
				case ok:
					b.Link = runsName + "/" + r.Episode + "/" + trajectories.JournalName
				}
				cells.Cells = append(cells.Cells, b)
			}
			cells.Steps, _ = mean(steps)
			row.Arms = append(row.Arms, cells)
		}
		out = append(out, row)
	}
	return out
}

func cellBox(r Result, played bool, seed int64) box {
	title := fmt.Sprintf("seed %d: %s after %d steps", seed, r.End, r.Steps)
	switch {
	case !played:
		return box{Class: "none", Sign: "·", Title: fmt.Sprintf("seed %d: not played", seed)}
	case r.End.Infrastructure():
		return box{Class: "fault", Sign: "!", Title: title}
	case r.Success:
		return box{Class: "yes", Sign: "✓", Title: title}
	}
	return box{Class: "no", Sign: "×", Title: title}
}

// shoot makes the films of the first seed and returns the style that holds their frames.
func (p *reportPage) shoot(s *Study, rep Report) (template.CSS, error) {
	var style strings.Builder
	embedded := map[string]bool{}
	films := map[string]int{}
	for _, r := range rep.Results {
		if r.Seed != p.Seed {
			continue
		}
		t, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			p.Unread = append(p.Unread, err.Error())
			continue
		}
		t.Incidents = runner.Incidents(t, runner.DefaultConfig())
		full := style.Len() > maxPictures
		if full {
			p.Omitted++
		}
		only, quiet := telling(t)
		cards, frames, err := trajectories.Cards(t, trajectories.CardOptions{Only: only, Anchor: anchor(r.Episode), Embedded: embedded, NoFrames: full})
		if err != nil {
			return "", err
		}
		style.WriteString(string(frames))
		i, ok := films[r.Task]
		if !ok {
			i = len(p.Films)
			films[r.Task] = i
			p.Films = append(p.Films, film{Task: r.Task, Goal: t.Header.Task.Goal})
		}
		e := filmEpisode{box: cellBox(r, true, r.Seed), ID: anchor(r.Episode), Arm: r.Arm, Episode: r.Episode, End: string(r.End), Steps: r.Steps, Quiet: quiet, Cards: cards, Detail: r.Detail}
		if t.End != nil && t.End.Answer != "" {
			e.Detail = t.End.Answer
		}
		e.Recovered = recovered(r)
		if len(t.Incidents) > 0 {
			p := trajectories.PriceOf(t.Incidents)
			e.Stuck = p.Words(len(t.Steps)) + " (" + p.OutcomeWords() + ")"
		}
		p.Films[i].Episodes = append(p.Films[i].Episodes, e)
	}
	p.order(rep.Plan)
	return template.CSS(style.String()), nil
}

// Long episodes show their first and last steps, those on which something was ruled, said or
// went wrong, and those that an incident began and ended with: thirty equal clicks tell no more
// than eight.
const (
	firstSteps = 8
	lastSteps  = 3
)

// telling says which steps get a card, and how many get none.
func telling(t *trajectories.Trajectory) (only func(*cua.Step) bool, quiet int) {
	n := len(t.Steps)
	inShadow := trajectories.ShadowSteps(t)
	only = func(s *cua.Step) bool {
		_, ruled := s.Ruled()
		return s.N <= firstSteps || s.N > n-lastSteps || ruled || inShadow[s.N] || s.Failure != nil || len(s.Notes) > 0 ||
			slices.ContainsFunc(t.Incidents, func(in cua.Incident) bool { return s.N == in.First || s.N == in.Last })
	}
	for i := range t.Steps {
		if !only(&t.Steps[i]) {
			quiet++
		}
	}
	return only, quiet
}

// order puts the episodes of each film into the plan's order of arms: they were played in turns.
func (p *reportPage) order(plan Plan) {
	for i, f := range p.Films {
		var sorted []filmEpisode
		for _, a := range plan.Arms {
			for _, e := range f.Episodes {
				if e.Arm == a.Name {
					sorted = append(sorted, e)
				}
			}
		}
		p.Films[i].Episodes = sorted
	}
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
func recovered(r Result) string {
	n := map[string]int{}
	for reason, t := range r.Recoveries {
		n[string(reason)] = t.Count
	}
	return counted(n)
}

// WriteAll writes the report in every format beside the study: report.html, .csv, .json, .md and .txt.
// It returns the path of the page.
func (s *Study) WriteAll() (string, error) {
	rep, err := s.Report()
	if err != nil {
		return "", err
	}
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.txt", rep.WriteText}, {"report.md", rep.WriteMarkdown}, {"report.csv", rep.WriteCSV},
		{"report.json", rep.WriteJSON}, {"report.html", s.WriteHTML},
	} {
		if err := s.writeFile(f.name, f.write); err != nil {
			return "", err
		}
	}
	return s.path("report.html"), nil
}
