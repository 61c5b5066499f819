package detection

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Labels are windows of trajectories that a person looked at, with the loops found in them.
type Labels struct {
	// Windows are in the order of the file, several to a trajectory or none.
	Windows []Window
}

// Window is one labelled window.
type Window struct {
	// No is its number in the file that it comes from; 0 is none.
	No int `json:"no"`
	// ID is that of the trajectory.
	ID string `json:"id"`
	// Steps are the first step of the window and the first after it, as the trajectory calls its
	// steps.
	Steps [2]int `json:"window"`
	// Loop is yes, no or unclear.
	Loop string `json:"loop"`
	// Kind is the annotator's word for what is seen.
	Kind string `json:"kind"`
	// Stretches are the loops of a window labelled yes.
	Stretches []Stretch `json:"stretches"`
}

// Stretch is one loop inside a window.
type Stretch struct {
	// Onset is the step that is repeated later, Start the first step that repeats, End the last.
	Onset int    `json:"onset"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Kind  string `json:"kind"`
}

// The answers of an annotator.
const (
	loopYes     = "yes"
	loopNo      = "no"
	loopUnclear = "unclear"
)

// maxLabel bounds one line of labels, bytes.
const maxLabel = 1 << 20

// ReadLabels reads one window a line. An error names the line; fields beside those of Window
// are ignored.
func ReadLabels(r io.Reader) (*Labels, error) {
	out := &Labels{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLabel)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var w Window
		err := json.Unmarshal(lines.Bytes(), &w)
		if err == nil {
			err = w.check()
		}
		if err != nil {
			return nil, fmt.Errorf("detection: reading labels: line %d: %w", n, err)
		}
		out.Windows = append(out.Windows, w)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("detection: reading labels: line %d: %w", n+1, err)
	}
	if len(out.Windows) == 0 {
		return nil, errors.New("detection: reading labels: there is no window in them")
	}
	return out, nil
}

func (w Window) check() error {
	switch {
	case w.ID == "":
		return errors.New("the window names no trajectory (id)")
	case w.Steps[0] < 0 || w.Steps[0] >= w.Steps[1]:
		return fmt.Errorf("window %v: want its first step and the first after it", w.Steps)
	case !slices.Contains([]string{loopYes, loopNo, loopUnclear}, w.Loop):
		return fmt.Errorf("loop is %q; want %s, %s or %s", w.Loop, loopYes, loopNo, loopUnclear)
	case w.Loop == loopYes && len(w.Stretches) == 0:
		return errors.New("the window has a loop but no stretch")
	case w.Loop == loopNo && len(w.Stretches) > 0:
		return errors.New("the window has no loop but a stretch")
	}
	for _, s := range w.Stretches {
		if s.Onset < w.Steps[0] || s.Start < s.Onset || s.End < s.Start || s.End >= w.Steps[1] {
			return fmt.Errorf("stretch %d, %d, %d: want onset ≤ start ≤ end inside the window %v", s.Onset,
				s.Start, s.End, w.Steps)
		}
	}
	return nil
}

// of are the windows of one trajectory.
func (l *Labels) of(id string) []Window {
	if l == nil {
		return nil
	}
	var out []Window
	for _, w := range l.Windows {
		if w.ID == id {
			out = append(out, w)
		}
	}
	return out
}
