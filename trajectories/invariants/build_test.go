package invariants

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

type (
	tale   = taletest.Tale[*Journal]
	change = taletest.Change
)

const shopPage = taletest.Page

var (
	textbox, sendButton, sendTarget = taletest.Textbox, taletest.SendButton, taletest.SendTarget
	holding, dom, passes            = taletest.Holding, taletest.DOM, taletest.Passes
	click, typing, returnKey        = taletest.Click, taletest.Typing, taletest.ReturnKey
)

// begin is a tale in which nothing has happened yet.
func begin(fields []cua.Field, values ...string) *tale {
	h := trajectories.Header{Version: 2, Episode: "tale", Toggles: cua.AllOn()}
	j := &Journal{Trajectory: &trajectories.Trajectory{Header: h}}
	return taletest.Begin(j, &j.Header.Task, &j.Start, &j.Steps, fields, values...)
}

func passwordBox(label string) cua.Field {
	f := textbox(label)
	f.Type = "password"
	return f
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

func at(url string) change { return func(o *cua.Observation) { o.URL = url } }

// written is a write that was answered well.
func written(o *cua.Observation) {
	o.Writes = []cua.Write{{Method: "POST", URL: shopPage, Status: 200}}
}

// nudged gives a step a nudge.
func nudged(level int) func(s *cua.Step) {
	return func(s *cua.Step) { s.Notes = []cua.Note{{From: "nudge", Level: level, Text: "Stop."}} }
}

// configured gives a journal its config.
func configured(doc string) func(j *Journal) {
	return func(j *Journal) { j.Header.Config = json.RawMessage(doc) }
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
			violations, _ := All()[i].Check(row.tale.J)
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
	return []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat}, First: 4, Last: 7,
		Outcome: cua.OutcomeRecovered}}
}
