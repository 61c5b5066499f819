package envtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// silent is a brain that says nothing.
type silent struct{}

func (silent) Decide(context.Context, *cua.Turn) (cua.Decision, error) { return cua.Decision{}, nil }

// What is overseen is told of, and nothing else is: a request that holds what it may not is found wherever
// that stands.
func TestOverseen(t *testing.T) {
	const secret = "Tr0ub4dor&3"
	sentinel := func(k trajectories.SentinelKind) string {
		text, err := json.Marshal(trajectories.Sentinel{Kind: k, Step: 3})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	note := func(text string) func(*cua.Turn) {
		return func(t *cua.Turn) { t.Notes = []cua.Note{{From: "runner", Text: text}} }
	}
	type row struct {
		name   string
		change func(*cua.Turn)
		want   string // in the first fault; "" is none
	}
	rows := []row{
		{"nothing", func(*cua.Turn) {}, ""},
		{"an action that is called as a sentinel is", func(t *cua.Turn) { t.History.Steps[0].Proposed.Kind = cua.Rewind }, ""},
		{"the field of a step that begins as one", func(t *cua.Turn) { t.History.Steps[0].DoneRejected = cua.EmptySummary }, ""},
		{"the words of show", note("after step 4: rewind; incident i2 so far: 3 steps"), "a sentinel"},
		{"a secret in a note", note("type " + secret), "<secret:PW>"},
		{"encoded", note("type " + base64.StdEncoding.EncodeToString([]byte("x"+secret))), "<secret:PW>"},
		{"in what the brain thought", func(t *cua.Turn) { t.History.Steps[0].Thought = secret }, "<secret:PW>"},
		{"in a page", func(t *cua.Turn) { t.Now.Title = secret }, "<secret:PW>"},
		{"as the digest of a field", func(t *cua.Turn) { t.Now.Fields = []cua.Field{{ValueDigest: cua.Digest(secret)}} }, "<secret:PW>"},
		{"a frame in the history", func(t *cua.Turn) { t.History.Steps[0].After.Shot = &cua.Shot{} }, "a frame"},
		{"an old frame", func(t *cua.Turn) { t.Frames = []cua.Shot{{Data: []byte("old")}} }, "another page"},
		{"a page's state", func(t *cua.Turn) { t.History.Start.State = &cua.PageState{} }, "a frame"},
	}
	for _, k := range append(trajectories.SentinelKinds(), "sentinel_of_tomorrow") {
		rows = append(rows, row{"as JSON: " + string(k), note(sentinel(k)), "a sentinel"})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			turn := &cua.Turn{Number: 2, History: cua.History{Steps: []cua.Step{{N: 1,
				Proposed: cua.Action{Kind: cua.Click}}}}}
			r.change(turn)
			var got []string
			o := &Overseen{Brain: silent{}, Secrets: map[string]string{"PW": secret},
				Fault: func(what string) { got = append(got, what) }}
			if _, err := o.Decide(t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(got, "\n"); r.want == "" && len(got) > 0 ||
				!strings.Contains(all, r.want) {
				t.Errorf("told %q, want %q", got, r.want)
			}
		})
	}
}
