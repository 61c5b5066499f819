package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// scored answers each trajectory with its id and whether its steps hold a signal, as the command's own does.
func scored(_ context.Context, in io.Reader, line func(any) error) error {
	a := runner.Assemble(runner.DefaultConfig())
	for run, err := range formats.Runs("-", formats.Neutral, in, nil) {
		var bad *trajectories.SyntaxError
		switch {
		case errors.As(err, &bad):
			err = line(map[string]any{"line": bad.Line, "error": "no trajectory"})
		case err == nil:
			err = line(map[string]any{"id": run.ID, "loop": len(a.Detectors.Detect(run.History)) > 0})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeated is a trajectory of n presses of one button. Its page stays as it is, or changes with each press.
func repeated(id string, n int, stays bool) string {
	var steps []map[string]any
	for i := range n {
		page := "a0"
		if !stays {
			page = "a" + strconv.Itoa(i)
		}
		steps = append(steps, map[string]any{"action_type": cua.Click, "target": "role=button name=Save",
			"url": "http://a.test/", "dom_hash": page, "form_hash": "3f"})
	}
	text, _ := json.Marshal(map[string]any{"id": id, "steps": steps})
	return string(text) + "\n"
}

// POST /v1/detect answers each trajectory with a line, in their order. A bad line is one of the answers.
func TestDetect(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Detect = scored })
	in := repeated("dead", 8, true) + "nonsense\n" + repeated("pager", 8, false)
	want := `{"id":"dead","loop":true}` + "\n" + `{"error":"no trajectory","line":2}` + "\n" +
		`{"id":"pager","loop":false}` + "\n"
	for _, kind := range []string{"application/jsonl", "application/x-ndjson", "application/json",
		"text/plain; charset=utf-8"} {
		got := s.do("POST", "/v1/detect", in, "Content-Type", kind).want(t, 200)
		if string(got.body) != want {
			t.Errorf("%s: %s\nwant %s", kind, got.body, want)
		}
	}
	got := s.do("POST", "/v1/detect", "", "Content-Type", "application/jsonl").want(t, 200)
	if string(got.body) != `{"error":"no trajectory","line":1}`+"\n" {
		t.Errorf("nothing is answered with %s", got.body)
	}
}

// The requests that are refused, and why.
func TestDetectRefuses(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Detect = scored })
	in := repeated("dead", 8, true)
	s.do("POST", "/v1/detect", in, "Content-Type", "text/html").want(t, 415)
	s.do("POST", "/v1/detect", in, "Content-Type", "").want(t, 415)
	s.do("POST", "/v1/detect", in, "Content-Type", "application/jsonl", "Authorization", "").want(t, 401)
	s.do("GET", "/v1/detect", "").want(t, 405)
	serve(t, t.TempDir(), nil).do("POST", "/v1/detect", in, "Content-Type", "application/jsonl").want(t, 404)
}

// endless is a body of n bytes of empty lines.
type endless struct{ n int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.n == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.n)
	for i := range p[:n] {
		p[i] = '\n'
	}
	e.n -= n
	return int(n), nil
}

// A body above 64 MiB is refused by its length, or, where that is not known, in the last line.
func TestDetectIsBounded(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Detect = scored })
	for _, row := range []struct {
		name   string
		body   io.Reader
		length int64
		status int
		says   string
	}{
		{"of a known length", http.NoBody, maxDetect + 1, 413, `"too_large"`},
		{"of an unknown length", io.MultiReader(strings.NewReader(repeated("dead", 8, true)),
			&endless{maxDetect}), -1, 200, `"too_large"`},
		{"the most there may be", io.MultiReader(strings.NewReader(repeated("dead", 8, true)),
			&endless{maxDetect - int64(len(repeated("dead", 8, true)))}), maxDetect, 200, `"dead"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.length > maxDetect { // the client would send no more than it has
				row.body = &endless{row.length}
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/detect", row.body)
			if err != nil {
				t.Fatal(err)
			}
			r.ContentLength = row.length
			r.Header.Set("Content-Type", "application/jsonl")
			r.Header.Set("Authorization", "Bearer "+aToken)
			r.Header.Set("Expect", "100-continue") // a body that is refused by its length is not sent
			client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: 60e9}}
			got, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			body, err := io.ReadAll(got.Body)
			if err != nil || got.StatusCode != row.status || !strings.Contains(string(body), row.says) ||
				strings.Contains(string(body), "too_large") != strings.Contains(row.says, "too_large") {
				t.Errorf("%v: status %d, %.300s", err, got.StatusCode, body)
			}
		})
	}
}
