package peers_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/peers"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
)

var (
	speed       = flag.Bool("speed", false, "measure a step beside others (make bench)")
	speedRounds = flag.Int("speed.rounds", 12, "rounds of make bench; all contenders take turns in each")
	speedSteps  = flag.Bool("speed.steps", false,
		"leave out the episodes by number of workers, which take longest")
	speedBare = flag.String("speed.bare", "", "test binary of the package browser, for the bare parts")
	speedWoB  = flag.String("speed.miniwob", "",
		"checkout of MiniWoB++, whose harness time is measured too")
	speedBinary = flag.String("speed.program", "", "the program that plays it")
	speedNPM    = flag.String("speed.npm", "",
		"folder outside the repository in which npm installs the peers")
)

// roundSteps is how many steps a round has, episodeSteps how many an episode; 24 clicks are each once on the
// page. openMore is how many episodes are opened beside the first to see what one more takes.
const roundSteps, episodeSteps, openMore = 24, 12, 5

// manyWorkers are the numbers of workers whose episodes are counted.
var manyWorkers = []int{1, 2, 4, 8}

// row is one contender and what was measured of it.
type row struct {
	name  string
	start func() (*peers.Peer, error)
	peer  *peers.Peer
	why   string      // why it is not measured, or no further
	ms    [][]float64 // by round
	cpu   []float64   // ms a step, by round
	first float64     // MB of the browser with one episode
	mb    float64     // MB that one more takes
	rate  map[int]float64
	parts bool // it makes no episodes
}

// peerPage serves the page that is clicked on, and says where.
func peerPage(t *testing.T) (*httptest.Server, [][2]float64) {
	t.Helper()
	html, points := peers.Page()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(html))
	}))
	t.Cleanup(ts.Close)
	return ts, points
}

// TestSpeed prints one table: the whole step of the runner beside its bare parts and beside other programs,
// from rounds that take turns, so that what else the machine does slows down all of them.
func TestSpeed(t *testing.T) {
	if !*speed {
		t.Skip("make bench asks for it")
	}
	ts, points := peerPage(t)
	b := browsertest.Launch(t, browser.Options{})
	config := peers.Config{URL: ts.URL, Browser: b.Info().Path, Points: points}
	version := b.Info().Name + " " + b.Info().Version
	b.Close()
	rows := contenders(config)
	for _, r := range rows {
		r.rate = map[int]float64{}
		if r.why == "" {
			r.fails(func() (err error) { r.peer, err = r.start(); return err })
		}
		if r.peer != nil {
			defer r.peer.Close()
		}
	}
	load := loadAverage()
	for i := range *speedRounds {
		inTurn(rows, i, (*row).round)
	}
	if *speedSteps {
		manyWorkers = nil
	}
	for i, workers := range manyWorkers {
		inTurn(rows, i, func(r *row) { r.episodes(workers) })
	}
	inTurn(rows, 0, (*row).memory)
	fmt.Printf("\n%s, %d cores, load average %s before and %s after; %d rounds of %d steps in turn, %d "+
		"steps an episode\n\n", version, runtime.NumCPU(), load, loadAverage(), *speedRounds, roundSteps-1,
		episodeSteps)
	fmt.Print(speedTable(rows))
	for _, r := range rows {
		if r.why != "" {
			fmt.Printf("%s: not measured: %s\n", r.name, r.why)
		}
	}
	fmt.Println(miniwobTime(t.TempDir()))
	if rows[0].why != "" || rows[1].why != "" {
		t.Error("the runner itself was not measured")
	}
}

// miniwobTime says what an episode of MiniWoB++ takes beside its brain and beside late answers of its page.
func miniwobTime(dir string) string {
	if *speedWoB == "" {
		return "MiniWoB++: not measured: no checkout is given (MINIWOB)"
	}
	out := filepath.Join(dir, "study")
	said, err := exec.Command(*speedBinary, "bench", "--miniwob", *speedWoB, "--subset", "smoke", "--brain",
		"oracle", "--arms", "off", "--workers", "1", "--out", out).CombinedOutput()
	study, openErr := benchmarks.Open(out)
	if err != nil || openErr != nil {
		return fmt.Sprintf("MiniWoB++: not measured: %v, %v: %.300s", err, openErr, said)
	}
	var all []float64
	steps := 0
	for _, r := range study.Results {
		all = append(all, r.HarnessMS)
		steps += r.Steps
	}
	return fmt.Sprintf("MiniWoB++ (smoke, oracle, one worker): %d episodes of %.1f steps; harness p50 %.0f "+
		"ms, p90 %.0f ms an episode", len(all),
		float64(steps)/float64(max(len(all), 1)), quantile(all, 0.5), quantile(all, 0.9))
}

// contenders are the rows; the first is what the others are compared with.
func contenders(c peers.Config) []*row {
	own := func(name string) func() (*peers.Peer, error) {
		c.Name = name
		c := c
		return func() (*peers.Peer, error) {
			return peers.Start(exec.Command(os.Args[0], "-test.run=^TestSpeedContender$"), c)
		}
	}
	rows := []*row{{name: "whole step", start: own("")}}
	bare := &row{name: "bare parts, the same way", parts: true, start: func() (*peers.Peer, error) {
		return peers.Start(exec.Command(*speedBare, "-test.run=^TestBareContender$"), c)
	}}
	if *speedBare == "" {
		bare.why = "make bench builds it"
	}
	rows = append(rows, bare, &row{name: "whole step, unlimited frames", start: own("unlimited")},
		&row{name: "whole step, screenshots", start: own("capture")})
	why := installed(*speedNPM)
	for _, name := range []string{"playwright", "puppeteer"} {
		c := c
		c.Name, c.Modules = name, *speedNPM
		rows = append(rows, &row{name: name + packageVersion(name), why: why,
			start: func() (*peers.Peer, error) {
				return peers.Start(exec.Command("node", "peer.mjs"), c)
			}})
	}
	return rows
}

// installed installs the packages of the peers where they are not in dir yet, and says why it cannot.
func installed(dir string) string {
	if dir == "" {
		return "no folder for npm is given"
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	if packageVersion("playwright") != "" && packageVersion("puppeteer") != "" {
		return ""
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err.Error()
	}
	npm := exec.Command("npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund",
		"playwright-core", "puppeteer-core")
	npm.Dir = dir
	if said, err := npm.CombinedOutput(); err != nil {
		return fmt.Sprintf("npm install failed: %v: %.300s", err, said)
	}
	return ""
}

// packageVersion is that of an installed peer with a space before it; "" where it is not there.
func packageVersion(name string) string {
	raw, err := os.ReadFile(filepath.Join(*speedNPM, "node_modules", name+"-core", "package.json"))
	var p struct{ Version string }
	if err != nil || json.Unmarshal(raw, &p) != nil {
		return ""
	}
	return " " + p.Version
}

// inTurn does something with each row, each time beginning with another one.
func inTurn(rows []*row, first int, do func(*row)) {
	for i := range rows {
		if r := rows[(first+i)%len(rows)]; r.why == "" {
			do(r)
		}
	}
}

// fails notes why r is not measured any further.
func (r *row) fails(do func() error) {
	if err := do(); err != nil {
		r.why = err.Error()
	}
}

// round takes one round of steps.
func (r *row) round() {
	r.fails(func() error {
		before, err := browser.TreeUse(r.peer.PID(), browser.NoPSS)
		if err != nil {
			return err
		}
		ms, err := r.peer.Steps(roundSteps)
		if err != nil {
			return err
		}
		after, err := browser.TreeUse(r.peer.PID(), browser.NoPSS)
		r.ms = append(r.ms, ms)
		r.cpu = append(r.cpu, float64((after.CPU-before.CPU).Milliseconds())/roundSteps)
		return err
	})
}

// episodes counts the episodes that so many workers play in a minute.
func (r *row) episodes(workers int) {
	if r.parts {
		return
	}
	r.fails(func() error {
		n := max(4, 2*workers)
		began := time.Now()
		err := r.peer.Episodes(n, episodeSteps, workers)
		r.rate[workers] = float64(n) / time.Since(began).Minutes()
		return err
	})
}

// memory sees what one more episode takes of memory.
func (r *row) memory() {
	if r.parts {
		return
	}
	r.fails(func() error {
		before, err := browser.TreeUse(r.peer.PID(), 0)
		if err != nil {
			return err
		}
		if err := r.peer.Open(openMore); err != nil {
			return err
		}
		after, err := browser.TreeUse(r.peer.PID(), 0)
		if before.PSS > 0 {
			r.first = float64(before.PSS) / (1 << 20)
			r.mb = float64(after.PSS-before.PSS) / (1 << 20) / openMore
		}
		return err
	})
}

// quantile is the value below which the share q of v lies; 0 of nothing.
func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[min(int(q*float64(len(v))), len(v)-1)]
}

// ratio is the median over the rounds of what r took by what base took in the same round, each by its value
// of.
func ratio(r, base *row, of func(*row, int) float64) string {
	var all []float64
	for i := range min(len(r.ms), len(base.ms)) {
		if b := of(base, i); b > 0 {
			all = append(all, of(r, i)/b)
		}
	}
	if len(all) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", quantile(all, 0.5))
}

func stepOf(r *row, i int) float64 { return quantile(r.ms[i], 0.5) }
func cpuOf(r *row, i int) float64  { return r.cpu[i] }

// speedTable is the table. Ratios are medians of the ratios of the rounds.
func speedTable(rows []*row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	bare, other := rows[1], rows[slices.IndexFunc(rows, func(r *row) bool {
		return strings.HasPrefix(r.name,
			"playwright")
	})]
	fmt.Fprint(w,
		"one step\tp50 ms\tp90 ms\tx bare\tx playwright\tCPU ms\tCPU x playwright\tMB, one\tMB, each more")
	for _, n := range manyWorkers {
		fmt.Fprintf(w, "\tepisodes/min, %d", n)
	}
	fmt.Fprintln(w)
	number := func(v float64, format string) string {
		if v == 0 {
			return "-"
		}
		return fmt.Sprintf(format, v)
	}
	for _, r := range rows {
		all := slices.Concat(r.ms...)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", r.name, number(quantile(all, 0.5), "%.1f"),
			number(quantile(all, 0.9), "%.1f"), ratio(r, bare, stepOf), ratio(r, other, stepOf),
			number(quantile(r.cpu, 0.5), "%.1f"), ratio(r, other, cpuOf), number(r.first, "%.0f"),
			number(r.mb, "%.0f"))
		for _, n := range manyWorkers {
			fmt.Fprintf(w, "\t%s", number(r.rate[n], "%.0f"))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}

// loadAverage is of the last minute; "?" where the system does not say.
func loadAverage() string {
	raw, err := os.ReadFile("/proc/loadavg")
	first, _, ok := strings.Cut(string(raw), " ")
	if err != nil || !ok {
		return "?"
	}
	return first
}
