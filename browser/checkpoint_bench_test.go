package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// The price of checkpoints: the same press in two sessions by turns, with and without them, so that whatever
// else the machine does falls on both.
func BenchmarkCheckpoint(b *testing.B) {
	var long strings.Builder
	for i := range 150 {
		fmt.Fprintf(&long, `<p><label>Field %d <input name=f%d value="some text %d"></label>`, i, i, i)
	}
	const store = `<script>for(let i=0;i<100;i++)localStorage['k'+i]='v'.repeat(100)</script>`
	for _, row := range []struct{ name, page string }{
		{"small", benchForm},
		{"large", benchForm + store + long.String()},
		{"busy storage", benchForm + store + `<script>addEventListener('click',()=>{localStorage.at=n;document.cookie='n='+n})</script>`},
	} {
		b.Run(row.name, func(b *testing.B) {
			url := site(b, map[string]string{"/": row.page}).URL
			with, without := open(b, SessionOptions{}, url), open(b, SessionOptions{NoState: true}, url)
			press := with.at(cua.Action{Kind: cua.Click}, "0")
			var a, c []float64
			took := func(e env) float64 {
				out := e.act(press)
				if out.Failure != nil {
					b.Fatal(out.Failure)
				}
				return out.DispatchMS + out.SettleMS + out.ObserveMS
			}
			for b.Loop() {
				a, c = append(a, took(with)), append(c, took(without))
			}
			slices.Sort(a)
			slices.Sort(c)
			b.ReportMetric(a[len(a)/2], "with-ms")
			b.ReportMetric(c[len(c)/2], "without-ms")
			b.ReportMetric(a[len(a)/2]/c[len(c)/2], "ratio")
		})
	}
}
