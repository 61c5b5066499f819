package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// The outcomes of a call.
const (
	Done        = "done"
	Substituted = "substituted"  // something else was done
	Refused     = "refused"      // nothing was done
	Failed      = "failed"       // it was tried
	Paused      = "paused"       // the episode waits for a person, or a rollback
	NotExecuted = "not_executed" // a call before it was not done as asked
)

// Result is the result of a call of any tool.
type Result struct {
	Session string `json:"session"`
	// Step is the number of the last step; 0 is none.
	Step    int    `json:"step"`
	Outcome string `json:"outcome" jsonschema:"done, substituted, refused, failed, paused or not_executed"`
	// Code and Gate say who ruled that the call is not done as asked, and why.
	Code string `json:"code,omitempty"`
	Gate string `json:"gate,omitempty"`
	// Asked is the call in words, Did what was done.
	Asked string `json:"asked,omitempty"`
	Did   string `json:"did,omitempty"`
	// Effect lists what changed (dom, form, url, …); "none", or "unknown".
	Effect string `json:"effect,omitempty"`
	// Detail is what failed, what the page said, or what was read.
	Detail  string   `json:"detail,omitempty"`
	Changes []string `json:"changes,omitempty" jsonschema:"elements that came (+), went (-) or changed (~)"`
	Signals []string `json:"signals,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// Next are calls that are likely to help.
	Next     []Call    `json:"next,omitempty"`
	Incident *Incident `json:"incident,omitempty"`
	// Ended is the end reason of the episode.
	Ended    string `json:"ended,omitempty"`
	Page     *Page  `json:"page,omitempty"`
	Snapshot string `json:"snapshot,omitempty"`

	shot *cua.Shot
	card *trajectories.PauseCard // of a pause
}

// Call is a call of a tool.
type Call struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Why       string         `json:"why" jsonschema:"the reason code of the rule that suggests it"`
}

// Incident is what being stuck has cost so far.
type Incident struct {
	ID    string `json:"id"`
	Steps int    `json:"steps"`
}

// Page is the page after the call.
type Page struct {
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Tab    int    `json:"tab,omitempty" jsonschema:"from 0"`
	Tabs   int    `json:"tabs,omitempty"`
	Focus  string `json:"focus,omitempty"`
	Dialog string `json:"dialog,omitempty"`
}

// call makes one call at a session. A call that arrived while another was made that was not done as asked is
// not made: its client has not seen that result.
func (s *Server) call(ctx context.Context, name string,
	do func(*seat) (*Result, error)) (*sdk.CallToolResult, *Result, error) {
	st, err := s.seat(name)
	if err != nil {
		return nil, nil, err
	}
	before := st.upset.Load()
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.upset.Load() != before {
		r := &Result{Session: st.name, Outcome: NotExecuted,
			Detail: "A call before this one was not done as asked: read its result first."}
		return r.content(), r, nil
	}
	r, err := do(st)
	if err != nil {
		st.upset.Add(1)
		return nil, nil, err
	}
	if r.Outcome != Done {
		st.upset.Add(1)
	}
	return r.content(), r, nil
}

// content is r as text. The sections are those of playwright-mcp.
func (r *Result) content() *sdk.CallToolResult {
	var b strings.Builder
	section := func(title string, lines ...string) {
		text := strings.Join(lines, "\n")
		if text != "" {
			b.WriteString("### " + title + "\n" + text + "\n")
		}
	}
	bad := r.Outcome != Done && r.Outcome != Substituted
	section(when(bad, "Error")+when(!bad, "Result"), r.says())
	section("Notes", r.Notes...)
	var next []string
	for _, c := range r.Next {
		arguments, _ := json.Marshal(c.Arguments)
		next = append(next, fmt.Sprintf("%s %s (%s)", c.Tool, arguments, c.Why))
	}
	section("Next", next...)
	section("Changes", r.Changes...)
	if p := r.Page; p != nil {
		lines := "- URL: " + p.URL + when(p.Title != "", "\n- Title: "+p.Title) +
			when(p.Tabs > 1, fmt.Sprintf("\n- Tab: %d of %d", p.Tab, p.Tabs)) +
			when(p.Focus != "", "\n- Focus: "+p.Focus) + when(p.Dialog != "", "\n- Dialog: "+p.Dialog)
		section("Page", lines)
	}
	section("Snapshot", r.Snapshot)
	out := &sdk.CallToolResult{IsError: bad, Content: []sdk.Content{&sdk.TextContent{Text: b.String()}}}
	if r.shot != nil {
		out.Content = append(out.Content, &sdk.ImageContent{Data: r.shot.Data, MIMEType: r.shot.Mime})
	}
	return out
}

// says is what happened in words.
func (r *Result) says() string {
	var out []string
	if r.Outcome == Substituted {
		out = append(out, fmt.Sprintf("Did NOT %s. %s instead (%s).", r.Asked, r.Did, r.Code))
	} else if r.Did != "" {
		out = append(out, r.Did+".")
	} else if r.Asked != "" {
		out = append(out, "Did NOT "+r.Asked+when(r.Code != "", " ("+r.Code+")")+".")
	}
	switch r.Effect {
	case "":
	case effectNone:
		out = append(out, "It had no effect.")
	case effectUnknown:
		out = append(out, "Whether it had an effect is unknown.")
	default:
		out = append(out, "It changed: "+r.Effect+".")
	}
	if r.Ended != "" {
		out = append(out, "The episode has ended ("+r.Ended+").")
	}
	text := strings.Join(out, " ")
	if r.Detail != "" {
		text += "\n" + r.Detail
	}
	return strings.TrimSpace(text)
}
