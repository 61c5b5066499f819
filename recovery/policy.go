package recovery

import (
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
}

// Policy refuses navigation that leaves the allow-list. It is always on, it is asked once more
// about whatever another gate substitutes, and it judges the address alone: no words of the
// page or the brain can widen it.
//
// An address passes if it is http or https and its host is on the list, exactly or as a name
// below a listed one. An address in a private, loopback, link-local, metadata or otherwise
// special range, localhost included, passes only if it is listed with its port. The host and port
// of the task's start page are always listed.
type Policy struct{ Config PolicyConfig }

// The policy's reasons.
const (
	ReasonBadURL  = "bad_url"
	ReasonScheme  = "scheme_not_allowed"
	ReasonHost    = "host_not_allowed"
	ReasonPrivate = "private_address"
)

// Name is "policy".
func (Policy) Name() string { return "policy" }

// Review refuses or passes; actions that name no address pass.
func (g Policy) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	goes := p.Action.Kind == cua.Navigate || p.Action.Kind == cua.NewTab && p.Action.URL != ""
	if p.Failure != nil || !goes {
		return pass(g.Name())
	}
	refuse := func(reason, format string, args ...any) cua.Ruling {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: reason, Detail: fmt.Sprintf(format, args...)}
	}
	to, reason, err := ParseAddress(p.Action.URL)
	if err != nil {
		return refuse(reason, "not opened: %v", err)
	}
	if start, _, err := ParseAddress(t.Task.URL); err == nil && start.same(to) {
		return pass(g.Name())
	}
	entries := slices.Concat(g.Config.Allow, t.Task.Allow)
	listed, withPort := false, false
	for _, e := range entries {
		if h, err := ParseHost(e); err == nil && h.admits(to) {
			listed, withPort = true, withPort || h.Port != 0
		}
	}
	switch {
	case to.private() && !withPort:
		return refuse(ReasonPrivate, "not opened: %s is a private address, and it is not listed as host:port", to)
	case listed || g.Config.Open && len(entries) == 0:
		return pass(g.Name())
	}
	return refuse(ReasonHost, "not opened: %s is not among the hosts that this task may visit", to)
}
