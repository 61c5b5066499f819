package manifest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// maxAnswer is how much of an oracle's answer is read, in bytes.
const maxAnswer = 1 << 20

// maxState is how much of a state is kept with a result, in bytes.
const maxState = 4096

// asker asks the oracle of one episode.
type asker struct {
	Oracle
	client *http.Client
	task   string
	seed   int64
	run    string
}

// errNoVerdict is the fault of an oracle that does not say what an episode earned.
var errNoVerdict = errors.New("the answer has no reward from 0 to 1: there is no verdict")

func (a *asker) reset(ctx context.Context) error {
	if a.Reset == "" {
		return nil
	}
	body, err := json.Marshal(map[string]any{"task": a.task, "seed": a.seed, "run": a.run})
	if err != nil {
		return err
	}
	_, err = a.call(ctx, http.MethodPost, "reset", a.Reset, body)
	return err
}

// over reads the state and reports whether the episode has ended.
func (a *asker) over(ctx context.Context) (json.RawMessage, bool, error) {
	if a.State == "" {
		return nil, false, nil
	}
	text, err := a.call(ctx, http.MethodGet, "state", a.State, nil)
	if err != nil {
		return nil, false, err
	}
	var said struct {
		Over bool `json:"over"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return nil, false, fmt.Errorf("oracle: state: the answer is no object with over: %w", err)
	}
	if len(text) > maxState {
		text = nil
	}
	return text, said.Over, nil
}

// verdict asks what the episode earned.
func (a *asker) verdict(ctx context.Context) (reward float64, reason string, err error) {
	text, err := a.call(ctx, http.MethodGet, "verdict", a.Verdict, nil)
	if err != nil {
		return 0, "", err
	}
	var said struct {
		Reward *float64 `json:"reward"`
		Reason string   `json:"reason"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return 0, "", fmt.Errorf("oracle: verdict: %w", err)
	}
	if said.Reward == nil || *said.Reward < 0 || *said.Reward > 1 {
		return 0, "", fmt.Errorf("oracle: verdict: %w", errNoVerdict)
	}
	return *said.Reward, cua.Clip(said.Reason, maxSaid), nil
}

// maxSaid is how much is shown of what others say, characters.
const maxSaid = 300

// call asks once, with the deadline.
func (a *asker) call(ctx context.Context, method, what, address string, body []byte) ([]byte, error) {
	limit := time.Duration(cmp.Or(a.TimeoutMS, defaultTimeoutMS)) * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	address = filled(address, a.seed, a.run)
	fault := func(err error) error {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("oracle: %s: %s %s: %w", what, method, address, err)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fault(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, fault(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fault(err)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fault(fmt.Errorf("it answered %s", resp.Status))
	case len(text) > maxAnswer:
		return nil, fault(fmt.Errorf("the answer has more than %d bytes", maxAnswer))
	}
	return text, nil
}
