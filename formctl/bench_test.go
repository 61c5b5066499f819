package formctl

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

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

// reread is h as a journal gives it back: no two observations share a string.
func reread(tb testing.TB, h cua.History) cua.History {
	raw, err := json.Marshal(h)
	if err != nil {
		tb.Fatal(err)
	}
	var out cua.History
	if err := json.Unmarshal(raw, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// filling is a history of 200 steps in which eight values land one after the other and the steps
// between type elsewhere.
func filling() (cua.Task, cua.History) {
	task, h := long()
	for n := range h.Steps {
		fields := h.Steps[n].After.Fields
		for i := range min(n/20+1, len(task.Fields)) {
			fields[i*5] = holding(fields[i*5], task.Fields[i].Value)
		}
		h.Steps[n].After = page(fields...)
	}
	return task, h
}

func BenchmarkState(b *testing.B) {
	for name, of := range map[string]func() (cua.Task, cua.History){"typing": long, "filling": filling} {
		task, h := of()
		h = reread(b, h)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				State(task, h, DefaultConfig())
			}
		})
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
		p := cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "b", Role: "button",
			Name: "Send", Submit: true, Form: "f"}}
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

// BenchmarkReader is what the state costs at one step of a run that continues: best-us/step is the mean of
// the best ten steps in a row before it.
func BenchmarkReader(b *testing.B) {
	const window = 10
	task, h := long()
	for len(h.Steps) < 500 {
		h.Steps = append(h.Steps, h.Steps[:200]...)
	}
	h = reread(b, h)
	for _, n := range []int{window, 200, 500} {
		b.Run(fmt.Sprintf("step=%d", n), func(b *testing.B) {
			best := time.Duration(1 << 62)
			for b.Loop() {
				var r Reader
				at := func(n int) cua.History { return cua.History{Start: h.Start, Steps: h.Steps[:n:n]} }
				r.Read(task, at(n-window), DefaultConfig())
				began := time.Now()
				for i := n - window; i < n; i++ {
					r.Read(task, at(i+1), DefaultConfig())
				}
				best = min(best, time.Since(began))
			}
			b.ReportMetric(float64(best.Nanoseconds())/1000/window, "best-us/step")
		})
	}
}
