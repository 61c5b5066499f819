package browser

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

const benchForm = `<title>form</title><form><label>Name <input></label><label>Mail <input type=email></label>
	<label>Size <select><option>Small<option>Large</select></label><button type=button onclick="this.textContent=++n">0</button></form>
	<script>n=0</script>`

// A whole step on a static form page: input, settling, evidence, frame.
func BenchmarkStep(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) {
			var outs []cua.Outcome
			defer func() { stages(b, outs) }()
			e := open(b, SessionOptions{Capture: way.capture}, site(b, map[string]string{"/": benchForm}).URL)
			click := e.at(cua.Action{Kind: cua.Click}, "0")
			for b.Loop() {
				out := e.act(click)
				if out.Failure != nil {
					b.Fatal(out.Failure)
				}
				outs = append(outs, out)
			}
		})
	}
}

// ways are those by which frames are got.
var ways = []struct {
	name    string
	capture bool
}{{"screencast", false}, {"capture", true}}

// The bare parts by the same way: input, one trip to the page, a frame. To be compared with
// BenchmarkStep of the same run.
func BenchmarkBare(b *testing.B) {
	for _, way := range ways {
		b.Run(way.name, func(b *testing.B) { bareStep(b, way.capture) })
	}
}

func bareStep(b *testing.B, capture bool) {
	e := open(b, SessionOptions{Capture: capture}, site(b, map[string]string{"/": benchForm}).URL)
	p := *e.at(cua.Action{Kind: cua.Click}, "0").Point
	t, err := e.here()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := bareParts(b.Context(), t, p); err != nil {
			b.Fatal(err)
		}
	}
}

// stages reports the medians of the parts of a step, and how its frames were got.
func stages(b *testing.B, outs []cua.Outcome) {
	b.Helper()
	median := func(name string, of func(cua.Outcome) float64) {
		v := make([]float64, len(outs))
		for i, o := range outs {
			v[i] = of(o)
		}
		slices.Sort(v)
		b.ReportMetric(v[len(v)/2], name)
	}
	median("dispatch-ms", func(o cua.Outcome) float64 { return o.DispatchMS })
	median("settle-ms", func(o cua.Outcome) float64 { return o.SettleMS })
	median("observe-ms", func(o cua.Outcome) float64 { return o.ObserveMS })
	median("p50-ms", func(o cua.Outcome) float64 { return o.DispatchMS + o.SettleMS + o.ObserveMS })
	cast := 0
	for _, o := range outs {
		if o.Settle.Frame == string(frames.ByScreencast) || o.Settle.Frame == string(frames.ByReuse) {
			cast++
		}
	}
	b.ReportMetric(100*float64(cast)/float64(len(outs)), "%screencast")
}
