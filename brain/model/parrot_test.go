package model_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// Parrot is a vendor whose API takes {"model","messages":[{"role","text","png","results"}]} and answers
// {"calls":[{"id","name","x","y","text"}],"text","input_tokens","output_tokens"}, points in pixels of the
// picture.
func Parrot() brain.Provider {
	return brain.Provider{
		Info: brain.Info{Spec: "parrot[:MODEL][?base_url=URL]", Help: "an example", Key: "PARROT_API_KEY"},
		Open: func(spec brain.Spec, o brain.Options) (brain.Brain, error) {
			if err := spec.Check("base_url"); err != nil {
				return nil, err
			}
			key, err := model.KeyOf(o, "parrot", "PARROT_API_KEY")
			if err != nil {
				return nil, err
			}
			base, err := model.BaseURL(spec, true)
			if err != nil {
				return nil, err
			}
			w := &wire{client: model.CallerOf(o, key).Client(), url: base, key: key, name: spec.Model}
			return model.New(w, model.Config{Provider: "parrot", Model: spec.Model,
				By: "parrot:" + spec.Model, Secret: key}, o), nil
		},
	}
}

type message struct {
	Role    string            `json:"role"`
	Text    string            `json:"text"`
	PNG     []byte            `json:"png,omitempty"`
	Results map[string]string `json:"results,omitempty"`
}

type answer struct {
	Calls []struct {
		ID, Name, Text string
		X, Y           float64
	}
	Text         string
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// wire is the conversation.
type wire struct {
	client         *http.Client
	url, key, name string
	messages       []message
	screen         model.Screen
}

func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	if say.Fresh {
		w.messages = []message{{Role: "system", Text: model.System}}
	}
	w.screen = model.Fit(say.Turn.Now.Viewport, model.Limit{LongEdge: 1024}, 0)
	m := message{Role: "user", Text: say.Text, Results: map[string]string{}}
	for _, o := range say.Outcomes { // each call is answered
		m.Results[o.Call.ID] = o.Text
	}
	if n := len(say.Shots); n > 0 {
		shot, err := w.screen.Picture(say.Shots[n-1], nil)
		if err != nil {
			return model.Reply{}, err
		}
		m.PNG = shot.Data
	}
	w.messages = append(w.messages, m)
	got, err := w.post(ctx)
	if err != nil {
		return model.Reply{}, err
	}
	w.messages = append(w.messages, message{Role: "model", Text: got.Text})
	r := model.Reply{Thought: got.Text, Final: model.Final(got.Text),
		Usage: cua.Usage{InputTokens: got.InputTokens, OutputTokens: got.OutputTokens}}
	for _, c := range got.Calls {
		call := model.Call{ID: c.ID, Name: c.Name}
		var a cua.Action
		switch c.Name {
		case "press":
			var p cua.Point
			if p, call.Failure = w.screen.Point(c.X, c.Y); call.Failure == nil {
				a, call.Failure = model.Press("left", 1, p)
			}
		case "key":
			a, call.Failure = model.PressChord(c.Text)
		case "write":
			a = cua.Action{Kind: cua.Type, Text: c.Text}
		default:
			call.Failure = model.Unknown(c.Name)
		}
		if call.Failure == nil {
			call.Actions = []cua.Action{a}
		}
		r.Calls = append(r.Calls, call)
	}
	return r, nil
}

// post is one request; retries, limits and deadlines are the client's.
func (w *wire) post(ctx context.Context) (answer, error) {
	var out answer
	body, err := json.Marshal(map[string]any{"model": w.name, "messages": w.messages})
	if err != nil {
		return out, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	resp, err := w.client.Do(req)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusRequestEntityTooLarge {
		return out, model.ErrTooLong
	}
	if resp.StatusCode != http.StatusOK {
		return out, fmt.Errorf("parrot: %s", resp.Status)
	}
	return out, json.NewDecoder(resp.Body).Decode(&out)
}
