package show

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// episodePage is what the page template shows.
type episodePage struct {
	// Heading is the goal, or the episode's name where there is none.
	Heading   string
	Header    trajectories.Header
	Result    trajectories.RunResult
	Verdict   chip
	Detail    string
	Facts     []fact
	Stuck     string // what the incidents came to, in words; "" when there was none
	Incidents []incidentLine
	Shadow    []trajectories.GateShadow // by gate in shadow mode; none for an episode without one
	Defined   string                    // what their precision is
	Told      []string                  // sentinels, one line each
	Done      []cua.LedgerSection
	Off       []string // mechanisms that were switched off
	Find      find
	Cards     template.HTML
	Style     template.CSS
	Script    template.JS
	Source    string // by which the policy allows the script
	Torn      bool
}

// find is the form that searches and filters items: what they are, and what the keys do.
type find struct {
	What, Keys string
	Groups     []filterGroup
}

const stepKeys = "← → steps · z or a click: larger · / search"

type fact struct{ Name, Value string }

// incidentLine is one incident as the page's table shows it.
type incidentLine struct {
	ID, Shapes, Steps    string
	First                int // the step whose card it leads to
	Tried                []string
	Tokens, USD, Seconds string
	Outcome              chip
}

// WriteHTML writes the episode as one page that needs nothing else: no network, each frame once, and one
// script that the page's policy names by its hash. Text of pages and brains stays text in it. Without the
// script a frame is seen at the first of its places only.
func WriteHTML(w io.Writer, t *trajectories.Trajectory) error {
	w = redact.VisibleWriter(w)
	d := newDeck(t, CardOptions{Prompts: true})
	found := find{"steps", stepKeys, d.filtered()}
	cards, err := d.html()
	if err != nil {
		return err
	}
	style, script, source, err := dress()
	if err != nil {
		return err
	}
	r := trajectories.Summarize(t, t.Incidents)
	p := episodePage{Heading: cmp.Or(t.Header.Task.Goal, t.Header.Episode), Header: t.Header, Result: r,
		Verdict: verdictChip(t), Facts: facts(t, r), Find: found, Cards: cards, Style: style, Script: script,
		Source: source, Torn: t.Torn, Shadow: gateShadows(t), Defined: trajectories.ShadowDefinition,
		Told: sentinelLines(t), Done: r.Ledger.Sections()}
	if t.End != nil {
		p.Detail = t.End.Detail
	}
	if len(t.Incidents) > 0 {
		p.Stuck = r.Stuck.Words(r.Steps)
	}
	for _, in := range t.Incidents {
		p.Incidents = append(p.Incidents, incidentLine{in.ID, trajectories.Joined(in.Shapes, ", "),
			span(in.First, in.Last), in.First, attempts(in.Tried),
			trajectories.Grouped(in.Tokens), trajectories.Dollars(in.USD), trajectories.Seconds(in.Seconds),
			outcomeChip(in.Outcome)})
	}
	for _, m := range cua.Mechanisms() {
		if on, err := t.Header.Toggles.Get(m.Name); err == nil && !on {
			p.Off = append(p.Off, m.Name)
		}
	}
	return writePage(w, "page.tmpl", p)
}

// dress is what the pages of this package share: their style, their script, and what allows it.
func dress() (style template.CSS, script template.JS, source string, err error) {
	own, err := asset("page.css")
	if err != nil {
		return "", "", "", err
	}
	if style, err = CardStyle(); err != nil {
		return "", "", "", err
	}
	script, source, err = CardScript()
	return template.CSS(own) + style, script, source, err
}

// writePage writes one of the pages by the name of its template.
func writePage(w io.Writer, name string, p any) error {
	page, err := template.ParseFS(files, "html/page.tmpl", "html/index.tmpl")
	if err != nil {
		return fmt.Errorf("show: reading the page template: %w", err)
	}
	var b bytes.Buffer
	if err := page.ExecuteTemplate(&b, name, p); err != nil {
		return fmt.Errorf("show: making the page: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("show: writing the page: %w", err)
	}
	return nil
}

func verdictChip(t *trajectories.Trajectory) chip {
	switch {
	case t.End == nil:
		return chip{"warn", "not ended"}
	case t.End.Success:
		return chip{"good", "success"}
	case t.End.Reason.Infrastructure():
		return chip{"warn", "infrastructure"}
	}
	return chip{"bad", "no success"}
}

// facts are the figures at the top of the page.
func facts(t *trajectories.Trajectory, r trajectories.RunResult) []fact {
	out := []fact{{"ended as", orDash(string(r.TerminationReason))}, {"steps", trajectories.Grouped(r.Steps)},
		{"time", trajectories.Seconds(float64(r.DurationMS)/1000) + " s"}, {"tokens", trajectories.Grouped(r.Tokens)}}
	if r.USD != nil {
		out = append(out, fact{"cost", trajectories.Dollars(r.USD) + " USD"})
	}
	if r.Reward != nil {
		out = append(out, fact{"reward", fmt.Sprintf("%g", *r.Reward)})
	}
	out = append(out, fact{"substituted", fmt.Sprint(trajectories.Total(r.Substitutions))},
		fact{"nudges", fmt.Sprint(r.Nudges)})
	if r.Repeats > 0 {
		out = append(out, fact{"repeats noted", trajectories.Grouped(r.Repeats)})
	}
	if n := trajectories.Total(r.DoneRejections); n > 0 {
		out = append(out, fact{"dones refused", fmt.Sprint(n)})
	}
	if r.Stuck.Incidents > 0 {
		out = append(out, fact{"steps in incidents", trajectories.Grouped(r.Stuck.Steps)},
			fact{"wasted steps", trajectories.Grouped(r.WastedSteps)})
	}
	if r.InfrastructureFaults > 0 {
		out = append(out, fact{"infrastructure faults", fmt.Sprint(r.InfrastructureFaults)})
	}
	if n := trajectories.Total(r.Denied); n > 0 {
		out = append(out, fact{"requests not let out", trajectories.Grouped(n)})
	}
	return out
}
