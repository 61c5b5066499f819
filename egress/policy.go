package egress

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/cua-runner/cua-runner/cua"
)

// Policy says what may leave. The zero value lets nothing leave.
type Policy struct {
	// Allow are the hosts that documents may come from.
	Allow cua.AllowList
	// Subresources says which other hosts may be asked for what a document loads; "" is cua.SameSite.
	Subresources cua.Subresources
}

// ParseEntry reads an entry of an allow-list. A bare public suffix, as com or co.uk, is an error: it would
// admit every name below it. A name of one part with its port is the name of a machine and no error.
func ParseEntry(entry string) (cua.Host, error) {
	h, err := cua.ParseHost(entry)
	if err != nil || h.Addr.IsValid() || h.Name == "localhost" {
		return h, err
	}
	suffix, listed := publicsuffix.PublicSuffix(h.Name)
	machine := !listed && h.Port != 0 && !strings.Contains(h.Name, ".")
	if suffix == h.Name && !machine {
		return cua.Host{}, fmt.Errorf("egress: reading allow-list entry %q: "+
			"it is a public suffix, and would admit every name below it", h.Name)
	}
	return h, nil
}

// denial is a reason code of cua.AllowList, or one of these, with a sentence.
type denial struct{ reason, text string }

func (d *denial) Error() string { return d.text }

// admit reports whether a request for host:port may leave as far as its name tells; nil is permission. A
// tunnel carries what we cannot read: it goes to port 443, or to a host that is listed with its port.
func (p Policy) admit(hostport string, tunnel bool) (cua.Host, *denial) {
	scheme := "https://"
	if !tunnel || strings.HasSuffix(hostport, ":80") {
		scheme = "http://"
	}
	h, reason, err := cua.ParseAddress(scheme + hostport)
	if err != nil {
		return h, &denial{reason, err.Error()}
	}
	reason, err = p.Allow.Check(scheme + hostport)
	if reason == cua.ReasonHost && p.beside(h) {
		err = nil
	}
	if err != nil {
		return h, &denial{reason, err.Error()}
	}
	if tunnel && h.Port != 443 && !p.named(h) {
		return h, &denial{cua.ReasonTunnel,
			fmt.Sprintf("%s is no port for a tunnel, and it is not listed as host:port", h)}
	}
	return h, nil
}

// beside reports whether h, which is not listed, may be asked for what a document loads.
func (p Policy) beside(h cua.Host) bool {
	switch p.Subresources {
	case cua.AnyHost:
		return true
	case cua.ListedOnly:
		return false
	}
	own := site(h)
	if own == "" {
		return false
	}
	if start, _, err := cua.ParseAddress(p.Allow.Start); err == nil && site(start) == own {
		return true
	}
	for _, entry := range p.Allow.Hosts {
		if e, err := ParseEntry(entry); err == nil && site(e) == own {
			return true
		}
	}
	return false
}

// site is the registrable domain of h; "" is none.
func site(h cua.Host) string {
	if h.Addr.IsValid() {
		return ""
	}
	s, err := publicsuffix.EffectiveTLDPlusOne(h.Name)
	if err != nil {
		return ""
	}
	return s
}

// named reports whether h is listed with its port, by that very name, or is the start page's.
func (p Policy) named(h cua.Host) bool {
	start, _, err := cua.ParseAddress(p.Allow.Start)
	return err == nil && start.Name == h.Name && start.Port == h.Port || p.listed(h)
}

// listed reports whether the list has h with its port, by that very name.
func (p Policy) listed(h cua.Host) bool {
	for _, entry := range p.Allow.Hosts {
		if e, err := ParseEntry(entry); err == nil && e.Name == h.Name && e.Port == h.Port {
			return true
		}
	}
	return false
}

// address reports whether h, which admit let pass, may be reached at a. A name that resolves to a private
// address is refused unless the list has it with its port: the start page's name is no such word, since a
// page may own it.
func (p Policy) address(h cua.Host, a netip.Addr) *denial {
	switch {
	case !cua.PrivateAddr(a), h.Addr.IsValid(), local(h): // an address and localhost were judged by admit
		return nil
	case p.listed(h) && (a.Unmap().IsPrivate() || a.Unmap().IsLoopback()):
		return nil
	}
	return &denial{cua.ReasonPrivate, fmt.Sprintf(
		"%s resolves to the private address %s; to reach it all the same list it as %s", h.Name, a, h)}
}

// local reports whether h is localhost or a name below it, which no resolver is asked for.
func local(h cua.Host) bool { return h.Name == "localhost" || strings.HasSuffix(h.Name, ".localhost") }

// loopback are the addresses of localhost.
var loopback = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}

// join is host:port of an address.
func join(a netip.Addr, port int) string { return net.JoinHostPort(a.String(), strconv.Itoa(port)) }
