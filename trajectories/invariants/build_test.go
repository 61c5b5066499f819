package invariants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// tale is a journal made by hand, step by step, on a page with a form.
type tale struct{ j *Journal }

const shopPage = "https://shop.example/form"

// textbox is a field of one line in form f; its place on the page is made of its name.
func textbox(label string) cua.Field {
	return cua.Field{ID: "box/" + label, Role: "textbox", Label: label, Tag: "input", Type: "text", Form: "f", Editable: true, Empty: true}
}

func passwordBox(label string) cua.Field {
	f := textbox(label)
	f.Type = "password"
	return f
}

// sendButton is where no field is.
func sendButton() cua.Mark {
	return cua.Mark{N: 1, ID: "button/Send", Role: "button", Name: "Send", Text: "Send", Tag: "button", Type: "submit", Submit: true, Form: "f", Box: cua.Box{X: 400, Y: 400, W: 80, H: 20}}
}

var sendTarget = cua.Target{ID: "button/Send", Role: "button", Name: "Send", Text: "Send", Submit: true, Form: "f", Point: &cua.Point{X: 440, Y: 410}}

// begin is a tale in which nothing has happened yet. Its task wants the values, which are label and value by turns.
func begin(fields []cua.Field, values ...string) *tale {
	j := &Journal{Trajectory: &trajectories.Trajectory{Header: trajectories.Header{Version: 2, Episode: "tale", Toggles: cua.AllOn(),
		Task: cua.Task{ID: "tale", Goal: "Fill in the form.", URL: shopPage}}}}
	for i := 0; i < len(values); i += 2 {
		j.Header.Task.Fields = append(j.Header.Task.Fields, cua.PlanValue{Label: values[i], Value: values[i+1]})
	}
	j.Start = cua.Observation{URL: shopPage, Document: "d1", Viewport: cua.Size{W: 1280, H: 800}, DOMDigest: "dom", Fields: fields, Marks: []cua.Mark{sendButton()}}
	for i := range j.Start.Fields {
		j.Start.Fields[i].Box = cua.Box{X: 100, Y: float64(100 + 40*i), W: 200, H: 30}
	}
	j.Start.Forms = []cua.Form{{ID: "f", Default: new(sendButton().Control())}}
	j.Start.FormDigest = digestOf(&j.Start)
	return &tale{j}
}

func digestOf(o *cua.Observation) string { return cua.Digest(fmt.Sprint(o.Fields)) }

// change is what a step does to the page.
type change func(o *cua.Observation)

// holding puts a value into a field; "" empties it.
func holding(label, value string) change {
	return func(o *cua.Observation) {
		for i := range o.Fields {
			f := &o.Fields[i]
			if f.Label != label {
				continue
			}
			f.ValueDigest, f.Secret, f.Empty = cua.Digest(value), cua.SecretName(value), value == ""
		}
	}
}

// focused gives a field the focus.
func focused(label string) change {
	return func(o *cua.Observation) {
		f := *o.FieldByID("box/" + label)
		o.Focus = &f
	}
}

// fresh is another document at the same address.
func fresh(name string) change { return func(o *cua.Observation) { o.Document = name } }

func dom(digest string) change { return func(o *cua.Observation) { o.DOMDigest = digest } }

func at(url string) change { return func(o *cua.Observation) { o.URL = url } }

// written is a write that was answered well.
func written(o *cua.Observation) {
	o.Writes = []cua.Write{{Method: "POST", URL: shopPage, Status: 200}}
}

func (t *tale) now() cua.Observation { return t.j.History().Now() }

// step adds s; what it changes makes its page and its effect.
func (t *tale) step(s cua.Step, changes ...change) *tale {
	before := t.now()
	after := before
	after.Fields, after.Writes = slices.Clone(before.Fields), nil
	for _, c := range changes {
		c(&after)
	}
	after.FormDigest = digestOf(&after)
	s.N, s.Decision, s.After = len(t.j.Steps)+1, len(t.j.Steps)+1, after
	if s.Action != nil {
		s.Effect = &cua.Effect{}
		for what, differ := range map[cua.Change]bool{cua.ChangeURL: before.URL != after.URL, cua.ChangeForm: before.FormDigest != after.FormDigest,
			cua.ChangeDOM: before.DOMDigest != after.DOMDigest, cua.ChangeWrite: after.Writes != nil} {
			if differ {
				s.Effect.Progress = append(s.Effect.Progress, what)
			}
		}
		slices.Sort(s.Effect.Progress)
	}
	t.j.Steps = append(t.j.Steps, s)
	return t
}

// brain does what the brain asks for.
func (t *tale) brain(a cua.Action, target cua.Target, changes ...change) *tale {
	return t.step(cua.Step{Proposed: a, Action: &a, Target: target, Rulings: passes("limits", "policy")}, changes...)
}

// gate puts a in the place of a click on the button.
func (t *tale) gate(gate, reason string, a cua.Action, changes ...change) *tale {
	s := cua.Step{Proposed: click(), Action: &a, Target: sendTarget,
		Rulings: append(passes("limits", "policy"), cua.Ruling{Gate: gate, Verdict: cua.Replace, Reason: reason, Action: &a, Detail: "because"})}
	if gate == "rescue" {
		s.RecoveryReason, s.Incident = cua.Reason(reason), "i1"
	}
	return t.step(s, changes...)
}

// fill is force_fill's typing.
func (t *tale) fill(label, value string, changes ...change) *tale {
	return t.gate("force_fill", "fill_pending_value", typing(label, value), changes...)
}

// ruled adds a step that a ruling kept from being dispatched.
func (t *tale) ruled(r cua.Ruling) *tale {
	s := cua.Step{Proposed: click(), Target: sendTarget, Rulings: append(passes("limits"), r)}
	switch {
	case r.Verdict == cua.Refuse:
		s.Failure = &cua.Failure{Kind: cua.FailPolicy, Detail: r.Detail}
	case r.Gate == "rescue":
		s.RecoveryReason = cua.Reason(r.Reason)
	}
	return t.step(s)
}

// clicks adds n clicks of the brain on the button, without effect.
func (t *tale) clicks(n int) *tale {
	for range n {
		t.brain(click(), sendTarget)
	}
	return t
}

// last edits the newest step.
func (t *tale) last(edit func(s *cua.Step)) *tale {
	edit(&t.j.Steps[len(t.j.Steps)-1])
	return t
}

// warned has the newest step carry a nudge.
func (t *tale) warned(level int) *tale {
	return t.last(func(s *cua.Step) { s.Notes = []cua.Note{{From: "nudge", Level: level, Text: "Stop."}} })
}

// set edits the journal.
func (t *tale) set(edit func(j *Journal)) *tale {
	edit(t.j)
	return t
}

// config is that of the header.
func (t *tale) config(doc string) *tale {
	return t.set(func(j *Journal) { j.Header.Config = json.RawMessage(doc) })
}

func passes(gates ...string) []cua.Ruling {
	var out []cua.Ruling
	for _, g := range gates {
		out = append(out, cua.Ruling{Gate: g, Verdict: cua.Pass})
	}
	return out
}

func click() cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 440, Y: 410}} }

func typing(label, value string) cua.Action {
	return cua.Action{Kind: cua.Type, Into: "box/" + label, Text: value, Clear: true}
}

func returnKey(label string) cua.Action {
	a := cua.Action{Kind: cua.Key, Keys: "Return"}
	if label != "" {
		a.Into = "box/" + label
	}
	return a
}

// checkRow is one journal and the steps at which it breaks one invariant; none is that it holds.
type checkRow struct {
	name string
	tale *tale
	want []int
}

// checkRows holds each row against the one invariant.
func checkRows(t *testing.T, name string, rows []checkRow) {
	t.Helper()
	i := slices.IndexFunc(All(), func(in Invariant) bool { return in.Name == name })
	if i < 0 {
		t.Fatalf("no invariant %s", name)
	}
	broken, held := 0, 0
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var got []int
			violations, _ := All()[i].Check(row.tale.j)
			for _, v := range violations {
				got = append(got, v.Step)
				if v.Detail == "" || v.Invariant != name {
					t.Errorf("violation %+v", v)
				}
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("broken at steps %v, want %v: %+v", got, row.want, violations)
			}
		})
		if len(row.want) > 0 {
			broken++
		} else {
			held++
		}
	}
	if broken == 0 || held == 0 {
		t.Errorf("%d rows break %s and %d keep it: want some of both", broken, name, held)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// goldenJournal are the bytes of the golden episode, goldenIncidents its incidents.
func goldenJournal(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "episode.jsonl"))
	must(t, err)
	return data
}

func goldenIncidents() []cua.Incident {
	return []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat}, First: 4, Last: 7, Outcome: cua.OutcomeRecovered}}
}
