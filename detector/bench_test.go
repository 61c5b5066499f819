package detector

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// long is a history of 200 steps on a page of 60 parts, with a clock when ticking.
func long(ticking bool) cua.History {
	p := newPage("https://shop.test/list?q=lamp&page=1")
	for i := range 60 {
		p.parts[fmt.Sprintf("main/section[%d]/ul", i)] = strconv.Itoa(i)
	}
	for i := range 20 {
		p.values[fmt.Sprintf("textbox|%d", i)] = "value"
	}
	s := newSim(p)
	if ticking {
		s.idle = tick()
	}
	for i := range 200 {
		if i < 180 && i%3 == 0 {
			s.do(click(400, 300), button("Next"),
				func(p *page) { p.url = fmt.Sprint("https://shop.test/list?q=lamp&page=", i) })
			continue
		}
		s.do(click(400+float64(i%5), 300), button("Go"), nil)
	}
	return s.h
}

func BenchmarkDetect200(b *testing.B) {
	for _, ticking := range []bool{false, true} {
		h := long(ticking)
		for _, row := range []struct {
			name string
			d    LoopDetector
		}{{"conditioned", Shapes(DefaultConfig())}, {"classic", classic(DefaultConfig())},
			{"all", append(Shapes(DefaultConfig()), classic(DefaultConfig())...)}} {
			b.Run(fmt.Sprintf("%s/clock=%v", row.name, ticking), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if len(row.d.Detect(h)) == 0 {
						b.Fatal("no signal at the end of a history that is stuck")
					}
				}
			})
		}
	}
}

func BenchmarkIncidents200(b *testing.B) {
	h := long(true)
	for b.Loop() {
		Incidents(h, Shapes(DefaultConfig()), cua.EndMaxSteps)
	}
}

func BenchmarkEffect(b *testing.B) {
	h := long(true)
	in := EffectInput{Before: h.Before(100), After: h.Steps[100].After, Action: *h.Steps[100].Action,
		Target: h.Steps[100].Target, Churn: h.Churn(), Tiles: &cua.TileDiff{Cols: 40, Rows: 25,
			Changed: cua.TileSet{7, 8, 9}}}
	b.ReportAllocs()
	for b.Loop() {
		Effect(in)
	}
}

// BenchmarkScore200 is what one step of a history of 200 costs the offline scorer: ns/step.
func BenchmarkScore200(b *testing.B) {
	for _, ticking := range []bool{false, true} {
		h := long(ticking)
		b.Run(fmt.Sprintf("clock=%v", ticking), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Shapes(DefaultConfig()).Score(h, cua.EndMaxSteps).FirstSoft == 0 {
					b.Fatal("no signal in a history that is stuck")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(h.Steps)), "ns/step")
		})
	}
}

// endless is a history of n presses of one button: dead, or each with a new page.
func endless(n int, dead bool) cua.History {
	h := cua.History{Start: cua.Observation{URL: "https://a.test/", DOMDigest: "0"},
		Steps: make([]cua.Step, n)}
	for i := range h.Steps {
		a := click(400, 300)
		h.Steps[i] = cua.Step{N: i + 1, Proposed: a, Action: &a, Target: button("Go"), After: h.Start,
			Effect: &cua.Effect{}}
		if !dead {
			h.Steps[i].After.DOMDigest = strconv.Itoa(i + 1)
			h.Steps[i].Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
		}
	}
	return h
}

// BenchmarkScoreEndless is what one step costs in the longest trajectory that is read: ns/step.
func BenchmarkScoreEndless(b *testing.B) {
	const steps = 100_000
	for _, dead := range []bool{true, false} {
		h := endless(steps, dead)
		b.Run(fmt.Sprintf("dead=%v", dead), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if s := Shapes(DefaultConfig()).Score(h, cua.EndMaxSteps); (s.FirstHard > 0) != dead {
					b.Fatalf("first hard signal after step %d", s.FirstHard)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*steps), "ns/step")
		})
	}
}
