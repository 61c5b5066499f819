package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Hook serves the hooks PreToolUse, PostToolUse and PostToolUseFailure of Claude Code for the tools of a
// browser MCP server. It runs once per call: the history of a session is a file in Dir.
type Hook struct {
	Config runner.Config
	// Dir holds one file per session, mode 0600. Typed texts are in it as digests only.
	Dir string
	// Deny refuses a call whose verdict is Stop.
	Deny bool
}

// hookInput is what Claude Code writes on standard input.
type hookInput struct {
	Session   string          `json:"session_id"`
	Event     string          `json:"hook_event_name"`
	Dir       string          `json:"cwd"`
	Tool      string          `json:"tool_name"`
	Arguments json.RawMessage `json:"tool_input"`
	Response  json.RawMessage `json:"tool_response"`
	Error     string          `json:"error"`
}

// hookOutput is what Claude Code reads from standard output.
type hookOutput struct {
	Specific struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision,omitzero"`
		Reason   string `json:"permissionDecisionReason,omitzero"`
		Context  string `json:"additionalContext,omitzero"`
	} `json:"hookSpecificOutput"`
}

// entry is a line of a history: a line of the guard, or a page.
type entry struct {
	Line json.RawMessage `json:"line,omitzero"`
	Page *Page           `json:"page,omitzero"`
}

// Serve answers one call of the hook; nil is nothing to say.
func (k Hook) Serve(input []byte) ([]byte, error) {
	var in hookInput
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fmt.Errorf("guard: reading the hook's input: %w", err)
	}
	if in.Session == "" || in.Tool == "" {
		return nil, errors.New("guard: reading the hook's input: session_id and tool_name belong there")
	}
	switch in.Event {
	case "PreToolUse":
		if Acts(in.Tool) {
			return k.before(in)
		}
	case "PostToolUse", "PostToolUseFailure":
		return nil, k.after(in)
	}
	return nil, nil
}

// before judges the call that is about to be made.
func (k Hook) before(in hookInput) ([]byte, error) {
	g, page, steps, err := k.history(in.Session)
	if err != nil {
		return nil, err
	}
	step := Call(in.Tool, in.Arguments, page, nil)
	step.Index = steps
	line := bytes.TrimSpace(encoded(step))
	var a Answer
	if err := json.Unmarshal(g.Line(line), &a); err != nil {
		return nil, fmt.Errorf("guard: judging the call: %w", err)
	}
	entries := []entry{{Line: line}}
	var out hookOutput
	out.Specific.Event = in.Event
	switch says := a.Says(); {
	case a.Verdict == Stop && k.Deny:
		out.Specific.Decision, out.Specific.Reason = "deny", says
		skipped := fmt.Appendf(nil, `{"type":"amend","index":%d,"skipped":true}`, step.Index)
		entries = append(entries, entry{Line: skipped})
	default:
		out.Specific.Context = says
	}
	if err := k.add(in.Session, entries...); err != nil {
		return nil, err
	}
	if a.Verdict == Pass {
		return nil, nil
	}
	return encoded(out), nil
}

// after stores what the call showed: the page, or its error.
func (k Hook) after(in hookInput) error {
	text := texts(in.Response)
	open := func(path string) (string, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(in.Dir, path)
		}
		f, err := openFile(path, os.O_RDONLY)
		if err != nil {
			return "", err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, maxSnapshot))
		return string(b), err
	}
	var entries []entry
	fault := in.Error
	if _, said, ok := strings.Cut(text, "### Error\n"); ok && fault == "" {
		fault = said
	}
	if fault != "" && Acts(in.Tool) {
		fault = cua.ClipBytes(fault, 200)
		entries = append(entries, entry{Line: bytes.TrimSpace(encoded(map[string]string{"type": "amend",
			"error": fault}))})
	}
	page, ok := ReadPage(text, open)
	if ok || Acts(in.Tool) { // what is not shown is unknown, not as before
		entries = append(entries, entry{Page: &page})
	}
	return k.add(in.Session, entries...)
}

// texts are all texts of a tool's response, whatever its form.
func texts(response json.RawMessage) string {
	var v any
	if json.Unmarshal(response, &v) != nil {
		return ""
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			if t, ok := v["text"]; ok {
				walk(t)
			}
			walk(v["content"])
		}
	}
	walk(v)
	return b.String()
}

var plainSession = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func (k Hook) path(session string) string {
	if !plainSession.MatchString(session) {
		session = cua.Digest(session)
	}
	return filepath.Join(k.Dir, session+".jsonl")
}

// history is a guard that has read the session so far, the newest page and the number of steps.
func (k Hook) history(session string) (*Guard, *Page, int, error) {
	g, page, steps := New(k.Config), &Page{}, 0
	text, err := k.stored(session)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("guard: reading the history: %w", err)
	}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue // torn by a kill
		}
		if e.Page != nil {
			page = e.Page
		}
		if len(e.Line) > 0 {
			g.Line(e.Line)
			var p Propose
			if json.Unmarshal(e.Line, &p) == nil && p.Type == "propose" {
				steps = p.Index + 1
			}
		}
	}
	return g, page, steps, nil
}

// stored is the text of the history; there may be none yet.
func (k Hook) stored(session string) ([]byte, error) {
	f, err := openFile(k.path(session), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// maxSnapshot caps what is read of a snapshot that an answer links, bytes.
const maxSnapshot = 32 << 20

// openFile opens a regular file. It follows no link and waits for no pipe: an answer may name any path, and
// others may write where histories are.
func openFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return f, nil
}

// add appends entries to the history, in one write.
func (k Hook) add(session string, entries ...entry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := os.MkdirAll(k.Dir, 0o700); err != nil {
		return fmt.Errorf("guard: writing the history: %w", err)
	}
	f, err := openFile(k.path(session), os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return fmt.Errorf("guard: writing the history: %w", err)
	}
	b := *bytes.NewBufferString("\n") // ends a line that a kill tore
	for _, e := range entries {
		b.Write(encoded(e))
	}
	_, err = f.Write(b.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("guard: writing the history: %w", err)
	}
	return nil
}
