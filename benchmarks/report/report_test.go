package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"html"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// graded is a finished study without folders: arm default solves what good says, off what bare says.
func graded(t *testing.T, seeds int, good, bare func(benchmarks.Cell) bool) *benchmarks.Study {
	t.Helper()
	p := studytest.Plan(seeds)
	p.Tasks = []string{"stepper", "slow-save", "t4-dead-submit", "t6-dead-button"}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	s := &benchmarks.Study{Plan: p}
	cells, err := p.Cells()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		is := bare
		if c.Arm == "default" {
			is = good
		}
		r := benchmarks.Result{Cell: c, Solvable: c.Task != "t6-dead-button", Success: is(c), Lenient: is(c),
			End: cua.EndDone, Steps: 10}
		if r.Lenient {
			r.Reward = 1
		}
		if c.Arm == "default" && c.Suite == "traps" {
			r.Recoveries = map[cua.Reason]benchmarks.Tried{cua.PressReturnForSubmit: {Count: 2, Effect: 1}}
			r.Interventions = map[string]int{"loop_recovery": 2}
		}
		s.Results = append(s.Results, r)
	}
	return s
}

// begun is a study in a folder of which nothing has been played.
func begun(t *testing.T) *benchmarks.Study {
	t.Helper()
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), studytest.Plan(1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func always(benchmarks.Cell) bool { return true }

func onControls(c benchmarks.Cell) bool { return c.Suite == "controls" }

func TestReportComparesOnTheSameCells(t *testing.T) {
	rep, err := Of(graded(t, 4, always, onControls))
	if err != nil {
		t.Fatal(err)
	}
	a, off := rep.Arms[0], rep.Arms[1]
	if a.Success.Yes != 16 || off.Success.Yes != 8 || off.Versus != nil {
		t.Fatalf("default %+v, off %+v", a.Success, off.Success)
	}
	if v := a.Versus; v.Pairs != 16 || v.Better != 8 || v.Worse != 0 || v.Points != 50 ||
		math.Abs(v.P-0.0078125) > 1e-12 || v.Words() != "+50 [17, 72]" {
		t.Errorf("versus %+v, %s", *v, v.Words())
	}
	if len(a.Recoveries) != 1 || a.Recoveries[0].Tried != (benchmarks.Tried{Count: 16, Effect: 8}) {
		t.Errorf("recoveries %+v", a.Recoveries)
	}
	if a.False == nil || a.False.Cells.Yes != 0 || a.False.Cells.Of != 8 {
		t.Errorf("false interventions %+v: traps are no place for them", a.False)
	}
}

func TestFewPairsPrintATilde(t *testing.T) {
	rep, err := Of(graded(t, 1, always, func(c benchmarks.Cell) bool { return c.Task != "t4-dead-submit" }))
	if err != nil {
		t.Fatal(err)
	}
	if got := rep.Arms[0].Versus.Words(); !strings.HasPrefix(got, "~ [") {
		t.Errorf("one pair shows as %s", got)
	}
	codes := map[string]bool{}
	for _, w := range rep.Warnings {
		codes[w.Code] = true
	}
	for _, want := range []string{"mechanisms_only", "few_pairs", "few_seeds"} {
		if !codes[want] {
			t.Errorf("no warning %s in %v", want, rep.Warnings)
		}
	}
}

func TestADifferenceOfFewTasksIsSaid(t *testing.T) {
	rep, err := Of(graded(t, 9, always, func(c benchmarks.Cell) bool { return c.Task != "t4-dead-submit" }))
	if err != nil {
		t.Fatal(err)
	}
	if v := rep.Arms[0].Versus; v.Better != 9 || v.Differing != 1 || !v.Significant() {
		t.Fatalf("versus %+v", *v)
	}
	if !slices.ContainsFunc(rep.Warnings, func(w benchmarks.Warning) bool {
		return w.Code == "few_differ" &&
			strings.Contains(w.Text, "few tasks (1)")
	}) {
		t.Errorf("nine cells of one task are not said to be: %v", rep.Warnings)
	}
	if rep, err = Of(graded(t, 9, always, onControls)); err != nil || rep.Arms[0].Versus.Differing != 2 {
		t.Errorf("two traps: %+v, %v", rep.Arms[0].Versus, err)
	}
}

// The report says of a brain only what is known of it: one of the user's own may well ask a model, and a
// model with faults is none.
func TestWhatABrainShows(t *testing.T) {
	for _, row := range []struct {
		name, model string
		faults      []string
		says        string
	}{
		{"heuristic", "", nil, "which is no model"},
		{"heuristic", "", []string{"toggler=1"}, "which is no model"},
		{"exec:python3 mine.py", "", nil, "a program of your own: where no model is behind it"},
		{"http:https://brain.example/v1", "", nil, "a program of your own: where no model is behind it"},
		{"exec:python3 mine.py", "", []string{"toggler=1"}, "it was given faults"},
		{"gemini", "gemini-3.5-flash", []string{"toggler=1"}, "it was given faults"},
		{"gemini", "gemini-3.5-flash", nil, ""},
	} {
		p := benchmarks.Plan{Faults: row.faults}
		p.Brain.Name, p.Brain.Model = row.name, row.model
		if got := mechanismsOnly(p); !strings.Contains(got, row.says) || (row.says == "") != (got == "") {
			t.Errorf("%s %s %v: %q, want %q", row.name, row.model, row.faults, got, row.says)
		}
	}
}

func TestFalseInterventionsNeedASolvedBareCell(t *testing.T) {
	s := graded(t, 2, always, func(c benchmarks.Cell) bool { return c.Task == "stepper" })
	for i, r := range s.Results {
		if r.Arm == "default" && r.Suite == "controls" {
			s.Results[i].Interventions = map[string]int{"rescue": 3}
			if r.Seed == 2 {
				s.Results[i].Steps++
			}
			s.Results[i].Signals = map[cua.Shape]map[string]int{cua.ShapeRepeat: {"soft": 1}}
		}
	}
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	f := rep.Arms[0].False
	if f.Cells.Yes != 2 || f.Cells.Of != 2 || f.Harmed != 1 || f.Gates["rescue"] != 6 {
		t.Errorf("false interventions %+v", f)
	}
	if g := rep.Arms[0].Signalled; g.Yes != 2 || g.Of != 2 {
		t.Errorf("controls with a signal %+v", g)
	}
}

func TestUnfinishedStudyCanBeReported(t *testing.T) {
	s := graded(t, 2, always, always)
	s.Results = s.Results[:5]
	rep, err := Of(s)
	if err != nil || rep.Done != 5 || rep.Total != 16 {
		t.Fatalf("%d of %d, %v", rep.Done, rep.Total, err)
	}
	s.Results = nil
	var b strings.Builder
	if rep, err = Of(s); err != nil || rep.WriteText(&b) != nil ||
		!strings.Contains(b.String(), "0 of 16 cells") {
		t.Errorf("an empty study: %v\n%s", err, b.String())
	}
}

func TestTableFormats(t *testing.T) {
	rep, err := Of(graded(t, 4, always, onControls))
	if err != nil {
		t.Fatal(err)
	}
	var text, md, js, rows strings.Builder
	for _, err := range []error{rep.WriteText(&text), rep.WriteMarkdown(&md), rep.WriteJSON(&js),
		rep.WriteCSV(&rows)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"default  16     100 % [81, 100]  100 % [81, 100]  10.0", "50 % [28, 72]",
		"+50 [17, 72]", "press_return_for_submit 16 (8)", "  t4-dead-submit"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if !strings.Contains(md.String(),
		"| default | 16 | +50 [17, 72] | 8/0 | 0.008 | +50 [17, 72] | 8/0 | 0.008 |") {
		t.Errorf("markdown\n%s", md.String())
	}
	var back Report
	if err := json.Unmarshal([]byte(js.String()), &back); err != nil || back.Arms[0].Success.Yes != 16 {
		t.Errorf("JSON does not come back: %v", err)
	}
	table, err := csv.NewReader(strings.NewReader(rows.String())).ReadAll()
	if err != nil || len(table) != 33 || table[0][0] != "suite" {
		t.Errorf("%d rows, %v", len(table), err)
	}
}

// hostile is a brain that thinks in markup.
type hostile struct{ studytest.ByOracle }

const markup = `</style><script>alert(1)</script><img src=x onerror=alert(1)>`

func TestHTMLKeepsHostileTextText(t *testing.T) {
	s := begun(t)
	if err := study.Play(t.Context(), s, study.Options{Factory: hostileFactory{&studytest.Pressings{T: t,
		Broken: map[string]int{}}}}); err != nil {
		t.Fatal(err)
	}
	path, err := WriteAll(s)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	script, source, err := show.CardScript()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(page, "<script>"+string(script)+"</script>") != 1 {
		t.Error("the report's own script is not in it")
	}
	page = strings.Replace(page, "<script>"+string(script)+"</script>", "", 1)
	frame := `<img class="frame" alt="[A-Za-z0-9 ]*" src="runs/[a-z0-9@.-]+/blobs/[0-9a-f]{64}" loading="lazy">`
	page = regexp.MustCompile(frame).ReplaceAllString(page, "")
	for _, bad := range []string{"<script", "<img", "javascript:", "http-equiv=\"refresh\"", "ZgotmplZ"} {
		if strings.Contains(strings.ToLower(page), strings.ToLower(bad)) {
			t.Errorf("the report holds %q", bad)
		}
	}
	if strings.Count(page, "</style>") != 1 {
		t.Error("something closed the style")
	}
	policy := "default-src 'none'; img-src data: 'self' file:; style-src 'unsafe-inline'; script-src " +
		source + ";"
	if !strings.Contains(html.UnescapeString(page), policy) {
		t.Errorf("the report lacks the policy %s", policy)
	}
	for _, want := range []string{"&lt;script&gt;", "stepper@default.1-1"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, name := range []string{"report.txt", "report.md", "report.csv", "report.json"} {
		if info, err := os.Stat(s.Path(name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The report is opened in a real browser: its text stays text. The same markup on a bare page
// does run, so the test can tell.
func TestHTMLRunsNothingInABrowser(t *testing.T) {
	s := begun(t)
	if err := study.Play(t.Context(), s, study.Options{Factory: hostileFactory{&studytest.Pressings{T: t,
		Broken: map[string]int{}}}}); err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := WritePage(&page, s, PageOptions{}); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Launch(t, browser.Options{})
	for _, row := range []struct {
		name string
		body string
		runs bool
	}{{"the report", page.String(), false}, {"the markup alone", "<!doctype html><style>" + markup, true}} {
		t.Run(row.name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				io.WriteString(w, row.body)
			}))
			defer web.Close()
			session, err := b.NewSession(t.Context(), browser.SessionOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			o, err := session.Reset(t.Context(), cua.Task{URL: web.URL})
			if err != nil {
				t.Fatal(err)
			}
			if ran := len(o.Alerts) > 0; ran != row.runs {
				t.Errorf("a script ran: %v, want %v (title %q)", ran, row.runs, o.Title)
			}
		})
	}
}

type hostileFactory struct{ *studytest.Pressings }

func (h hostileFactory) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain,
	trajectories.BrainInfo, error) {
	plain := studytest.Pressed(in)
	for i := range plain {
		plain[i].Why = markup
		if plain[i].Kind == cua.Done {
			plain[i].Text = markup
		}
	}
	return h.Asking(hostile{plain}), trajectories.BrainInfo{Name: "oracle " + c.Fault}, nil
}
