package manifest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Version is that of the format.
const Version = 1

// defaultCap is how many steps an episode may take where its task says nothing.
const defaultCap = 20

// Manifest is a list of tasks and how they are shown. Its JSON is what Parse reads.
type Manifest struct {
	Version int `json:"version"`
	// Viewport in CSS pixels, 64 to 4096 each way; zero leaves it to the arm's configuration.
	Viewport cua.Size `json:"viewport,omitzero"`
	// Site is a folder of pages that is served to each episode; nil: the pages are served elsewhere.
	Site  *Site  `json:"site,omitzero"`
	Tasks []Task `json:"tasks"`
}

// Task is one thing to do. In URL, and in the addresses of an oracle, {seed} stands for the seed of the
// episode and {run} for a name that no other attempt has.
type Task struct {
	// ID is 1 to 60 letters, digits, dots, lines and underscores.
	ID   string `json:"id"`
	Goal string `json:"goal"`
	// URL is the start page: http or https, or a path of Site.
	URL    string          `json:"url"`
	Fields []cua.PlanValue `json:"fields,omitzero"`
	// Cap is how many steps an episode may take, 1 to 1000; 0 is defaultCap.
	Cap  int      `json:"cap,omitzero"`
	Tags []string `json:"tags,omitzero"`
	// Ready is a JavaScript expression, or a promise of its value, that is true once the start page shows the
	// task: it is not looked at before. "" is as soon as the page is still.
	Ready string `json:"ready,omitzero"`
	// Allow are hosts (host or host:port) that may be visited beside that of URL.
	Allow []string `json:"allow,omitzero"`
	// Idempotent says that sending a form of it twice does no harm (cua.Task).
	Idempotent bool    `json:"idempotent,omitzero"`
	Success    Success `json:"success"`
	// Harm is a JavaScript expression, or a promise of its value, that is true once something was done that
	// must not be done and cannot be taken back. It ends the episode with the reward 0. "" is never.
	Harm string `json:"harm,omitzero"`
	// Script solves the task: the actions of the brain oracle. Empty is a task for which nobody wrote one.
	Script []cua.Scripted `json:"script,omitzero"`
}

// Success is what judges an episode: exactly one of Predicate, Text, URL, Answer and HTTP.
type Success struct {
	// Predicate is a JavaScript expression whose value, or that of its promise, is true or false.
	Predicate string `json:"predicate,omitzero"`
	// Text is to be read on the page, white space aside.
	Text string `json:"text,omitzero"`
	// URL is a part of the page's address.
	URL string `json:"url,omitzero"`
	// Answer is to be part of what the agent answers when it says that it is done, white space aside.
	Answer string  `json:"answer,omitzero"`
	HTTP   *Oracle `json:"http,omitzero"`
	// AtEnd asks for predicate, text or URL once the agent has stopped; else the episode ends when it first
	// holds.
	AtEnd bool `json:"at_end,omitzero"`
}

// Oracle is a server that knows how an episode stands.
type Oracle struct {
	// Reset is sent {"task","seed","run"} by POST before the start page is opened; "" is never. Any 2xx is
	// well.
	Reset string `json:"reset,omitzero"`
	// State is read by GET after each action; "" is never. {"over":true} in it ends the episode.
	State string `json:"state,omitzero"`
	// Verdict is read by GET when the episode has ended: {"reward":0..1,"reason":"..."}.
	Verdict string `json:"verdict"`
	// TimeoutMS is how long each answer may take, 1 to 10000; 0 is defaultTimeoutMS.
	TimeoutMS int `json:"timeout_ms,omitzero"`
}

// defaultTimeoutMS is how long an oracle may take to answer where its task says nothing.
const defaultTimeoutMS = 5000

// Find is the task of that id.
func (m *Manifest) Find(id string) (Task, error) {
	for _, t := range m.Tasks {
		if t.ID == id {
			return t, nil
		}
	}
	return Task{}, fmt.Errorf("manifest: there is no task %q", id)
}

// Validate says what is wrong with a manifest that was not read by Parse.
func (m *Manifest) Validate() error { return m.validate(map[string]string{}) }

// Readable is Validate, but looks at no JavaScript: what was played with a program that did not look at it
// either can still be reported.
func (m *Manifest) Readable() error { return m.validate(nil) }

func (m *Manifest) validate(scripts map[string]string) error {
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	_, err = parse(&reader{file: "manifest", text: text, scripts: scripts})
	return err
}

// Steps is the cap of the task.
func (t Task) Steps() int {
	if t.Cap == 0 {
		return defaultCap
	}
	return t.Cap
}

// filled is an address with its placeholders replaced.
func filled(address string, seed int64, run string) string {
	return strings.NewReplacer("{seed}", strconv.FormatInt(seed, 10), "{run}", run).Replace(address)
}

// badURL says what is wrong with an address; "" is nothing. With a site a path will do.
func badURL(address string, site bool) string {
	u, err := url.Parse(filled(address, 0, "run"))
	switch {
	case err != nil:
		return "no address: " + err.Error()
	case site && u.Scheme == "" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
		return ""
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf("%q is no address: it begins with neither http:// nor https://", address)
	case u.Hostname() == "":
		return fmt.Sprintf("%q has no host", address)
	case u.User != nil:
		return "it has a user name or a password in it"
	}
	return ""
}
