package recovery

import (
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
}

// Policy refuses navigation that leaves the allow-list (cua.AllowList). It is always on, and it
// is asked once more about whatever another gate substitutes. The browser holds pages to the
// same list; this gate only says so before anything is tried.
type Policy struct{ Config PolicyConfig }

// Name is "policy".
func (Policy) Name() string { return "policy" }

// Review refuses or passes; actions that name no address pass. The reasons are those of
// cua.AllowList.
func (g Policy) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	goes := p.Action.Kind == cua.Navigate || p.Action.Kind == cua.NewTab && p.Action.URL != ""
	if p.Failure != nil || !goes {
		return pass(g.Name())
	}
	list := cua.AllowList{Start: t.Task.URL, Hosts: slices.Concat(g.Config.Allow, t.Task.Allow), Open: g.Config.Open}
	if reason, err := list.Check(p.Action.URL); err != nil {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: reason, Detail: "not opened: " + err.Error()}
	}
	return pass(g.Name())
}
