package egress

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

func netFault(t *testing.T, s string) cua.NetFault {
	t.Helper()
	f, err := cua.ParseNetFault(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each fault does what its line of help says, to every request but the first.
func TestNetworkFaults(t *testing.T) {
	for _, row := range []struct {
		fault   string
		status  int
		resets  bool
		cause   string // of the second request
		arrives int    // of three
	}{
		{"net_latency=1@20", 200, false, "", 3},
		{"net_503=1", 503, false, "", 1},
		{"net_reset=1", 0, true, "net::ERR_CONNECTION_RESET", 1},
		{"net_offline=1@1", 0, false, "net::ERR_INTERNET_DISCONNECTED", 1},
		{"net_503=0", 200, false, "", 3},
	} {
		t.Run(row.fault, func(t *testing.T) {
			o := newOrigin(t, nil)
			f := netFault(t, row.fault)
			faults := NewFaults(7, []cua.NetFault{f})
			p, c, har := recorded(t, only(o), Options{Faults: faults})
			// A client asks again where a connection is reset that it kept.
			c.Transport.(*http.Transport).DisableKeepAlives = true
			for i := range 3 {
				began := time.Now()
				res, err := c.Get(o.URL)
				status := 0
				if err == nil {
					status = res.StatusCode
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				switch {
				case i == 0 && status != http.StatusOK:
					t.Errorf("the first request: %d, %v", status, err)
				case i > 0 && (status != row.status || errors.Is(err, syscall.ECONNRESET) != row.resets):
					t.Errorf("request %d: %d, %v", i+1, status, err)
				case i > 0 && f.Name == cua.NetLatency && time.Since(began) < 20*time.Millisecond:
					t.Errorf("request %d was not late", i+1)
				}
				if i > 0 && p.Why(o.URL).NetError != row.cause {
					t.Errorf("request %d failed by %+v", i+1, p.Why(o.URL))
				}
			}
			if n := len(o.requests()); n != row.arrives {
				t.Errorf("%d requests arrived", n)
			}
			want := map[string]int{f.Name: 2}
			if f.Rate == 0 {
				want = nil
			}
			if got := faults.Struck(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("struck %v", got)
			}
			for i, e := range har().Entries {
				if struck := i > 0 && f.Rate > 0; (e.Fault == f.Name) != struck || struck &&
					(e.Response.Status != row.status || e.Error != row.cause) {
					t.Errorf("entry %d: %q, %d, %q", i, e.Fault, e.Response.Status, e.Error)
				}
			}
		})
	}
}

// A request that the policy denies is not struck by a fault, and one fault alone ends a request.
func TestFaultsCountWhatIsAdmitted(t *testing.T) {
	o := newOrigin(t, nil)
	plan := []cua.NetFault{netFault(t, "net_503=1"), netFault(t, "net_reset=0.5"), netFault(t, "net_reset=0")}
	faults := NewFaults(1, plan)
	_, c, _ := recorded(t, only(o), Options{Faults: faults})
	if _, err := c.Get("http://127.0.0.1:1"); err == nil {
		t.Fatal("it was let through")
	}
	for i, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		res, err := c.Get(o.URL)
		if err != nil || res.StatusCode != want {
			t.Fatalf("request %d: %v, %v", i+1, res, err)
		}
		res.Body.Close()
	}
	if got := faults.Struck(); got[cua.NetUnavailable] != 1 || len(got) != 1 {
		t.Errorf("struck %v", got)
	}
	if NewFaults(1, nil).next() != nil || NewFaults(1, nil).Struck() != nil {
		t.Error("no faults strike")
	}
}
