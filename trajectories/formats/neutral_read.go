package formats

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// run is n as detectors read it.
func (n *neutralRun) run() (*Run, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	steps, err := decodeSteps(n.Steps)
	if err != nil {
		return nil, err
	}
	return n.of(steps), nil
}

// check says what is wrong with n by itself.
func (n *neutralHead) check() error {
	if len(n.Viewport) != 0 && len(n.Viewport) != 2 {
		return fmt.Errorf("viewport: width and height belong there, not %d numbers", len(n.Viewport))
	}
	return nil
}

// of is the run with these steps, whose indexes are set.
func (n *neutralHead) of(steps []neutralStep) *Run {
	f := n.foreign()
	run := &Run{Format: Neutral, ID: n.ID, Source: n.Source, Benchmark: n.Benchmark, Task: n.Task,
		Success: n.Success, Looping: n.Looping, Quality: n.Quality, Index: make([]int, len(steps))}
	for i := range steps {
		f.tell(steps, i, i == len(steps)-1)
		run.Index[i] = int(*steps[i].Index)
	}
	run.History = f.history()
	run.End = foreignEnd(run.History)
	return run
}

// foreign is the run without its steps.
func (n *neutralHead) foreign() *foreignRun {
	f := &foreignRun{final: seen{url: n.FinalURL, all: n.FinalObservation, dom: n.FinalDOM,
		form: n.FinalForm, picture: n.FinalPicture, view: n.FinalView}}
	if len(n.Viewport) == 2 {
		f.viewport = cua.Size{W: int(min(max(n.Viewport[0], 0), maxPlace)),
			H: int(min(max(n.Viewport[1], 0), maxPlace))}
	}
	return f
}

// tell adds steps[i], the ones before which have been added. last says that none follows.
func (r *foreignRun) tell(steps []neutralStep, i int, last bool) {
	s := &steps[i]
	r.structured = r.structured || s.DOMHash != ""
	var step cua.Step
	s.fill(&step, last)
	t := told{page: s.page(), effect: s.Effect, decision: i}
	if i > 0 && s.Decision != nil && steps[i-1].Decision != nil && *s.Decision == *steps[i-1].Decision {
		t.decision = r.told[i-1].decision
	}
	r.add(step, t)
}

// neutralKinds are the words of the neutral form that are no kinds, or other ones.
var neutralKinds = map[string]cua.Kind{"goto": cua.Navigate, "tab": cua.SwitchTab, "note": cua.Observe,
	"screenshot": cua.Observe, "fail": cua.Done}

func (s *neutralStep) page() seen {
	return seen{url: s.URL, title: s.Title, all: s.ObservationHash, dom: s.DOMHash, form: s.FormHash,
		picture: s.Picture, view: s.View, focus: s.Focus}
}

// fill makes step what s says. A word that is in no vocabulary is a kind of its own: it acts.
func (s *neutralStep) fill(step *cua.Step, last bool) {
	step.Target, step.Thought = s.target(), cua.HeadBytes(s.Thought, maxThought)
	step.Usage, step.Timing.Decide = s.usage(), 1000*value(s.Seconds)
	word := strings.ToLower(strings.TrimSpace(s.ActionType))
	switch {
	case word == "none":
		if s.Error != "" {
			step.Failure = failure(s.Error, cua.FailSchema)
		}
		return
	case word == "done" && !last:
		step.Proposed = s.action(word)
		why := strings.TrimPrefix(s.Error, string(cua.FailDoneRefused)+": ")
		step.Failure = &cua.Failure{Kind: cua.FailDoneRefused, Detail: cua.HeadBytes(why, maxDetail)}
		return
	}
	step.Proposed = s.action(word)
	a := step.Proposed
	step.Action = &a
	if s.Error != "" {
		step.Failure = failure(s.Error, cua.FailExec)
	}
}

func (s *neutralStep) action(word string) cua.Action {
	a := cua.Action{Kind: cua.Kind(word), Text: s.Text, Point: s.point(), Success: word == "done"}
	if k, ok := neutralKinds[word]; ok {
		a.Kind = k
	}
	if a.Point == nil {
		a.Into = s.Target // the one parameter that says where
	}
	switch a.Kind {
	case cua.Key:
		a.Keys, a.Text = keys(s.Text), ""
	case cua.Navigate, cua.NewTab:
		a.URL, a.Text = s.Text, ""
	case cua.SwitchTab, cua.CloseTab:
		a.URL, a.Text = s.Text, ""
		if n, err := strconv.Atoi(s.Text); err == nil && n > 0 {
			a.Tab, a.URL = n, ""
		}
	case cua.Wait:
		a.MS = int(value(s.WaitMS))
	case cua.Scroll:
		if p := pair(s.Text, ""); p != nil {
			a.DX, a.DY, a.Text = p.X, p.Y, ""
		}
	case cua.Drag:
		if p := pair(s.Text, "to "); p != nil {
			a.To, a.Text = p, ""
		}
	}
	return a
}

func (s *neutralStep) point() *cua.Point {
	if s.X == nil || s.Y == nil {
		return nil
	}
	return &cua.Point{X: *s.X, Y: *s.Y}
}

// target is what the step was aimed at. "role=button name=Next" says the two, and so do the
// identities that our own browser gives, as in: button "Next" main/nav.
func (s *neutralStep) target() cua.Target {
	t := cua.Target{ID: s.Target, Point: s.point()}
	if rest, ok := strings.CutPrefix(s.Target, "role="); ok {
		t.Role, t.Name, _ = strings.Cut(rest, " name=")
	} else if m := quotedName.FindStringSubmatch(s.Target); m != nil {
		t.Role, t.Name = m[1], m[2]
	}
	if len(s.Box) == 4 {
		t.Box = cua.Box{X: s.Box[0], Y: s.Box[1], W: s.Box[2], H: s.Box[3]}
	}
	return t
}

var quotedName = regexp.MustCompile(`^([a-z]+) "(.*)"`)

func (s *neutralStep) usage() cua.Usage {
	u := cua.Usage{InputTokens: int(value(s.Tokens)), USD: s.USD}
	if s.Tokens == nil {
		u.InputTokens, u.OutputTokens = int(value(s.TokensIn)), int(value(s.TokensOut))
	}
	return u
}
