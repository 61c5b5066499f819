package cua

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// The network faults.
const (
	// NetLatency delays a request by Size milliseconds.
	NetLatency = "net_latency"
	// NetUnavailable answers a request with status 503, and asks no server.
	NetUnavailable = "net_503"
	// NetReset resets the connection in place of an answer, and asks no server.
	NetReset = "net_reset"
	// NetOffline begins a window of Size requests that reach no server.
	NetOffline = "net_offline"
)

// NetFault is a fault of the network, which a benchmark's proxy plays. Whether it strikes is a function of
// seed and request number alone.
type NetFault struct {
	// Name is one of NetFaults.
	Name string
	// Rate is how often it strikes, 0 to 1.
	Rate float64
	// Size is its magnitude, in milliseconds or requests; 0 is a fault without one.
	Size int
}

// NetFaultHelp is the name of a network fault, its line of help and its magnitude.
type NetFaultHelp struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Size is the default magnitude and Max the largest; 0 is a fault without one. Unit is what it counts.
	Size int    `json:"size,omitzero"`
	Max  int    `json:"max,omitzero"`
	Unit string `json:"unit,omitzero"`
}

// NetFaults lists what ParseNetFault knows. If two faults would end a request, the first of the list strikes.
func NetFaults() []NetFaultHelp {
	return []NetFaultHelp{
		{Name: NetLatency, Help: "delay the request by so many milliseconds", Size: 500, Max: 20_000,
			Unit: "MS"},
		{Name: NetOffline, Help: "begin a window of so many requests that reach no server", Size: 5,
			Max: 1000, Unit: "REQUESTS"},
		{Name: NetReset, Help: "reset the connection in place of an answer; the server is not asked"},
		{Name: NetUnavailable, Help: "answer the request with 503 in place of the server"},
	}
}

// Syntax is how to ask for the fault: name=RATE, or name=RATE@SIZE.
func (h NetFaultHelp) Syntax() string {
	if h.Size == 0 {
		return h.Name + "=RATE"
	}
	return h.Name + "=RATE@" + h.Unit
}

// IsNetFault reports whether s, as name=rate, names a fault of the network and none of the brain.
func IsNetFault(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "net_") }

// ParseNetFault reads name=rate, or name=rate@size for a fault with a magnitude. The error lists the known
// names or says what is out of range.
func ParseNetFault(s string) (NetFault, error) {
	name, num, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	var help NetFaultHelp
	var known []string
	for _, h := range NetFaults() {
		known = append(known, h.Name)
		if h.Name == name {
			help = h
		}
	}
	quoted := ClipBytes(name, maxQuoted)
	switch {
	case help.Name == "":
		return NetFault{}, fmt.Errorf("cua: unknown network fault %q; known: %s", quoted,
			strings.Join(known, ", "))
	case !ok:
		return NetFault{}, fmt.Errorf("cua: network fault %s: want %s", name, help.Syntax())
	}
	num, size, sized := strings.Cut(num, "@")
	rate, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil || !(rate >= 0 && rate <= 1) { // so written, it refuses NaN too
		return NetFault{}, fmt.Errorf("cua: network fault %s: rate must be a number from 0 to 1, not %q",
			name, ClipBytes(num, maxQuoted))
	}
	f := NetFault{Name: name, Rate: rate, Size: help.Size}
	if !sized {
		return f, nil
	}
	if help.Size == 0 {
		return NetFault{}, fmt.Errorf("cua: network fault %s has no magnitude: want %s", name, help.Syntax())
	}
	if f.Size, err = strconv.Atoi(strings.TrimSpace(size)); err != nil || f.Size < 1 || f.Size > help.Max {
		return NetFault{}, fmt.Errorf("cua: network fault %s: want 1 to %d %s, not %q", name, help.Max,
			strings.ToLower(help.Unit), ClipBytes(size, maxQuoted))
	}
	return f, nil
}

// String is what ParseNetFault reads as f.
func (f NetFault) String() string {
	out := f.Name + "=" + strconv.FormatFloat(f.Rate, 'f', -1, 64)
	if f.Size > 0 {
		out += "@" + strconv.Itoa(f.Size)
	}
	return out
}

// Strikes reports whether f strikes the n-th request under a seed, counted from 1. The first request is
// that of the start page, without which there is no episode: no fault strikes it. A window of net_offline
// strikes all requests in it.
func (f NetFault) Strikes(seed int64, n int) bool {
	first := n
	if f.Name == NetOffline {
		first = n - f.Size + 1
	}
	for i := max(first, 2); i <= n; i++ {
		if f.draws(seed, i) {
			return true
		}
	}
	return false
}

// draws reports whether chance has f begin at the n-th request.
func (f NetFault) draws(seed int64, n int) bool {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(seed))
	binary.LittleEndian.PutUint64(b[8:], uint64(n))
	h.Write(b[:])           //nolint:errcheck // a hash takes all
	h.Write([]byte(f.Name)) //nolint:errcheck // a hash takes all
	x := h.Sum64()
	x ^= x >> 33 // the last bytes of FNV do not reach its first bits
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return float64(x>>11)/(1<<53) < f.Rate
}
