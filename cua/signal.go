package cua

// Shape is a pattern of being stuck.
type Shape string

// The shapes (docs/detection.md#the-shapes).
const (
	ShapeRepeat     Shape = "repeat"
	ShapeDrift      Shape = "drift"
	ShapeFrozen     Shape = "frozen"
	ShapeCycle      Shape = "cycle"
	ShapeRevisit    Shape = "revisit"
	ShapeSpiral     Shape = "spiral"
	ShapeFailures   Shape = "failures"
	ShapeStreak     Shape = "streak"
	ShapeStall      Shape = "stall"
	ShapeStagnation Shape = "stagnation"
)

// Level is the confidence of a signal.
type Level string

// The levels, ascending. The zero Level is below all of them.
const (
	NoteLevel Level = "note"
	Soft      Level = "soft"
	Hard      Level = "hard"
)

func (l Level) rank() int {
	switch l {
	case NoteLevel:
		return 1
	case Soft:
		return 2
	case Hard:
		return 3
	}
	return 0
}

// AtLeast reports whether l is m or above.
func (l Level) AtLeast(m Level) bool { return l.rank() >= m.rank() }

// Signal says that one shape holds over the steps so far.
type Signal struct {
	Shape Shape `json:"shape"`
	Level Level `json:"level"`
	// Run is for how many steps the shape has held, including its own window.
	Run int `json:"run"`
	// Since is the number of the first of those steps.
	Since int `json:"since_step"`
	// Target is the identity that it is about; "" for shapes about the page.
	Target string `json:"target,omitzero"`
	// Score is the shape's own measure, for example the spread in px; 0 if it has none.
	Score float64 `json:"score,omitzero"`
	// Evidence are the numbers of the steps that it is based on.
	Evidence []int `json:"evidence,omitzero"`
}

// Repetition says how often one target was acted on in one way without a look at it
// (docs/memory.md#repeat-guard).
type Repetition struct {
	// Count is how many such steps there were in the target's tab since anything reset the count, including
	// this one; at least 2, the lowest threshold that the config allows.
	Count int `json:"count"`
	// Target is the identity of the target, or the bucket of the place.
	Target string `json:"target"`
	// Effect says that this step had a progress effect: typing and selecting count in any case.
	Effect bool `json:"effect"`
}

// Incident is a maximal run of steps made under at least one signal of soft level or above on one target or
// node. It measures the cost of being stuck. It is computed from the history. No step is in two incidents, so
// costs can be added.
type Incident struct {
	ID     string  `json:"id"` // "i" and the number of its first step
	Shapes []Shape `json:"shapes"`
	First  int     `json:"first_step"`
	Last   int     `json:"last_step"`
	// Tried are the substitutions made inside it, in order.
	Tried  []Attempt `json:"tried,omitzero"`
	Tokens int       `json:"tokens,omitzero"`
	// USD is nil if the cost of one of its steps is unknown.
	USD *float64 `json:"cost_usd,omitzero"`
	// Seconds is the time of all stages of its steps, rounded to milliseconds.
	Seconds float64 `json:"seconds,omitzero"`
	// Outcome is "" while the incident is open.
	Outcome IncidentOutcome `json:"outcome,omitzero"`
}

// Steps is how many steps were made inside the incident.
func (i Incident) Steps() int { return i.Last - i.First + 1 }

// IncidentOutcome is how an incident closed. Each incident has exactly one.
type IncidentOutcome string

// The outcomes of incidents.
const (
	OutcomeRecovered     IncidentOutcome = "recovered"
	OutcomeSelfRecovered IncidentOutcome = "self_recovered"
	OutcomeHalted        IncidentOutcome = "halted"
	OutcomeAsked         IncidentOutcome = "asked"
	OutcomeRewound       IncidentOutcome = "rewound"
	OutcomeEnded         IncidentOutcome = "ended"
)

// IncidentOutcomes lists the codes in that order.
func IncidentOutcomes() []IncidentOutcome {
	return []IncidentOutcome{OutcomeRecovered, OutcomeSelfRecovered, OutcomeHalted, OutcomeAsked,
		OutcomeRewound, OutcomeEnded}
}

// Recovered says that the episode got out of the incident without a rewind.
func (o IncidentOutcome) Recovered() bool { return o == OutcomeRecovered || o == OutcomeSelfRecovered }
