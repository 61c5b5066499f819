package trajectories

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/cua-runner/cua-runner/cua"
)

// ForkOf names the episode from which another was forked.
type ForkOf struct {
	// ID and Episode are those of its header.
	ID      string `json:"id,omitzero"`
	Episode string `json:"episode"`
	// Step is the number of the first step that the two do not share, 1 or more.
	Step int `json:"step"`
}

// Forked reports whether step n was copied from another episode, under that one's configuration.
func (h *Header) Forked(n int) bool { return h.Fork != nil && n > 0 && n < h.Fork.Step }

// Fork makes the run folder dir, whose journal has the header h and then the records of the run folder from
// up to the step before h.Fork.Step, with the blobs and checkpoints that they name. Edit changes the text of
// each record and checkpoint, for a site that has another address now. A folder that has a journal is an
// error that wraps fs.ErrExist, and so is a source with too few steps an error.
func Fork(dir string, h Header, from string, edit func([]byte) []byte) error {
	text, err := os.ReadFile(filepath.Join(from, JournalName))
	if err != nil {
		return fmt.Errorf("trajectories: forking: %w", err)
	}
	t, records, err := DecodeRecords(text, filepath.Join(from, JournalName))
	if err != nil {
		return fmt.Errorf("trajectories: forking: %w", err)
	}
	if n := len(t.Steps); h.Fork == nil || h.Fork.Step < 1 || h.Fork.Step > n+1 {
		return fmt.Errorf("trajectories: forking %s: it has %d steps; a fork before one of them is expected",
			from, n)
	}
	w, err := Create(dir, h)
	if err != nil {
		return err
	}
	defer w.Close()
	c := copier{w: w, from: t, edit: edit, names: map[string]string{}}
	for _, r := range records[1:] {
		if !r.before(h.Fork.Step) {
			break
		}
		if err := c.copy(r); err != nil {
			return err
		}
	}
	return w.Close()
}

// before reports whether r belongs to what happened before step n.
func (r *Record) before(n int) bool {
	switch r.Type {
	case IntentRecord:
		return r.Intent.Number < n
	case StepRecord:
		return r.Step.N < n
	}
	return r.Type != EndRecord
}

// copier writes records of one run folder into the journal of another.
type copier struct {
	w     *Writer
	from  *Trajectory
	edit  func([]byte) []byte
	names map[string]string // of checkpoints there, by what they are called here
}

var hashName = regexp.MustCompile(`"[0-9a-f]{64}"`)

// copy writes r and what it names.
func (c *copier) copy(r *Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("trajectories: forking: %w", err)
	}
	var lost error
	text = hashName.ReplaceAllFunc(text, func(quoted []byte) []byte {
		name, err := c.named(string(quoted[1 : len(quoted)-1]))
		if err != nil {
			lost = err
		}
		return []byte(`"` + name + `"`)
	})
	if lost != nil {
		return lost
	}
	var edited Record
	if err := json.Unmarshal(c.edit(text), &edited); err != nil {
		return fmt.Errorf("trajectories: forking: an edited record: %w", err)
	}
	return c.w.append(&edited)
}

// named copies the blob or checkpoint of that name, if there is one, and is what it is called in the fork.
func (c *copier) named(name string) (string, error) {
	if known, ok := c.names[name]; ok {
		return known, nil
	}
	c.names[name] = name
	var err error
	switch {
	case c.from.HasBlob(name):
		var data []byte
		if data, err = c.from.Blob(name); err == nil {
			_, err = c.w.Blob(data)
		}
	case c.from.HasState(name):
		var p *cua.PageState
		if p, err = ReadState(c.from.Dir, name); err == nil {
			c.names[name], err = c.state(p)
		}
	}
	return c.names[name], err
}

// state writes p, edited, and returns its name.
func (c *copier) state(p *cua.PageState) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("trajectories: forking: %w", err)
	}
	var edited cua.PageState
	if err := json.Unmarshal(c.edit(text), &edited); err != nil {
		return "", fmt.Errorf("trajectories: forking: an edited checkpoint: %w", err)
	}
	return c.w.State(&edited)
}
