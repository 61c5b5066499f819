package miniwob

import (
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// solvers make the script that solves a task out of its goal: those of the subset smoke, by which the whole way from the
// start of an episode to its reward is tested.
var solvers = map[string]func(goal string) []cua.Scripted{
	"click-test":   func(string) []cua.Scripted { return []cua.Scripted{press("Click Me!")} },
	"click-button": func(goal string) []cua.Scripted { return []cua.Scripted{press(quoted(goal, 0))} },
	"enter-text": func(goal string) []cua.Scripted {
		return []cua.Scripted{fill("tt", quoted(goal, 0)), press("Submit")}
	},
	"login-user": func(goal string) []cua.Scripted {
		return []cua.Scripted{fill("username", quoted(goal, 0)), fill("password", quoted(goal, 1)), press("Login")}
	},
	"enter-date": func(goal string) []cua.Scripted {
		return []cua.Scripted{fill("tt", american.ReplaceAllString(american.FindString(goal), "$3-$1-$2")), press("Submit")}
	},
}

// american is a date as goals say it; a date field takes year, month and day.
var american = regexp.MustCompile(`(\d\d)/(\d\d)/(\d{4})`)

// Solution is the script that solves the episode; nil where none is known for its task, or the page did not start.
func (e *Episode) Solution() []cua.Scripted {
	solve := solvers[e.name]
	if solve == nil || e.fault != nil {
		return nil
	}
	return solve(e.Task.Goal)
}

// quoted is the n-th thing in quotes, from 0; "" is none.
func quoted(goal string, n int) string {
	parts := strings.Split(goal, `"`)
	if 2*n+1 >= len(parts) {
		return ""
	}
	return parts[2*n+1]
}

func press(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
}

func fill(field, value string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: value, Clear: true}, On: field}
}
