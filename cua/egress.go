package cua

import "fmt"

// Subresources says which hosts outside the allow list a document may load resources from. It never admits
// private addresses.
type Subresources string

// The values of Subresources; "" is SameSite.
const (
	// AnyHost: every public host.
	AnyHost Subresources = "any"
	// SameSite: hosts with the registrable domain of the start page or of a listed host.
	SameSite Subresources = "same-site"
	// ListedOnly: no other host.
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

// Reasons why the proxy refuses a request to an allowed host.
const (
	// ReasonTunnel: a tunnel to a port that is not listed, or on 443 without TLS.
	ReasonTunnel = "tunnel_not_allowed"
	// ReasonTLSName: the TLS name in a tunnel is not the tunnel's host.
	ReasonTLSName = "tls_name_mismatch"
	// ReasonCredential: the request is not from this session's browser.
	ReasonCredential = "wrong_credential"
)

// Denial is a refused request, counted by host and reason.
type Denial struct {
	// Host is host:port; "" counts the hosts that are not listed separately.
	Host string `json:"host"`
	// Reason is a code of AllowList.Check, or tunnel_not_allowed, tls_name_mismatch or wrong_credential.
	Reason string `json:"reason"`
	// Count is at least 1.
	Count int `json:"count"`
}
