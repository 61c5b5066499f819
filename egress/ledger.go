package egress

import (
	"cmp"
	"slices"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// maxDenied is how many hosts and reasons are told apart between two looks; what is beyond them counts as
	// of no host.
	maxDenied = 64
	// maxCauses is how many hosts it is known of why they were not reached.
	maxCauses = 256
)

// Cause is why a host was not reached.
type Cause struct {
	// NetError is the browser's own name for it, as net::ERR_CONNECTION_REFUSED; "" where the policy forbids
	// the host.
	NetError string
	// Denied is the reason in a sentence where the policy forbids the host.
	Denied string
}

// ledger counts what was denied and keeps why hosts were not reached.
type ledger struct {
	mu     sync.Mutex
	denied map[cua.Denial]int // Count is 0 in the keys
	causes map[string]Cause   // by host:port
}

// deny counts a denial.
func (l *ledger) deny(host string, d *denial) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.denied == nil {
		l.denied = map[cua.Denial]int{}
	}
	key := cua.Denial{Host: host, Reason: d.reason}
	if _, known := l.denied[key]; !known && len(l.denied) >= maxDenied {
		key.Host = ""
	}
	l.denied[key]++
	l.enter(host, Cause{Denied: d.text})
}

// failed keeps why host was not reached.
func (l *ledger) failed(host, netError string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.enter(host, Cause{NetError: netError})
}

// reached forgets why host was not reached before.
func (l *ledger) reached(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.causes, host)
}

// enter keeps a cause. l.mu is held.
func (l *ledger) enter(host string, c Cause) {
	if l.causes == nil || len(l.causes) >= maxCauses {
		l.causes = map[string]Cause{}
	}
	l.causes[host] = c
}

// Denials are what was denied since the last call, by host and reason, sorted; nil is nothing. After 64 of
// them the rest counts as of no host.
func (p *Proxy) Denials() []cua.Denial {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	var out []cua.Denial
	for d, n := range p.ledger.denied {
		d.Count = n
		out = append(out, d)
	}
	p.ledger.denied = nil
	slices.SortFunc(out, func(a, b cua.Denial) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// Why is why the host of an http or https address was not reached the last time; the zero Cause is that it
// was, or that nobody asked for it.
func (p *Proxy) Why(address string) Cause {
	h, _, err := cua.ParseAddress(address)
	if err != nil {
		return Cause{}
	}
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	return p.ledger.causes[h.String()]
}
