package brain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Info is what `cua-runner brains` says of one brain.
type Info struct {
	// Spec is how to ask for it: "scripted:FILE".
	Spec string `json:"spec"`
	// Help is one line.
	Help string `json:"help"`
	// Key is the environment variable that holds the key it needs; "none" is none.
	Key string `json:"key"`
}

// List lists the brains in the order in which they are documented, the default first.
func List() []Info {
	return []Info{
		{"heuristic", "the embedded default: fills forms by label, presses what the goal names, waits, says done with what it saw", "none"},
		{"scripted:FILE", "decisions from a script: a JSON array, or one JSON object a line", "none"},
		{"replay:RUN", "the proposals of a recorded episode, in order", "none"},
	}
}

// Options are what brains need of the program that opens them.
type Options struct {
	// Steps reads the steps of the journal that replay:RUN names; nil makes replay an error.
	Steps func(run string) ([]cua.Step, error)
}

// Open opens the brain that spec asks for: one of List, NAME or NAME:ARGUMENT. An unknown name
// is an error that lists the known ones.
func Open(spec string, o Options) (Brain, error) {
	name, arg, _ := strings.Cut(spec, ":")
	switch name {
	case "heuristic":
		if arg != "" {
			return nil, fmt.Errorf("brain: heuristic takes no argument, not %q", arg)
		}
		return Heuristic{}, nil
	case "scripted":
		if arg == "" {
			return nil, errors.New("brain: scripted needs a file: scripted:FILE")
		}
		script, err := LoadScript(arg)
		if err != nil {
			return nil, err
		}
		return Scripted{Script: script}, nil
	case "replay":
		if arg == "" {
			return nil, errors.New("brain: replay needs a run folder or journal: replay:RUN")
		}
		if o.Steps == nil {
			return nil, errors.New("brain: replay is not possible here: nothing reads journals")
		}
		steps, err := o.Steps(arg)
		if err != nil {
			return nil, fmt.Errorf("brain: opening replay: %w", err)
		}
		return Replay{Steps: steps}, nil
	}
	var known []string
	for _, i := range List() {
		known = append(known, i.Spec)
	}
	return nil, fmt.Errorf("brain: unknown brain %q; known: %s", name, strings.Join(known, ", "))
}
