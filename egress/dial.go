package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// dialTimeout bounds the connection to one host over all its addresses, attemptTimeout that to one of
	// them.
	dialTimeout    = 30 * time.Second
	attemptTimeout = 10 * time.Second
)

// dial connects to h: it resolves the name, checks every address, and connects to one of those that it
// checked. The dialer judges once more the address that it is about to use.
func (p *Proxy) dial(ctx context.Context, h cua.Host) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	policy := p.policyNow()
	addrs, err := p.addresses(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if d := policy.address(h, a); d != nil {
			return nil, d
		}
	}
	dialer := net.Dialer{Timeout: attemptTimeout, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("egress: dialing %q: %w", address, err)
		}
		if d := policy.address(h, to.Addr()); d != nil {
			return d
		}
		return nil
	}}
	var errs []error
	for _, a := range addrs {
		c, err := dialer.DialContext(ctx, "tcp", join(a, h.Port))
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// addresses are those of h, at least one.
func (p *Proxy) addresses(ctx context.Context, h cua.Host) ([]netip.Addr, error) {
	switch {
	case h.Addr.IsValid():
		return []netip.Addr{h.Addr}, nil
	case local(h):
		return loopback, nil
	}
	found, err := p.o.Resolve(ctx, h.Name)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no address", Name: h.Name, IsNotFound: true}
	}
	return found, err
}

// system asks the machine's resolver. The dot at the end keeps search domains out.
func system(ctx context.Context, name string) ([]netip.Addr, error) {
	if found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name+"."); err == nil {
		return found, nil
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name) // a name of the hosts file, or of a search domain
}

// netError is the browser's own name for why a connection was not made.
func netError(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return "net::ERR_NAME_NOT_RESOLVED"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "net::ERR_CONNECTION_REFUSED"
	case errors.Is(err, syscall.ECONNRESET):
		return "net::ERR_CONNECTION_RESET"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "net::ERR_ADDRESS_UNREACHABLE"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "net::ERR_CONNECTION_TIMED_OUT"
	}
	return "net::ERR_EMPTY_RESPONSE"
}
