package miniwob

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// solvers say, for tasks that we know the way through, what comes next on their pages: by what is shown now,
// and by nothing that was decided before. So a solver continues from whatever state a fault, a gate or nobody
// left behind.
//
//go:embed solvers/*.js
var solvers embed.FS

// solving is the program of all solvers, a function of the task's name and its goal. Without a name it comes
// to those it knows.
var solving = sync.OnceValue(func() string {
	var s strings.Builder
	s.WriteString("((NAME, GOAL) => {\n'use strict';\n")
	files, err := solvers.ReadDir("solvers")
	if err != nil {
		panic(err) // they are in the program
	}
	for _, f := range files { // those in common are first by their names; what another file names is its own
		text, err := solvers.ReadFile("solvers/" + f.Name())
		if err != nil {
			panic(err)
		}
		if strings.HasPrefix(f.Name(), "common") {
			s.Write(text)
		} else {
			fmt.Fprintf(&s, "{\n%s}\n", text)
		}
	}
	s.WriteString("\nreturn NAME ? next(NAME, GOAL) : Object.keys(tasks);\n})")
	return s.String()
})

// Solver decides as the script of its task does. It reads the page itself, which no agent can: it shows what
// the way to the reward is, and what a fault beside it and a mechanism against that are worth.
type Solver struct{ e *Episode }

// Solver solves the episode.
func (e *Episode) Solver() Solver { return Solver{e} }

// Decide asks the page what comes next. Where no script knows, or the page does not answer, it gives up: done
// without success.
func (s Solver) Decide(ctx context.Context, _ *cua.Turn) (cua.Decision, error) {
	d := cua.Decision{By: "oracle"}
	giveUp := func(why string) (cua.Decision, error) {
		d.Action = cua.Action{Kind: cua.Done, Text: why}
		return d, ctx.Err()
	}
	if s.e.fault != nil {
		return giveUp("the page did not start")
	}
	arguments, err := json.Marshal([]string{s.e.name, s.e.Task.Goal})
	if err != nil {
		return d, err
	}
	text, err := s.e.Page.Ask(ctx, fmt.Sprintf("%s(...%s)", solving(), arguments))
	switch {
	case err != nil:
		return giveUp("the page does not say what comes next: " + err.Error())
	case text == nil: // a dialog is open
		d.Action = cua.Action{Kind: cua.AnswerDlg, Accept: true}
		return d, ctx.Err()
	}
	var said *cua.Action
	if err := json.Unmarshal(text, &said); err != nil {
		return giveUp("what comes next is no action: " + err.Error())
	}
	if said == nil {
		return giveUp("no way on is known for " + s.e.name)
	}
	d.Action, d.Thought, d.Action.Why = *said, said.Why, ""
	return d, ctx.Err()
}
