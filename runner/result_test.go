package runner_test

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestWhyItDidNotSucceed(t *testing.T) {
	cfg, err := json.Marshal(runner.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	country := cua.Field{ID: "select|Country", Role: "combobox", Type: "select", Label: "Country",
		Options: []string{"Norway", "Sweden"}, Box: cua.Box{X: 10, Y: 10, W: 100, H: 20}}
	for _, row := range []struct {
		name   string
		page   cua.Observation
		fields []cua.PlanValue
		end    trajectories.End
		want   string
	}{
		{"it did", cua.Observation{Status: 500}, nil, trajectories.End{Reason: cua.EndDone, Success: true}, ""},
		{"a cap, and nothing else is known", cua.Observation{}, nil, trajectories.End{Reason: cua.EndMaxSteps, Detail: "5 steps were made, the cap is 5"},
			"5 steps were made, the cap is 5"},
		{"values that have no field", cua.Observation{}, []cua.PlanValue{{Label: "Name", Value: "Ada"}, {Label: "Town", Value: "Oslo"}},
			trajectories.End{Reason: cua.EndDoneFailed}, "not placed: Name, Town"},
		{"an option that is not there", cua.Observation{Fields: []cua.Field{country}}, []cua.PlanValue{{Label: "Country", Value: "Atlantis"}},
			trajectories.End{Reason: cua.EndDoneFailed}, `not placed: Country; Country has no option "Atlantis"`},
		{"an error page", cua.Observation{Status: 503}, nil, trajectories.End{Reason: cua.EndDoneFailed}, "the page is an error page (HTTP status 503)"},
		{"what the page complains of", cua.Observation{Alerts: []string{"first", "No such\nuser"}}, nil, trajectories.End{Reason: cua.EndDoneFailed}, `the page says "No such user"`},
		{"what a field complains of", cua.Observation{Fields: []cua.Field{{ID: "a", Invalid: "too short"}}}, nil, trajectories.End{Reason: cua.EndDoneFailed},
			`the page says "too short"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.page.URL, row.page.Viewport = "http://a.test/", cua.Size{W: 800, H: 600}
			tr := &trajectories.Trajectory{Header: trajectories.Header{Version: trajectories.Version,
				Config: cfg, Toggles: cua.AllOn(), Task: cua.Task{URL: "http://a.test/", Fields: row.fields}},
				Start: row.page, End: &row.end}
			if got := runner.Result(tr).Why; got != row.want {
				t.Errorf("it says\n%s\nwant\n%s", got, row.want)
			}
		})
	}
}
