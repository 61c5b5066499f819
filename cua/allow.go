package cua

import "fmt"

// AllowList says which addresses an episode may visit (SECURITY.md). It judges the address alone:
// nothing that a page or a brain says can extend it.
//
// An address passes if it is http or https and its host is listed, or is a subdomain of a listed one. An
// address in a private, loopback, link-local, metadata or other special range, including localhost, passes
// only if it is listed with its port. The host and port of the start page are always listed.
type AllowList struct {
	// Start is the start page's address; "" is none.
	Start string
	// Hosts are entries for ParseHost. An entry that it cannot parse admits nothing.
	Hosts []string
	// Open admits every public host while Hosts is empty. Otherwise only Start is admitted then.
	Open bool
}

// The reasons why an address is refused.
const (
	ReasonBadURL  = "bad_url"
	ReasonScheme  = "scheme_not_allowed"
	ReasonHost    = "host_not_allowed"
	ReasonPrivate = "private_address"
)

// Check says why raw may not be visited: a reason code and an error. It returns "" and nil if it may.
func (l AllowList) Check(raw string) (reason string, err error) {
	to, reason, err := ParseAddress(raw)
	if err != nil {
		return reason, err
	}
	if start, _, err := ParseAddress(l.Start); err == nil && start.same(to) {
		return "", nil
	}
	listed, withPort := false, false
	for _, e := range l.Hosts {
		if h, err := ParseHost(e); err == nil && h.admits(to) {
			listed, withPort = true, withPort || h.Port != 0
		}
	}
	switch {
	case to.private() && !withPort:
		return ReasonPrivate, fmt.Errorf("%s is a private address, and it is not listed as host:port", to)
	case listed || l.Open && len(l.Hosts) == 0:
		return "", nil
	}
	return ReasonHost, fmt.Errorf("%s is not among the hosts that this task may visit", to)
}
