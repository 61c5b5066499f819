package recovery

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// ReasonCredentials is that of a stop: what was sent to sign in was rejected too often.
const ReasonCredentials = "credentials_rejected"

// rejected stops one more send of a form with a secret after PolicyConfig.Credentials of them were rejected: accounts
// lock. Who goes on with fresh counters has chosen to.
func (g Policy) rejected(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	if send, ok := cua.SendOf(&t.Now, p.Action, p.Target); !ok || !send.Secret {
		return cua.Ruling{}, false
	}
	var sends []int
	for _, s := range t.Evidence.Sends {
		if s.Rejected && s.Step >= t.History.Fresh() {
			sends = append(sends, t.History.Steps[s.Step].N)
		}
	}
	if len(sends) < g.Config.Credentials {
		return cua.Ruling{}, false
	}
	r := cua.Ruling{Gate: g.Name(), Verdict: cua.Halt, Reason: ReasonCredentials, End: cua.EndAsked, Evidence: sends,
		Detail: fmt.Sprintf("what was sent to sign in was rejected %d times, last in step %d: are the credentials right?",
			len(sends), sends[len(sends)-1])}
	if g.Stuck.Attended {
		r.Verdict, r.End = cua.Pause, cua.EndPaused
	}
	return r, true
}
