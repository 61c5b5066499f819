package egress

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestParseEntry(t *testing.T) {
	for _, row := range []struct {
		name, entry string
		ok          bool
	}{
		{"a name", "shop.test", true},
		{"a name with its port", "shop.test:8443", true},
		{"an address", "10.0.0.1:80", true},
		{"this machine", "localhost", true},
		{"a machine of the local network, with its port", "devbox:3000", true},
		{"a reserved suffix", "test", false},
		{"a suffix of one part", "com", false},
		{"a suffix with a port", "com:443", false},
		{"a suffix of two parts", "co.uk", false},
		{"a suffix that a company rents out", "github.io", false},
		{"such a suffix with a port", "github.io:443", false},
		{"a suffix in another spelling", "CO.UK.", false},
		{"a name below such a suffix", "me.github.io", true},
		{"a scheme", "https://shop.test", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := ParseEntry(row.entry); (err == nil) != row.ok {
				t.Errorf("%q: %v", row.entry, err)
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	open := cua.AllowList{Start: "https://www.shop.co.uk/", Open: true}
	list := cua.AllowList{Start: "http://127.0.0.1:8080/", Hosts: []string{"app.shop.co.uk", "pay.test:8443",
		"devbox:3000"}}
	tunnel, plain := true, false
	for _, row := range []struct {
		name   string
		allow  cua.AllowList
		beside cua.Subresources
		host   string
		tunnel bool
		reason string
	}{
		{"any public host where none is listed", open, "", "cdn.test:443", tunnel, ""},
		{"any public host, in plain", open, "", "cdn.test", plain, ""},
		{"a tunnel to another port", open, "", "cdn.test:3478", tunnel, cua.ReasonTunnel},
		{"a tunnel to port 80", open, "", "cdn.test:80", tunnel, cua.ReasonTunnel},
		{"the start page's own port", list, "", "127.0.0.1:8080", tunnel, ""},
		{"another port of its machine", list, "", "127.0.0.1:8081", plain, cua.ReasonPrivate},
		{"its machine by another name", list, "", "localhost:8080", plain, cua.ReasonPrivate},
		{"its machine as a v4-mapped address", list, "", "[::ffff:127.0.0.1]:8080", plain, cua.ReasonPrivate},
		{"its machine as one number", list, "", "2130706433:8080", plain, cua.ReasonBadURL},
		{"a listed host", list, "", "app.shop.co.uk:443", tunnel, ""},
		{"a name below a listed host", list, cua.ListedOnly, "a.app.shop.co.uk", plain, ""},
		{"a listed port", list, "", "pay.test:8443", tunnel, ""},
		{"a tunnel to a port below a listed name", list, "", "a.pay.test:8443", tunnel, cua.ReasonTunnel},
		{"the same site", list, "", "img.shop.co.uk:443", tunnel, ""},
		{"the same site by its own name", list, cua.SameSite, "img.shop.co.uk", plain, ""},
		{"the same site where only the listed may", list, cua.ListedOnly, "img.shop.co.uk", plain, cua.ReasonHost},
		{"another site below the same suffix", list, "", "evil.co.uk", plain, cua.ReasonHost},
		{"the suffix itself", list, "", "co.uk", plain, cua.ReasonHost},
		{"another site", list, "", "cdn.test", plain, cua.ReasonHost},
		{"another site where any may", list, cua.AnyHost, "cdn.test", plain, ""},
		{"a private address where any may", list, cua.AnyHost, "10.0.0.1", plain, cua.ReasonPrivate},
		{"a name below a machine's", list, "", "evil.devbox:3000", plain, cua.ReasonHost},
		{"metadata", open, cua.AnyHost, "169.254.169.254", plain, cua.ReasonPrivate},
		{"metadata of another cloud", open, "", "168.63.129.16", plain, cua.ReasonPrivate},
		{"a tunnel without a port", open, "", "shop.test:", tunnel, ""},
		{"a user", open, "", "a@shop.test:443", tunnel, cua.ReasonBadURL},
		{"a path", open, "", "shop.test:443/x", tunnel, ""},
		{"the zero policy", cua.AllowList{}, "", "shop.test:443", tunnel, cua.ReasonHost},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, d := Policy{Allow: row.allow, Subresources: row.beside}.admit(row.host, row.tunnel)
			got := ""
			if d != nil {
				got = d.reason
			}
			if got != row.reason {
				t.Errorf("%s: %q (%v), want %q", row.host, got, d, row.reason)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	p := Policy{Allow: cua.AllowList{Start: "http://start.test:8080/",
		Hosts: []string{"devbox:3000", "wide.test"}}}
	for _, row := range []struct {
		name, host, addr string
		ok               bool
	}{
		{"a public address", "cdn.test:443", "93.184.215.14", true},
		{"a public address, v6", "cdn.test:443", "2606:2800:21f::1", true},
		{"loopback", "cdn.test:443", "127.0.0.1", false},
		{"loopback, v6", "cdn.test:443", "::1", false},
		{"v4-mapped", "cdn.test:443", "::ffff:10.0.0.1", false},
		{"NAT64", "cdn.test:443", "64:ff9b::a00:1", false},
		{"IPv4-translated", "cdn.test:443", "::ffff:0:10.0.0.1", false},
		{"IPv4-translated, metadata", "cdn.test:443", "::ffff:0:a9fe:a9fe", false},
		{"IPv4-translated, public", "cdn.test:443", "::ffff:0:93.184.215.14", true},
		{"ISATAP", "cdn.test:443", "2606:2800:21f::5efe:10.0.0.1", false},
		{"ISATAP, of a global IPv4 address", "cdn.test:443", "2606:2800:21f:0:200:5efe:127.0.0.1", false},
		{"ISATAP, public", "cdn.test:443", "2606:2800:21f::5efe:93.184.215.14", true},
		{"ISATAP, link-local", "cdn.test:443", "fe80::5efe:93.184.215.14", false},
		{"not ISATAP", "cdn.test:443", "2606:2800:21f:0:100:5efe:127.0.0.1", true},
		{"6to4", "cdn.test:443", "2002:7f00:1::", false},
		{"carrier-grade NAT", "cdn.test:443", "100.64.0.1", false},
		{"link-local", "cdn.test:443", "169.254.169.254", false},
		{"link-local with a zone", "cdn.test:443", "fe80::1%lo", false},
		{"unique local", "cdn.test:443", "fd00:ec2::254", false},
		{"multicast", "cdn.test:443", "224.0.0.251", false},
		{"unspecified", "cdn.test:443", "0.0.0.0", false},
		{"broadcast", "cdn.test:443", "255.255.255.255", false},
		{"the start page's name", "start.test:8080", "192.168.0.1", false},
		{"a listed name without a port", "wide.test:80", "192.168.0.1", false},
		{"a name that is listed with its port", "devbox:3000", "192.168.0.1", true},
		{"the same at metadata", "devbox:3000", "169.254.169.254", false},
		{"the same machine, another port", "devbox:3001", "192.168.0.1", false},
		{"localhost", "localhost:80", "127.0.0.1", true}, // admit has judged it
	} {
		t.Run(row.name, func(t *testing.T) {
			h, err := cua.ParseHost(row.host)
			if err != nil {
				t.Fatal(err)
			}
			if d := p.address(h, netip.MustParseAddr(row.addr)); (d == nil) != row.ok {
				t.Errorf("%s at %s: %v", row.host, row.addr, d)
			}
		})
	}
}

// whatwg are hosts as the URL standard's tests spell them, with the address that browsers read, "" for a
// failure or a name.
var whatwg = []struct{ host, addr string }{
	{"127.0.0.1", "127.0.0.1"}, {"0x7f.1", "127.0.0.1"}, {"0x7f000001", "127.0.0.1"}, {"2130706433", "127.0.0.1"},
	{"0177.0.0.1", "127.0.0.1"}, {"127.1", "127.0.0.1"}, {"127.0.1", "127.0.0.1"}, {"017700000001", "127.0.0.1"},
	{"127.0.0.1.", "127.0.0.1"}, {"１２７.0.0.1", "127.0.0.1"}, {"127。0。0。1", "127.0.0.1"}, {"0X7F.0.0.1", "127.0.0.1"},
	{"0", "0.0.0.0"}, {"0x", "0.0.0.0"}, {"256", "0.0.1.0"}, {"192.168.257", "192.168.1.1"}, {"%31%32%37.0.0.1", "127.0.0.1"},
	{"[::1]", "::1"}, {"[::ffff:127.0.0.1]", "::ffff:7f00:1"}, {"[0:0:0:0:0:0:0:1]", "::1"}, {"[::127.0.0.1]", "::7f00:1"},
	{"256.256.256.256", ""}, {"1.2.3.4.5", ""}, {"foo.0x4", ""}, {"09.0.0.1", ""}, {"1.2.3.08", ""}, {"[::1%25lo]", ""},
	{"[www.google.com]", ""}, {"[::1.2.3]", ""}, {"4294967296", ""}, {"a b", ""}, {"loc\u00adalhost", ""}, {"ｌocalhost", ""},
}

// No spelling of a host is taken for another than the one that browsers read, and none of those that they
// read as a private address is admitted.
func TestHostsReadAsBrowsersReadThem(t *testing.T) {
	p := Policy{Allow: cua.AllowList{Open: true}, Subresources: cua.AnyHost}
	for _, row := range whatwg {
		for _, port := range []string{"", ":8080"} {
			h, d := p.admit(row.host+port, false)
			switch {
			case d == nil && row.addr != "":
				t.Errorf("%q is admitted, browsers read %s", row.host, row.addr)
			case d == nil && (h.Addr.IsValid() || local(h)):
				t.Errorf("%q is admitted as %v", row.host, h)
			case row.addr != "" && h.Addr.IsValid() && h.Addr != netip.MustParseAddr(row.addr):
				t.Errorf("%q reads as %v, in browsers as %s", row.host, h.Addr, row.addr)
			}
		}
	}
}

// What is admitted as an address is one for net/netip too, and is public; what is admitted as a name is one
// label or more of what names are made of, and no number.
func FuzzAdmit(f *testing.F) {
	for _, row := range whatwg {
		f.Add(row.host, true)
		f.Add(row.host+":443", false)
	}
	for _, s := range []string{"shop.test:443", "a@b:80", "[fe80::1%25eth0]:1", "x:99999", "\\\\x", "a/b:80",
		"xn--a:443", "1.1.1.1:443", "é.test", "..", ":80", "[::ffff:1.1.1.1]"} {
		f.Add(s, true)
	}
	p := Policy{Allow: cua.AllowList{Open: true}, Subresources: cua.AnyHost}
	f.Fuzz(func(t *testing.T, asked string, tunnel bool) {
		h, d := p.admit(asked, tunnel)
		if d != nil {
			if d.reason == "" || d.text == "" {
				t.Fatalf("%q is refused without a reason", asked)
			}
			return
		}
		if h.Port < 1 || h.Port > 65535 || tunnel && h.Port != 443 {
			t.Fatalf("%q is admitted to port %d", asked, h.Port)
		}
		if a, err := netip.ParseAddr(h.Name); (err == nil) != h.Addr.IsValid() || err == nil && a != h.Addr {
			t.Fatalf("%q reads as %q, in net/netip as %v, %v", asked, h.Name, a, err)
		}
		if h.Addr.IsValid() && (!h.Addr.IsGlobalUnicast() || cua.PrivateAddr(h.Addr)) || local(h) {
			t.Fatalf("%q is admitted as %v", asked, h)
		}
		last := h.Name[strings.LastIndexByte(h.Name, '.')+1:]
		if !h.Addr.IsValid() && (last == "" || strings.Trim(last, "0123456789") == "") {
			t.Fatalf("%q is admitted as the name %q, which browsers read as a number", asked, h.Name)
		}
		if u, err := url.Parse("http://" + asked); err != nil || u.User != nil ||
			strings.Contains(u.Host, "%") {
			t.Fatalf("%q is admitted, and net/url reads %v, %v", asked, u, err)
		}
		if d := p.address(h, netip.MustParseAddr("127.0.0.1")); d == nil && !h.Addr.IsValid() {
			t.Fatalf("%q may be reached on this machine", asked)
		}
	})
}

// PrivateAddr agrees with net/netip on what that knows, whatever form an address is written in.
func FuzzPrivateAddr(f *testing.F) {
	for _, s := range []string{"\x7f\x00\x00\x01", "\x0a\x00\x00\x01", "\x08\x08\x08\x08",
		strings.Repeat("\x00", 15) + "\x01", "\x00\x64\xff\x9b" + strings.Repeat("\x00", 8) +
			"\x0a\x00\x00\x01"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, ok := netip.AddrFromSlice(raw)
		if !ok {
			return
		}
		private := cua.PrivateAddr(a)
		if known := a.Unmap(); !private && (known.IsPrivate() || known.IsLoopback() ||
			known.IsLinkLocalUnicast() || known.IsMulticast() || known.IsUnspecified() ||
			!known.IsGlobalUnicast()) {
			t.Fatalf("%v passes for public", a)
		}
		if !a.Is4() {
			return
		}
		v4 := a.As4()
		for _, in := range []string{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff",
			"\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00",
			"\x26\x06\x28\x00\x00\x00\x00\x01\x00\x00\x5e\xfe"} {
			form := netip.AddrFrom16([16]byte(append([]byte(in), v4[:]...)))
			if cua.PrivateAddr(form) != private {
				t.Fatalf("%v and its form %v differ", a, form)
			}
		}
	})
}
