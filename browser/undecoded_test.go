package browser

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// A document whose body cannot be decoded has the browser's net error, although it was committed before. As a
// start page it is a fault of the site. A document that is cut off shows the part that arrived.
func TestABodyThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/bad":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "no gzip at all")
		case "/half":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "<title>half</title>half")
		default:
			_, _ = io.WriteString(w, "<title>home</title>")
		}
	})
	const undecoded = "net::ERR_CONTENT_DECODING_FAILED"
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			b := alone(t, Options{Path: path})
			e := openIn(t, b, SessionOptions{}, ts.URL)
			out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/bad"})
			if out.Failure == nil || out.Failure.Kind != cua.FailNav || out.After.NavError != undecoded {
				t.Errorf("%v, %q", out.Failure, out.After.NavError)
			}
			if out = e.act(cua.Action{Kind: cua.Wait, MS: 1}); out.After.NavError != undecoded {
				t.Errorf("a step later: %q", out.After.NavError)
			}
			for page, shows := range map[string]string{"/half": "half", "/": "home"} {
				out = e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + page})
				if out.Failure != nil || out.After.NavError != "" || out.After.Title != shows {
					t.Errorf("%s: %v, %q, shows %q", page, out.Failure, out.After.NavError, out.After.Title)
				}
			}
			s, err := b.NewSession(t.Context(), anyServer(SessionOptions{}))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			_, err = s.Reset(t.Context(), cua.Task{URL: ts.URL + "/bad"})
			var f *cua.Failure
			if !errors.As(err, &f) || f.Kind != cua.FailSite {
				t.Errorf("as a start page: %v", err)
			}
		})
	}
}
