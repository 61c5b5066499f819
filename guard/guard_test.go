package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/runner"
)

// press is a proposed press of Save on a page with these hashes; more are further fields.
func press(i int, dom, form, more string) string {
	return fmt.Sprintf(`{"type":"propose","index":%d,"action_type":"click","target":"role=button name=Save",`+
		`"url":"http://shop.example/","dom_hash":%q,"form_hash":%q%s}`, i, dom, form, more)
}

// ask sends lines and returns the answers to the proposals.
func ask(t *testing.T, g *Guard, lines ...string) []Answer {
	t.Helper()
	var out []Answer
	for _, l := range lines {
		if b := g.Line([]byte(l)); b != nil {
			var a Answer
			if err := json.Unmarshal(b, &a); err != nil || a.Verdict == "" {
				t.Fatalf("%s: %s", l, b)
			}
			out = append(out, a)
		}
	}
	return out
}

func verdicts(as []Answer) string {
	var out []string
	for _, a := range as {
		out = append(out, string(a.Verdict))
	}
	return strings.Join(out, " ")
}

func repeat(n int, f func(i int) string) []string {
	var out []string
	for i := range n {
		out = append(out, f(i))
	}
	return out
}

func TestVerdicts(t *testing.T) {
	nameTyped := `{"type":"propose","index":0,"action_type":"type","target":"role=textbox name=Name",` +
		`"text":"Ada","dom_hash":"a0","form_hash":"00"}`
	for _, row := range []struct {
		name     string
		lines    []string
		want     string
		evidence Evidence
	}{
		{"a dead button", repeat(12, func(i int) string { return press(i, "a0", "3f", "") }),
			"pass pass pass note note note note note stop stop stop stop", OnForm},
		// a step that reached something new widens the windows
		{"a dead button while the focus is in another field",
			append([]string{nameTyped}, repeat(6, func(i int) string {
				return press(i+1, "a0", "3f", `,"focus":"Name"`)
			})...), "pass pass pass pass pass pass suggest", OnForm},
		{"a dead button beside a clock", repeat(6, func(i int) string {
			return press(i, "a0", "3f", fmt.Sprintf(`,"observation_hash":"tick%d"`, i))
		}), "pass pass pass note note note", OnForm},
		{"a pager", repeat(12, func(i int) string { return press(i, fmt.Sprint("page", i), "00", "") }),
			strings.TrimSpace(strings.Repeat("pass ", 12)), OnForm},
		{"a stepper", repeat(12, func(i int) string { return press(i, "a0", fmt.Sprint("v", i), "") }),
			strings.TrimSpace(strings.Repeat("pass ", 12)), OnForm},
		{"without any page: never more than a note", repeat(30, func(i int) string {
			return fmt.Sprintf(`{"type":"propose","index":%d,"action_type":"click","x":10,"y":20}`, i)
		}), "", Blind},
		{"without the form", repeat(4, func(i int) string { return press(i, "a0", "", "") }),
			"pass pass pass note", OnPage},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ask(t, New(runner.DefaultConfig()), row.lines...)
			v := verdicts(got)
			if row.want != "" && v != row.want {
				t.Errorf("%s\nwant %s", v, row.want)
			}
			if row.want == "" && (strings.Contains(v, "stop") || strings.Contains(v, "suggest") ||
				!strings.Contains(v, "note")) {
				t.Error(v)
			}
			if e := got[len(got)-1].Evidence; e != row.evidence {
				t.Errorf("evidence %s, want %s", e, row.evidence)
			}
		})
	}
}

// A step that was skipped counts for nothing.
func TestAmendSkipped(t *testing.T) {
	g := New(runner.DefaultConfig())
	for i := range 12 {
		a := ask(t, g, press(i, "a0", "3f", ""))[0]
		if a.Verdict != Pass {
			t.Fatalf("step %d: %+v", i, a)
		}
		if g.Line([]byte(`{"type":"amend","skipped":true}`)) != nil {
			t.Fatal("an amend is not answered")
		}
	}
}

// The action that was done instead counts, and its cost is that of the incident.
func TestAmendDid(t *testing.T) {
	g := New(runner.DefaultConfig())
	var last Answer
	for i := range 5 {
		last = ask(t, g, press(i, "a0", "3f", ""))[0]
		g.Line(fmt.Appendf(nil, `{"type":"amend","index":%d,"usd":0.25,"tokens":100,"seconds":2}`, i))
	}
	if in := last.Incident; last.Verdict != Note || in == nil || in.ID != "i3" || in.Steps != 1 ||
		in.USD == nil || *in.USD != 0.25 {
		t.Fatalf("%+v %+v", last, last.Incident)
	}
	g.Line([]byte(`{"type":"amend","index":4,"did":{"action_type":"key","text":"Tab"}}`))
	end := string(g.Line([]byte(`{"type":"end","final_dom_hash":"other","final_form_hash":"3f"}`)))
	if !strings.Contains(end, `"outcome":"self_recovered"`) || !strings.Contains(end, `"tokens":200`) {
		t.Error(end)
	}
}

// A suggestion names the field of a value and never the value.
func TestValuesAreNotAnswered(t *testing.T) {
	const secret = "hunter2-canary"
	g := New(runner.DefaultConfig())
	lines := []string{`{"type":"start","v":1,"task":"Sign in","fields":[{"label":"Name","value":"` + secret + `"}]}`}
	for i := range 4 {
		lines = append(lines, press(i, "a0", "3f", `,"focus":"Name","title":"`+secret+`"`))
	}
	lines = append(lines, `{"type":"propose","action_type":"click","target":"role=button name=`+secret+`"}`,
		`{"type":"propose","action_type":"`+secret+`","x":"`+secret+`"}`,
		`{"type":"`+secret+`"}`, `{"type":"end"}`)
	suggested := false
	for _, l := range lines {
		b := string(g.Line([]byte(l)))
		if strings.Contains(b, secret) {
			t.Errorf("%s", b)
		}
		suggested = suggested || strings.Contains(b, `"suggest":{"action_type":"type","target":"Name",`+
			`"field":"Name","code":"type_pending_value"}`)
	}
	if !suggested {
		t.Error("the planned value was never suggested")
	}
}

// Lines that cannot be used are answered, and the run continues as if they had not been there.
func TestBadLines(t *testing.T) {
	g := New(runner.DefaultConfig())
	n := 0
	for _, row := range []struct {
		name, line string
		code       Code
		detail     string
	}{
		{"no JSON", "hello", BadLine, "invalid character"},
		{"an array", "[1]", BadLine, "an object"},
		{"no type", "{}", BadLine, "belongs there"},
		{"an unknown type", `{"type":"stop"}`, BadLine, "start, propose, amend or end"},
		{"no action", `{"type":"propose"}`, BadLine, "action_type is missing"},
		{"a place that is a word", `{"type":"propose","action_type":"click","x":"left"}`, BadLine, "a number"},
		{"NaN", `{"type":"propose","action_type":"click","x":NaN}`, BadLine, "invalid character"},
		{"a place beyond all screens", `{"type":"propose","action_type":"click","x":1e300,"y":0}`, BadLine, "x is 1e+300"},
		{"an index that falls", `{"type":"propose","index":0,"action_type":"click"}`, BadLine, "must rise"},
		{"a start after a step", `{"type":"start","task":"t"}`, BadLine, "before the first step"},
		{"an amendment of no step", `{"type":"amend","index":99,"usd":1}`, BadLine, "no step"},
		{"an amendment that is impossible", `{"type":"amend","usd":-1}`, BadLine, "usd is -1"},
		{"an unknown field of the config", `{"type":"start","run":"x","config":{"detektor":{}}}`, BadLine, "detektor"},
		{"another version", `{"type":"start","run":"x","v":2}`, BadLine, "v is 2"},
		{"a line that is too long", `{"type":"propose","thought":"` + strings.Repeat("x", MaxLine) + `"}`, LongLine, "more than"},
	} {
		t.Run(row.name, func(t *testing.T) {
			ask(t, g, press(2*n, "a0", fmt.Sprint(n), ""))
			n++
			var f Fault
			b := g.Line([]byte(row.line))
			if err := json.Unmarshal(b, &f); err != nil || f.Type != "error" || f.Line != 2*n ||
				f.Code != row.code || !strings.Contains(f.Detail, row.detail) {
				t.Errorf("%s, want %s %q", b, row.code, row.detail)
			}
		})
	}
	if got := ask(t, g, press(1000, "a0", "z", "")); got[0].Verdict != Pass {
		t.Errorf("%+v", got)
	}
}

func TestRunsAreApartAndBounded(t *testing.T) {
	g := New(runner.DefaultConfig())
	line := func(run int, i int) string {
		return strings.Replace(press(i, "a0", "3f", ""), `"type"`, fmt.Sprintf(`"run":"%d","type"`, run), 1)
	}
	for i := range 3 {
		for run := range MaxRuns {
			if a := ask(t, g, line(run, i))[0]; a.Verdict != Pass || a.Run != fmt.Sprint(run) {
				t.Fatalf("%+v", a)
			}
		}
	}
	if b := g.Line([]byte(line(MaxRuns, 0))); !bytes.Contains(b, []byte(TooManyRuns)) {
		t.Errorf("%s", b)
	}
	g.Line([]byte(`{"type":"end","run":"5"}`))
	if a := ask(t, g, line(MaxRuns, 0))[0]; a.Verdict != Pass {
		t.Errorf("%+v", a)
	}
	if a := ask(t, g, line(6, 3))[0]; a.Verdict != Note {
		t.Errorf("%+v", a)
	}
}

func TestServe(t *testing.T) {
	in := "\n" + press(0, "a0", "3f", "") + "\nnonsense\n" + strings.Repeat("y", 2*MaxLine) + "\n" +
		press(1, "a0", "3f", "") + "\n" + `{"type":"end"}`
	var out strings.Builder
	must(t, New(runner.DefaultConfig()).Serve(strings.NewReader(in), &out))
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"verdict":"pass"`, `"line":3,"code":"bad_line"`,
		`"line":4,"code":"line_too_long"`, `"index":1,"verdict":"pass"`, `"first_soft":null`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("answer %d of %q: no %s", i, got, want)
		}
	}
	for _, pipe := range []struct {
		name string
		in   io.Reader
		out  io.Writer
	}{{"nobody reads", strings.NewReader(in), broken{}}, {"the input breaks", broken{}, &out}} {
		if err := New(runner.DefaultConfig()).Serve(pipe.in, pipe.out); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v", pipe.name, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
func (broken) Read([]byte) (int, error)  { return 0, io.ErrClosedPipe }
