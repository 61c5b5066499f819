package trajectories

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestCut(t *testing.T) {
	sent, not := &cua.Intent{Number: 2, Submit: true}, &cua.Intent{Number: 3}
	event := func(in *cua.Intent) Event { return Event{Kind: InterruptedEvent, Intent: in} }
	for _, row := range []struct {
		name          string
		t             Trajectory
		intents, sent int
		words         string
	}{
		{"none", Trajectory{Events: []Event{{Kind: ResumeEvent}}}, 0, 0, ""},
		{"the last record", Trajectory{Interrupted: sent}, 1, 1, "1 interrupted intent, 1 of them possibly sent a form"},
		{"recorded, and one more", Trajectory{Events: []Event{event(sent), event(not)}, Interrupted: sent}, 3, 2,
			"3 interrupted intents, 2 of them possibly sent a form"},
	} {
		t.Run(row.name, func(t *testing.T) {
			intents, sent := row.t.Cut()
			r := Summarize(&row.t, nil)
			if intents != row.intents || sent != row.sent || r.Cut != intents || r.PossiblySent != sent ||
				CutWords(intents, sent) != row.words {
				t.Errorf("%d, %d: %q; the result says %d, %d", intents, sent, CutWords(intents, sent), r.Cut,
					r.PossiblySent)
			}
		})
	}
}

func TestSameBrowser(t *testing.T) {
	a := BrowserInfo{Name: "HeadlessChrome", Version: "140", Flags: []string{"--headless",
		"--user-data-dir=/tmp/a", "--proxy-server=127.0.0.1:1"}}
	b := BrowserInfo{Name: "HeadlessChrome", Version: "140", Flags: []string{"--headless",
		"--user-data-dir=/tmp/b"}}
	if !a.Same(b) || len(a.Flags) != 3 {
		t.Error("a folder or a port makes another browser, or was taken from it")
	}
	for name, other := range map[string]BrowserInfo{"version": {Name: a.Name, Version: "141", Flags: a.Flags},
		"flags": {Name: a.Name, Version: a.Version}, "place": {Name: a.Name, Version: a.Version, Flags: a.Flags,
			Remote: "ws://h"}} {
		if a.Same(other) {
			t.Errorf("another %s is the same browser", name)
		}
	}
	tr := Trajectory{Header: Header{Browser: a}, Events: []Event{{Kind: ResumeEvent, Browser: &BrowserInfo{
		Name: "Chrome", Version: "140", Remote: "ws://h"}}, {Kind: ResumeEvent}}}
	if got := tr.Browser().String(); got != "Chrome 140 at ws://h" {
		t.Error(got)
	}
}
