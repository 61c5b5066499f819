package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// PolicyConfig says where an episode may navigate beside what its task allows.
type PolicyConfig struct {
	// Allow are hosts (host or host:port) for every task.
	Allow []string `json:"allow,omitzero"`
	// Open admits any public host while neither config nor task lists one. Off, the start
	// page's own host is all there is then.
	Open bool `json:"open"`
	// AllowCrossing consents to every rewind past a step that sent something that was answered well. The
	// rescue table makes none all the same.
	AllowCrossing bool `json:"allow_crossing"`
	// Credentials is how many sends of a form with a secret may be rejected before another one is not made and
	// somebody is asked; at least 1. Two: one may be a slip, and real accounts lock.
	Credentials int `json:"credentials"`
	// Rewinds is how often brain and gates may go back until somebody goes on with fresh counters; 1 to 1000. An
	// incident has its own budget in it (rescue.rewinds), and a person has none.
	Rewinds int `json:"rewinds"`
}

// Policy refuses navigation that leaves the allow-list (cua.AllowList), and a secret that would be typed off
// its field or off its origin. It is always on, and it is asked once more about whatever another gate
// substitutes. The browser holds pages to the same list; this gate only says so before anything is tried.
type Policy struct {
	Config PolicyConfig
	// Stuck holds the budget of rewinds, and says whether a person can be asked.
	Stuck Stuck
}

// The reasons for which a secret is not typed; those of an address are cua.AllowList's.
const (
	ReasonSecretField  = "secret_off_field"
	ReasonSecretOrigin = "secret_off_origin"
	// ReasonSecretPlain is that of a document that came without encryption (cua.AllowList.CheckSecret).
	ReasonSecretPlain = "secret_not_encrypted"
)

// Name is "policy".
func (Policy) Name() string { return "policy" }

// Review refuses or passes; actions that name neither an address nor a secret pass.
func (g Policy) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil {
		return pass(g.Name())
	}
	if reason, detail := secret(t, p); reason != "" {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: reason, Detail: "not typed: " + detail}
	}
	if no, ok := g.irreversible(t, p); ok {
		return no
	}
	if no, ok := g.rejected(t, p); ok {
		return no
	}
	if p.Action.Kind != cua.Navigate && (p.Action.Kind != cua.NewTab || p.Action.URL == "") {
		return pass(g.Name())
	}
	list := cua.AllowList{Start: t.Task.URL, Hosts: slices.Concat(g.Config.Allow, t.Task.Allow), Open: g.Config.Open}
	if reason, err := list.Check(p.Action.URL); err != nil {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: reason, Detail: "not opened: " + err.Error()}
	}
	return pass(g.Name())
}

// secret says why the secret that p would type may not go there; "" where it may, or there is none. It
// goes into the field that its plan value belongs in, or, where no visible field is known to be that, into one that
// takes secrets anyway; and only where both the page and the field's own document are of the host of the
// start page or of one that the task lists.
func secret(t *cua.Turn, p cua.Proposal) (reason, detail string) {
	name := cua.SecretName(p.Action.Text)
	if name == "" || p.Action.Kind != cua.Type {
		return "", ""
	}
	home := cua.AllowList{Start: t.Task.URL, Hosts: t.Task.Allow}
	if _, err := home.Check(t.Now.URL); err != nil {
		return ReasonSecretOrigin, fmt.Sprintf("the secret %s is not for this site: %v", line(name), err)
	}
	f := goesInto(t, p)
	if f == nil {
		return ReasonSecretField, fmt.Sprintf("no field is known into which the secret %s would go", line(name))
	}
	switch code, err := t.Task.CheckSecret(name, cmp.Or(f.Origin, t.Now.URL)); {
	case code == cua.ReasonPlain:
		return ReasonSecretPlain, fmt.Sprintf("the secret %s would go in clear: %v", line(name), err)
	case err != nil:
		return ReasonSecretOrigin, fmt.Sprintf("the secret %s is not for the site of %s: %v", line(name), named(*f), err)
	}
	homeless := true
	if t.Form != nil {
		for _, v := range t.Form.Values {
			if cua.SecretName(v.Value) != name || v.Field == "" {
				continue
			}
			if v.Field == f.ID {
				return "", ""
			}
			homeless = false
		}
	}
	if homeless && f.Sensitive() {
		return "", ""
	}
	return ReasonSecretField, fmt.Sprintf("%s is not the one that the secret %s belongs in", named(*f), line(name))
}

// goesInto is the field that p types into: the one that it presses first, as the browser does, else the one
// that it names, else the focused one; nil when that is no visible field.
func goesInto(t *cua.Turn, p cua.Proposal) *cua.Field {
	switch {
	case p.Action.Point != nil || p.Action.Mark > 0:
		return t.Now.FieldByID(cmp.Or(p.Target.Field, p.Target.ID))
	case p.Action.Into != "":
		return t.Now.FieldByID(p.Action.Into)
	}
	return t.Now.Focus
}
