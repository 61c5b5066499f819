package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// BenchmarkProxy is what steps cost with the proxy and without it, in turns: proxy-ms and direct-ms are the
// medians, ratio is one by the other, extra-ms the median of the differences between two steps that followed
// each other.
func BenchmarkProxy(b *testing.B) {
	ts := serve(b, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>"+benchForm+`<button onclick="fetch('/data').then(r=>r.text()).then(t=>document.title=t+n++)">ask</button>`)
		case "/data":
			fmt.Fprint(w, "answer")
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>many</title>")
			for i := range 20 {
				fmt.Fprintf(w, "<script src=/%d.js></script>", i)
			}
		}
	})
	for _, row := range []struct {
		name string
		a    cua.Action
		on   string
	}{
		{"no request", cua.Action{Kind: cua.Click}, "0"},
		{"one request", cua.Action{Kind: cua.Click}, "ask"},
		{"a page of twenty", cua.Action{Kind: cua.Navigate, URL: ts.URL + "/many"}, ""},
	} {
		b.Run(strings.ReplaceAll(row.name, " ", "_"), func(b *testing.B) {
			sides := []env{open(b, SessionOptions{}, ts.URL), open(b, SessionOptions{direct: true}, ts.URL)}
			steps := make([]cua.Action, len(sides))
			for i, e := range sides {
				steps[i] = row.a
				if row.on != "" {
					steps[i] = e.at(row.a, row.on)
				}
			}
			var took [2][]float64
			var extra []float64
			for n := 0; b.Loop(); n++ {
				for k := range sides {
					i := (n + k) % len(sides) // who goes first changes
					began := time.Now()
					if out := sides[i].act(steps[i]); out.Failure != nil {
						b.Fatal(out.Failure)
					}
					took[i] = append(took[i], ms(time.Since(began)))
				}
				extra = append(extra, took[0][n]-took[1][n])
			}
			middle := func(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(middle(took[0]), "proxy-ms")
			b.ReportMetric(middle(took[1]), "direct-ms")
			b.ReportMetric(middle(took[0])/middle(took[1]), "ratio")
			b.ReportMetric(middle(extra), "extra-ms")
		})
	}
}
