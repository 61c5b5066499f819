// Package anthropic is the brain that asks Anthropic's models over the Messages API, with the vendor's own
// SDK. It offers the browser toolset, the computer toolset or the older computer tool.
//
// The calls of a model are converted to actions by closed tables. A call without a matching action is
// answered with an error and never imitated. A message without a call ends the task with its verdict
// (model.Final).
package anthropic

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// Provider registers the brain.
func Provider() brain.Provider {
	return brain.Provider{
		Info: brain.Info{
			Spec: Name + "[:MODEL][?tool=browser|computer|" + olderTool +
				"&effort=…&thinking=…&max_tokens=N&base_url=URL&files=yes&marks=1&prune=server|client]",
			Help: "Anthropic's models over the Messages API; default " + defaultModel,
			Key:  keyVariable,
		},
		Open: Open, Address: address,
	}
}

// Open opens the brain that a spec selects. It does not touch the network. A missing key and an unknown
// option are errors.
func Open(s brain.Spec, o brain.Options) (brain.Brain, error) {
	w, c, err := open(s, o)
	if err != nil {
		return nil, err
	}
	return model.New(w, c, o), nil
}

// open returns the wire for a spec, and the configuration of the brain over it.
func open(s brain.Spec, o brain.Options) (*wire, model.Config, error) {
	opts, err := read(s)
	if err != nil {
		return nil, model.Config{}, fmt.Errorf("brain: opening %s: %w", Name, err)
	}
	key, err := model.KeyOf(o, Name, keyVariable)
	if err != nil {
		return nil, model.Config{}, err
	}
	caller := model.CallerOf(o, key)
	caller.Attempt = opts.attempt()
	prompt := model.DefaultPrompt()
	prompt.Marks = opts.marks && !opts.kind.browser // the references already list them
	return &wire{options: opts, client: newClient(caller, key, opts.baseURL)},
		model.Config{Provider: Name, Model: opts.model, By: Name + ":" + opts.model, Prompt: prompt,
			Limit: opts.limit, Caches: true, Secret: key, Deadline: max(model.DefaultDeadline,
				2*caller.Attempt)}, nil
}

// Ping implements model.Pinger.
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) { return w.client.ping(ctx, &w.options) }
