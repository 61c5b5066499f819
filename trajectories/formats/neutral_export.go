package formats

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// WriteNeutral writes our trajectories in the neutral form, one a line, so that they can be scored again or
// by somebody else. The state of a page is given by digests that stay equal while only churn moves. The
// effect of a step is the one that the loop shapes read. That is hindsight: a late effect belongs to the step
// that caused it. The form has no words for a rewind or a continued episode: their steps are there, their
// meaning is not.
func WriteNeutral(w io.Writer, ts []*trajectories.Trajectory) error {
	enc := encoder(w)
	enc.SetEscapeHTML(false)
	for _, t := range ts {
		if err := enc.Encode(neutral(t)); err != nil {
			return fmt.Errorf("trajectories: exporting the neutral form: %w", err)
		}
	}
	return nil
}

// neutralLine is a trajectory as it is written.
type neutralLine struct {
	neutralHead
	Steps []neutralStep `json:"steps"`
}

// neutral is t in the neutral form.
func neutral(t *trajectories.Trajectory) neutralLine {
	run := runOf(t, "", 0)
	out := neutralLine{neutralHead{ID: run.ID, Source: run.Source, Task: run.Task, Success: run.Success},
		[]neutralStep{}}
	if v := t.Header.Viewport; v != (cua.Size{}) {
		out.Viewport = []float64{float64(v.W), float64(v.H)}
	}
	h := run.History
	samples := h.Samples()
	for i := range samples {
		before := h.Before(i)
		s := neutralOf(&samples[i], i == len(samples)-1)
		p := toldOf(&before, samples[i].Before)
		s.URL, s.Title, s.ObservationHash, s.DOMHash, s.FormHash, s.Focus = p.url, p.title, p.all, p.dom,
			p.form, p.focus
		s.Picture, s.View = p.picture, p.view
		out.Steps = append(out.Steps, s)
	}
	now, node := h.Now(), ""
	if n := len(samples); n > 0 {
		node = samples[n-1].After
	} else {
		node = cua.Node(now, cua.ChurnMask{})
	}
	p := toldOf(&now, node)
	out.FinalURL, out.FinalObservation, out.FinalDOM, out.FinalForm = p.url, p.all, p.dom, p.form
	out.FinalPicture, out.FinalView = p.picture, p.view
	return out
}

// toldOf is what the neutral form says of a page that is at node.
func toldOf(o *cua.Observation, node string) seen {
	s := seen{url: o.URL, title: o.Title, all: o.FrameSHA, form: o.FormDigest}
	if o.Fingerprint != nil {
		s.picture, s.view = o.Fingerprint.DHash64, o.Fingerprint.PHash256
	}
	if o.Focus != nil {
		s.focus = o.Focus.ID
	}
	if node == "" {
		return s
	}
	// The URL and the form have fields of their own. The rest of the node is the structure without churn, the
	// canvases, and the scroll positions.
	const rest = "|x|0|0"
	page := strings.TrimSuffix(cua.Node(cua.Observation{URL: o.URL, DOMDigest: "x"}, cua.ChurnMask{}), rest)
	s.dom = cua.Digest(strings.TrimPrefix(node, page+o.FormDigest+"|"))
	return s
}

// neutralOf is what a step did, without the page before it. Each step is a decision of its own,
// those of one batch too: the page was looked at between them.
func neutralOf(x *cua.Sample, last bool) neutralStep {
	s := x.Step
	out := neutralStep{Index: new(float64(s.N - 1)), Thought: s.Thought, USD: s.Usage.USD}
	if n := s.Usage.Tokens(); n > 0 {
		out.Tokens = new(float64(n))
	}
	if ms := s.Timing.Total(); ms > 0 {
		out.Seconds = new(ms / 1000)
	}
	if s.Failure != nil {
		out.Error = strings.TrimSpace(string(s.Failure.Kind) + ": " + s.Failure.Detail)
	}
	if s.Action == nil {
		out.ActionType = "none"
		if s.Failure != nil && s.Failure.Kind == cua.FailDoneRefused && !last {
			out.ActionType, out.Text = "done", s.Proposed.Text
		}
		return out
	}
	if x.Known {
		out.Effect = &x.Progress
	}
	a := countsAs(x)
	out.ActionType, out.Text = neutralWords(a, last)
	if a.Kind == cua.Wait {
		out.WaitMS = new(float64(a.MS))
	}
	out.Target = s.Target.ID
	if b := s.Target.Box; !b.Empty() {
		out.Box = []float64{b.X, b.Y, b.W, b.H}
	}
	if out.Target == "" {
		out.Target = a.Into
	}
	p := a.Point
	if p == nil {
		p = s.Target.Point
	}
	if p != nil {
		out.X, out.Y = &p.X, &p.Y
	}
	return out
}

// countsAs is what the sample's action is, unless that would turn a step that acts into one that
// does not, or the other way round: the form knows only one action a step.
func countsAs(x *cua.Sample) cua.Action {
	asked := *x.Step
	asked.Action = &x.Action
	if asked.Acting() != x.Acting {
		return *x.Step.Action
	}
	return x.Action
}

// neutralWords are the action_type and the text of a. An action that the form has no word for is other, and a
// done in the middle, which the form takes for a refused one, is a note.
func neutralWords(a cua.Action, last bool) (word, text string) {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch a.Kind {
	case cua.Click, cua.DoubleClick, cua.RightClick, cua.TripleClick, cua.Hover, cua.Type, cua.Back,
		cua.Forward, cua.Reload, cua.Wait, cua.Select, cua.Extract, cua.Find:
		return string(a.Kind), a.Text
	case cua.MiddleClick:
		return "click", "middle button"
	case cua.Drag:
		if a.To != nil {
			return "drag", "to " + number(a.To.X) + "," + number(a.To.Y)
		}
		return "drag", a.Text
	case cua.Key:
		return "key", a.Keys
	case cua.Scroll:
		return "scroll", number(a.DX) + "," + number(a.DY)
	case cua.Navigate:
		return "goto", a.URL
	case cua.NewTab:
		return "tab", a.URL
	case cua.SwitchTab:
		return "tab", strconv.Itoa(a.Tab)
	case cua.CloseTab:
		return "tab", "close " + strconv.Itoa(a.Tab)
	case cua.Observe, cua.Zoom, cua.Ask:
		return "note", a.Text
	case cua.Done:
		switch {
		case !last:
			return "note", a.Text
		case a.Success:
			return "done", a.Text
		}
		return "fail", a.Text
	}
	return "other", strings.TrimSpace(string(a.Kind) + " " + trajectories.Arguments(a))
}
