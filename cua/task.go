package cua

import "cmp"

// Task is what an episode is asked to do.
type Task struct {
	ID string `json:"id"`
	// Goal is the task in words.
	Goal string `json:"goal"`
	// URL is the start page. Its host is the task's own site.
	URL string `json:"url"`
	// At is the page that a resumed episode opens; "" means URL. URL and Allow must admit it. It is not
	// recorded.
	At string `json:"-"`
	// Fields are the plan values for forms, in the order in which they were given.
	Fields []PlanValue `json:"fields,omitzero"`
	// Plan are steps with one condition each, which the done gate checks.
	Plan []PlanStep `json:"plan,omitzero"`
	// OutputFields are names that a successful answer must contain.
	OutputFields []string `json:"output_fields,omitzero"`
	// ReadEndpoints are URL path prefixes whose non-GET requests change nothing on the server.
	ReadEndpoints []string `json:"read_endpoints,omitzero"`
	// Idempotent says that sending a form twice does no harm. A send whose outcome an interruption left
	// uncertain is then repeated without a question.
	Idempotent bool `json:"idempotent,omitzero"`
	// Allow are the hosts (host or host:port) that the episode may visit besides that of the start page.
	Allow []string `json:"allow,omitzero"`
	// Subresources says which hosts outside the allow list a document may load resources from; "" means
	// same-site.
	Subresources Subresources `json:"subresources,omitzero"`
	// SecretOrigins maps the name of a secret to the one origin whose documents it may be typed into. A
	// secret without an entry may go wherever Allow and the start page's host permit (AllowList). An entry
	// only narrows that.
	SecretOrigins map[string]string `json:"secret_origins,omitzero"`
	Tags          []string          `json:"tags,omitzero"`
	Seed          int64             `json:"seed"`
	// MaxSteps caps the episode; 0 leaves the cap to the config.
	MaxSteps int `json:"max_steps,omitzero"`
}

// Page is the address that a session opens first.
func (t Task) Page() string { return cmp.Or(t.At, t.URL) }

// PlanValue is one value for the field with that label.
type PlanValue struct {
	Label string `json:"label"`
	// Value is literal, or <secret:NAME>.
	Value string `json:"value"`
}

// PlanStep is a step of a task's plan and the condition that shows that it was done: a part of the URL or of
// the title. An empty condition always holds.
type PlanStep struct {
	Text  string `json:"text"`
	URL   string `json:"url,omitzero"`
	Title string `json:"title,omitzero"`
}
