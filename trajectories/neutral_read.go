package trajectories

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// run is n as detectors read it.
func (n *neutralRun) run() (*Run, error) {
	if len(n.Viewport) != 0 && len(n.Viewport) != 2 {
		return nil, fmt.Errorf("viewport: width and height belong there, not %d numbers", len(n.Viewport))
	}
	steps, err := decodeSteps(n.Steps)
	if err != nil {
		return nil, err
	}
	run := &Run{Format: FormatNeutral, ID: n.ID, Source: n.Source, Benchmark: n.Benchmark, Task: n.Task, Success: n.Success, Looping: n.Looping, Quality: n.Quality}
	b := neutralBuilder{final: seen{url: n.FinalURL, all: n.FinalObservation, dom: n.FinalDOM, form: n.FinalForm}}
	if len(n.Viewport) == 2 {
		b.viewport = cua.Size{W: int(clamp(n.Viewport[0])), H: int(clamp(n.Viewport[1]))}
	}
	for i := range steps {
		b.structured = b.structured || steps[i].DOMHash != ""
		run.Index = append(run.Index, int(*steps[i].Index))
	}
	run.History = b.history(steps)
	if k := len(run.History.Steps) - 1; k >= 0 {
		if a := run.History.Steps[k].Action; a != nil && a.Kind == cua.Done {
			run.End = cua.EndDoneFailed
			if a.Success {
				run.End = cua.EndDone
			}
		}
	}
	return run, nil
}

func clamp(v float64) float64 { return min(max(v, 0), maxPlace) }

// seen is what a foreign trajectory says of one page; "" is unknown.
type seen struct{ url, title, all, dom, form, focus string }

func (s *neutralStep) seen() seen {
	return seen{s.URL, s.Title, s.ObservationHash, s.DOMHash, s.FormHash, s.Focus}
}

// neutralBuilder makes a history of neutral steps.
type neutralBuilder struct {
	final    seen
	viewport cua.Size
	// structured says that the run has a dom_hash somewhere. Then an observation_hash never
	// stands for one: the two are not comparable.
	structured bool
}

// history joins the steps of each decision: they share the page before the first of them and
// what came of them all.
func (b *neutralBuilder) history(steps []neutralStep) cua.History {
	h := cua.History{Start: b.observation(b.final), Steps: make([]cua.Step, len(steps))}
	decision := 0
	for first := 0; first < len(steps); decision++ {
		next := first + 1
		for next < len(steps) && sameDecision(&steps[first], &steps[next]) {
			next++
		}
		before, after := steps[first].seen(), b.final
		if next < len(steps) {
			after = steps[next].seen()
		}
		page, effect := b.observation(before), b.effect(before, after)
		if first == 0 {
			h.Start = page
		}
		for i := first; i < next; i++ {
			s := &h.Steps[i]
			steps[i].fill(s, i == len(steps)-1)
			s.N, s.Decision, s.After = i+1, decision+1, page
			if i == next-1 {
				s.After = b.observation(after)
			}
			if s.Action != nil {
				s.Effect = overrule(effect, steps[i].Effect)
			}
		}
		first = next
	}
	return h
}

func sameDecision(a, b *neutralStep) bool {
	return a.Decision != nil && b.Decision != nil && *a.Decision == *b.Decision
}

func (b *neutralBuilder) observation(s seen) cua.Observation {
	o := cua.Observation{URL: s.url, Title: s.title, Viewport: b.viewport, DOMDigest: s.dom, FormDigest: s.form}
	if s.focus != "" {
		o.Focus = &cua.Field{ID: s.focus}
	}
	if s.dom == "" && !b.structured {
		o.DOMDigest = s.all
	}
	if b.structured || s.form != "" {
		o.FrameSHA = s.all
	}
	return o
}

// effect compares like with like; nil is unknown.
func (b *neutralBuilder) effect(before, after seen) *cua.Effect {
	e := &cua.Effect{}
	if before.url != "" && after.url != "" && pageOf(before.url) != pageOf(after.url) {
		e.Progress = append(e.Progress, cua.ChangeURL)
	}
	known := false
	compare := func(x, y string, c cua.Change) {
		if x == "" || y == "" {
			return
		}
		known = true
		if x != y {
			e.Progress = append(e.Progress, c)
		}
	}
	x, y := b.observation(before), b.observation(after)
	compare(x.FormDigest, y.FormDigest, cua.ChangeForm)
	compare(x.DOMDigest, y.DOMDigest, cua.ChangeDOM)
	// Beside hashes of the structure one of the whole says something only when it is equal, or
	// where neither page has them.
	if !known && before.all != "" && (before.all == after.all || before.dom == "" && after.dom == "") {
		compare(before.all, after.all, cua.ChangeDOM)
	}
	if !known && len(e.Progress) == 0 {
		return nil
	}
	return e
}

// overrule puts what the trajectory itself says of an effect in its place.
func overrule(e *cua.Effect, says *bool) *cua.Effect {
	switch {
	case says == nil:
		return e
	case !*says:
		return &cua.Effect{}
	case e.Any():
		return e
	}
	return &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
}

// pageOf is origin and path with query.
func pageOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}

// neutralKinds are the words of the neutral form that are no kinds by themselves, or other ones.
var neutralKinds = map[string]cua.Kind{"goto": cua.Navigate, "tab": cua.SwitchTab, "note": cua.Observe, "screenshot": cua.Observe}

// fill sets what s says of itself. A word that is in no vocabulary is its own kind: it acts.
func (s *neutralStep) fill(out *cua.Step, last bool) {
	out.Target, out.Thought = s.target(), cut(s.Thought, 4<<10)
	out.Usage, out.Timing.Decide = s.usage(), 1000*value(s.Seconds)
	word := strings.ToLower(strings.TrimSpace(s.ActionType))
	switch {
	case word == "none":
		if s.Error != "" {
			out.Failure = failure(s.Error, cua.FailSchema)
		}
		return
	case word == "done" && !last:
		out.Proposed = cua.Action{Kind: cua.Done, Success: true, Text: s.Text}
		out.Failure = &cua.Failure{Kind: cua.FailDoneRefused, Detail: cut(s.Error, maxDetail)}
		return
	}
	out.Proposed = s.action(word)
	a := out.Proposed
	out.Action = &a
	if s.Error != "" {
		out.Failure = failure(s.Error, cua.FailExec)
	}
}

func (s *neutralStep) action(word string) cua.Action {
	a := cua.Action{Kind: cua.Kind(word), Text: s.Text, Point: s.point()}
	if k, ok := neutralKinds[word]; ok {
		a.Kind = k
	}
	switch a.Kind {
	case cua.Key:
		a.Keys, a.Text = s.Text, ""
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
	case cua.Done:
		a.Success = true
	case "fail":
		a.Kind = cua.Done
	}
	return a
}

func (s *neutralStep) point() *cua.Point {
	if s.X == nil || s.Y == nil {
		return nil
	}
	return &cua.Point{X: *s.X, Y: *s.Y}
}

var numbers = regexp.MustCompile(`^\[?(-?[0-9]{1,7}(?:\.[0-9]+)?), ?(-?[0-9]{1,7}(?:\.[0-9]+)?)\]?$`)

// pair reads two numbers, as "0,500" or "to [146, 67]"; nil is anything else.
func pair(text, prefix string) *cua.Point {
	rest, ok := strings.CutPrefix(text, prefix)
	m := numbers.FindStringSubmatch(rest)
	if !ok || m == nil {
		return nil
	}
	x, errX := strconv.ParseFloat(m[1], 64)
	y, errY := strconv.ParseFloat(m[2], 64)
	if errX != nil || errY != nil || math.Abs(x) > maxPlace || math.Abs(y) > maxPlace {
		return nil
	}
	return &cua.Point{X: x, Y: y}
}

// target is what the step was aimed at. "role=button name=Next" says the two.
func (s *neutralStep) target() cua.Target {
	t := cua.Target{ID: s.Target, Point: s.point()}
	if rest, ok := strings.CutPrefix(s.Target, "role="); ok {
		t.Role, t.Name, _ = strings.Cut(rest, " name=")
	}
	return t
}

func (s *neutralStep) usage() cua.Usage {
	u := cua.Usage{InputTokens: int(value(s.Tokens)), USD: s.USD}
	if s.Tokens == nil {
		u.InputTokens, u.OutputTokens = int(value(s.TokensIn)), int(value(s.TokensOut))
	}
	return u
}

// value is what p points to, 0 for nothing.
func value(p *float64) float64 {
	if p == nil {
		return 0
	}
	return *p
}

// maxDetail bounds the detail of a foreign failure, bytes.
const maxDetail = 200

// failureWords tell the kind of a failure from what is said of it; the first that is there decides.
var failureWords = []struct {
	kind  cua.FailureKind
	words []string
}{
	{cua.FailTimeout, []string{"timeout", "timed out"}},
	{cua.FailNotInteractable, []string{"not interactable", "not clickable", "not visible", "intercepts pointer", "is disabled"}},
	{cua.FailNav, []string{"net::", "navigation failed", "err_name", "err_conn"}},
	{cua.FailNotFound, []string{"not found", "no such element", "does not exist", "no element", "not exist"}},
	{cua.FailUnknownAction, []string{"unknown action", "unsupported action"}},
	{cua.FailSchema, []string{"could not parse", "invalid json", "validation error"}},
}

// failure says what went wrong. A text that starts with the name of a kind and a colon, as
// ExportNeutral writes it, is of that kind; for others words decide, and otherwise kind.
func failure(text string, kind cua.FailureKind) *cua.Failure {
	if name, rest, ok := strings.Cut(text, ":"); ok {
		for _, k := range cua.FailureKinds() {
			if name == string(k) {
				return &cua.Failure{Kind: k, Detail: cut(strings.TrimSpace(rest), maxDetail)}
			}
		}
	}
	if kind != cua.FailSchema {
		kind = failureKind(text, kind)
	}
	return &cua.Failure{Kind: kind, Detail: cut(text, maxDetail)}
}

func failureKind(text string, otherwise cua.FailureKind) cua.FailureKind {
	text = strings.ToLower(cut(text, 4<<10))
	for _, f := range failureWords {
		for _, w := range f.words {
			if strings.Contains(text, w) {
				return f.kind
			}
		}
	}
	return otherwise
}

// cut is s, or as many of its bytes as make whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
