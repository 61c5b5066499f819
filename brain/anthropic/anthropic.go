// Package anthropic is the brain that asks Anthropic's models over the Messages API, with the vendor's own
// SDK: by the browser toolset, or by the computer toolset or the older computer tool.
//
// What a model calls is read into actions of ours against closed tables; what none of ours can say is
// answered with an error and never imitated. A message without a call ends the task as it says (model.Final).
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
			Help: "Anthropic's models over the Messages API; " + DefaultModel + " where none is named",
			Key:  KeyVariable,
		},
		Open: Open, Address: address,
	}
}

// Open opens the brain that a spec asks for. It does not touch the network. Without a key, and with an option
// that is none, it is an error.
func Open(s brain.Spec, o brain.Options) (brain.Brain, error) {
	w, c, err := open(s, o)
	if err != nil {
		return nil, err
	}
	return model.New(w, c, o), nil
}

// open is the wire that a spec asks for, and what the brain over it is told of it.
func open(s brain.Spec, o brain.Options) (*wire, model.Config, error) {
	opts, err := read(s)
	if err != nil {
		return nil, model.Config{}, fmt.Errorf("brain: opening %s: %w", Name, err)
	}
	key, err := model.KeyOf(o, Name, KeyVariable)
	if err != nil {
		return nil, model.Config{}, err
	}
	caller := model.CallerOf(o, key)
	caller.Attempt = opts.attempt()
	prompt := model.DefaultPrompt()
	prompt.Marks = opts.marks && !opts.kind.browser // by references they are listed already
	return &wire{options: opts, client: newClient(caller, key, opts.baseURL)},
		model.Config{Provider: Name, Model: opts.model, By: Name + ":" + opts.model, Prompt: prompt,
			Limit: opts.limit, Caches: true, Secret: key, Deadline: max(model.DefaultDeadline,
				2*caller.Attempt)}, nil
}

// Ping satisfies model.Pinger.
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) { return w.client.ping(ctx, &w.options) }
