package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/cua-runner/cua-runner/brain"
)

// post is a brain behind an address. Retries, limits and deadlines are the client's, so a message may arrive
// twice: run_id and id say that it is the same.
type post struct {
	client     *http.Client
	parting    *http.Client // says goodbye, and does not insist
	url, token string
}

func (p *post) call(ctx context.Context, _ string, message []byte) ([]byte, error) {
	if message == nil {
		return nil, errors.New("the server answered a question that was given up")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if p.token != "" {
		req.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage+1))
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answered %d %s", resp.StatusCode,
			brain.Quoted(string(got), maxShown))
	case len(got) > maxMessage:
		return nil, fmt.Errorf("it answered more than %d bytes", maxMessage)
	}
	return got, nil
}

// keep cannot: the server has files of its own.
func (p *post) keep(int, []byte) (string, error) {
	return "", errors.New("image: a server is given screenshots as base64, or none; not by path")
}

// blame knows nothing else.
func (p *post) blame(err error) error { return err }

// close says bye once.
func (p *post) close(bye []byte) {
	if bye == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p.client = p.parting
	p.call(ctx, shutdown, bye) //nolint:errcheck // it may go unheard
}
