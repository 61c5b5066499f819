package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Detect scores trajectories and calls each with one after another. They are read from in where path is "".
// Its error says that the rest could not be read.
type Detect func(ctx context.Context, path string, in io.Reader, each func(*Loops)) error

// Loops is what was found in one trajectory.
type Loops struct {
	ID    string `json:"id,omitempty"`
	Steps int    `json:"steps"`
	// FirstSoft and FirstHard are steps, from 1; 0 is never.
	FirstSoft int `json:"first_soft" jsonschema:"the step after which a warning first held; 0 is never"`
	FirstHard int `json:"first_hard" jsonschema:"the step after which an alarm first held; 0 is never"`
	// Stuck are steps inside incidents, Wasted those inside incidents that did not recover.
	Stuck  int      `json:"stuck"`
	Wasted int      `json:"wasted"`
	Loops  []string `json:"loops,omitempty" jsonschema:"the alarms in words"`
	Error  string   `json:"error,omitempty" jsonschema:"why this is no trajectory"`
}

// The limits of detect_loops.
const (
	maxTrajectory = 8 << 20 // bytes
	maxListed     = 1200    // bytes of what is said of trajectories, after the first
	maxPhrases    = 5       // of one trajectory
	maxPhrase     = 200     // bytes
)

type loopsIn struct {
	Trajectory any    `json:"trajectory,omitempty" jsonschema:"an object with steps, or JSON lines as a text"`
	Path       string `json:"path,omitempty" jsonschema:"a run folder or a file below the server's --dir"`
}

type loopsOut struct {
	Trajectories []*Loops `json:"trajectories"`
	// Looping counts the trajectories with a warning or an alarm.
	Looping int    `json:"looping"`
	More    int    `json:"more,omitempty" jsonschema:"trajectories that were read and are not listed"`
	Error   string `json:"error,omitempty" jsonschema:"why the rest was not read"`
}

func (s *Server) addLoops() {
	if s.o.Detect == nil {
		return
	}
	addTool(s, "detect_loops", "Find loops in the recorded steps of any agent: give trajectory or path",
		reads, func(ctx context.Context, _ *sdk.CallToolRequest,
			in loopsIn) (*sdk.CallToolResult, *loopsOut, error) {
			out, err := s.detect(ctx, in)
			if err != nil {
				return nil, nil, fmt.Errorf("detect_loops: %w", err)
			}
			return out.content(), out, nil
		})
}

func (s *Server) detect(ctx context.Context, in loopsIn) (*loopsOut, error) {
	text, err := in.text()
	if err != nil {
		return nil, err
	}
	out := &loopsOut{Trajectories: []*Loops{}}
	room := maxListed
	err = s.o.Detect(ctx, in.Path, strings.NewReader(text), func(l *Loops) {
		if l.FirstSoft > 0 {
			out.Looping++
		}
		if room <= 0 {
			out.More++
			return
		}
		if n := len(l.Loops) - maxPhrases; n > 0 {
			l.Loops = append(l.Loops[:maxPhrases:maxPhrases], fmt.Sprintf("%d more", n))
		}
		l.ID = clip(l.ID, 80)
		for i := range l.Loops {
			l.Loops[i] = clip(l.Loops[i], maxPhrase)
			room -= len(l.Loops[i])
		}
		room -= 100 + len(l.ID) // the words about it
		out.Trajectories = append(out.Trajectories, l)
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		out.Error = clipLines(err.Error(), 500)
	case len(out.Trajectories) == 0:
		out.Error = "it holds no trajectory"
	}
	return out, nil
}

// text is the trajectory as text; "" with a path.
func (in *loopsIn) text() (string, error) {
	text, isText := in.Trajectory.(string)
	if in.Trajectory != nil && !isText {
		raw, err := json.Marshal(in.Trajectory)
		if err != nil {
			return "", err
		}
		text = string(raw)
	}
	switch {
	case (in.Path == "") == (strings.TrimSpace(text) == ""):
		return "", errors.New("give trajectory or path, one of them")
	case len(text) > maxTrajectory:
		return "", fmt.Errorf("trajectory has %d bytes, at most %d are taken: give path", len(text),
			maxTrajectory)
	}
	return text, nil
}

func (o *loopsOut) content() *sdk.CallToolResult {
	var b strings.Builder
	for _, l := range o.Trajectories {
		if l.Error != "" {
			fmt.Fprintf(&b, "- not read: %s\n", l.Error)
			continue
		}
		fmt.Fprintf(&b, "- %s: %d steps, ", l.ID, l.Steps)
		switch {
		case l.FirstSoft == 0:
			b.WriteString("no loop\n")
		case l.FirstHard == 0:
			fmt.Fprintf(&b, "warning from step %d, %d steps stuck\n", l.FirstSoft, l.Stuck)
		default:
			fmt.Fprintf(&b, "warning from step %d, alarm from step %d, %d steps stuck, %d wasted\n",
				l.FirstSoft, l.FirstHard, l.Stuck, l.Wasted)
		}
		for _, loop := range l.Loops {
			b.WriteString("  - " + loop + "\n")
		}
	}
	if o.More > 0 {
		fmt.Fprintf(&b, "- %d more were read\n", o.More)
	}
	if o.Error != "" {
		b.WriteString("The rest was not read: " + o.Error + "\n")
	}
	bad := o.Error != ""
	return &sdk.CallToolResult{IsError: bad, Content: []sdk.Content{&sdk.TextContent{
		Text: "### " + when(bad, "Error") + when(!bad, "Result") + "\n" + b.String()}}}
}
