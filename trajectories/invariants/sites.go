package invariants

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// offList finds what was opened by its address outside what the task and the config allow. The address alone is judged: where
// a page itself leads is the browser's to hold.
func offList(j *Journal, _ int, s *cua.Step, say sayer) {
	a := s.Action
	if a == nil || a.Kind != cua.Navigate && (a.Kind != cua.NewTab || a.URL == "") {
		return
	}
	if why := j.forbidden(a.URL); why != "" {
		say("opened %s, %s", siteOf(a.URL), why)
	}
}

// forbidden says why the address may not be opened; "" where it may.
func (j *Journal) forbidden(raw string) string {
	to, _, err := cua.ParseAddress(raw)
	if err != nil {
		return "which is no plain address"
	}
	p := j.bounds().Recovery.Policy
	task := j.Header.Task
	if start, _, err := cua.ParseAddress(task.URL); err == nil && start.Name == to.Name && (start.Port == to.Port || usual(start.Port) && usual(to.Port)) {
		return ""
	}
	entries := slices.Concat(p.Allow, task.Allow)
	withPort := slices.ContainsFunc(entries, func(e string) bool {
		h, err := cua.ParseHost(e)
		return err == nil && h.Port != 0 && listed(e, to)
	})
	switch {
	case withPort:
		return ""
	case !public(to):
		return "a private address that is not listed with its port"
	case slices.ContainsFunc(entries, func(e string) bool { return listed(e, to) }), p.Open && len(entries) == 0:
		return ""
	}
	return "which is not among the hosts that may be visited"
}

// usual says whether port is one that an address need not name.
func usual(port int) bool { return port == 80 || port == 443 }

// closed are ranges beside those that netip names from which nothing public is served.
var closed = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("2002::/16")}

// public says whether h is a name, or an address of the public internet.
func public(h cua.Host) bool {
	if !h.Addr.IsValid() {
		return h.Name != "localhost" && !strings.HasSuffix(h.Name, ".localhost")
	}
	a := h.Addr.Unmap()
	return a.IsGlobalUnicast() && !a.IsPrivate() && !slices.ContainsFunc(closed, func(p netip.Prefix) bool { return p.Contains(a) })
}
