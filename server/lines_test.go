package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/guard"
	"github.com/cua-runner/cua-runner/runner"
)

// judged is the guard for one request.
func judged(_ context.Context, in io.Reader, line func(any) error) error {
	return guard.New(runner.DefaultConfig()).Serve(in, written(line))
}

type written func(any) error

func (w written) Write(text []byte) (int, error) { return len(text), w(json.RawMessage(text)) }

// deadPress is a step that has no effect.
func deadPress(i int) string {
	return fmt.Sprintf(`{"type":"propose","run":"7","index":%d,"action_type":"click",`+
		`"target":"role=button name=Save","dom_hash":"a0","form_hash":"3f"}`, i) + "\n"
}

// A request is answered as the guard itself answers its lines, and remembers nothing of the one before.
func TestGuardLines(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Guard = judged })
	in, want, notes := "", "", false
	alone := guard.New(runner.DefaultConfig())
	for i := range 6 {
		in += deadPress(i)
		answer := alone.Line([]byte(deadPress(i)))
		want, notes = want+string(answer), notes || strings.Contains(string(answer), `"verdict":"note"`)
	}
	in += "nonsense\n"
	want += string(alone.Line([]byte("nonsense\n")))
	for range 2 {
		got := s.do("POST", "/v1/guard", in, "Content-Type", "application/jsonl").want(t, 200)
		if string(got.body) != want || !notes {
			t.Errorf("%s\nwant %s", got.body, want)
		}
	}
	s.do("POST", "/v1/guard", in, "Content-Type", "text/html").want(t, 415)
	s.do("POST", "/v1/guard", in, "Content-Type", "application/jsonl", "Authorization", "").want(t, 401)
	serve(t, t.TempDir(), nil).do("POST", "/v1/guard", in, "Content-Type", "application/jsonl").want(t, 404)
}

// An agent has the answer about a step before it sends the next one.
func TestGuardLinesAreAnsweredAtOnce(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Guard = judged })
	steps, to := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/guard", steps)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/jsonl")
	r.Header.Set("Authorization", "Bearer "+aToken)
	go io.WriteString(to, deadPress(0))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answers := bufio.NewReader(resp.Body)
	for i := range 4 {
		if i > 0 {
			if _, err := io.WriteString(to, deadPress(i)); err != nil {
				t.Fatal(err)
			}
		}
		line, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(line, fmt.Sprintf(`"index":%d`, i)) {
			t.Fatalf("answer %d: %v %q", i, err, line)
		}
	}
	to.Close()
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("%v %q", err, rest)
	}
}
