// Package ttytest is the person at a terminal of tests.
package ttytest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Typist is a person at a terminal: what is said there is written to it. See New.
type Typist struct {
	mu    sync.Mutex
	said  strings.Builder
	on    []string
	lines []string
	keys  io.WriteCloser
	more  *sync.Cond
}

// New returns a typist. Each time a write contains one of on, it types the next of lines; when none is left,
// it closes keys.
func New(keys io.WriteCloser, on []string, lines ...string) *Typist {
	w := &Typist{on: on, lines: lines, keys: keys}
	w.more = sync.NewCond(&w.mu)
	return w
}

// Write takes what is said.
func (w *Typist) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said.Write(p)
	w.more.Broadcast()
	said := func(s string) bool { return strings.Contains(string(p), s) }
	switch asked := slices.ContainsFunc(w.on, said); {
	case asked && len(w.lines) > 0:
		line := w.lines[0]
		w.lines = w.lines[1:]
		go fmt.Fprintln(w.keys, line)
	case asked: // who has nothing more to say leaves
		go w.keys.Close()
	}
	return len(p), nil
}

// Await returns once text was said. It blocks for ever if the text never comes.
func (w *Typist) Await(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !strings.Contains(w.said.String(), text) {
		w.more.Wait()
	}
}

// All is what was said until now.
func (w *Typist) All() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.String()
}
