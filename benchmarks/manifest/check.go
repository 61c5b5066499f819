package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// script is what a page is asked for a condition; its value is {"held": …}, or {"threw": "…"}.
func (s Success) script() string {
	expr := s.Predicate
	switch {
	case s.Text != "":
		expr = fmt.Sprintf(`(document.body ? document.body.innerText : '').replace(/\s+/g, ' ').includes(%s)`, quoted(cua.Flat(s.Text)))
	case s.URL != "":
		expr = fmt.Sprintf(`location.href.includes(%s)`, quoted(s.URL))
	}
	return "(async () => {\ntry { return {held: await (" + expr +
		"\n)}; } catch (e) { return {threw: String(e).slice(0, 300)}; }\n})()"
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil { // a text has a JSON form
		panic(err)
	}
	return string(text)
}

// onPage reports whether a page is asked.
func (s Success) onPage() bool { return s.HTTP == nil && s.Answer == "" }

// holds asks the page once; false while a dialog is open. The error says why there is no verdict.
func (s Success) holds(ctx context.Context, page Page) (bool, error) {
	value, err := page.Ask(ctx, s.script())
	if err != nil {
		return false, fmt.Errorf("asking whether the task is done: %w", err)
	}
	if value == nil {
		return false, nil
	}
	var said struct {
		Held  json.RawMessage `json:"held"`
		Threw *string         `json:"threw"`
	}
	if err := json.Unmarshal(value, &said); err != nil {
		return false, fmt.Errorf("asking whether the task is done: %w", err)
	}
	if said.Threw != nil {
		return false, fmt.Errorf("the predicate threw %s", *said.Threw)
	}
	switch string(said.Held) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	case "":
		return false, errors.New("the predicate came to nothing; it must come to true or false")
	}
	return false, fmt.Errorf("the predicate came to %.100s; it must come to true or false", said.Held)
}

// answered reports whether the answer has what is wanted, white space aside.
func (s Success) answered(answer string) bool {
	return strings.Contains(cua.Flat(answer), cua.Flat(s.Answer))
}
