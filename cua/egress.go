package cua

import "fmt"

// Subresources says which hosts that are not listed may be asked for what a document loads. Private addresses
// are never among them.
type Subresources string

// The values of Subresources; "" is SameSite.
const (
	// AnyHost is every public host.
	AnyHost Subresources = "any"
	// SameSite are the hosts that have a registrable domain with the start page or a listed host in common.
	SameSite Subresources = "same-site"
	// ListedOnly is none.
	ListedOnly Subresources = "listed"
)

// ParseSubresources reads a value of Subresources; the error lists them.
func ParseSubresources(s string) (Subresources, error) {
	switch v := Subresources(s); v {
	case "", AnyHost, SameSite, ListedOnly:
		return v, nil
	}
	return "", fmt.Errorf("cua: reading %q: want %s, %s or %s", ClipBytes(s, maxQuoted), AnyHost, SameSite,
		ListedOnly)
}

// Reasons for which the way out refuses what is allowed by its host.
const (
	// ReasonTunnel: a tunnel to a port that is not listed, or on 443 without TLS.
	ReasonTunnel = "tunnel_not_allowed"
	// ReasonTLSName: a tunnel to one host in which another is asked for.
	ReasonTLSName = "tls_name_mismatch"
	// ReasonCredential: somebody else's request.
	ReasonCredential = "wrong_credential"
)

// Denial is what was not let out, by host and reason.
type Denial struct {
	// Host is host:port; "" are hosts beyond those that are told apart.
	Host string `json:"host"`
	// Reason is a code of AllowList.Check, or tunnel_not_allowed, tls_name_mismatch or wrong_credential.
	Reason string `json:"reason"`
	// Count is at least 1.
	Count int `json:"count"`
}
