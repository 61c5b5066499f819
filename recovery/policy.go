package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Policy refuses an address that is not allowed, a secret outside its field or origin, what no rewind can
// undo, another send of rejected credentials, and another send after an interrupted one. It is always on, and
// is asked again about each substitution of another gate.
type Policy struct {
	Config PolicyConfig
	// Stop has the budget of rewinds, and reports whether a person can be asked.
	Stop StopRule
}

// The reasons of the gate; those of an address are cua.AllowList's.
const (
	ReasonSecretField  = "secret_off_field"
	ReasonSecretOrigin = "secret_off_origin"
	// ReasonSecretPlain is that of a document without encryption (cua.AllowList.CheckSecret).
	ReasonSecretPlain = "secret_not_encrypted"
	// ReasonDone: the same form in the same state was sent already, and the server accepted it.
	ReasonDone = "irreversible_done"
	// ReasonFence: the rewind would go back past a send that the server accepted. The ruling's Evidence are
	// the numbers of those steps.
	ReasonFence = string(cua.IrreversibleFence)
	// ReasonBudget: brain and gates have used up their rewinds.
	ReasonBudget = "rewind_budget"
	// ReasonCredentials is that of a stop: the credentials were rejected too often.
	ReasonCredentials = "credentials_rejected"
)

// Name is "policy".
func (Policy) Name() string { return "policy" }

// Review refuses, stops or passes: the first rule that objects to p decides.
func (g Policy) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil {
		return pass(g.Name())
	}
	for _, forbids := range []func(*cua.Turn, cua.Proposal) cua.Ruling{
		g.secret, g.goingBack, g.sendingAgain, g.uncertain, g.rejected, g.leaving,
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

// secret refuses to type a secret where it does not belong. Both the page and the field's document must be on
// the start page's host or on one that the task lists.
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
	f := t.Now.FieldIn(p.Action, p.Target)
	if f == nil {
		return g.refuse(ReasonSecretField, nil, "not typed: no field is known into which %s would go", name)
	}
	switch code, err := t.Task.CheckSecret(secret, cmp.Or(f.Origin, t.Now.URL)); {
	case code == cua.ReasonPlain:
		return g.refuse(ReasonSecretPlain, nil, "not typed: %s would go in clear: %v", name, err)
	case err != nil:
		return g.refuse(ReasonSecretOrigin, nil, "not typed: %s is not for the site of %s: %v",
			name, named(f), err)
	case !belongs(t.Form, secret, f):
		return g.refuse(ReasonSecretField, nil, "not typed: %s is not the one that %s belongs in",
			named(f), name)
	}
	return pass(g.Name())
}

// belongs reports whether the secret is planned for f, or is planned for no visible field and f takes
// secrets.
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

// rejected stops another send of a form with a secret after Config.Credentials of them in a row were
// rejected, because accounts lock. A fresh resumption resets the count.
func (g Policy) rejected(t *cua.Turn, p cua.Proposal) cua.Ruling {
	var again bool
	var sends []int
	for _, s := range t.Evidence.Doubtful {
		switch {
		case s.Step < t.History.Fresh():
		case s.Rejected:
			sends = append(sends, t.History.Steps[s.Step].N)
			again = again || s.SendsAgain(&t.Now, p.Action, p.Target)
		case s.Secret && s.OK: // accepted: what comes next is another account, or a new session
			sends, again = nil, false
		}
	}
	if !again || len(sends) < g.Config.Credentials {
		return pass(g.Name())
	}
	return g.ask(ReasonCredentials, sends,
		"what was sent to sign in was rejected %d times, last in step %d: are the credentials right?",
		len(sends), sends[len(sends)-1])
}

// uncertain stops what may repeat a send that was interrupted.
func (g Policy) uncertain(t *cua.Turn, p cua.Proposal) cua.Ruling {
	was := t.Uncertain(p)
	if was == nil {
		return pass(g.Name())
	}
	by := ""
	if was.Control != "" {
		by = fmt.Sprintf(" by %q", was.Control)
	}
	return g.ask(cua.UncertainSend, was.Evidence(),
		"step %d may have sent this form%s: the run was interrupted before the answer was "+
			"seen. Was it taken? Going on means that it may be sent again", was.Step+1, by)
}

// ask stops the episode with a question.
func (g Policy) ask(reason string, evidence []int, format string, args ...any) cua.Ruling {
	r := rule(g.Name(), cua.Halt, reason, evidence, format, args...)
	if r.End = g.Stop.asked(); r.End == cua.EndPaused {
		r.Verdict = cua.Pause
	}
	return r
}

// rewound is how many rewinds there were in the open incident.
func rewound(t *cua.Turn) int {
	n := 0
	for _, s := range fresh(t.History) {
		if s.Action != nil && s.Action.Kind == cua.Rewind && s.By != cua.Person &&
			t.Incident != nil && s.N >= t.Incident.First {
			n++
		}
	}
	return n
}

// goingBack refuses a rewind beyond the budget, or past a send that the server keeps. All steps count.
func (g Policy) goingBack(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Action.Kind != cua.Rewind {
		return pass(g.Name())
	}
	if n := rewound(t); t.Incident != nil && n >= g.Stop.Rewinds && p.By != cua.Person {
		return g.refuse(ReasonBudget, nil, "not gone back: it was done %d times since step %d, where it got "+
			"stuck, and may not be done more often. Go on from the page as it is, or say done with "+
			"success=false and why it cannot be done", n, t.Incident.First)
	}
	sent := t.History.Sent(p.Action.Step)
	if len(sent) == 0 || g.Config.AllowCrossing || p.By == cua.Person && p.Action.Accept {
		return pass(g.Name())
	}
	return g.refuse(ReasonFence, sent, "not gone back: step %d sent something that the server keeps (%s), "+
		"and nobody consented to going back past it", sent[0], answers(t.History.Step(sent[0])))
}

// sendingAgain refuses to send the same again (cua.Turn.SentBefore).
func (g Policy) sendingAgain(t *cua.Turn, p cua.Proposal) cua.Ruling {
	s := t.SentBefore(p)
	if s == nil {
		return pass(g.Name())
	}
	return g.refuse(ReasonDone, []int{s.N}, "not done again: step %d did this with the form as it is "+
		"now, and the server took it (%s)", s.N, answers(s))
}

// answers are what s sent and its answers, with redacted addresses.
func answers(s *cua.Step) string {
	var out []string
	for _, w := range s.After.Writes {
		url := cua.OneLine(cua.PublicURL(w.URL))
		if say := fmt.Sprintf("%s %s: status %d", w.Method, url, w.Status); w.OK() &&
			!slices.Contains(out, say) {
			out = append(out, say)
		}
	}
	return strings.Join(out, ", ")
}
