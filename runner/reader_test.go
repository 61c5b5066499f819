package runner

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/recovery"
	"pgregory.net/rapid"
)

// drawnPage is one of few states of one of two pages with a form; parts of it move by themselves, and not all
// of it can always be read.
func drawnPage(t *rapid.T) cua.Observation {
	some := func(name string, n int) string { return fmt.Sprint(rapid.IntRange(0, n).Draw(t, name)) }
	o := cua.Observation{URL: "https://a.test/" + some("path", 1), Document: some("document", 2), Tab: 1,
		Tabs: 1, Viewport: cua.Size{W: 1280, H: 800}}
	if rapid.IntRange(0, 9).Draw(t, "unread") == 0 {
		return o
	}
	o.DOMParts = map[string]string{"main": some("main", 1), "clock": some("clock", 3)}
	o.DOMDigest = o.DOMParts["main"] + "," + o.DOMParts["clock"]
	o.Ambient.Parts = rapid.SampledFrom([][]string{nil, nil, nil, {"clock"}, {"main"}}).Draw(t, "ambient")
	o.Answered = rapid.IntRange(0, 1).Draw(t, "answered")
	if rapid.IntRange(0, 4).Draw(t, "write") == 0 {
		o.Writes = []cua.Write{{Method: "POST", URL: o.URL, Status: rapid.SampledFrom([]int{200, 403}).Draw(t,
			"status")}}
	}
	for k, label := range []string{"Name", "Town", "Password"} {
		f := cua.Field{ID: fmt.Sprint("textbox|", k), Role: "textbox", Label: label, Form: "f", Tag: "input",
			Editable: true, Empty: true}
		if value := rapid.SampledFrom([]string{"", "", "Ada", "Bern"}).Draw(t, "value"); value != "" {
			f.Empty, f.ValueDigest = false, cua.Digest(value)
		}
		if label == "Password" {
			f.Type = "password"
		}
		o.Fields = append(o.Fields, f)
		o.FormDigest += f.ValueDigest + "|"
	}
	if k := rapid.IntRange(-1, 2).Draw(t, "focus"); k >= 0 {
		o.Focus = &o.Fields[k]
	}
	return o
}

// drawnProposal is one of few things to do on a page.
func drawnProposal(t *rapid.T, n int) cua.Proposal {
	a := cua.Action{Kind: rapid.SampledFrom([]cua.Kind{cua.Click, cua.Click, cua.Click, cua.Key, cua.Type,
		cua.Wait, cua.Wait, cua.Observe, cua.Rewind}).Draw(t, "kind")}
	p := cua.Proposal{By: rapid.SampledFrom([]string{"bench", "bench",
		cua.DirectorPrefix + "x"}).Draw(t, "by")}
	switch a.Kind {
	case cua.Wait:
		a.MS = rapid.SampledFrom([]int{0, 500, cua.PollWaitMS}).Draw(t, "ms")
	case cua.Key:
		a.Keys = rapid.SampledFrom([]string{"Return", "Tab"}).Draw(t, "keys")
	case cua.Type:
		a.Text = rapid.SampledFrom([]string{"Ada", "Bern"}).Draw(t, "text")
	case cua.Rewind:
		a.Step = rapid.IntRange(1, max(1, n-1)).Draw(t, "to")
	case cua.Click:
		a.Point = &cua.Point{X: 10, Y: 10}
		p.Target = cua.Target{ID: rapid.SampledFrom([]string{"", "button|Go", "textbox|0"}).Draw(t, "target"),
			Role: "button", Form: "f", Point: a.Point}
		p.Target.Submit = p.Target.ID == "button|Go"
	}
	p.Target.Idle.Parts = rapid.SampledFrom([][]string{nil, nil, nil, {"clock"}, {"main"}}).Draw(t, "idle")
	if rapid.IntRange(0, 6).Draw(t, "caused") == 0 {
		p.Target.Idle.Caused = p.Target.Idle.Parts
	}
	if rapid.IntRange(0, 6).Draw(t, "failed") == 0 {
		p.Failure = &cua.Failure{Kind: rapid.SampledFrom([]cua.FailureKind{cua.FailNotFound,
			cua.FailEnv}).Draw(t, "failure")}
	}
	p.Action = a
	return p
}

// drawnRun is a history as c rules on it: rewinds, sessions, refusals, substitutions, batches and late
// effects among its steps.
func drawnRun(t *rapid.T, c Config, task cua.Task) cua.History {
	h := cua.History{Start: drawnPage(t)}
	for n := range rapid.IntRange(0, 25).Draw(t, "steps") {
		turn := Assemble(c).Turn(task, h, nil)
		w := work{turn: turn, proposal: drawnProposal(t, n)}
		w.step = cua.Step{N: turn.Number, Decision: turn.Decision, Proposed: w.proposal.Action,
			Target: w.proposal.Target, By: w.proposal.By, Failure: w.proposal.Failure, Signals: turn.Signals,
			Notes: turn.Notes, After: turn.Now, Usage: cua.Usage{InputTokens: n},
			Timing: cua.Timing{Act: 0.1}}
		if n > 0 && rapid.IntRange(0, 4).Draw(t, "batched") == 0 {
			w.step.Decision--
		}
		if turn.Incident != nil {
			w.step.Incident = turn.Incident.ID
		}
		var ruled cua.Ruling
		w.step.Rulings, ruled = Assemble(c).Review(turn, w.proposal)
		w.applyRuling(ruled)
		s := w.step
		if s.Action != nil {
			if rapid.Bool().Draw(t, "moves") {
				s.After = drawnPage(t)
			}
			s.Effect = detector.Effect(detector.EffectInput{Before: turn.Now, After: s.After,
				Action: *s.Action, Target: s.Target, Churn: turn.Evidence.Churn})
			if s.Action.Kind == cua.Rewind && n > 0 {
				s.RewoundTo = min(max(1, s.Action.Step), n)
			}
		}
		h.Steps = append(h.Steps, s)
		for w.end != nil || rapid.IntRange(0, 12).Draw(t, "resumed") == 0 {
			r := cua.Resumption{At: n + 1, Page: h.Now(), Fresh: rapid.Bool().Draw(t, "fresh")}
			if w.end != nil {
				r.End = w.end.reason
			}
			if rapid.Bool().Draw(t, "another") {
				r.Page = drawnPage(t)
			}
			h.Resumed, w.end = append(h.Resumed, r), nil
		}
	}
	return h
}

// begun is h as it was after n steps, in memory of its own where moved.
func begun(h cua.History, n int, moved bool) cua.History {
	out := cua.History{Start: h.Start, Steps: h.Steps[:n:n]}
	if moved {
		out.Steps = slices.Clone(out.Steps)
	}
	for _, r := range h.Resumed {
		if r.At <= n {
			out.Resumed = append(out.Resumed, r)
		}
	}
	return out
}

// Whatever an assembly has read before, a turn is what task and history say: as an assembly that has read
// nothing makes it, and as each part of it is defined.
func TestTurnsDoNotDependOnTurnsBefore(t *testing.T) {
	task := cua.Task{Goal: "Send it", URL: "https://a.test/0", Fields: []cua.PlanValue{{Label: "Name",
		Value: "Ada"}, {Label: "Town", Value: "Bern"}}}
	other := task
	other.Fields = task.Fields[:1]
	long, extended := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		c := DefaultConfig()
		c.Recovery.OnSpiral = rapid.SampledFrom(recovery.OnSpirals()).Draw(t, "policy")
		c.Toggles.EffectConditioning = rapid.IntRange(0, 3).Draw(t, "effects") > 0
		a := Assemble(c)
		for range rapid.IntRange(1, 2).Draw(t, "runs") {
			h, n := drawnRun(t, c, task), 0
			for range rapid.IntRange(1, 12).Draw(t, "turns") {
				n = rapid.IntRange(n, min(len(h.Steps), n+3)).Draw(t, "to")
				if rapid.IntRange(0, 9).Draw(t, "back") == 0 {
					n = rapid.IntRange(0, len(h.Steps)).Draw(t, "anywhere")
				}
				g, of := begun(h, n, rapid.IntRange(0, 5).Draw(t, "moved") == 0), task
				if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
					of = other
				}
				was := a.reader.growth
				if was.GoesOn(g) && n > 0 {
					extended++
				}
				long = max(long, n)
				got, want := a.Turn(of, g, nil), Assemble(c).Turn(of, g, nil)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("after %d of %d steps: %s", n, len(h.Steps), apart(got, want))
				}
				defined(t, c, of, g, got)
				if n < len(h.Steps) && h.ResumedAt(n) == nil && rapid.Bool().Draw(t, "judged") {
					unrecorded := h.Steps[n]
					unrecorded.Feedback, unrecorded.Timing, unrecorded.Repetition = "", cua.Timing{}, nil
					g.Steps = append(g.Steps, unrecorded)
					if got, want := a.repeated(g), Assemble(c).repeated(g); !reflect.DeepEqual(got, want) {
						t.Fatalf("step %d repeats %+v, want %+v", n+1, got, want)
					}
				}
			}
		}
	})
	if long < 12 || extended == 0 { // a hundred runs of up to 25 steps: all of them under 12 is no chance
		t.Errorf("the longest history had %d steps, and %d went on", long, extended)
	}
}

// defined holds the parts of a turn against what defines them.
func defined(t *rapid.T, c Config, task cua.Task, h cua.History, turn *cua.Turn) {
	form := formctl.State(task, h, c.FormCtl)
	signals := Assemble(c).Detectors.Detect(h)
	ledger := cua.LedgerOf(h)
	for name, pair := range map[string][2]any{"form": {turn.Form, form},
		"evidence": {turn.Evidence, cua.EvidenceOf(h, form)}, "samples": {turn.Evidence.Samples, h.Samples()},
		"churn": {turn.Evidence.Churn, h.Churn()}, "signals": {turn.Signals, signals}, "incident": {turn.Incident, detector.Open(h, signals)}, "ledger": {turn.Ledger, &ledger}} {
		if !reflect.DeepEqual(pair[0], pair[1]) && fmt.Sprint(pair[0]) != "[]" {
			t.Fatalf("after %d steps: %s is %+v, want %+v", len(h.Steps), name, pair[0], pair[1])
		}
	}
}

// apart names the first part in which two turns differ.
func apart(a, b *cua.Turn) string {
	for _, v := range [][2]reflect.Value{{reflect.ValueOf(*a), reflect.ValueOf(*b)},
		{reflect.ValueOf(*a.Evidence), reflect.ValueOf(*b.Evidence)}} {
		for i := range v[0].NumField() {
			x, y := v[0].Field(i).Interface(), v[1].Field(i).Interface()
			if name := v[0].Type().Field(i).Name; name != "Evidence" && !reflect.DeepEqual(x, y) {
				return fmt.Sprintf("%s is %+v, want %+v", name, x, y)
			}
		}
	}
	return "nothing"
}
