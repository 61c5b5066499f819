package trajectories

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// RunResult sums up an episode. It is computed from records and stored nowhere.
type RunResult struct {
	// ID is the unique one of the header, or the episode's name in a journal older than ids.
	ID string `json:"id"`
	// Episode is the name of the run folder.
	Episode string `json:"episode"`
	Arm     string `json:"arm,omitzero"`
	Task    string `json:"task,omitzero"` // its id
	Success bool   `json:"success"`
	// TerminationReason is that of the end; "" while the episode has none.
	TerminationReason cua.EndReason `json:"termination_reason"`
	// Code is that of the end: why a gate asked.
	Code   string `json:"code,omitzero"`
	Answer string `json:"answer,omitzero"`
	// Detail is one line on the end: what failed, which cap.
	Detail string `json:"detail,omitzero"`
	// Why says in one line why the episode did not succeed. Summarize leaves it "", runner.Result fills it
	// in.
	Why   string `json:"why,omitzero"`
	Steps int    `json:"steps"`
	// DurationMS is that of the end's totals, or of the steps' stages where there is none.
	DurationMS   int64 `json:"duration_ms"`
	Tokens       int   `json:"tokens"`
	InputTokens  int   `json:"input_tokens,omitzero"`
	OutputTokens int   `json:"output_tokens,omitzero"`
	CachedTokens int   `json:"cached_tokens,omitzero"`
	// USD is nil when a step's cost is unknown.
	USD    *float64 `json:"cost_usd,omitzero"`
	Reward *float64 `json:"reward,omitzero"`
	// LoopRecoveries counts the replacements of the rescue table that were dispatched, by their code; empty,
	// never nil.
	LoopRecoveries map[cua.Reason]int `json:"loop_recoveries_by_reason"`
	// Endings counts the codes of the rescue table that stopped the episode, for good or for now, instead of
	// replacing anything; empty, never nil.
	Endings map[cua.Reason]int `json:"endings"`
	// DoneRejections counts refused dones by their code; empty, never nil.
	DoneRejections map[cua.DoneCode]int `json:"done_rejections_by_reason"`
	// Substitutions counts dispatched replacements by gate, loop recovery included.
	Substitutions map[string]int `json:"substitutions_by_gate"`
	// Nudges counts the notes that advisor nudge had delivered.
	Nudges int `json:"nudges"`
	// Repeats counts the steps whose feedback the repeat guard added to.
	Repeats    int        `json:"repeats_noted,omitzero"`
	Perceptual Perceptual `json:"perceptual_summary"`
	// Signals counts, by shape and level, the steps at which the signal held.
	Signals map[cua.Shape]map[cua.Level]int `json:"signals"`
	// Failures counts failed steps by kind.
	Failures map[cua.FailureKind]int `json:"failures"`
	// Incidents are those that the caller handed in; empty, never nil, as Shadow and Sentinels.
	Incidents []cua.Incident `json:"incidents"`
	// Stuck is the totals of the incidents.
	Stuck Price `json:"stuck"`
	// Shadow counts what gates in shadow mode would have done.
	Shadow []Shadowed `json:"shadow"`
	// Sentinels are what people are told of the episode, in order.
	Sentinels []Sentinel `json:"sentinels"`
	// Ledger is what was done.
	Ledger cua.Ledger `json:"ledger,omitzero"`
	// WastedSteps counts the steps inside incidents that did not recover.
	WastedSteps int `json:"wasted_steps"`
	// InfrastructureFaults counts what failed and was not the agent: fault events, and
	// infrastructure ends that no fault event announced.
	InfrastructureFaults int `json:"infrastructure_faults"`
	// BrowserFaults counts browser faults that were met and overcome, by name.
	BrowserFaults map[string]int `json:"browser_faults"`
	// Cut counts the actions whose outcome nobody saw, PossiblySent those of them that may have sent a form.
	Cut          int `json:"interrupted_intents,omitzero"`
	PossiblySent int `json:"possibly_sent,omitzero"`
	// Denied counts requests of pages that were not let out, by reason.
	Denied map[string]int `json:"egress_denied,omitzero"`
}

// Perceptual counts the verifier's answers. As JSON it is {} when nothing was checked.
type Perceptual struct {
	Checked  int
	NoEffect int
}

// MarshalJSON writes both counts, or {}.
func (p Perceptual) MarshalJSON() ([]byte, error) {
	counts := map[string]int{}
	if p.Checked > 0 {
		counts["checked"], counts["no_effect"] = p.Checked, p.NoEffect
	}
	return json.Marshal(counts)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *Perceptual) UnmarshalJSON(text []byte) error {
	var counts struct {
		Checked  int
		NoEffect int `json:"no_effect"`
	}
	err := json.Unmarshal(text, &counts)
	*p = Perceptual(counts)
	return err
}

// NudgeAdvisor is Note.From of the nudge advisor.
const NudgeAdvisor = "nudge"

// Summarize computes the result of t. The incidents are those that package detector finds
// in t.History(); nil leaves them and the wasted steps out.
func Summarize(t *Trajectory, incidents []cua.Incident) RunResult {
	sum := Sum(t.Steps)
	r := RunResult{
		ID: cmp.Or(t.Header.ID, t.Header.Episode), Episode: t.Header.Episode, Arm: t.Header.Arm,
		Task: t.Header.Task.ID, Steps: sum.Steps, DurationMS: sum.DurationMS,
		Tokens: sum.Tokens, USD: sum.USD,
		LoopRecoveries: map[cua.Reason]int{}, Endings: map[cua.Reason]int{},
		DoneRejections: map[cua.DoneCode]int{}, Substitutions: map[string]int{},
		Signals: map[cua.Shape]map[cua.Level]int{}, Failures: map[cua.FailureKind]int{},
		BrowserFaults: map[string]int{}, Incidents: append([]cua.Incident{}, incidents...),
		Stuck: PriceOf(incidents), WastedSteps: wasted(t.Steps, incidents), InfrastructureFaults: faults(t),
		Shadow:    append([]Shadowed{}, Shadows(t)...),
		Sentinels: append([]Sentinel{}, Sentinels(t, incidents)...), Ledger: cua.LedgerOf(t.History()),
	}
	if t.End != nil {
		r.Success, r.TerminationReason, r.Answer, r.Reward = t.End.Success, t.End.Reason, t.End.Answer,
			t.End.Reward
		r.Code, r.Detail = t.End.Code, t.End.Detail
		if t.End.Totals.DurationMS > 0 {
			r.DurationMS = t.End.Totals.DurationMS
		}
	}
	r.Cut, r.PossiblySent = t.Cut()
	for i := range t.Steps {
		r.count(&t.Steps[i])
	}
	for _, e := range t.Events {
		for _, d := range e.Denied {
			if r.Denied == nil {
				r.Denied = map[string]int{}
			}
			r.Denied[d.Reason] += d.Count
		}
	}
	return r
}

// DenialWords say in a line what was not let out, the most first; "" is nothing.
func DenialWords(denied map[string]int) string {
	if len(denied) == 0 {
		return ""
	}
	reasons := slices.SortedFunc(maps.Keys(denied), func(a, b string) int {
		return cmp.Or(cmp.Compare(denied[b], denied[a]), cmp.Compare(a, b))
	})
	out := Plural(Total(denied), "request") + " of pages not let out:"
	for _, r := range reasons {
		out += fmt.Sprintf(" %s ×%d", r, denied[r])
	}
	return out
}

func (r *RunResult) count(s *cua.Step) {
	r.InputTokens += s.Usage.InputTokens
	r.OutputTokens += s.Usage.OutputTokens
	r.CachedTokens += s.Usage.CachedTokens
	switch {
	case s.RecoveryReason == "":
	case s.HasAction():
		r.LoopRecoveries[s.RecoveryReason]++
	default:
		r.Endings[s.RecoveryReason]++
	}
	if s.DoneRejected != "" {
		r.DoneRejections[s.DoneRejected]++
	}
	if ruling, ok := s.Ruled(); ok && s.Substituted() {
		r.Substitutions[ruling.Gate]++
	}
	for _, n := range s.Notes {
		if n.From == NudgeAdvisor {
			r.Nudges++
		}
	}
	if s.Repetition != nil {
		r.Repeats++
	}
	if s.EffectObserved != nil {
		r.Perceptual.Checked++
		if !*s.EffectObserved {
			r.Perceptual.NoEffect++
		}
	}
	if s.Failure != nil {
		r.Failures[s.Failure.Kind]++
	}
	if s.Settle != nil {
		for _, f := range s.Settle.Faults {
			r.BrowserFaults[f]++
		}
	}
	r.countSignals(s.Signals)
}

// countSignals counts the signals of a step. A shape may hold on several targets at once; it counts once a
// step and level.
func (r *RunResult) countSignals(signals []cua.Signal) {
	for i, g := range signals {
		same := func(o cua.Signal) bool { return o.Shape == g.Shape && o.Level == g.Level }
		if slices.ContainsFunc(signals[:i], same) {
			continue
		}
		if r.Signals[g.Shape] == nil {
			r.Signals[g.Shape] = map[cua.Level]int{}
		}
		r.Signals[g.Shape][g.Level]++
	}
}

// wasted counts steps, each once, inside incidents that did not recover. An open one has not.
func wasted(steps []cua.Step, incidents []cua.Incident) int {
	n := 0
	for i := range steps {
		for _, in := range incidents {
			if !in.Outcome.Recovered() && steps[i].N >= in.First && steps[i].N <= in.Last {
				n++
				break
			}
		}
	}
	return n
}

func faults(t *Trajectory) int {
	n := 0
	at := map[int]bool{}
	for _, e := range t.Events {
		if e.Kind == FaultEvent {
			n++
			at[e.Step] = true
		}
	}
	for _, e := range t.Ends {
		if e.Reason.Infrastructure() && !at[e.Totals.Steps] {
			n++
		}
	}
	return n
}
