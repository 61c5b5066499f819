package show

import (
	"cmp"
	"fmt"
	"html/template"
	"io"

	"github.com/cua-runner/cua-runner/trajectories"
)

// IndexRow is one episode in the page that lists many.
type IndexRow struct {
	File                  string // the episode's page, as the list reaches it
	Heading, Episode, End string
	Verdict               chip
	Steps, Reward         string
	Incidents             int
	Outcomes              string // how the incidents closed
	Arm, Task             string
	Tags                  string
}

// NewIndexRow is the row of t, whose page is file.
func NewIndexRow(t *trajectories.Trajectory, file string) IndexRow {
	r := trajectories.Summarize(t, t.Incidents)
	row := IndexRow{File: file, Heading: cmp.Or(t.Header.Task.Goal, t.Header.Episode),
		Episode: t.Header.Episode, End: orDash(string(r.TerminationReason)), Verdict: verdictChip(t),
		Steps: trajectories.Grouped(r.Steps), Reward: "–", Incidents: len(t.Incidents),
		Outcomes: trajectories.PriceOf(t.Incidents).OutcomeWords(),
		Arm:      t.Header.Arm, Task: t.Header.Task.ID}
	if r.Reward != nil {
		row.Reward = fmt.Sprintf("%g", *r.Reward)
	}
	return row
}

// WriteIndex writes a page that lists episodes and leads to the page of each; they can be searched, and
// filtered by result, end, arm and task. It loads nothing, and its texts stay text.
func WriteIndex(w io.Writer, rows []IndexRow) error {
	style, script, source, err := dress()
	if err != nil {
		return err
	}
	var f filters
	for i := range rows {
		r := &rows[i]
		tags := []tag{{"result", r.Verdict.Text}, {"end", r.End}, {"arm", r.Arm}, {"task", r.Task}}
		if r.Incidents > 0 {
			tags = append(tags, tag{"stuck", "with an incident"})
		}
		r.Tags = f.numbers(tags)
	}
	return writePage(w, "index.tmpl", struct {
		Heading string
		Find    find
		Rows    []IndexRow
		Style   template.CSS
		Script  template.JS
		Source  string
	}{trajectories.Plural(len(rows), "episode"), find{What: "episodes", Groups: f.groups}, rows, style,
		script, source})
}
