package tty

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty/ttytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestRollbackLines(t *testing.T) {
	for line, want := range map[string]int{
		"/rollback": 0, " /Rollback  ": 0, "/rollback 3": 3, "/rollback 12.": 12, "undo that": 0, "Undo that!": 0, "revert that.": 0, "REVERT  THAT": 0,
		"": -1, "/rollback 0": -1, "/rollback -1": -1, "/rollback x": -1, "/rollback 3 4": -1, "/rollbacks": -1, "undo": -1, "please undo that": 0, "undo that 3": -1, "/rollback 99999999": -1,
		"please undo that, it broke the form": 0, "/rollback 3 it broke the form": 3, "That was wrong. /rollback 12": 12, "stop, revert that": 0,
		"do not undo that": -1, "never revert that": -1, "don't undo that, it is fine": -1, "see /rollback/help": -1, "undo thatch": -1,
	} {
		got, _, ok := rollback(line)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is read as %d, want %d", line, got, want)
		}
	}
}

// Where the brain asks, what is typed is the answer, unless it is another choice.
func TestAnswersAreReadBesideChoices(t *testing.T) {
	card := trajectories.PauseCard{Question: "Which one?", Choices: []trajectories.PauseChoice{
		{Kind: trajectories.ChooseAnswer}, {Kind: trajectories.ChooseRewind, Step: 2},
		{Kind: trajectories.ChooseContinue}, {Kind: trajectories.ChooseStop}}}
	for line, want := range map[string]trajectories.PauseChoice{
		"the blue one": {Kind: trajectories.ChooseAnswer, Text: "the blue one"},
		"blue":         {Kind: trajectories.ChooseAnswer, Text: "blue"},
		"42":           {Kind: trajectories.ChooseAnswer, Text: "42"},
		"re 3":         {Kind: trajectories.ChooseAnswer, Text: "re 3"},
		"st":           {Kind: trajectories.ChooseAnswer, Text: "st"},
		"answer stop":  {Kind: trajectories.ChooseAnswer, Text: "stop"},
		"s":            {Kind: trajectories.ChooseStop},
		"stop":         {Kind: trajectories.ChooseStop},
		"c":            {Kind: trajectories.ChooseContinue},
		"rewind":       {Kind: trajectories.ChooseRewind, Step: 2},
		"rewind 3":     {Kind: trajectories.ChooseRewind, Step: 3},
		"undo that":    {Kind: trajectories.ChooseRewind},
		"a":            {},
		"answer":       {},
		"   ":          {},
	} {
		got, said, ok := chosen(card, line)
		if !ok {
			got = trajectories.PauseChoice{}
		}
		if want.Kind == trajectories.ChooseRewind && want.Step == 0 {
			want.Step = got.Step
		}
		if !reflect.DeepEqual(got, want) || said {
			t.Errorf("%q is read as %+v, want %+v", line, got, want)
		}
	}
}

func FuzzRollback(f *testing.F) {
	for _, s := range []string{"/rollback", "/rollback 3", "undo that", "revert that!", "/rollback 007",
		"/rollback\x00", "\u0130 undo that"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		step, _, ok := rollback(line)
		if step < 0 || step > 999_999 || !ok && step != 0 && !strings.Contains(line, "/") {
			t.Errorf("%q: %d, %t", line, step, ok)
		}
		card := trajectories.PauseCard{Choices: []trajectories.PauseChoice{{Kind: trajectories.ChooseRewind,
			Step: 2}, {Kind: trajectories.ChooseStop}}}
		if c, _, ok := chosen(card, line); ok && c.Kind == trajectories.ChooseRewind && c.Step < 1 {
			t.Errorf("%q is the choice %+v", line, c)
		}
	})
}

// A command that a person types while an episode runs is done, and the outcome is printed.
func TestLinesWhileAnEpisodeRuns(t *testing.T) {
	facets := map[string]string{"url": "restored", "form": "drifted", "cookies": "kept"}
	for _, row := range []struct {
		name  string
		line  string
		then  []string // what is answered to questions
		r     []cua.Restored
		err   error
		asked []runner.RewindRequest
		says  []string
	}{
		{"back one step", "undo that", nil, []cua.Restored{{OK: cua.RestoredAll, ToStep: 4, Facets: facets}}, nil, []runner.RewindRequest{{}},
			[]string{"back at what was before step 4", "not as before: form", "left as it is: cookies"}},
		{"back to a step", "/rollback 3", nil, []cua.Restored{{OK: cua.RestoredAll, ToStep: 3}}, nil, []runner.RewindRequest{{Step: 3}}, []string{"before step 3"}},
		{"gone", "/rollback 1", nil, []cua.Restored{{Error: cua.SnapshotExpired, OldestAvailable: 12}}, nil, []runner.RewindRequest{{Step: 1}},
			[]string{"had to make room; the oldest is the one before step 12"}},
		{"never there", "/rollback 1", nil, []cua.Restored{{Error: cua.NoSnapshot}}, nil, []runner.RewindRequest{{Step: 1}}, []string{"there is no checkpoint"}},
		{"busy", "/rollback 1", nil, []cua.Restored{{Error: cua.RewindBusy}}, nil, []runner.RewindRequest{{Step: 1}}, []string{"another rewind is under way"}},
		{"over", "/rollback", nil, []cua.Restored{{}}, runner.ErrOver, []runner.RewindRequest{{}}, []string{"no episode is under way"}},
		{"past what was sent, agreed", "/rollback 1", []string{"yes"}, []cua.Restored{{Error: cua.IrreversibleFence, Step: 2}, {OK: cua.RestoredAll, ToStep: 1, Crossed: []int{2}}}, nil,
			[]runner.RewindRequest{{Step: 1}, {Step: 1, Consent: true}},
			[]string{"step 2 sent something, and the server keeps what was sent",
				"the server still has what was sent at step 2"}},
		{"past what was sent, not agreed", "/rollback 1", []string{"no"}, []cua.Restored{{Error: cua.IrreversibleFence, Step: 2}}, nil, []runner.RewindRequest{{Step: 1}}, []string{"left as it is"}},
		{"past what was sent, nobody answers", "/rollback 1", nil, []cua.Restored{{Error: cua.IrreversibleFence, Step: 2}}, nil, []runner.RewindRequest{{Step: 1}}, []string{"left as it is"}},
		{"something else", "hello", nil, nil, nil, nil, []string{"not understood: /pause pauses; /rollback"}},
		{"an unknown command", "/undo it please", nil, nil, nil, nil, []string{"not understood: /pause pauses; /rollback"}},
		{"a sentence", "use the other button", nil, nil, nil, nil, []string{"the brain is told with its next step"}},
		{"a rewind in a sentence", "please undo that, it broke the form", nil, []cua.Restored{{OK: cua.RestoredAll, ToStep: 4}}, nil, []runner.RewindRequest{{}},
			[]string{"back at what was before step 4", "A sentence is told to the brain"}},
		{"a sentence that cannot be told", "the word is hush", nil, nil, nil, nil, []string{"not told: it holds a secret"}},
		{"an empty line", "  ", nil, nil, nil, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			in, keys := io.Pipe()
			out := ttytest.New(keys, []string{"yes or no:"}, row.then...)
			var asked []runner.RewindRequest
			answered := make(chan struct{})
			p := New(in, out)
			p.ctx = t.Context()
			var told []string
			p.tell = func(text string) error {
				if strings.Contains(text, "hush") {
					return errors.New("not told: it holds a secret")
				}
				told = append(told, text)
				return nil
			}
			p.rewind = func(_ context.Context, q runner.RewindRequest) (cua.Restored, error) {
				asked = append(asked, q)
				if len(asked) == len(row.r) {
					defer close(answered)
				}
				return row.r[len(asked)-1], row.err
			}
			p.start.Do(func() { go p.listen() })
			if _, err := fmt.Fprintln(keys, row.line); err != nil {
				t.Fatal(err)
			}
			if row.r != nil {
				<-answered
			}
			for _, part := range row.says {
				out.Await(part)
			}
			if !slices.EqualFunc(asked, row.asked,
				func(a, b runner.RewindRequest) bool { return a.Step == b.Step && a.Consent == b.Consent }) {
				t.Errorf("asked for %+v, want %+v", asked, row.asked)
			}
			if tells := strings.Contains(row.line, "button") || strings.Contains(row.line,
				"form"); tells != slices.Contains(told, row.line) || !tells && len(told) > 0 {
				t.Errorf("the brain was told %q", told)
			}
		})
	}
}

// leaving writes the last line once a question is said, and returns when there are no more lines.
type leaving struct {
	keys  io.WriteCloser
	ended <-chan struct{}
}

func (l *leaving) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "?") {
		go func() {
			fmt.Fprintln(l.keys, "first")
			l.keys.Close()
		}()
		<-l.ended
	}
	return len(p), nil
}

func TestNobodyAtTheTerminal(t *testing.T) {
	for range 64 { // the answer and the end are both there, and either may be seen first
		in, keys := io.Pipe()
		p := New(in, nil)
		p.out = &leaving{keys, p.ended}
		if got, err := p.Ask(t.Context(), "?"); err != nil || got != "first" {
			t.Fatalf("%q, %v", got, err)
		}
		if _, err := p.Ask(t.Context(), "?"); !errors.Is(err, ErrNobody) {
			t.Fatalf("after the last line: %v", err)
		}
	}
	in, keys := io.Pipe()
	defer keys.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(in, io.Discard).Ask(ctx, "?"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
