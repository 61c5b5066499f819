package guard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// run is one run of another agent.
type run struct {
	name     string
	config   runner.Config
	assembly runner.Assembly
	task     cua.Task
	values   *redact.Set
	stream   formats.Stream
	typed    []typed
	// suggested are the suggestions by the index of their step.
	suggested map[int]*Suggestion
}

// typed is a text that a step put into a field.
type typed struct {
	step        int // its place in the list, from 0
	field, text string
}

func newRun(name string, c runner.Config) *run {
	r := &run{name: name, task: cua.Task{ID: name}, suggested: map[int]*Suggestion{}}
	r.stream.Name(name)
	r.stream.Page = r.focus
	r.use(c)
	return r
}

// facts are the rows of the rescue table whose facts an input line can supply.
var facts = []cua.Reason{cua.TypePendingValue, cua.TabToNextField}

// use assembles c as advice: every gate rules without force, and those that need a browser are off.
func (r *run) use(c runner.Config) {
	c.Recovery.Limits = recovery.LimitsConfig{}
	c.Shadow = []string{recovery.MistakesName, recovery.RescueName, recovery.Breaker{}.Name()}
	off := []string{"done_gate", "form_controller", "director", "repeat_guard", "perceptual_verify",
		"lessons", "ledger"}
	for _, row := range cua.Reasons() {
		if !slices.Contains(facts, row) {
			off = append(off, "rescue_"+string(row))
		}
	}
	for _, name := range off {
		if err := c.Toggles.Set(name, false); err != nil { // the names are our own
			panic(err)
		}
	}
	r.config, r.assembly = c, runner.Assemble(c)
	r.assembly.Gates = slices.DeleteFunc(r.assembly.Gates, func(g runner.Gate) bool {
		return !slices.Contains(c.Shadow, g.Name())
	})
}

// start reads the task and the config of the run.
func (r *run) start(line []byte) error {
	var s struct {
		V      int             `json:"v"`
		Fields []cua.PlanValue `json:"fields"`
		Config json.RawMessage `json:"config"`
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if s.V > 1 {
		return fmt.Errorf("v is %d: 1 belongs there", s.V)
	}
	c := r.config
	if len(s.Config) > 0 {
		over, err := c.Overlay(s.Config)
		if err == nil {
			err = over.Validate()
		}
		if err != nil {
			return fmt.Errorf("config: %w", err)
		}
		c = over
	}
	if err := r.stream.Start(line); err != nil {
		return err
	}
	r.stream.Name(r.name)
	r.task.Goal, r.task.Fields = r.stream.Task(), s.Fields
	var values []string
	for _, f := range s.Fields {
		values = append(values, f.Value)
	}
	r.values = redact.Keys("<value>", values...)
	r.use(c)
	return nil
}

// propose judges the next step.
func (r *run) propose(line []byte) (any, error) {
	if err := r.stream.Propose(line); err != nil {
		return nil, err
	}
	p := r.stream.Proposal()
	n := r.stream.Len()
	if p.Action.Kind == cua.Type && p.Target.ID != "" {
		r.typed = append(r.typed, typed{n - 1, fieldName(p.Target), p.Action.Text})
	}
	j := r.assembly.Judge(r.task, r.stream.History(), nil, p)
	said := cua.Step{Signals: j.Turn.Signals, Notes: j.Turn.Notes, Rulings: j.Rulings}
	if j.Turn.Incident != nil {
		said.Incident = j.Turn.Incident.ID
	}
	a := r.answer(n, j)
	if a.Suggest != nil {
		r.suggested[a.Index] = a.Suggest
	}
	r.stream.Advise(said)
	return redact.Value(r.values, a), nil
}

// answer is what j says of step n.
func (r *run) answer(n int, j runner.Judgement) Answer {
	t := j.Turn
	a := Answer{Run: r.name, Index: r.stream.Index(n), Verdict: Pass, Evidence: evidence(t)}
	for _, s := range t.Signals {
		a.Signals = append(a.Signals, Signal{s.Shape, s.Level, r.stream.Index(s.Since)})
	}
	for _, n := range t.Notes {
		a.Notes = append(a.Notes, n.Text)
	}
	if len(a.Notes) > 0 {
		a.Verdict = Note
	}
	if in := t.Incident; in != nil {
		first := r.stream.Index(in.First)
		a.Incident = &Incident{ID: "i" + strconv.Itoa(first), Steps: max(0, n-in.First), USD: in.USD}
	}
	if a.Evidence == Blind {
		return a
	}
	for _, g := range j.Rulings {
		switch g.Verdict {
		case cua.Replace:
			if !g.Dropped && a.Verdict != Stop {
				a.Verdict, a.Suggest = Suggest, suggestion(g, t)
			}
		case cua.Halt, cua.Pause:
			a.Verdict, a.Suggest = Stop, nil
			a.Notes = append(a.Notes, g.Detail)
		}
	}
	return a
}

// evidence is what the samples of t know.
func evidence(t *cua.Turn) Evidence {
	known := func(s cua.Sample) bool { return s.Before != "" || s.After != "" }
	switch {
	case t.Now.FormDigest != "":
		return OnForm
	case t.Evidence.Node != "" || slices.ContainsFunc(t.Evidence.Samples, known):
		return OnPage
	}
	return Blind
}

func suggestion(g cua.Ruling, t *cua.Turn) *Suggestion {
	s := &Suggestion{ActionType: string(g.Action.Kind), Target: g.Action.Into, Text: g.Action.Keys,
		Code: cua.Reason(g.Reason)}
	if v := t.Evidence.Value; g.Action.Kind == cua.Type && v != nil {
		s.Field = v.Label
	}
	return s
}

// amend reads what became known of a step.
func (r *run) amend(line []byte) error {
	var a struct {
		Index *float64 `json:"index"`
		Did   *struct {
			ActionType string `json:"action_type"`
			Text       string `json:"text"`
		} `json:"did"`
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("amend: %w", err)
	}
	index := r.stream.Index(r.stream.Len())
	if a.Index != nil {
		index = int(*a.Index)
	}
	s, said := r.suggested[index], r.stream.Advice(index)
	if s != nil && said != nil && a.Did != nil && a.Did.ActionType == s.ActionType &&
		(a.Did.Text == s.Text || s.Field != "") {
		said.RecoveryReason = s.Code
	}
	return r.stream.Amend(line)
}

// end is the line of `detect --json` of the whole run.
func (r *run) end(line []byte) (any, error) {
	whole, err := r.stream.End(line)
	if err != nil {
		return nil, err
	}
	return detection.Detect(whole, r.assembly, nil), nil
}

// focus completes the focus of the page before step i. It is a text field only if something says so: its
// role, a plan value with its label, or a text that was typed into it.
func (r *run) focus(i int, o *cua.Observation) {
	if o.Focus == nil {
		return
	}
	id := o.Focus.ID
	name, text := id, false
	for _, role := range []string{"textbox", "searchbox", "combobox", "spinbutton"} {
		for _, prefix := range []string{"role=" + role + " name=", role + ":"} {
			if rest, ok := strings.CutPrefix(id, prefix); ok {
				name, text = rest, true
			}
		}
	}
	f := cua.Field{ID: id, Name: name, Label: name, Role: "textbox", Tag: "input", Type: "text",
		Editable: true, Empty: true}
	for _, w := range r.typed {
		if w.step < i && w.field == name {
			text, f.Empty, f.ValueDigest = true, w.text == "", cua.Digest(w.text)
		}
	}
	planned := slices.ContainsFunc(r.task.Fields, func(v cua.PlanValue) bool { return v.Label == name })
	if !text && !planned {
		f = cua.Field{ID: id, Name: name}
	}
	o.Focus = &f
	o.Fields = []cua.Field{f}
}

// fieldName is what a target is called where it has the focus.
func fieldName(t cua.Target) string {
	if t.Name != "" {
		return t.Name
	}
	return t.ID
}
