package invariants

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
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
	if name := typedSecret(s); name != "" {
		if why := offField(j.Header.Task, receiver(j.before(i), s), s.Action.Text); why != "" {
			say("typed <secret:%s> %s", name, why)
		}
	}
}

// offField says why f, nil where none is known, is no field for the secret that text names; "" when nothing says so.
func offField(t cua.Task, f *cua.Field, text string) string {
	if f == nil {
		return "where no field is known"
	}
	if !asksFor(f, planned(t, text)) {
		return fmt.Sprintf("into %q, which does not ask for it", calls(f))
	}
	if v, ok := claimed(t, f, text); ok {
		return fmt.Sprintf("into %q, which is the field of %q", calls(f), v.Label)
	}
	return ""
}

func secretOffOrigin(j *Journal, i int, s *cua.Step, say sayer) {
	name := typedSecret(s)
	if name == "" {
		return
	}
	now, t := j.before(i), j.Header.Task
	if !atHome(t, now.URL) {
		say("typed <secret:%s> on %s, and the task is about %s", name, siteOf(now.URL), siteOf(t.URL))
		return
	}
	if why := abroad(t, name, now.URL, receiver(now, s)); why != "" {
		say("typed <secret:%s> into %s", name, why)
		return
	}
	for k := range s.After.Fields { // a page may have moved the focus since
		f := &s.After.Fields[k]
		was := now.FieldByID(f.ID)
		if f.Secret != name || was != nil && was.Secret == name {
			continue
		}
		if why := abroad(t, name, s.After.URL, f); why != "" {
			say("typed <secret:%s>, which came to be in %s", name, why)
			return
		}
	}
}

// abroad says which foreign document the field f on that page is in, that the secret of that name is for another origin, or
// that what is typed there is not encrypted; "" is none of them, or that no field is known.
func abroad(t cua.Task, name, page string, f *cua.Field) string {
	if f == nil {
		return ""
	}
	if own, bound := t.SecretOrigins[name]; bound && cua.Origin(cmp.Or(f.Origin, page)) != own {
		return fmt.Sprintf("a document of %s, and it is for %s alone", siteOf(cmp.Or(f.Origin, page)), own)
	}
	of := cmp.Or(f.Origin, page)
	switch {
	case f.Origin != "" && !atHome(t, f.Origin):
		return fmt.Sprintf("a document of %s", siteOf(f.Origin))
	case inClear(t, of):
		return fmt.Sprintf("a document of %s, which is not encrypted", siteOf(of))
	}
	return ""
}

// inClear says whether what is typed into a document of that address leaves this machine without encryption, where
// the start page was not such a one on that host itself.
func inClear(t cua.Task, of string) bool {
	u, err := url.Parse(of)
	if err != nil || u.Scheme != "http" {
		return false
	}
	start, err := url.Parse(t.URL)
	same := err == nil && start.Scheme == "http" && strings.EqualFold(start.Hostname(), u.Hostname())
	host, _, err := cua.ParseAddress(of)
	return !same && (err != nil || !host.Loopback())
}

// siteOf is scheme, host and port of a URL.
func siteOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return fmt.Sprintf("%q", raw)
	}
	return u.Scheme + "://" + u.Host
}

// atHome says whether raw is on the site of the start page or on one that the task lists. A page of the start
// page's host that is no longer encrypted is not.
func atHome(t cua.Task, raw string) bool {
	here, _, err := cua.ParseAddress(raw)
	if err != nil {
		return false
	}
	if start, _, err := cua.ParseAddress(t.URL); err == nil && start.Name == here.Name {
		from, _, _ := strings.Cut(t.URL, ":")
		to, _, _ := strings.Cut(raw, ":")
		switch {
		case strings.EqualFold(from, to) && start.Port == here.Port, strings.EqualFold(from, "http") && start.Port == 80 && here.Port == 443:
			return true
		}
	}
	return slices.ContainsFunc(t.Allow, func(entry string) bool { return listed(entry, here) })
}

// listed says whether an entry of a task's list covers host: exactly, or as a name below it. A host without a
// port is one of which the port is not known.
func listed(entry string, host cua.Host) bool {
	e, err := cua.ParseHost(entry)
	if err != nil || e.Port != 0 && host.Port != 0 && e.Port != host.Port {
		return false
	}
	return e.Name == host.Name || !e.Addr.IsValid() && !host.Addr.IsValid() && strings.HasSuffix(host.Name, "."+e.Name)
}

func secretsUnknown(j *Journal) string {
	var unknown []string
	for _, name := range trajectories.SecretNames(j.Trajectory) {
		if v, ok := j.Secrets[name]; !ok || len(v) < trajectories.MinSecret {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return ""
	}
	return "no value of " + strings.Join(unknown, ", ") + " to look for"
}

func secretInClear(j *Journal) []found {
	var out report
	for _, name := range slices.Sorted(maps.Keys(j.Secrets)) {
		value := j.Secrets[name]
		if len(value) < trajectories.MinSecret {
			continue
		}
		forms := trajectories.SecretSpellings(value)
		step, line := 0, 0
		for text := range bytes.Lines(j.Text) {
			if line++; line <= len(j.Records) && j.Records[line-1].Type == trajectories.StepRecord {
				step = j.Records[line-1].Step.N
			}
			for _, f := range forms {
				if at := bytes.Index(text, []byte(f.Text)); at >= 0 {
					out.at(step, "line %d, byte %d: the value of <secret:%s> %s", line, at, name, f.How)
					break // one in a line is enough
				}
			}
		}
	}
	return out
}
