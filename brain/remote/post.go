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

// post is a brain on a server. The client handles retries, limits and deadlines, so a message may arrive
// twice, with the same run_id and id.
type post struct {
	client     *http.Client
	parting    *http.Client // sends the shutdown message, without retries
	url, token string
}

func (p *post) call(ctx context.Context, _ string, message []byte) ([]byte, error) {
	if message == nil {
		return nil, errors.New("the server answered a call that was abandoned")
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
		return nil, fmt.Errorf("the response is longer than %d bytes", maxMessage)
	}
	return got, nil
}

// keep returns an error: a server has no access to our files.
func (p *post) keep(int, []byte) (string, error) {
	return "", errors.New("image: delivery must be base64 or none for a server, not path")
}

// blame adds nothing.
func (p *post) blame(err error) error { return err }

// close sends bye once.
func (p *post) close(bye []byte) {
	if bye == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p.client = p.parting
	p.call(ctx, shutdown, bye) //nolint:errcheck // it may go unheard
}
