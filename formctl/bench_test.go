package formctl

import (
	"fmt"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// long is a history of 200 steps on a page of 40 fields: eight planned values, and each step
// types one more character somewhere, so that no two observations are the same.
func long() (cua.Task, cua.History) {
	var task cua.Task
	var fields []cua.Field
	for i := range 40 {
		f := in(fmt.Sprint("f", i), fmt.Sprintf("%c%cx number", 'a'+i%26, 'a'+i/26))
		f.NameAttr, f.Placeholder = fmt.Sprint("field_", i), "Type here…"
		fields = append(fields, f)
		if i%5 == 0 {
			task.Fields = append(task.Fields, cua.PlanValue{Label: f.Label, Value: fmt.Sprint("value ", i)})
		}
	}
	obs := []cua.Observation{page(fields...)}
	for n := range 200 {
		next := append([]cua.Field{}, fields...)
		next[n%40] = holding(next[n%40], fmt.Sprint("typed ", n))
		fields = next
		obs = append(obs, page(fields...))
	}
	return task, steps(obs...)
}

func BenchmarkState(b *testing.B) {
	task, h := long()
	for b.Loop() {
		State(task, h, DefaultConfig())
	}
}

func BenchmarkGates(b *testing.B) {
	task, h := long()
	for i := 0; i < 40; i += 5 { // all values in, for force_submit
		last := &h.Steps[len(h.Steps)-1].After
		last.Fields[i] = holding(last.Fields[i], fmt.Sprint("value ", i))
	}
	full := turn(task, h)
	if !full.Form.AllLanded() {
		b.Fatal("the bench wants a full form")
	}
	b.Run("force_submit", func(b *testing.B) {
		p := cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "b", Role: "button", Name: "Send", Submit: true, Form: "f"}}
		for b.Loop() {
			ForceSubmit{DefaultConfig()}.Review(full, p)
		}
	})
	_, h = long()
	pending := turn(task, h)
	b.Run("force_fill", func(b *testing.B) {
		p := onto(pending.Now.Fields[20])
		for b.Loop() {
			ForceFill{DefaultConfig()}.Review(pending, p)
		}
	})
}
