package cua

import (
	"fmt"
	"strings"
)

// ReasonPlain is the reason for which a document that came without encryption is given no secret.
const ReasonPlain = "not_encrypted"

// CheckSecret says why a document is given no secret of an episode: a reason code and a sentence. Nil is
// permission. of is the document's address or its origin; the start page and what l lists are home, and
// Open opens nothing here. What came in clear is no home but on this machine, or on the host of a start
// page that is in clear itself.
func (l AllowList) CheckSecret(of string) (reason string, err error) {
	l.Open = false
	if reason, err := l.Check(of); err != nil {
		return reason, err
	}
	here, _, _ := ParseAddress(of) // Check could read it
	if scheme, _, _ := strings.Cut(of, ":"); !strings.EqualFold(scheme, "http") || here.Loopback() {
		return "", nil
	}
	start, _, err := ParseAddress(l.Start)
	if scheme, _, _ := strings.Cut(l.Start, ":"); err == nil && strings.EqualFold(scheme, "http") &&
		start.Name == here.Name {
		return "", nil
	}
	return ReasonPlain, fmt.Errorf("what is typed on http://%s is not encrypted", here)
}

// ReasonBound is the reason for which a document is given no secret that belongs to another origin.
const ReasonBound = "other_origin"

// CheckSecret says why the secret of that name may not be typed into a document of this address or origin: as
// AllowList.CheckSecret, and where the secret has an origin of its own, by that. Nil is permission.
func (t Task) CheckSecret(name, of string) (reason string, err error) {
	if reason, err := (AllowList{Start: t.URL, Hosts: t.Allow}).CheckSecret(of); err != nil {
		return reason, err
	}
	if own, bound := t.SecretOrigins[name]; bound && Origin(of) != own {
		return ReasonBound, fmt.Errorf("it is for %s alone", own)
	}
	return "", nil
}

// Loopback says whether h is this machine.
func (h Host) Loopback() bool {
	if !h.Addr.IsValid() {
		return h.Name == "localhost" || strings.HasSuffix(h.Name, ".localhost")
	}
	return h.Addr.Unmap().IsLoopback()
}
