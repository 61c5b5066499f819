package envtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Overseen is a brain whose requests are read before it is asked: all of a turn that a prompt could be made
// of, and the text that models are shown of it. None may hold what is for people alone (sentinels), what
// belongs into no record (frames and page state inside the history), or the value of a secret.
type Overseen struct {
	Brain runner.Brain
	// Secrets are values that no request may hold in any spelling, by name; those of fewer than four bytes
	// are not looked for.
	Secrets map[string]string
	// Fault is told what is wrong with a request. It may be called by the goroutine that asks.
	Fault func(what string)

	read int // steps of the history that were read before: none is changed once it is in
}

// Decide reads the turn and asks the brain.
func (o *Overseen) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	for _, what := range o.faults(t) {
		o.Fault(fmt.Sprintf("the turn of step %d %s", t.Number, what))
	}
	return o.Brain.Decide(ctx, t)
}

// KeepIn tells the brain its folder, where it keeps anything there.
func (o *Overseen) KeepIn(dir string) { brain.KeepIn(o.Brain, dir) }

// Close closes the brain, where it holds something.
func (o *Overseen) Close() error {
	if c, ok := o.Brain.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Extract asks the brain, where it reads texts (runner.Extractor). The brain is shown the task as somebody
// wrote it. This text is not searched for secrets, because they are known only after the brain's answer.
func (o *Overseen) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	x, ok := o.Brain.(runner.Extractor)
	if !ok {
		return nil, errors.New("envtest: this brain reads no texts")
	}
	return x.Extract(ctx, goal)
}

// faults are what is wrong with the turn, each once.
func (o *Overseen) faults(t *cua.Turn) (out []string) {
	if o.read > len(t.History.Steps) {
		o.read = 0
	}
	for _, page := range pages(t) {
		if page.State != nil || page.Shot != nil {
			out = append(out, "keeps a frame, or what a rewind would give a page back, in its history")
			break
		}
	}
	if n := len(t.Frames); n > 0 && frameName(&t.Frames[n-1]) != t.Now.FrameSHA {
		out = append(out, "ends with the frame of another page")
	}
	short := *t
	short.Frames = nil // pictures; nobody reads text out of them here
	short.History.Steps = t.History.Steps[o.read:]
	fresh := len(short.History.Steps)
	o.read = len(t.History.Steps)
	text, err := json.Marshal(short)
	if err != nil {
		return append(out, "cannot be written down: "+err.Error())
	}
	long := brain.PromptConfig{Steps: fresh + 1, Bytes: 1 << 20, Marks: true}
	for _, part := range []struct{ name, text string }{
		{"", string(text)}, {"as a prompt ", brain.PromptOf(t, brain.DefaultPrompt()).Text}, {"as a long prompt ", brain.PromptOf(t, long).Text}} {
		if s := Sentinel(part.text); s != "" {
			out = append(out, fmt.Sprintf("%sholds a sentinel: %q", part.name, s))
		}
		if err := trajectories.HoldsSecret(part.text, o.Secrets); err != nil {
			out = append(out, part.name+"is not fit to be sent: "+err.Error())
		}
	}
	return out
}

// frameName is how records call a frame: the hex SHA-256 of its bytes.
func frameName(shot *cua.Shot) string {
	sum := sha256.Sum256(shot.Data)
	return hex.EncodeToString(sum[:])
}

// pages are all observations of a turn.
func pages(t *cua.Turn) []*cua.Observation {
	out := []*cua.Observation{&t.Now, &t.History.Start}
	for i := range t.History.Steps {
		out = append(out, &t.History.Steps[i].After)
	}
	for i := range t.History.Resumed {
		out = append(out, &t.History.Resumed[i].Page)
	}
	return out
}

// sentinels are what a sentinel looks like: as JSON, of whatever kind, by the fields that nothing else has;
// by its kind alone, where that is no other word of ours; and in the words of show. Each of them has one of
// sentinelWords in it, which are found much faster.
var sentinels, sentinelWords = func() (*regexp.Regexp, []string) {
	words := []string{"can_continue", "escalated", "incident_steps", "incident_tokens", "incident_cost_usd",
		"incident_seconds"}
	marks := []string{`\\?"(?:` + strings.Join(words, "|") + `)\\?":`, `incident \S+ so far`}
	words = append(words, " so far")
	for _, k := range trajectories.SentinelKinds() {
		if strings.Contains(string(k), "_") {
			marks, words = append(marks, `\b`+string(k)+`\b`), append(words, string(k))
		}
	}
	return regexp.MustCompile(strings.Join(marks, "|")), words
}()

// Sentinel is the first trace of a sentinel in text; "" is none.
func Sentinel(text string) string {
	if !slices.ContainsFunc(sentinelWords, func(w string) bool { return strings.Contains(text, w) }) {
		return ""
	}
	return sentinels.FindString(text)
}
