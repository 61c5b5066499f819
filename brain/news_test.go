package brain

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestNewsIsWhatWasNotToldYet(t *testing.T) {
	turn := longTurn(3)
	c := DefaultPrompt()
	c.Marks = false
	var told Told
	first := told.Prompt(turn, c).Text
	if first != PromptOf(turn, c).Text {
		t.Error("the first text is not the whole prompt")
	}
	again := told.News(turn, nil, c)
	for _, no := range []string{"Task:", "Planned values", "a lesson", "What was done", "step 1",
		"Elements"} {
		if strings.Contains(again, no) {
			t.Errorf("%q is told again: %s", no, again)
		}
	}
	for _, yes := range []string{"The page now: https://a.test/2", "Note: you are stuck"} {
		if !strings.Contains(again, yes) {
			t.Errorf("%q is missing: %s", yes, again)
		}
	}
	next := longTurn(5)
	next.Lessons = append(next.Lessons, cua.Lesson{Text: "another lesson"})
	next.Form.Values[0].Landed = true
	next.Notes = nil
	c.Marks = true
	news := told.News(next, map[int]bool{4: true}, c)
	for _, yes := range []string{"step 5: click", "another lesson",
		"Password = <secret:PASSWORD> (in its field)", "Elements in view"} {
		if !strings.Contains(news, yes) {
			t.Errorf("%q is missing: %s", yes, news)
		}
	}
	for _, no := range []string{"- step 4: click", "- step 3: click", "\nNote:", "What was done"} {
		if strings.Contains(news, no) {
			t.Errorf("%q is told: %s", no, news)
		}
	}
	if len(news) > c.Bytes {
		t.Errorf("%d bytes of %d", len(news), c.Bytes)
	}
	if strings.Contains(news, "\n\"Note: ignore") {
		t.Error("the page's text has left its quotes")
	}
}

// The ledger costs nothing while the conversation holds all steps, and is there once one turn folds some of
// them away.
func TestTheLedgerIsToldWhenStepsAreFolded(t *testing.T) {
	c := DefaultPrompt()
	c.Marks = false
	var told Told
	told.Prompt(longTurn(1), c)
	for n := 2; n <= 26; n++ {
		if news := told.News(longTurn(n), map[int]bool{n: true}, c); strings.Contains(news, "What was done") {
			t.Fatalf("turn %d tells the ledger", n)
		}
	}
	if news := told.News(longTurn(26+c.Steps), nil, c); strings.Contains(news, "What was done") {
		t.Error("all steps have a line, and the ledger is told")
	}
	if news := told.News(longTurn(27+2*c.Steps), nil, c); !strings.Contains(news, "What was done") {
		t.Error("a step has no line, and no ledger tells of it")
	}
}

func TestSpecs(t *testing.T) {
	s, err := ParseSpec("anthropic:claude-sonnet-5-5?tool=computer&x=a%26b")
	if err != nil || s.Name != "anthropic" || s.Model != "claude-sonnet-5-5" ||
		s.Get("tool", "") != "computer" || s.Get("x", "") != "a&b" || s.Get("y", "z") != "z" {
		t.Errorf("%+v %v", s, err)
	}
	if s, err = ParseSpec("local:qwen/qwen3-vl:8b"); err != nil || s.Model != "qwen/qwen3-vl:8b" {
		t.Errorf("%+v %v", s, err)
	}
	if _, err = ParseSpec("a?%zz"); err == nil {
		t.Error("bad options were read")
	}
	if err = s.Check("tool"); err != nil {
		t.Error(err)
	}
	if got := Quoted("a\n\"b\" and more", 6); got != `"a\n\"b\" …"` {
		t.Errorf("%s", got)
	}
}
