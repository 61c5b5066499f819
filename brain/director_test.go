package brain

import (
	"context"
	"errors"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// fixed always answers so.
type fixed struct {
	d   cua.Decision
	err error
}

func (f fixed) Decide(context.Context, *cua.Turn) (cua.Decision, error) { return f.d, f.err }

func TestDirected(t *testing.T) {
	own := fixed{d: cua.Decision{Action: cua.Action{Kind: cua.Click}, By: "heuristic"}}
	escape := cua.Action{Kind: cua.Key, Keys: "Escape"}
	for _, c := range []struct {
		name     string
		director fixed
		ask      bool
		by       string
		want     cua.Kind
		failure  cua.FailureKind
	}{
		{"not asked", fixed{err: errors.New("never")}, false, "heuristic", cua.Click, ""},
		{"asked", fixed{d: cua.Decision{Action: escape, By: "claude"}}, true, "director:claude", cua.Key, ""},
		{"it cannot answer", fixed{d: cua.Decision{Action: escape}, err: errors.New("overloaded")}, true, "director:claude", "", cua.FailModel},
		{"it declines", fixed{d: cua.Decision{Action: escape, Refused: true}}, true, "director:claude", "", cua.FailModel},
		{"its reply cannot be read", fixed{d: cua.Decision{Failure: &cua.Failure{Kind: cua.FailSchema}}}, true, "director:claude", "", cua.FailSchema},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Directed{Brain: own, Director: c.director, Name: "claude"}.Decide(t.Context(),
				&cua.Turn{AskDirector: c.ask})
			if err != nil || d.By != c.by || d.Action.Kind != c.want || d.Refused ||
				(d.Failure != nil) != (c.failure != "") || d.Failure != nil && d.Failure.Kind != c.failure {
				t.Errorf("%+v, %v", d, err)
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Directed{Brain: own, Director: fixed{err: context.Canceled}, Name: "x"}).Decide(gone,
		&cua.Turn{AskDirector: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt is no failure of the director: %v", err)
	}
	if _, err := (Directed{Brain: fixed{err: errors.New("down")}, Director: own,
		Name: "x"}).Decide(t.Context(), &cua.Turn{}); err == nil {
		t.Error("a brain that cannot answer ends the episode")
	}
}
