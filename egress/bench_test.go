package egress

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
)

// BenchmarkRequest is what one request to this machine costs with the proxy and without it, in turns: the
// medians.
func BenchmarkRequest(b *testing.B) {
	o := newOrigin(b, nil)
	_, client := through(b, only(o), nil)
	direct := &http.Client{Transport: &http.Transport{Proxy: func(*http.Request) (*url.URL,
		error) {
		return nil, nil
	}}}
	defer direct.CloseIdleConnections()
	var took [2][]float64
	for b.Loop() {
		for i, c := range []*http.Client{client, direct} {
			began := time.Now()
			res, err := c.Get(o.URL)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
			took[i] = append(took[i], float64(time.Since(began).Microseconds()))
		}
	}
	middle := func(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(took[0]), "proxy-µs")
	b.ReportMetric(middle(took[1]), "direct-µs")
	b.ReportMetric(middle(took[0])-middle(took[1]), "extra-µs")
}
