package brain

import (
	"errors"
	"fmt"
	"strings"
)

// Info describes a brain for `cua-runner brains`.
type Info struct {
	// Spec is the syntax that selects it: "scripted:FILE".
	Spec string `json:"spec"`
	// Help is one line of help.
	Help string `json:"help"`
	// Key is the environment variable that holds the key of the brain, or "none".
	Key string `json:"key"`
	// Optional says that it also works without the key.
	Optional bool `json:"key_optional,omitzero"`
}

// List lists the brains in the order of the documentation: the default first, those of providers last.
func List(providers ...Provider) []Info {
	out := []Info{
		{Spec: "heuristic", Help: "the embedded default: fills forms by label, presses what the goal names, waits, says done with what it saw", Key: "none"},
		{Spec: "scripted:FILE", Help: "decisions from a script: a JSON array, or one JSON object a line", Key: "none"},
		{Spec: "replay:RUN", Help: "the proposals of a recorded episode, in order", Key: "none"},
		{Spec: "floor:KIND", Help: "baselines that ignore the goal: floor:submit presses a submit control, or else a button, once; floor:clicks clicks ten times at random, floor:clicks@WxH+LEFT+TOP in a part of the viewport, floor:marks on clickable elements", Key: "none"},
	}
	for _, p := range providers {
		out = append(out, p.Info)
	}
	return out
}

// Open opens the brain that spec selects: one of List, as NAME or NAME:ARGUMENT, or a provider (see
// ParseSpec). An unknown name is an error that lists the known ones.
func Open(spec string, o Options) (Brain, error) {
	name, arg, _ := strings.Cut(spec, ":")
	switch name {
	case "heuristic":
		if arg != "" {
			return nil, fmt.Errorf("brain: heuristic takes no argument, but got %q", arg)
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
			return nil, errors.New("brain: replay is not available: Options.Steps is not set")
		}
		steps, err := o.Steps(arg)
		if err != nil {
			return nil, fmt.Errorf("brain: opening replay: %w", err)
		}
		return Replay{Steps: steps}, nil
	case "floor":
		return floor(arg)
	}
	if parsed, err := ParseSpec(spec); err != nil {
		return nil, err
	} else if b, err := parsed.open(o); b != nil || err != nil {
		return b, err
	}
	var known []string
	for _, i := range List(o.Providers...) {
		known = append(known, i.Spec)
	}
	name, _, _ = strings.Cut(name, "?")
	return nil, fmt.Errorf("brain: unknown brain %q; known: %s", name, strings.Join(known, ", "))
}

// open opens the provider of that name; nil if there is none.
func (s Spec) open(o Options) (Brain, error) {
	for _, p := range o.Providers {
		if p.Name() == s.Name {
			return p.Open(s, o)
		}
	}
	return nil, nil
}
