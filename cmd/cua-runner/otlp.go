package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// otelFormat is the exporter of spans.
const otelFormat = "otel"

// otlpPath is where a receiver takes spans.
const otlpPath = "/v1/traces"

// checkOTLP says what is wrong with --otlp, and completes the address.
func (f *exportFlags) checkOTLP() error {
	if f.otlp == "" {
		return nil
	}
	if f.format != otelFormat || f.out != "" {
		return usage("--otlp is for --format otel without --out")
	}
	to, err := receiver(f.otlp)
	f.otlp = to
	return err
}

// receiver is where the receiver at an address takes spans.
func receiver(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", usage("--otlp needs an http or https address, as http://127.0.0.1:4318; found %q", address)
	}
	if !strings.HasSuffix(u.Path, otlpPath) {
		u.Path = strings.TrimRight(u.Path, "/") + otlpPath
	}
	return u.String(), nil
}

// otlpPatience is how long a receiver may take for the spans of one episode.
const otlpPatience = 30 * time.Second

// sendOTLP sends the spans of each run in a request of its own, as OTLP/HTTP with JSON. All runs are written
// before the first is sent.
func sendOTLP(to string, x formats.Exporter, runs []formats.DatasetRun, o formats.ExportOptions) error {
	var lines bytes.Buffer
	if err := x.Write(&lines, runs, o); err != nil {
		return infra(err)
	}
	client := http.Client{Timeout: otlpPatience}
	for line := range bytes.Lines(lines.Bytes()) {
		if err := postOTLP(&client, to, line); err != nil {
			return infra(fmt.Errorf("sending spans to %s: %w", to, err))
		}
	}
	return nil
}

// maxReply bounds what is read of a receiver's answer, bytes.
const maxReply = 1 << 20

func postOTLP(client *http.Client, to string, line []byte) error {
	resp, err := client.Post(to, "application/json", bytes.NewReader(line))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("expected status 200, found %s", resp.Status)
	}
	var reply struct {
		Partial struct {
			Rejected json.RawMessage `json:"rejectedSpans"`
			Message  string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(raw, &reply) != nil { // a reply in another form says no more than its status
		return nil
	}
	if n := strings.Trim(string(reply.Partial.Rejected), `"`); n != "" && n != "0" {
		return fmt.Errorf("%s spans were rejected: %.200q", n, reply.Partial.Message)
	}
	return nil
}

// spanSender sends the spans of each episode of a server when it ends.
type spanSender struct {
	app  *app
	to   string // "": nowhere
	open sync.WaitGroup
}

// newSpanSender sends to the receiver at an address; "" is none.
func (a *app) newSpanSender(address string) (*spanSender, error) {
	s := &spanSender{app: a}
	if address == "" {
		return s, nil
	}
	var err error
	s.to, err = receiver(address)
	return s, err
}

// ended sends the spans of the episode in dir, if it has ended, while the server goes on. Spans that a
// receiver does not take can be sent again: the spans have the same ids.
func (s *spanSender) ended(dir string) {
	if s.to == "" {
		return
	}
	s.open.Go(func() {
		if err := s.send(dir); err != nil {
			const says = "cua-runner: %s; send them again: cua-runner export %s --format %s --otlp %s\n"
			fmt.Fprintf(s.app.err, says, tty.Safe(err.Error()), dir, otelFormat, s.to)
		}
	})
}

func (s *spanSender) send(dir string) error {
	t, err := trajectories.Read(dir)
	if err != nil || t.End == nil { // without an end the next start goes on with it
		return err
	}
	runs := []formats.DatasetRun{{Trajectory: t}}
	return sendOTLP(s.to, exporterOf(otelFormat), runs, formats.ExportOptions{})
}
