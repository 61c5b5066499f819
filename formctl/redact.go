package formctl

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// Plan is task with the values that its text gives, and with every secret among its values sealed. A task
// that comes with values keeps them: its text is not read for more. given are values that somebody else took
// out of the text, nil for none: then the grammar of Extract is not asked. Those that are not in the text are
// left out, for nobody invents a value.
//
// What is sealed is added to secrets by its name; the map must not be nil.
func Plan(task cua.Task, given []cua.PlanValue, secrets map[string]string) cua.Task {
	if len(task.Fields) > 0 {
		return Redact(task, secrets)
	}
	task.Fields = nil
	spans := spans(task.Goal, given)
	for _, s := range spans {
		task.Fields = append(task.Fields, s.PlanValue)
	}
	slices.SortFunc(spans, func(a, b Extracted) int { return b.From - a.From })
	for _, s := range spans { // from the end, so that the places before stay
		if inClear(s.PlanValue) {
			task.Goal = task.Goal[:s.From] + reference(s.PlanValue, secrets) + task.Goal[s.To:]
		}
	}
	return Redact(task, secrets)
}

// Values are the values that a text gives, as they stand there: what Plan finds, with nothing sealed. It is
// for texts that hold no secret, such as the goals of a benchmark.
func Values(goal string, given []cua.PlanValue) []cua.PlanValue {
	var out []cua.PlanValue
	for _, s := range spans(goal, given) {
		out = append(out, s.PlanValue)
	}
	return out
}

// spans are the values of given that are in goal, or those that Extract finds where given is nil.
func spans(goal string, given []cua.PlanValue) (out []Extracted) {
	if given == nil {
		return Extract(goal)
	}
	for _, v := range given {
		i := strings.Index(goal, v.Value)
		if i >= 0 && strings.TrimSpace(v.Value) != "" && len(tokens(v.Label)) > 0 {
			out = append(out, Extracted{v, i, i + len(v.Value)})
		}
	}
	return out
}

// Redact is task with each literal value whose label says that it is a secret (cua.SaysSecret) replaced by
// <secret:NAME>, in its values and wherever its goal repeats it. The values are added to secrets by name.
// Equal values share a name; a name that is taken by another value gets a number.
func Redact(task cua.Task, secrets map[string]string) cua.Task {
	task.Fields = slices.Clone(task.Fields)
	for i, v := range task.Fields {
		if !inClear(v) {
			continue
		}
		task.Fields[i].Value = reference(v, secrets)
		task.Goal = without(task.Goal, v.Value, task.Fields[i].Value)
	}
	return task
}

// RedactTyped is p with a literal that it would type into a field that hides what it takes replaced by
// <secret:NAME>, also where the brain's words repeat it. The value is added to secrets by name, as Seal does;
// a nil map seals nothing. What the task plans in clear stays as it is: its field is read back by it.
func RedactTyped(t *cua.Turn, p cua.Proposal, secrets map[string]string) cua.Proposal {
	text := p.Action.Text
	if secrets == nil || p.Failure != nil || p.Action.Kind != cua.Type ||
		strings.TrimSpace(text) == "" || cua.SecretName(text) != "" {
		return p
	}
	f := t.Now.FieldIn(p.Action, p.Target)
	planned := func(v cua.PlanValue) bool { return v.Value == text }
	if f == nil || !hides(f) || slices.ContainsFunc(t.Task.Fields, planned) {
		return p
	}
	v := cua.PlanValue{Label: cmp.Or(f.Label, f.Name, f.NameAttr), Value: text}
	p.Action.Text = reference(v, secrets)
	p.Action.Why = without(p.Action.Why, text, p.Action.Text)
	p.Thought = without(p.Thought, text, p.Action.Text)
	return p
}

// hides says whether nobody may see what f takes. The name or date on a card may be seen.
func hides(f *cua.Field) bool {
	card := f.Autocomplete == "cc-number" || f.Autocomplete == "cc-csc"
	return f.Sensitive() && (card || f.Type == "password" || !strings.HasPrefix(f.Autocomplete, "cc-"))
}

// inClear says whether v is a secret that is written in clear.
func inClear(v cua.PlanValue) bool { return cua.SaysSecret(v.Label) && cua.SecretName(v.Value) == "" }

// reference is <secret:NAME> for v's value: the first name that the value has, else one from its label.
func reference(v cua.PlanValue, secrets map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if secrets[name] == v.Value {
			return "<secret:" + name + ">"
		}
	}
	name := SecretNameFor(v.Label)
	for n := 2; secrets[name] != ""; n++ {
		name = fmt.Sprintf("%s_%d", SecretNameFor(v.Label), n)
	}
	secrets[name] = v.Value
	return "<secret:" + name + ">"
}

// SecretNameFor is the name of a secret whose field has that label: its words in capitals, without those that
// ask for it once more. "Confirm password" is PASSWORD.
func SecretNameFor(label string) string {
	var words []string
	for _, w := range tokens(label) {
		ascii := strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) < 0
		if ascii && !unnamed[w] {
			words = append(words, strings.ToUpper(w))
		}
	}
	if len(words) == 0 {
		return "SECRET"
	}
	return strings.Join(words[:min(len(words), 4)], "_")
}

// unnamed are words of labels that are in no name.
var unnamed = set("confirm confirmation repeat retype again verify your the new")

// minRedacted is the least length in bytes of a secret that is looked for in a text: words hold shorter ones.
const minRedacted = 4

// without is text with every occurrence of value that stands alone replaced.
func without(text, value, by string) string {
	if len(value) < minRedacted || knownLabel(value) {
		return text
	}
	const edge = `[^\pL\p{Nd}]`
	alone := regexp.MustCompile(`(^|` + edge + `)` + regexp.QuoteMeta(strings.ToValidUTF8(value, "\uFFFD")) +
		`($|` + edge + `)`)
	for range 2 { // one match takes the edge that it shares with the next
		text = alone.ReplaceAllString(text, "${1}"+by+"${2}")
	}
	return text
}
