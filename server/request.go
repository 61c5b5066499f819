package server

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/cua-runner/cua-runner/cua"
)

// Request is what an episode is asked to do.
type Request struct {
	Instruction  string         `json:"instruction" minLength:"1" maxLength:"8000" doc:"The task in words."`
	URL          string         `json:"url" minLength:"1" maxLength:"4096" doc:"The start page: http or https."`
	Fields       []FormValue    `json:"fields,omitempty" maxItems:"200" doc:"Values for forms. A password is kept by name alone."`
	OutputFields []string       `json:"output_fields,omitempty" maxItems:"100" doc:"Names that a successful answer must contain."`
	Brain        string         `json:"brain,omitempty" maxLength:"400" doc:"Who decides (GET /v1/brains); the default is the server's."`
	Director     string         `json:"director,omitempty" maxLength:"400" doc:"A stronger brain that decides when the run is stuck."`
	Arm          string         `json:"arm,omitempty" maxLength:"2000" doc:"A named configuration (GET /v1/mechanisms)."`
	Config       map[string]any `json:"config,omitempty" doc:"A partial configuration document, laid over the arm's."`
	Ablate       []string       `json:"ablate,omitempty" maxItems:"100" doc:"Mechanisms to switch off."`
	Only         []string       `json:"only,omitempty" maxItems:"100" doc:"Switch all mechanisms off but these."`
	Shadow       []string       `json:"shadow,omitempty" maxItems:"100" doc:"Gates and rows that rule without force."`
	Allow        []string       `json:"allow,omitempty" maxItems:"200" doc:"Hosts (host or host:port) that may be visited beside the start page's."`
	MaxSteps     int            `json:"max_steps,omitempty" minimum:"1" maximum:"500" doc:"Cap on the steps; the default is the configuration's."`
	MaxWallS     float64        `json:"max_wall_s,omitempty" minimum:"1" maximum:"86400" doc:"Cap on the time of all steps, seconds."`
	MaxTokens    int            `json:"max_tokens,omitempty" minimum:"1" maximum:"1000000000" doc:"Cap on the tokens."`
	MaxCostUSD   float64        `json:"max_cost_usd,omitempty" minimum:"0.000001" maximum:"1000000" doc:"Cap on the known cost, US dollars."`
	Seed         int64          `json:"seed,omitempty" minimum:"0" maximum:"9007199254740991"`
	Attended     *bool          `json:"attended,omitempty" doc:"A person watches: the episode pauses when it is stuck or asks. The default is true."`
	OnSpiral     string         `json:"on_spiral,omitempty" enum:"halt,rewind,continue" doc:"What to do when it is stuck and unattended."`
	Viewport     *cua.Size      `json:"viewport,omitempty" doc:"Width and height in CSS pixels, 64 to 8192."`
	Tags         Tags           `json:"tags,omitempty" maxProperties:"50" doc:"Names and values to find the episode by."`
	Secrets      Secrets        `json:"secrets,omitempty" maxProperties:"50" doc:"Secrets by name. <secret:NAME> in the instruction or in a field stands for one."`
	_            struct{}       `json:"-" additionalProperties:"false"`
}

// Tags are the names and values that an episode can be found by.
type Tags map[string]string

// Secrets are the secrets of a request by name.
type Secrets map[string]Secret

// FormValue is a value for a field of a form.
type FormValue struct {
	Label string   `json:"label" minLength:"1" maxLength:"200"`
	Value string   `json:"value" maxLength:"8000" doc:"The value, or <secret:NAME>."`
	_     struct{} `json:"-" additionalProperties:"false"`
}

// Secret is the value of a secret, or where it comes from. An answer shows no value.
type Secret struct {
	Value      string   `json:"value,omitempty" writeOnly:"true" maxLength:"65536"`
	FromServer bool     `json:"from_server,omitempty" doc:"The server's environment has it (CUA_SECRET_NAME)."`
	Origin     string   `json:"origin,omitempty" maxLength:"2000" doc:"The one origin that it may be typed on."`
	_          struct{} `json:"-" additionalProperties:"false"`
}

// State is where an episode is.
type State string

// The states. Ended is the only terminal one.
const (
	Queued      State = "queued"
	Running     State = "running"
	Paused      State = "paused"
	Interrupted State = "interrupted"
	Ended       State = "ended"
)

// Schema lists the states.
func (State) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Enum: []any{Queued, Running, Paused, Interrupted, Ended}}
}

// Episode is an episode as it is now.
type Episode struct {
	ID    string `json:"id" minLength:"26" maxLength:"26" doc:"Sorts by time."`
	State State  `json:"state"`
	// Stage is what the current step does.
	Stage string `json:"stage,omitempty" doc:"What the current step does: turn, decide, locate, review, intent, act, verify, record."`
	Step  int    `json:"step" doc:"The number of the step that is made, or of the last one."`
	// QueuePosition counts from 1; 0 is not queued.
	QueuePosition int        `json:"queue_position,omitempty"`
	Created       time.Time  `json:"created"`
	Started       *time.Time `json:"started,omitempty"`
	Ended         *time.Time `json:"ended,omitempty"`
	Request       Request    `json:"request"`
	// SecretsNeeded are the names whose values were lost with the process.
	SecretsNeeded []string `json:"secrets_needed,omitempty"`
	Controlled    bool     `json:"controlled,omitempty" doc:"A person has the browser."`
	Question      string   `json:"question,omitempty" doc:"What the brain asks; POST answer answers it."`
	Card          Card     `json:"card,omitzero" doc:"What was tried and what can be done, of a paused episode or of one that ended stuck."`
	Result        Result   `json:"result,omitzero" doc:"The outcome, or the result so far."`
	CanContinue   bool     `json:"can_continue,omitempty" doc:"POST resume can continue it."`
	ReadOnly      bool     `json:"read_only,omitempty" doc:"It can only be watched: a command plays it, or has played it."`
	Links         Links    `json:"links"`
}

// Links are the addresses of an episode's parts.
type Links struct {
	Self        string `json:"self"`
	Steps       string `json:"steps"`
	Journal     string `json:"journal"`
	Events      string `json:"events"`
	Checkpoints string `json:"checkpoints"`
	Export      string `json:"export"`
	View        string `json:"view,omitempty"`
}

// Result is a trajectories.RunResult as JSON.
type Result struct{ json.RawMessage }

// Schema refers to that of run results.
func (Result) Schema(huma.Registry) *huma.Schema { return refTo("RunResult") }

// Card is a trajectories.PauseCard as JSON.
type Card struct{ json.RawMessage }

// Schema refers to that of cards.
func (Card) Schema(huma.Registry) *huma.Schema { return refTo("PauseCard") }

// StepJSON is a step as the journal has it.
type StepJSON struct{ json.RawMessage }

// Schema refers to that of steps.
func (StepJSON) Schema(huma.Registry) *huma.Schema { return refTo("Step") }

// Restored is the outcome of a rewind, a cua.Restored as JSON.
type Restored struct{ json.RawMessage }

// Schema refers to that of restores.
func (Restored) Schema(huma.Registry) *huma.Schema { return refTo("Restored") }

func refTo(name string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/" + name} }
