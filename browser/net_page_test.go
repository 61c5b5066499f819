package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
)

// asksPage is a page with a button that asks the server and puts what became of it into the title.
const asksPage = `<title>ready</title><button onclick="fetch('/data',{cache:'no-store'}).then(r=>document.title='status '+r.status,
e=>document.title='failed')">ask</button><button onclick="location='/next'">go on</button>`

// A page meets network faults as it would meet the faults themselves; the start page is never struck. The
// record has the same faults.
func TestPagesMeetNetworkFaults(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fault, title, navError string
	}{
		{"net_503=1", "status 503", ""},
		{"net_reset=1", "failed", "net::ERR_CONNECTION_RESET"},
		{"net_offline=1@9", "failed", "net::ERR_INTERNET_DISCONNECTED"},
		{"net_latency=1@50", "status 200", ""},
		{"net_503=0", "status 200", ""},
	} {
		t.Run(row.fault, func(t *testing.T) {
			bothBrowsers(t, func(t *testing.T, b *Browser) {
				ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, "<!doctype html>"+asksPage)
				})
				f, err := cua.ParseNetFault(row.fault)
				if err != nil {
					t.Fatal(err)
				}
				o := anyServer(SessionOptions{Record: new(egress.Recorder)})
				o.Faults = egress.NewFaults(1, []cua.NetFault{f})
				s, err := b.NewSession(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				e := env{s, t}
				title(t, e.reset(cua.Task{URL: ts.URL}), "ready")
				title(t, e.click("ask"), row.title)
				next := e.act(e.at(cua.Action{Kind: cua.Click}, "go on")).After
				if next.NavError != row.navError {
					t.Errorf("the next document: %q, want %q", next.NavError, row.navError)
				}
				if n := s.Struck()[f.Name]; (n > 0) != (f.Rate > 0) {
					t.Errorf("%d requests were struck", n)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				struck := 0
				for _, e := range o.Record.HAR(egress.HARCreator{}).Log.Entries {
					if e.Fault == f.Name {
						struck++
					}
				}
				if struck != s.Struck()[f.Name] {
					t.Errorf("the record has %d of %d", struck, s.Struck()[f.Name])
				}
			})
		})
	}
}

// The record has every request that the server saw, with what it answered.
func TestTheRecordHasWhatTheServerSaw(t *testing.T) {
	bothBrowsers(t, func(t *testing.T, b *Browser) {
		saw := make(chan string, 100)
		ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
			saw <- r.Method + " http://" + r.Host + r.URL.RequestURI()
			switch r.URL.Path {
			case "/":
				w.Header().Set("Set-Cookie", "session=c00kie; HttpOnly")
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>"+
					"<link rel=stylesheet href=/s.css>"+asksPage)
			case "/s.css":
				http.NotFound(w, r)
			}
		})
		o := anyServer(SessionOptions{Record: new(egress.Recorder)})
		s, err := b.NewSession(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		e := env{s, t}
		e.reset(cua.Task{URL: ts.URL})
		e.click("ask")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		close(saw)
		har := o.Record.HAR(egress.HARCreator{})
		text, err := json.Marshal(har)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "c00kie") {
			t.Error("a cookie is in the record")
		}
		recorded := map[string]int{}
		for _, e := range har.Log.Entries {
			if e.Response.Status != 0 {
				recorded[e.Request.Method+" "+e.Request.URL]++
			}
		}
		for r := range saw {
			if recorded[r]--; recorded[r] < 0 {
				t.Errorf("the server saw %s, the record has not", r)
			}
		}
		for r, n := range recorded {
			if n > 0 {
				t.Errorf("the record has %s, which the server did not see", r)
			}
		}
	})
}
