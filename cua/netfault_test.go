package cua

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseNetFault(t *testing.T) {
	for _, row := range []struct{ name, text, want, err string }{
		{"a rate", "net_503=0.25", "net_503=0.25", ""},
		{"the default magnitude", "net_latency=1", "net_latency=1@500", ""},
		{"a magnitude", " net_latency = 0.5 @ 40 ", "net_latency=0.5@40", ""},
		{"a window", "net_offline=0.1@3", "net_offline=0.1@3", ""},
		{"never", "net_reset=0", "net_reset=0", ""},
		{"an unknown name", "net_fog=1", "", `unknown network fault "net_fog"; known: net_latency, net_offline, net_reset, net_503`},
		{"no rate", "net_latency", "", "want net_latency=RATE@MS"},
		{"more than always", "net_503=1.1", "", "from 0 to 1"},
		{"less than never", "net_503=-0.1", "", "from 0 to 1"},
		{"not a number", "net_503=NaN", "", "from 0 to 1"},
		{"a magnitude where there is none", "net_503=1@3", "", "has no magnitude"},
		{"no magnitude after the at", "net_latency=1@", "", "want 1 to 20000 ms"},
		{"too long", "net_latency=1@20001", "", "want 1 to 20000 ms"},
		{"no window", "net_offline=1@0", "", "want 1 to 1000 requests"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, err := ParseNetFault(row.text)
			if row.err != "" {
				if err == nil || !strings.Contains(err.Error(), row.err) {
					t.Errorf("%v, want %q", err, row.err)
				}
				return
			}
			if err != nil || f.String() != row.want || !IsNetFault(row.text) {
				t.Errorf("%s, %v, want %s", f, err, row.want)
			}
		})
	}
	if IsNetFault("click_fixation=1") {
		t.Error("a brain's fault is none of the network")
	}
}

// A fault strikes by seed and request number alone, never the first request, and about as often as its rate.
func TestNetFaultsStrike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NetFault{Name: rapid.SampledFrom(NetFaults()).Draw(t, "fault").Name,
			Rate: rapid.Float64Range(0, 1).Draw(t, "rate"), Size: rapid.IntRange(1, 20).Draw(t, "size")}
		seed, n := rapid.Int64().Draw(t, "seed"), rapid.IntRange(1, 300).Draw(t, "n")
		if f.Strikes(seed, 1) {
			t.Fatal("the start page is struck")
		}
		if first, again := f.Strikes(seed, n), f.Strikes(seed, n); first != again {
			t.Fatal("it strikes by chance")
		}
		if f.Rate = 1; n > 1 && !f.Strikes(seed, n) {
			t.Fatal("always is not always")
		}
		if f.Rate = 0; f.Strikes(seed, n) {
			t.Fatal("never is not never")
		}
	})
	const requests = 20_000
	for _, rate := range []float64{0.01, 0.2, 0.5} {
		for seed := range int64(5) {
			struck, together, before := 0, 0, false
			for n := 2; n < requests; n++ {
				now := (NetFault{Name: NetReset, Rate: rate}).Strikes(seed, n)
				if now {
					struck++
				}
				if now && before {
					together++
				}
				before = now
			}
			near := func(n int, want, deviations float64) bool {
				return math.Abs(float64(n)/requests-want) < deviations*math.Sqrt(want/requests)
			}
			if !near(struck, rate, 4) || !near(together, rate*rate, 5) {
				t.Errorf("rate %v, seed %d: %d struck, %d two in a row", rate, seed, struck, together)
			}
		}
	}
}

// A window strikes so many requests as it is long, from where it begins.
func TestOfflineWindows(t *testing.T) {
	short := NetFault{Name: NetOffline, Rate: 0.02, Size: 1}
	long := NetFault{Name: NetOffline, Rate: 0.02, Size: 4}
	last := -10
	for n := 1; n < 2000; n++ {
		if short.Strikes(3, n) {
			last = n
		}
		if got, want := long.Strikes(3, n), n-last < 4; got != want {
			t.Fatalf("request %d: %v, the last window began at %d", n, got, last)
		}
	}
	if last < 0 {
		t.Error("no window began")
	}
}

func FuzzParseNetFault(f *testing.F) {
	for _, s := range []string{"net_latency=0.5@40", "net_503=1", "net_offline=0.1@3", "net_=@", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		one, err := ParseNetFault(s)
		if err != nil {
			return
		}
		again, err := ParseNetFault(one.String())
		if err != nil || again != one || !IsNetFault(s) {
			t.Errorf("%q: %+v, then %+v, %v", s, one, again, err)
		}
	})
}
