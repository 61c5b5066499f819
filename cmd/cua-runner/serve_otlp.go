package main

import (
	"fmt"
	"sync"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

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
			fmt.Fprintf(s.app.err, says, oneLine(err.Error()), dir, otelFormat, s.to)
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
