package egress

import (
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// Faults play network faults on what goes through the proxies of one session. They count its requests, over
// all its proxies, from 1; what the policy denies is not counted. Methods may be called from several
// goroutines; a nil Faults plays none.
type Faults struct {
	plan []cua.NetFault // by the order of cua.NetFaults
	seed int64

	mu     sync.Mutex
	n      int // requests until now
	struck map[string]int
}

// NewFaults are those of plan under a seed; nil where plan is empty. If two have one name, the last counts.
func NewFaults(seed int64, plan []cua.NetFault) *Faults {
	if len(plan) == 0 {
		return nil
	}
	f := &Faults{seed: seed, struck: map[string]int{}}
	for _, h := range cua.NetFaults() {
		for _, one := range slices.Backward(plan) {
			if one.Name == h.Name {
				f.plan = append(f.plan, one)
				break
			}
		}
	}
	return f
}

// Struck counts the requests that faults struck until now, by the fault's name; nil is none.
func (f *Faults) Struck() map[string]int {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.struck) == 0 {
		return nil
	}
	return maps.Clone(f.struck)
}

// next are the faults of the next request: a latency, and one fault that ends the request.
func (f *Faults) next() []cua.NetFault {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	var out []cua.NetFault
	for _, one := range f.plan {
		if !one.Strikes(f.seed, f.n) {
			continue
		}
		out = append(out, one)
		f.struck[one.Name]++
		if one.Name != cua.NetLatency {
			break
		}
	}
	return out
}

// strike plays the faults of a request to h that the policy admits. It is true where the request is over.
func (p *Proxy) strike(w http.ResponseWriter, r *http.Request, h cua.Host) bool {
	x := of(r)
	for _, f := range p.o.Faults.next() {
		x.struck(f.Name)
		switch f.Name {
		case cua.NetLatency:
			late := time.NewTimer(time.Duration(f.Size) * time.Millisecond)
			select {
			case <-late.C:
			case <-r.Context().Done(): // the browser gave up
				late.Stop()
				x.end("net::ERR_ABORTED")
				return true
			}
		case cua.NetOffline:
			p.unserved(w, r, h, "net::ERR_INTERNET_DISCONNECTED")
			return true
		case cua.NetReset:
			p.ledger.failed(h.String(), "net::ERR_CONNECTION_RESET")
			x.end("net::ERR_CONNECTION_RESET")
			reset(w)
			return true
		case cua.NetUnavailable:
			p.ledger.reached(h.String())
			x.answer(http.StatusServiceUnavailable, r.Proto)
			x.end("")
			_, _ = io.CopyN(io.Discard, r.Body, maxDrained)
			http.Error(w, "503 Service Unavailable", http.StatusServiceUnavailable)
			return true
		}
	}
	return false
}

// reset ends the client's connection with a reset.
func reset(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // one that cannot be reset is closed
	}
	c.Close() //nolint:errcheck // it is over
}
