package tuned_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
)

// What was right and is sent twice earns half, and another one after it nothing.
func TestASecondSubmitCosts(t *testing.T) {
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	task, err := tuned.FindTask("i2-pay-once")
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Open(task, 1)
	if err != nil {
		t.Fatal(err)
	}
	right := url.Values{"to": {in.Task.Fields[0].Value}, "amount": {in.Task.Fields[1].Value}}
	for _, row := range []struct {
		name string
		sent url.Values
		want float64
		over bool
	}{
		{"the right one", right, 1, false},
		{"the same again", right, 0.5, false},
		{"and again", right, 0.5, false},
		{"another one", url.Values{"to": right["to"], "amount": {"1.00"}}, 0, true},
	} {
		res, err := http.PostForm(in.Task.URL+"submit", row.sent)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := in.Reward(cua.EndDone); got != row.want || in.Over() != row.over {
			t.Errorf("%s earns %v, want %v; over: %t", row.name, got, row.want, in.Over())
		}
	}
}

// The order is taken although the answer is an error page, and the list of orders shows it.
func TestAnAnswerIsLost(t *testing.T) {
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	task, err := tuned.FindTask("i6-lost-answer")
	if err != nil {
		t.Fatal(err)
	}
	in, err := s.Open(task, 1)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.PostForm(in.Task.URL+"submit", url.Values{"sail": {in.Task.Fields[0].Value}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := in.State(); res.StatusCode != http.StatusBadGateway || len(got.Sent) != 1 ||
		in.Reward(cua.EndDone) != 0 {
		t.Errorf("status %d; the server saw %+v", res.StatusCode, got)
	}
	if res, err = http.Get(in.Task.URL + "?page=2"); err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if got := in.Reward(cua.EndDone); got != 1 {
		t.Errorf("seen in the list it earns %v (%s)", got, fmt.Sprint(in.State()))
	}
}
