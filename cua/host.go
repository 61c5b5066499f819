package cua

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Host is a host in the form in which hosts are compared: names in lower-case IDNA ASCII without a trailing
// dot, addresses in canonical text without brackets.
type Host struct {
	Name string
	// Port is 1 to 65535; 0 is any port, in list entries only.
	Port int
	// Addr is valid if the host is an address and not a name.
	Addr netip.Addr
	// byDefault says that Port is the default of the scheme.
	byDefault bool
}

// String is host:port, with brackets around an IPv6 address.
func (h Host) String() string {
	name := h.Name
	if h.Addr.Is6() {
		name = "[" + name + "]"
	}
	if h.Port == 0 {
		return name
	}
	return name + ":" + strconv.Itoa(h.Port)
}

// ParseHost parses an entry of an allow list: host, host:port, [v6] or [v6]:port. It accepts no scheme, path,
// wildcard or leading dot. An entry also admits all subdomains.
func ParseHost(entry string) (Host, error) {
	bad := func(why string) (Host, error) {
		return Host{}, fmt.Errorf("cua: reading allow-list entry %q: %s", ClipBytes(entry, maxQuoted), why)
	}
	if strings.ContainsAny(entry, "/@?#\\%") {
		return bad("a host or host:port is wanted, without scheme, user or path")
	}
	u, err := url.Parse("//" + strings.TrimSpace(entry))
	if err != nil {
		return bad("no host or host:port")
	}
	h, err := hostOf(u)
	if err != nil {
		return bad(err.Error())
	}
	return h, nil
}

// ParseAddress parses the host and port of an http or https address. Anything that a browser could parse
// differently is an error: userinfo, backslashes, unusual spellings of an IP address, a missing host. The
// reason is the code of the broken rule.
func ParseAddress(raw string) (h Host, reason string, err error) {
	u, err := url.Parse(raw)
	if err != nil {
		return Host{}, ReasonBadURL, fmt.Errorf("%q is no address", ClipBytes(raw, maxQuoted))
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return Host{}, ReasonScheme, fmt.Errorf("%q is neither http nor https", ClipBytes(raw, maxQuoted))
	}
	if u.Opaque != "" || u.User != nil || strings.ContainsRune(raw, '\\') {
		return Host{}, ReasonBadURL, fmt.Errorf("%q has a user or no plain host", ClipBytes(raw, maxQuoted))
	}
	if h, err = hostOf(u); err != nil {
		return Host{}, ReasonBadURL, fmt.Errorf("%q: %w", ClipBytes(raw, maxQuoted), err)
	}
	if h.Port == 0 {
		h.Port, h.byDefault = 80, true
		if u.Scheme == "https" {
			h.Port = 443
		}
	} else {
		h.byDefault = u.Scheme == "http" && h.Port == 80 || u.Scheme == "https" && h.Port == 443
	}
	return h, "", nil
}

// hostOf parses the host and port of u; no port is 0.
func hostOf(u *url.URL) (Host, error) {
	var h Host
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return Host{}, fmt.Errorf("bad port %q", p)
		}
		h.Port = int(n)
	}
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		a, err := netip.ParseAddr(name)
		if err != nil || !a.Is6() || a.Zone() != "" {
			return Host{}, errors.New("no IPv6 address in the brackets")
		}
		h.Addr = a
		h.Name = a.String()
		return h, nil
	}
	if strings.ContainsRune(name, ':') {
		return Host{}, errors.New("an IPv6 address needs brackets")
	}
	var err error
	if h.Name, err = asciiName(name); err != nil {
		return Host{}, err
	}
	if endsInNumber(h.Name) {
		// Browsers parse 127.1, 0x7f.1 and 2130706433 as addresses; only the canonical form is accepted here.
		if h.Addr, err = netip.ParseAddr(h.Name); err != nil {
			return Host{}, errors.New("a host that ends in a number must be a plain IPv4 address")
		}
	}
	return h, nil
}

// endsInNumber reports whether browsers would parse name as an IPv4 address.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// same reports whether a and b are the same host and port. The two default ports count as one, because sites
// redirect from http to https.
func (h Host) same(b Host) bool {
	return h.Name == b.Name && (h.Port == b.Port || h.byDefault && b.byDefault)
}

// admits reports whether the list entry h covers to: as the same host or as a parent domain.
func (h Host) admits(to Host) bool {
	if h.Port != 0 && h.Port != to.Port {
		return false
	}
	if h.Addr.IsValid() || to.Addr.IsValid() {
		return h.Addr == to.Addr
	}
	// A name of one label may be a public suffix; only below localhost are all names the same machine.
	below := strings.Contains(h.Name, ".") || h.Name == "localhost"
	return to.Name == h.Name || below && strings.HasSuffix(to.Name, "."+h.Name)
}

// special are ranges that netip has no predicate for: this network, carrier-grade NAT, protocol assignments,
// benchmarking, reserved and broadcast, one cloud's metadata, and IPv6 ranges that embed another address
// (NAT64, local NAT64, 6to4, Teredo) or discard.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("168.63.129.16/32"),
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("fec0::/10"),
}

// private reports whether h is outside the public internet.
func (h Host) private() bool {
	if !h.Addr.IsValid() {
		return h.Name == "localhost" || strings.HasSuffix(h.Name, ".localhost")
	}
	return PrivateAddr(h.Addr)
}

// PrivateAddr reports whether a is outside the public internet: private, loopback, link-local, multicast,
// carrier-grade NAT, metadata, reserved, or an IPv6 range that embeds another address. An address that a
// translator (RFC 2765) or a tunnel (ISATAP) sends on to the IPv4 address within is judged by that, too.
func PrivateAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsValid() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() ||
		a.IsUnspecified() {
		return true
	}
	for _, p := range special {
		if p.Contains(a) {
			return true
		}
	}
	v4 := within(a)
	return v4.IsValid() && PrivateAddr(v4)
}

// translated is the range of IPv4-translated addresses, ::ffff:0:a.b.c.d.
var translated = netip.MustParsePrefix("::ffff:0:0:0/96")

// within is the IPv4 address within an IPv4-translated one or one of ISATAP, …:0:5efe:a.b.c.d or
// …:200:5efe:a.b.c.d; invalid is none.
func within(a netip.Addr) netip.Addr {
	b := a.As16()
	isatap := b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
	if !a.Is6() || !isatap && !translated.Contains(a) {
		return netip.Addr{}
	}
	return netip.AddrFrom4([4]byte(b[12:]))
}

// maxQuoted is how many bytes of an address an error message quotes at most.
const maxQuoted = 120
