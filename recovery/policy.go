package recovery

import (
	"cmp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Policy refuses an address off the list, a secret off its field or origin, what no rewind undoes, and one
// more send of rejected credentials. It is always on, and asked once more about whatever another gate
// substitutes.
type Policy struct {
	Config PolicyConfig
	// Stuck holds the budget of rewinds, and says whether a person can be asked.
	Stuck Stuck
}

// The reasons of the gate; those of an address are cua.AllowList's.
const (
	ReasonSecretField  = "secret_off_field"
	ReasonSecretOrigin = "secret_off_origin"
	// ReasonSecretPlain is that of a document that came without encryption (cua.AllowList.CheckSecret).
	ReasonSecretPlain = "secret_not_encrypted"
	// ReasonDone: the same was sent already, with the form as it is now, and was answered well.
	ReasonDone = "irreversible_done"
	// ReasonFence: the rewind would go back past a step that sent something that was answered well. The
	// ruling's Evidence are the numbers of those steps.
	ReasonFence = string(cua.IrreversibleFence)
	// ReasonBudget: brain and gates have gone back as often as they may.
	ReasonBudget = "rewind_budget"
	// ReasonCredentials is that of a stop: what was sent to sign in was rejected too often.
	ReasonCredentials = "credentials_rejected"
)

// Name is "policy".
func (Policy) Name() string { return "policy" }

// Review refuses, stops or passes: the first rule that has something against p decides.
func (g Policy) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil {
		return pass(g.Name())
	}
	for _, forbids := range []func(*cua.Turn, cua.Proposal) cua.Ruling{
		g.secret, g.goingBack, g.sendingAgain, g.rejected, g.leaving,
	} {
		if r := forbids(t, p); r.Verdict != cua.Pass {
			return r
		}
	}
	return pass(g.Name())
}

func (g Policy) refuse(reason string, evidence []int, format string, args ...any) cua.Ruling {
	return rule(g.Name(), cua.Refuse, reason, evidence, format, args...)
}

// leaving refuses an address off the list.
func (g Policy) leaving(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Action.Kind != cua.Navigate && (p.Action.Kind != cua.NewTab || p.Action.URL == "") {
		return pass(g.Name())
	}
	hosts := slices.Concat(g.Config.Allow, t.Task.Allow)
	list := cua.AllowList{Start: t.Task.URL, Hosts: hosts, Open: g.Config.Open}
	if reason, err := list.Check(p.Action.URL); err != nil {
		return g.refuse(reason, nil, "not opened: %v", err)
	}
	return pass(g.Name())
}

// secret refuses to type a secret where it does not belong. Both the page and the document of the field must
// be of the start page's host or of one that the task lists.
func (g Policy) secret(t *cua.Turn, p cua.Proposal) cua.Ruling {
	secret := cua.SecretName(p.Action.Text)
	if secret == "" || p.Action.Kind != cua.Type {
		return pass(g.Name())
	}
	name := "the secret " + cua.OneLine(secret)
	home := cua.AllowList{Start: t.Task.URL, Hosts: t.Task.Allow}
	if _, err := home.Check(t.Now.URL); err != nil {
		return g.refuse(ReasonSecretOrigin, nil, "not typed: %s is not for this site: %v", name, err)
	}
	f := goesInto(t, p)
	if f == nil {
		return g.refuse(ReasonSecretField, nil, "not typed: no field is known into which %s would go", name)
	}
	switch code, err := t.Task.CheckSecret(secret, cmp.Or(f.Origin, t.Now.URL)); {
	case code == cua.ReasonPlain:
		return g.refuse(ReasonSecretPlain, nil, "not typed: %s would go in clear: %v", name, err)
	case err != nil:
		return g.refuse(ReasonSecretOrigin, nil, "not typed: %s is not for the site of %s: %v", name, named(f), err)
	case !belongs(t.Form, secret, f):
		return g.refuse(ReasonSecretField, nil, "not typed: %s is not the one that %s belongs in", named(f), name)
	}
	return pass(g.Name())
}

// belongs says whether the secret is planned for f, or is planned for no visible field and f takes secrets.
func belongs(form *cua.FormState, secret string, f *cua.Field) bool {
	var planned []string
	if form != nil {
		for _, v := range form.Values {
			if v.Field != "" && cua.SecretName(v.Value) == secret {
				planned = append(planned, v.Field)
			}
		}
	}
	return slices.Contains(planned, f.ID) || planned == nil && f.Sensitive()
}

// goesInto is the field that p types into: what it presses first, as in the browser, else what it names, else
// the focus.
func goesInto(t *cua.Turn, p cua.Proposal) *cua.Field {
	switch {
	case p.Action.Point != nil || p.Action.Mark > 0:
		return aimedField(t, p)
	case p.Action.Into != "":
		return t.Now.FieldByID(p.Action.Into)
	}
	return t.Now.Focus
}

// rejected stops one more send of a form with a secret after Config.Credentials of them were rejected:
// accounts lock. Who goes on with fresh counters has chosen to.
func (g Policy) rejected(t *cua.Turn, p cua.Proposal) cua.Ruling {
	send, ok := cua.SendOf(&t.Now, p.Action, p.Target)
	var sends []int
	for _, s := range t.Evidence.Sends {
		if s.Rejected && s.Step >= t.History.Fresh() {
			sends = append(sends, t.History.Steps[s.Step].N)
		}
	}
	if !ok || !send.Secret || len(sends) < g.Config.Credentials {
		return pass(g.Name())
	}
	r := rule(g.Name(), cua.Halt, ReasonCredentials, sends,
		"what was sent to sign in was rejected %d times, last in step %d: are the credentials right?",
		len(sends), sends[len(sends)-1])
	r.End = cua.EndAsked
	if g.Stuck.Attended {
		r.Verdict, r.End = cua.Pause, cua.EndPaused
	}
	return r
}
