package formats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// atifInput is a trajectory that anybody wrote in the Agent Trajectory Interchange Format, of any version.
type atifInput struct {
	Session    string `json:"session_id"`
	Trajectory string `json:"trajectory_id"`
	Agent      struct {
		Name string `json:"name"`
	} `json:"agent"`
	// Extra may hold fields of a trajectory of the neutral form.
	Extra json.RawMessage `json:"extra"`
}

type atifInputStep struct {
	ID        float64         `json:"step_id"`
	Source    string          `json:"source"`
	Message   json.RawMessage `json:"message"`
	Reasoning string          `json:"reasoning_content"`
	Calls     []struct {
		Name      string          `json:"function_name"`
		Arguments json.RawMessage `json:"arguments"`
		// Extra may hold fields of a step of the neutral form.
		Extra json.RawMessage `json:"extra"`
	} `json:"tool_calls"`
	Metrics *struct {
		Prompt     float64  `json:"prompt_tokens"`
		Completion float64  `json:"completion_tokens"`
		USD        *float64 `json:"cost_usd"`
	} `json:"metrics"`
	Extra json.RawMessage `json:"extra"`
}

// isATIF says whether a document names this form as its own.
func isATIF(schema json.RawMessage) bool { return bytes.HasPrefix(schema, []byte(`"ATIF-v`)) }

// readATIF reads text, the steps of which are list. A page is unknown where no extra has fields of it.
func readATIF(text, list []byte) (*Run, error) {
	var in atifInput
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, plainError(err)
	}
	run := &Run{Format: ATIF, ID: cmp.Or(in.Trajectory, in.Session), Source: in.Agent.Name}
	head := extraOf[neutralHead](in.Extra)
	f := foreignRun{final: seen{url: head.FinalURL, all: head.FinalObservation, dom: head.FinalDOM,
		form: head.FinalForm, picture: head.FinalPicture, view: head.FinalView}}
	run.Source, run.Task = cmp.Or(head.Source, run.Source), head.Task
	run.ID, run.Success = cmp.Or(head.ID, run.ID), head.Success
	if v := head.Viewport; len(v) == 2 {
		f.viewport = cua.Size{W: int(min(max(v[0], 0), maxPlace)), H: int(min(max(v[1], 0), maxPlace))}
	}
	dec := json.NewDecoder(bytes.NewReader(list))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.New("steps: a list belongs there")
	}
	for n := 1; dec.More(); n++ {
		var s atifInputStep
		at := partAt(dec, list)
		err := plainError(dec.Decode(&s))
		if err == nil {
			err = s.add(&f, run)
		}
		if err == nil && len(f.steps) > maxSteps {
			err = fmt.Errorf("more than %d steps", maxSteps)
		}
		if err != nil {
			return nil, &partError{fmt.Sprintf("step %d of the list", n), at, err}
		}
	}
	for i := range f.steps { // what the last step is, is known only now
		if s := &f.steps[i]; f.told[i].last != nil {
			f.told[i].last(s, i == len(f.steps)-1)
		}
	}
	f.refuseEarlyDone()
	run.History = f.history()
	run.End = foreignEnd(run.History)
	return run, nil
}

// extraOf is what an extra says in the words of the neutral form. Others may use the same names for something
// else: what cannot be read says nothing.
func extraOf[T any](raw json.RawMessage) T {
	var out, none T
	if len(raw) > 0 && json.Unmarshal(raw, &out) != nil {
		return none
	}
	return out
}

// add puts the steps of one decision behind those of f.
func (s *atifInputStep) add(f *foreignRun, run *Run) error {
	if !(s.ID >= 0 && s.ID <= maxIndex) || s.ID != math.Trunc(s.ID) {
		return fmt.Errorf("step_id is %v: a number from 0 to %v belongs there", s.ID, float64(maxIndex))
	}
	switch s.Source {
	case "agent":
	case "user":
		run.Task = cmp.Or(run.Task, cua.HeadBytes(atifText(s.Message), maxThought))
		return nil
	default: // a system step, or one of a later version
		return nil
	}
	first := len(f.steps)
	for i, c := range s.Calls {
		if err := s.call(f, c.Name, c.Arguments, c.Extra); err != nil {
			return fmt.Errorf("tool call %d: %w", i+1, err)
		}
	}
	if len(s.Calls) == 0 {
		extra := extraOf[struct{ Unparsed *neutralStep }](s.Extra)
		if n := extra.Unparsed; n != nil && n.check() == nil {
			f.addNeutral(n)
		} else { // words, which act on nothing
			a := cua.Action{Kind: cua.Observe, Text: cua.HeadBytes(atifText(s.Message), maxThought)}
			f.add(cua.Step{Proposed: a, Action: &a}, told{decision: int(s.ID)})
		}
	}
	for len(run.Index) < len(f.steps) {
		run.Index = append(run.Index, int(s.ID))
	}
	one := &f.steps[first]
	thought := cmp.Or(s.Reasoning, extraOf[struct{ Thought string }](s.Extra).Thought)
	one.Thought = cua.HeadBytes(thought, maxThought)
	if m := s.Metrics; m != nil {
		if !(m.Prompt >= 0 && m.Prompt <= maxNumber && m.Completion >= 0 && m.Completion <= maxNumber) ||
			m.USD != nil && !(*m.USD >= 0 && *m.USD <= maxNumber) {
			return errors.New("metrics: tokens or costs beyond all measure")
		}
		one.Usage = cua.Usage{InputTokens: int(m.Prompt), OutputTokens: int(m.Completion), USD: m.USD}
	}
	return nil
}

// call adds one tool call: as its extra tells it, else by its name and arguments.
func (s *atifInputStep) call(f *foreignRun, name string, args, extra json.RawMessage) error {
	n := extraOf[neutralStep](extra)
	if n.Index == nil {
		n.Index = new(0.0)
	}
	if n.ActionType != "" && n.check() == nil {
		f.addNeutral(&n)
		return nil
	}
	name, args = plainTool(name, args)
	raw, err := json.Marshal(map[string]json.RawMessage{name: args})
	if err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	a, t, err := useAction(raw, nil)
	if err != nil {
		return err
	}
	p := useParams{}
	_ = json.Unmarshal(args, &p) // not an object: there is no target in it
	if t.ID == "" && a.Kind.Known() {
		t.ID = cua.HeadBytes(p.text("ref", "uid", "selector", "element", "target"), maxDetail)
	}
	step := cua.Step{Proposed: a, Action: &a, Target: t}
	if a.Kind == "" {
		step.Action, step.Failure = nil, &cua.Failure{Kind: cua.FailSchema, Detail: "a call without a name"}
	}
	f.structured = f.structured || n.DOMHash != ""
	f.add(step, told{page: n.page(), effect: n.Effect, decision: int(s.ID)})
	return nil
}

// addNeutral adds a step that is told in the neutral form. Our own form makes each step a decision of its
// own: the page was looked at between those of one answer.
func (r *foreignRun) addNeutral(n *neutralStep) {
	r.structured = r.structured || n.DOMHash != ""
	t := told{page: n.page(), effect: n.Effect, decision: -1 - len(r.steps), taken: true}
	t.last = func(s *cua.Step, last bool) {
		was := *s
		*s = cua.Step{}
		n.fill(s, last)
		s.Thought = cmp.Or(was.Thought, s.Thought)
		if was.Usage != (cua.Usage{}) {
			s.Usage = was.Usage
		}
	}
	r.add(cua.Step{}, t)
}

// plainTool is the name and the arguments of a call without what a server puts around them: the prefix of
// browser tools, and the one tool of computer use, whose action is an argument.
func plainTool(name string, args json.RawMessage) (string, json.RawMessage) {
	if i := strings.LastIndex(name, "browser_"); i >= 0 {
		name = name[i+len("browser_"):]
	}
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var p map[string]json.RawMessage
	if json.Unmarshal(args, &p) != nil {
		return cmp.Or(toolWords[name], name), args
	}
	if inner := (useParams)(p).text("action"); name == "computer" && inner != "" {
		name = inner
	}
	var at []json.RawMessage
	if json.Unmarshal(p["coordinate"], &at) == nil && len(at) == 2 {
		p["coordinate_x"], p["coordinate_y"] = at[0], at[1]
	}
	var point struct{ X, Y json.RawMessage }
	if json.Unmarshal(p["point"], &point) == nil && point.X != nil && point.Y != nil {
		p["coordinate_x"], p["coordinate_y"] = point.X, point.Y
	}
	name = cmp.Or(toolWords[name], name)
	for have, names := range map[string][]string{"text": {"value"}, "keys": {"key", "text"}} {
		for _, n := range names {
			if p[have] == nil && p[n] != nil && (have == "text" || name == "send_keys") {
				p[have] = p[n]
			}
		}
	}
	if raw, err := json.Marshal(p); err == nil {
		args = raw
	}
	return name, args
}

// toolWords are other agents' names of actions whose own names say something else.
var toolWords = map[string]string{"left_click": "click", "mouse_move": "hover", "key": "send_keys",
	"press_key": "send_keys", "navigate_back": "go_back", "snapshot": "screenshot",
	"take_snapshot": "screenshot", "fill": "input", "wait_for": "wait", "left_click_drag": "drag_drop",
	"key_press":     "send_keys",
	"navigate_page": "navigate", "select_option": "select_dropdown"}

// atifText is a message: a text, or the texts of its parts.
func atifText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		text = strings.TrimSpace(text + "\n" + p.Text)
	}
	return text
}
