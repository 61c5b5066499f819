package cua

import (
	"fmt"
	"strings"
)

// ReasonPlain is the reason why a document that was loaded without encryption gets no secret.
const ReasonPlain = "not_encrypted"

// checkSecret says why a document gets no secret of the episode: a reason code and an error. It returns ""
// and nil if it may. of is the document's address or origin. It must be on the site of the start page or of a
// listed host; Open does not count here. It must be encrypted, unless it is on this machine or on the host of
// a start page that is not encrypted either.
func (l AllowList) checkSecret(of string) (reason string, err error) {
	l.Open = false
	if reason, err := l.Check(of); err != nil {
		return reason, err
	}
	here, _, _ := ParseAddress(of) // cannot fail: Check has parsed it
	if scheme, _, _ := strings.Cut(of, ":"); !strings.EqualFold(scheme, "http") || here.loopback() {
		return "", nil
	}
	start, _, err := ParseAddress(l.Start)
	if scheme, _, _ := strings.Cut(l.Start, ":"); err == nil && strings.EqualFold(scheme, "http") &&
		start.Name == here.Name {
		return "", nil
	}
	return ReasonPlain, fmt.Errorf("what is typed on http://%s is not encrypted", here)
}

// ReasonBound is the reason why a document gets no secret that belongs to another origin.
const ReasonBound = "other_origin"

// checkSecret says why that secret may not be typed into a document with this address or origin: by
// AllowList.checkSecret and, if the secret has an origin of its own, by that. It returns "" and nil if it
// may.
func (t Task) CheckSecret(name, of string) (reason string, err error) {
	if reason, err := (AllowList{Start: t.URL, Hosts: t.Allow}).checkSecret(of); err != nil {
		return reason, err
	}
	if own, bound := t.SecretOrigins[name]; bound && Origin(of) != own {
		return ReasonBound, fmt.Errorf("it is for %s alone", own)
	}
	return "", nil
}

// loopback reports whether h is this machine.
func (h Host) loopback() bool {
	if !h.Addr.IsValid() {
		return h.Name == "localhost" || strings.HasSuffix(h.Name, ".localhost")
	}
	return h.Addr.Unmap().IsLoopback()
}
