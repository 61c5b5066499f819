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

// Plan is task with the values found in its text, and with every secret redacted. If the task has values
// already, its text is not read. given are values that somebody else found in the text; nil means that
// Extract finds them. Those that are not in the text are dropped.
//
// Redacted values are added to secrets by name; the map must not be nil.
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
	for _, s := range spans { // from the end, so that earlier offsets stay valid
		if inClear(s.PlanValue) {
			task.Goal = task.Goal[:s.From] + reference(s.PlanValue, secrets) + task.Goal[s.To:]
		}
	}
	return Redact(task, secrets)
}

// Values are the values that Plan finds in a text, not redacted. It is for texts without secrets, such as the
// goals of a benchmark.
func Values(goal string, given []cua.PlanValue) []cua.PlanValue {
	var out []cua.PlanValue
	for _, s := range spans(goal, given) {
		out = append(out, s.PlanValue)
	}
	return out
}

// spans are the values of given that are in goal, or those of Extract if given is nil.
func spans(goal string, given []cua.PlanValue) (out []Extracted) {
	if given == nil {
		return Extract(goal)
	}
	for _, v := range given {
		i := strings.Index(goal, v.Value)
		if i >= 0 && strings.TrimSpace(v.Value) != "" && len(cua.LabelWords(v.Label)) > 0 {
			out = append(out, Extracted{v, i, i + len(v.Value)})
		}
	}
	return out
}

// Redact replaces each literal value with a secret's label (cua.SaysSecret) by <secret:NAME>, in the task's
// values and wherever its goal repeats it. The values are added to secrets by name. Equal values share a
// name; if the name is taken by another value, the new one gets a number.
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

// RedactTyped replaces a literal that p would type into a field with hidden content by <secret:NAME>, also
// where the brain's words repeat it. The value is added to secrets by name, as in Redact; if the map is nil,
// nothing is redacted. A value that the task plans as a literal stays, because its field is compared with it.
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

// hides reports whether the content of f must be hidden. The name or date on a card need not be.
func hides(f *cua.Field) bool {
	card := f.Autocomplete == "cc-number" || f.Autocomplete == "cc-csc"
	return f.Sensitive() && (card || f.Type == "password" || !strings.HasPrefix(f.Autocomplete, "cc-"))
}

// inClear reports whether v is a secret written as a literal.
func inClear(v cua.PlanValue) bool { return cua.SaysSecret(v.Label) && cua.SecretName(v.Value) == "" }

// reference is <secret:NAME> for v's value: its first name if it has one, else a new one from its label.
func reference(v cua.PlanValue, secrets map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if secrets[name] == v.Value {
			return "<secret:" + name + ">"
		}
	}
	name := secretNameFor(v.Label)
	for n := 2; secrets[name] != ""; n++ {
		name = fmt.Sprintf("%s_%d", secretNameFor(v.Label), n)
	}
	secrets[name] = v.Value
	return "<secret:" + name + ">"
}

// secretNameFor is the name of a secret for a field with that label: its words in capitals, without those
// that only ask again. "Confirm password" gives PASSWORD.
func secretNameFor(label string) string {
	var words []string
	for _, w := range cua.LabelWords(label) {
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

// unnamed are words that are left out of names.
var unnamed = set("confirm confirmation repeat retype again verify your the new")

// minRedacted is the length in bytes from which a secret is searched for in texts: shorter ones occur inside
// words.
const minRedacted = 4

// without replaces every occurrence of value in text that stands alone.
func without(text, value, by string) string {
	if len(value) < minRedacted || knownLabel(value) {
		return text
	}
	const edge = `[^\pL\p{Nd}]`
	alone := regexp.MustCompile(`(^|` + edge + `)` + regexp.QuoteMeta(strings.ToValidUTF8(value, "\uFFFD")) +
		`($|` + edge + `)`)
	for range 2 { // two neighbours share an edge, so one pass can miss one
		text = alone.ReplaceAllString(text, "${1}"+by+"${2}")
	}
	return text
}
