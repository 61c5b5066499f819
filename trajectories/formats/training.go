package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TrainingOptions say which decisions become samples of sft and dpo, and in which layout.
type TrainingOptions struct {
	// Layout is LayoutOpenAI or LayoutLLaMAFactory; "" is the first.
	Layout string
	// History is how many frames a sample has at most, the page that is decided upon included; 0 is 3.
	History int
	// All takes episodes that were not solved too.
	All bool
	// Replaced says what a replaced step teaches: one of ReplacedChoices; "" is drop.
	Replaced string
	// AnyBrain takes what a faulty, heuristic or scripted brain decided as a target.
	AnyBrain bool
}

// The layouts of training data.
const (
	LayoutOpenAI       = "openai"
	LayoutLLaMAFactory = "llamafactory"
)

// Layouts lists them.
func Layouts() []string { return []string{LayoutOpenAI, LayoutLLaMAFactory} }

// The ways to train on a step whose proposal was replaced.
const (
	replacedDrop       = "drop"
	replacedDispatched = "dispatched"
	replacedProposed   = "proposed"
)

// ReplacedChoices lists what TrainingOptions.Replaced may be.
func ReplacedChoices() []string { return []string{replacedDrop, replacedDispatched, replacedProposed} }

// stepLines is how many earlier steps a sample tells at most.
const stepLines = 20

// trainingSystem is the system message of each sample.
const trainingSystem = "You operate a browser. Answer with one call as JSON: " +
	`{"name": "…", "arguments": {…}}. Points are in CSS pixels of the viewport. Calls: `

// sample is one decision as it teaches.
type sample struct {
	t      *trajectories.Trajectory
	step   *cua.Step
	images []string // digests, the oldest first
	prompt string   // what the user says
	// chosen is the target; rejected is that of a pair, nil for sft.
	chosen   cua.Action
	rejected *cua.Action
}

// sampleMeta says where a sample comes from.
type sampleMeta struct {
	ID         string   `json:"id"`
	Episode    string   `json:"episode"`
	Task       string   `json:"task"`
	Step       int      `json:"step"`
	Decision   int      `json:"decision"`
	Reward     *float64 `json:"reward"` // null: the task gives none
	InIncident bool     `json:"in_incident"`
	By         string   `json:"by"`
}

func (s *sample) meta() sampleMeta {
	m := sampleMeta{ID: s.t.Header.ID, Episode: s.t.Header.Episode, Task: s.t.Header.Task.ID, Step: s.step.N,
		Decision: s.step.Decision, InIncident: s.t.IncidentAt(s.step.N) != nil, By: s.step.By}
	if s.t.End != nil {
		m.Reward = s.t.End.Reward
	}
	return m
}

// solved says whether the episode did its task, by the task's own reward where it gives one.
func solved(t *trajectories.Trajectory) bool {
	switch {
	case t.End == nil:
		return false
	case t.End.Reward != nil:
		return *t.End.Reward >= 1
	}
	return t.End.Success
}

// teaches says whether what the brain of s chose may be a target: what a person chose may, and what a brain
// did that errs on purpose, or follows a heuristic or a script, may not.
func teaches(t *trajectories.Trajectory, s *cua.Step, o TrainingOptions) bool {
	if o.AnyBrain || s.By == cua.Person {
		return true
	}
	var faults struct {
		Rates []json.RawMessage `json:"rates"`
		Words string            `json:"words"`
	}
	info := t.Header.Brain
	if json.Unmarshal(info.Settings, &faults) == nil && (len(faults.Rates) > 0 || faults.Words != "") {
		return false
	}
	for _, name := range []string{info.Name, s.By} {
		for _, own := range []string{"heuristic", "scripted", "replay", "floor", "oracle", "player"} {
			if strings.HasPrefix(name, own) {
				return false
			}
		}
	}
	return true
}

// usable says whether a live step may be in a sample at all.
func usable(t *trajectories.Trajectory, s *cua.Step) bool {
	if s.Action == nil || s.Failure != nil || s.Proposed.Kind == "" {
		return false
	}
	in := t.IncidentAt(s.N)
	return in == nil || in.Outcome.Recovered()
}

// supervised is the sample of step i; false is none.
func supervised(t *trajectories.Trajectory, h *cua.History, live map[int]bool, i int,
	o ExportOptions) (sample, bool) {
	s := &t.Steps[i]
	if !live[s.N] || !usable(t, s) {
		return sample{}, false
	}
	chosen := s.Proposed
	if s.Substituted() {
		switch o.Training.Replaced {
		case replacedDispatched:
			chosen = *s.Action
		case replacedProposed:
		default:
			return sample{}, false
		}
	}
	if (!s.Substituted() || o.Training.Replaced == replacedProposed) && !teaches(t, s, o.Training) {
		return sample{}, false
	}
	return newSample(t, h, live, i, o, chosen), true
}

// preferred is the pair of step i: dispatched with progress, instead of a proposal that had had none twice.
func preferred(t *trajectories.Trajectory, h *cua.History, live map[int]bool, i int,
	o ExportOptions) (sample, bool) {
	s := &t.Steps[i]
	if !live[s.N] || !usable(t, s) || !s.Substituted() || !s.Effect.Any() {
		return sample{}, false
	}
	vain := 0
	for j := range i {
		before := &t.Steps[j]
		if live[before.N] && before.Action != nil && before.Effect != nil && !before.Effect.Any() &&
			sameAction(*before.Action, s.Proposed) && before.Target.ID == s.Target.ID {
			vain++
		}
	}
	if vain < 2 {
		return sample{}, false
	}
	out := newSample(t, h, live, i, o, *s.Action)
	out.rejected = &s.Proposed
	return out, true
}

// sameAction says whether two actions ask for the same, whatever their author says of them.
func sameAction(a, b cua.Action) bool { return call(a) == call(b) }

func newSample(t *trajectories.Trajectory, h *cua.History, live map[int]bool, i int, o ExportOptions,
	chosen cua.Action) sample {
	out := sample{t: t, step: &t.Steps[i], chosen: chosen}
	chosen.Why, chosen.Into = "", ""
	out.chosen = chosen
	most := o.Training.History
	if most <= 0 {
		most = 3
	}
	switch o.Frames {
	case NoFrames:
		most = 0
	case LastFrame:
		most = 1
	}
	var lines []string
	for j := i; j >= 0; j-- {
		if j < i && !live[t.Steps[j].N] {
			continue
		}
		if page := h.Before(j); len(out.images) < most && page.FrameSHA != "" {
			out.images = append(out.images, page.FrameSHA)
		}
		if j < i && len(lines) < stepLines {
			lines = append(lines, stepLine(&t.Steps[j]))
		}
	}
	slices.Reverse(out.images)
	slices.Reverse(lines)
	page := h.Before(i)
	out.prompt = "Goal: " + t.Header.Task.Goal + "\n" + values(&t.Header.Task)
	if len(lines) > 0 {
		out.prompt += "Steps so far:\n" + strings.Join(lines, "\n") + "\n"
	}
	out.prompt += fmt.Sprintf("Page: %s %s", page.URL, page.Title)
	out.prompt = strings.ReplaceAll(out.prompt, imageMark, "< image >") // a page may have written the mark
	return out
}

// values are the values for forms that the task gives, a line each; secrets are names.
func values(task *cua.Task) string {
	var b strings.Builder
	for _, v := range task.Fields {
		fmt.Fprintf(&b, "Value for %s: %s\n", v.Label, v.Value)
	}
	return b.String()
}

func stepLine(s *cua.Step) string {
	a := s.Proposed
	if s.Action != nil {
		a = *s.Action
	}
	a.Into = ""
	words := cua.Flat(outcomeWords(s))
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", s.N, call(a), words))
}

// imageMark stands for one image in LLaMA-Factory's layout.
const imageMark = "<image>"

// samplesOf are the samples of runs, in their order.
func samplesOf(runs []DatasetRun, o ExportOptions, pick func(*trajectories.Trajectory, *cua.History,
	map[int]bool, int, ExportOptions) (sample, bool)) []sample {
	var out []sample
	for i := range runs {
		t := runs[i].Trajectory
		if !o.Training.All && !solved(t) {
			continue
		}
		h, live := t.History(), liveSteps(t.Steps)
		for j := range t.Steps {
			if s, ok := pick(t, &h, live, j, o); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func trainingExporters() []Exporter {
	sft := Exporter{Name: "sft", About: "decisions to train on: OpenAI chat, or LLaMA-Factory",
		MediaType: "application/jsonl", Ext: ".jsonl", Frames: AllFrames}
	sft.Write = func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
		return writeOpenAI(w, samplesOf(runs, o, supervised), o)
	}
	sft.Folder = func(dir string, runs []DatasetRun, o ExportOptions) error {
		return writeSamples(dir, samplesOf(runs, o, supervised), o, "cua_sft")
	}
	dpo := sft
	dpo.Name, dpo.About = "dpo", "pairs of actions at one state: what helped, and what had not helped twice"
	dpo.Write = func(w io.Writer, runs []DatasetRun, o ExportOptions) error {
		return writeOpenAI(w, samplesOf(runs, o, preferred), o)
	}
	dpo.Folder = func(dir string, runs []DatasetRun, o ExportOptions) error {
		return writeSamples(dir, samplesOf(runs, o, preferred), o, "cua_dpo")
	}
	return []Exporter{sft, dpo}
}

// writeSamples writes the layout that o names into a folder.
func writeSamples(dir string, samples []sample, o ExportOptions, name string) error {
	return writeFolder(dir, func(f *outFolder) error {
		if o.Training.Layout != LayoutLLaMAFactory {
			return f.file(name+".jsonl", func(w io.Writer) error { return writeOpenAI(w, samples, o) })
		}
		return writeLLaMAFactory(f, samples, name)
	})
}

// encodeLines writes a value a line, what pages wrote as it is.
func encodeLines(w io.Writer) *json.Encoder {
	enc := encoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// toolNames are the names of the calls with their parameters, in one line.
func toolNames() string {
	var out []string
	for _, k := range cua.Kinds() {
		out = append(out, string(k)+"("+strings.Join(strings.Fields(toolAbout[k][1]), ", ")+")")
	}
	return strings.Join(out, ", ")
}
