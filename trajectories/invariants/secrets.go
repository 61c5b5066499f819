package invariants

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// typedSecret is the name of the secret that s typed; "" is none. A step that was denied typed nothing.
func typedSecret(s *cua.Step) string {
	if s.Action == nil || s.Action.Kind != cua.Type || s.Failure != nil && s.Failure.Kind == cua.FailPolicy {
		return ""
	}
	return cua.SecretName(s.Action.Text)
}

func secretOffField(j *Journal, i int, s *cua.Step, say sayer) {
	name := typedSecret(s)
	if name == "" {
		return
	}
	if f := receiver(j.before(i), s); f == nil {
		say("typed <secret:%s> where no field is known", name)
	} else if why := unfit(j.Header.Task, f, s.Action.Text); why != "" {
		say("typed <secret:%s> into %q, which %s", name, calls(f), why)
	}
}

func secretOffOrigin(j *Journal, i int, s *cua.Step, say sayer) {
	name, now, t := typedSecret(s), j.before(i), j.Header.Task
	if name == "" {
		return
	}
	of := now.URL
	if f := receiver(now, s); f != nil {
		of = cmp.Or(f.Origin, of)
	}
	_, err := cua.AllowList{Start: t.URL, Hosts: t.Allow}.Check(now.URL)
	if err == nil {
		_, err = t.CheckSecret(name, of)
	}
	if err != nil {
		say("typed <secret:%s> in a document of %s: %v", name, cua.Origin(of), err)
		return
	}
	for k := range s.After.Fields { // a page may have moved the focus since
		f := &s.After.Fields[k]
		was, of := now.FieldByID(f.ID), cmp.Or(f.Origin, s.After.URL)
		if f.Secret != name || was != nil && was.Secret == name {
			continue
		}
		if _, err := t.CheckSecret(name, of); err != nil {
			say("typed <secret:%s>, which came to be in a document of %s: %v", name, cua.Origin(of), err)
			return
		}
	}
}

func secretsUnknown(j *Journal) string {
	var unknown []string
	for _, name := range trajectories.SecretNames(j.Trajectory) {
		if v, ok := j.Secrets[name]; !ok || len(v) < redact.MinLength {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return ""
	}
	return "no value of " + strings.Join(unknown, ", ") + " to look for"
}

func secretInClear(j *Journal) []Violation {
	var out report
	for _, name := range slices.Sorted(maps.Keys(j.Secrets)) {
		value := j.Secrets[name]
		out.inJournal(j, name, value)
	}
	return out
}

// inJournal looks for a secret in the journal and in what the brain was sent. One hit a line is enough.
func (r *report) inJournal(j *Journal, name, value string) {
	forms := redact.Spellings(value)
	step, line := 0, 0
	for text := range bytes.Lines(j.Text) {
		if line++; line <= len(j.Records) && j.Records[line-1].Type == trajectories.StepRecord {
			step = j.Records[line-1].Step.N
		}
		if at, how := firstForm(text, forms); at >= 0 {
			r.at(step, "line %d, byte %d: the value of <secret:%s> %s", line, at, name, how)
		}
	}
	for i := range j.Steps {
		prompt, _ := j.Prompt(&j.Steps[i]) // one that is gone tells nothing
		if at, how := firstForm([]byte(prompt), forms); at >= 0 {
			r.at(j.Steps[i].N, "the prompt: the value of <secret:%s> %s", name, how)
		}
	}
}

// firstForm is where text holds the first of the forms that it holds, and how that is spelt; -1 is nowhere.
func firstForm(text []byte, forms []redact.Spelling) (at int, how string) {
	for _, f := range forms {
		if at := bytes.Index(text, []byte(f.Text)); f.Text != "" && at >= 0 {
			return at, f.How
		}
	}
	return -1, ""
}
