package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Policy refuses an address off the list, a secret off its field or origin, what no rewind undoes, one more
// send of rejected credentials, and one after an interrupted send. It is always on, and asked once more about
// whatever another gate substitutes.
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

// belongs says whether the secret is planned for f, or for no visible field and f takes secrets.
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

// rejected stops one more send of a form with a secret after Config.Credentials of them in a row were
// rejected: accounts lock. Who goes on with fresh counters has chosen to.
func (g Policy) rejected(t *cua.Turn, p cua.Proposal) cua.Ruling {
	var again bool
	var sends []int
	for _, s := range t.Evidence.Doubtful {
		switch {
		case s.Step < t.History.Fresh():
		case s.Rejected:
			sends = append(sends, t.History.Steps[s.Step].N)
			again = again || s.SendsAgain(&t.Now, p.Action, p.Target)
		case s.Secret && s.OK: // somebody was let in: what comes next is another account, or a new session
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

// uncertain stops what may be the second send of one form, after an interruption of the first.
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
	if r.End = g.Stuck.asked(); r.End == cua.EndPaused {
		r.Verdict = cua.Pause
	}
	return r
}

// rewound is how often brain and gates went back in the open incident.
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

// goingBack refuses a rewind beyond the budget, or past what the server keeps. All steps count.
func (g Policy) goingBack(t *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Action.Kind != cua.Rewind {
		return pass(g.Name())
	}
	if n := rewound(t); t.Incident != nil && n >= g.Stuck.Rewinds && p.By != cua.Person {
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

// sendingAgain refuses what the fence holds (cua.Turn.SentBefore).
func (g Policy) sendingAgain(t *cua.Turn, p cua.Proposal) cua.Ruling {
	s := t.SentBefore(p)
	if s == nil {
		return pass(g.Name())
	}
	return g.refuse(ReasonDone, []int{s.N}, "not done again: step %d did this with the form as it is "+
		"now, and the server took it (%s)", s.N, answers(s))
}

// answers say what s sent and what came back, without what may be secret in addresses.
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
