package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/cua-runner/cua-runner"

// rule is one row of the design's import table.
type rule struct {
	ours  []string // packages of this module that may be imported
	third []string // prefixes of third-party modules that may be imported
	pure  bool     // no os, net, log, time (but for durations), math/rand
}

var gonum = "gonum.org/v1/"

var imports = map[string]rule{
	"cua":        {third: []string{"golang.org/x/net/idna"}, pure: true},
	"cua/redact": {ours: []string{"cua"}, pure: true},
	// faulttable is imported by tests alone.
	"cua/faulttable": {},

	"detector":   {ours: []string{"cua"}, third: []string{gonum}, pure: true},
	"recovery":   {ours: []string{"cua"}, pure: true},
	"formctl":    {ours: []string{"cua"}, pure: true},
	"perceptual": {ours: []string{"cua"}, third: []string{"github.com/corona10/goimagehash", "github.com/disintegration/imaging"}, pure: true},

	"trajectories":            {ours: []string{"cua", "cua/redact"}},
	"trajectories/invariants": {ours: []string{"cua", "cua/redact", "trajectories"}},
	"trajectories/lessons":    {ours: []string{"cua", "trajectories"}},
	"trajectories/formats": {ours: []string{"cua", "cua/redact", "trajectories"},
		third: []string{"github.com/parquet-go/parquet-go"}},
	"trajectories/show": {ours: []string{"cua", "cua/redact", "trajectories"}},
	// taletest is imported by tests alone.
	"trajectories/taletest": {ours: []string{"cua"}},
	"runner":                {ours: []string{"cua", "cua/redact", "detector", "recovery", "formctl", "perceptual", "trajectories", "trajectories/lessons"}},
	// The package has no code but its test.
	"runner/hostile":  {},
	"runner/envtest":  {ours: []string{"cua", "runner", "brain", "trajectories"}},
	"brain":           {ours: []string{"cua", "brain/heuristic"}},
	"brain/heuristic": {ours: []string{"cua"}},
	"brain/model": {ours: []string{"cua", "cua/redact", "brain"},
		third: []string{"golang.org/x/time/rate", "github.com/cenkalti/backoff", "golang.org/x/image/"}},
	"brain/anthropic": {ours: []string{"cua", "brain", "brain/model"},
		third: []string{"github.com/anthropics/anthropic-sdk-go", "golang.org/x/image/"}},
	"brain/gemini": {ours: []string{"cua", "brain", "brain/model"}, third: []string{"google.golang.org/genai"}},
	// wiretest is imported by tests alone.
	"brain/model/wiretest": {ours: []string{"cua", "brain", "brain/model", "cua/faulttable", "runner", "runner/envtest", "trajectories", "browser", "browser/browsertest", "benchmarks/suites", "benchmarks/suites/tuned"},
		third: []string{"github.com/santhosh-tekuri/jsonschema/", "golang.org/x/image/"}},
	"brain/compat/dialect": {ours: []string{"cua", "brain/model"}},
	"brain/compat":         {ours: []string{"cua", "brain", "brain/model", "brain/compat/dialect"}, third: []string{"github.com/openai/openai-go/"}},
	"brain/remote":         {ours: []string{"cua", "cua/redact", "brain", "brain/model"}},
	"brain/openai":         {ours: []string{"cua", "brain", "brain/model"}, third: []string{"github.com/openai/openai-go/"}},
	// vendors is the one place that knows which vendors a build has.
	"brain/vendors": {ours: []string{"brain", "brain/anthropic", "brain/compat", "brain/gemini",
		"brain/openai", "brain/remote"}},
	"egress": {ours: []string{"cua"}, third: []string{"golang.org/x/net/publicsuffix"}},
	"browser": {ours: []string{"cua", "cua/redact", "egress", "browser/internal/cdp", "browser/internal/frames"},
		third: []string{"github.com/chromedp/"}},
	"browser/internal/frames": {ours: []string{"cua", "browser/internal/cdp"}, third: []string{"github.com/chromedp/"}},
	"browser/internal/cdp":    {third: []string{"github.com/chromedp/"}},
	// cdptest is imported by tests alone.
	"browser/internal/cdp/cdptest": {third: []string{"github.com/chromedp/"}},
	// browsertest and remotetest are imported by tests alone.
	"browser/browsertest": {ours: []string{"browser"}},
	"browser/remotetest":  {},
	"server": {ours: []string{"cua", "cua/redact", "runner", "trajectories"},
		third: []string{"github.com/coder/websocket", "github.com/danielgtaylor/huma/v2",
			"github.com/prometheus/client_golang/",
			"golang.org/x/time/rate"}},
	// The packages that tasks come from know nothing of studies. folder is how two of them serve a checkout
	// of the user.
	"benchmarks/folder":       {},
	"benchmarks/suites":       {ours: []string{"cua"}},
	"benchmarks/suites/tuned": {ours: []string{"cua", "benchmarks/suites"}},
	// The suite has no code but its test.
	"benchmarks/suites/heldout": {},
	"benchmarks/manifest": {ours: []string{"benchmarks/folder", "cua", "runner"},
		third: []string{"go.yaml.in/yaml/", "github.com/evanw/esbuild/pkg/api"}},
	"benchmarks/miniwob": {ours: []string{"benchmarks/folder", "cua", "runner"}, third: []string{gonum}},
	// The root says what a study is, the rooms above it play, report and score. None imports another.
	"benchmarks": {ours: []string{"cua", "runner", "trajectories",
		"trajectories/lessons", "trajectories/invariants",
		"benchmarks/manifest", "benchmarks/miniwob", "benchmarks/suites", "benchmarks/suites/tuned"},
		third: []string{gonum}},
	"benchmarks/table": {ours: []string{"cua/redact"}},
	"benchmarks/study": {ours: []string{"benchmarks", "cua", "runner", "trajectories",
		"trajectories/lessons", "trajectories/invariants",
		"benchmarks/manifest", "benchmarks/miniwob", "benchmarks/suites", "benchmarks/suites/tuned"}},
	"benchmarks/report": {ours: []string{"benchmarks", "cua", "cua/redact", "runner", "trajectories",
		"trajectories/lessons", "trajectories/invariants", "trajectories/show",
		"benchmarks/miniwob", "benchmarks/suites", "benchmarks/suites/tuned", "benchmarks/table"},
		third: []string{gonum}},
	"benchmarks/detection": {ours: []string{"benchmarks", "cua", "cua/redact", "runner", "trajectories",
		"trajectories/formats", "benchmarks/table"}},
	"guard": {ours: []string{"benchmarks/detection", "cua", "cua/redact", "recovery", "runner",
		"trajectories/formats"}},
	// studytest and peers are imported by tests alone.
	"benchmarks/studytest": {ours: []string{"benchmarks", "cua", "runner", "runner/envtest", "trajectories"}},
	"benchmarks/peers":     {},
	"server/mcp": {ours: []string{"cua", "guard", "runner", "trajectories"},
		third: []string{"github.com/google/jsonschema-go", "github.com/modelcontextprotocol/go-sdk/mcp"}},
	"server/viewer": {ours: []string{"trajectories/show"}},
	// tty is what a person at the terminal sees and answers; ttytest is imported by tests alone.
	"cmd/cua-runner/internal/tty": {ours: []string{"brain", "cua", "cua/redact", "runner", "trajectories",
		"trajectories/show"}, third: []string{"golang.org/x/term"}},
	"cmd/cua-runner/internal/tty/ttytest": {},
	"cmd/cua-runner": {
		ours: []string{"cmd/cua-runner/internal/tty",
			"cua", "cua/redact", "detector", "recovery", "formctl", "perceptual", "trajectories",
			"trajectories/formats", "trajectories/lessons", "trajectories/show",
			"trajectories/invariants", "runner", "server", "server/mcp", "server/viewer", "brain",
			"brain/model", "brain/remote", "brain/vendors",
			"browser", "egress", "benchmarks",
			"benchmarks/detection", "benchmarks/manifest", "benchmarks/miniwob", "benchmarks/report",
			"benchmarks/study", "benchmarks/suites/tuned", "guard"},
		third: []string{"github.com/modelcontextprotocol/go-sdk/mcp", "github.com/spf13/",
			"github.com/schollz/progressbar", "golang.org/x/time/rate"},
	},
}

// impure are the standard packages through which a policy could have an effect, a clock or
// chance.
var impure = []string{"os", "net", "log", "time", "math/rand", "math/rand/v2", "crypto/rand", "io/ioutil",
	"syscall", "unsafe"}

// parsers lie below an impure name and only read text.
var parsers = []string{"net/url", "net/netip"}

// listed is what `go list` says of a package.
type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsFollowTheDesign(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		r, ok := imports[name]
		if !ok {
			t.Errorf("package %s is not in the table: decide what it may import", name)
			continue
		}
		for _, fault := range r.faults(p.Imports) {
			t.Errorf("%s %s", name, fault)
		}
	}
	for name := range imports {
		if !seen[name] {
			t.Errorf("the table names package %s, which is not there", name)
		}
	}
}

// faults are the imports that r forbids.
func (r rule) faults(imported []string) []string {
	var out []string
	for _, i := range imported {
		ours, isOurs := strings.CutPrefix(i, module+"/")
		switch {
		case isOurs && !slices.Contains(r.ours, ours):
			out = append(out, "imports "+ours+" sideways")
		case !isOurs && strings.Contains(strings.Split(i, "/")[0], ".") &&
			!slices.ContainsFunc(r.third, func(p string) bool { return strings.HasPrefix(i, p) }):
			out = append(out, "imports "+i+", which is not its third party")
		case r.pure && !slices.Contains(parsers, i) && slices.ContainsFunc(impure,
			func(p string) bool { return i == p || strings.HasPrefix(i, p+"/") }):
			out = append(out, "is a policy and imports "+i)
		}
	}
	return out
}

func TestTheImportRulesCatchWhatTheyForbid(t *testing.T) {
	for _, row := range []struct {
		name, pkg, imported string
		fault               bool
	}{
		{"a sideways import", "detector", module + "/recovery", true},
		{"a downward import", "detector", module + "/cua", false},
		{"a policy with a clock", "recovery", "time", true},
		{"a policy with a file", "formctl", "os", true},
		{"a policy on the network", "detector", "net/http", true},
		{"a policy with chance", "perceptual", "math/rand/v2", true},
		{"a browser library outside browser", "runner", "github.com/chromedp/chromedp", true},
		{"the browser library in its room", "browser", "github.com/chromedp/cdproto/page", false},
		{"a report that runs cells", "benchmarks/report", module + "/benchmarks/study", true},
		{"a study that reports", "benchmarks/study", module + "/benchmarks/report", true},
		{"detection that reads another room's tables", "benchmarks/detection", module + "/benchmarks/report", true},
		{"a suite that knows of studies", "benchmarks/suites", module + "/benchmarks", true},
		{"a room that knows what a study is", "benchmarks/report", module + "/benchmarks", false},
		{"a vendor's SDK in the command", "cmd/cua-runner", module + "/brain/gemini", true},
		{"the standard library in a policy", "cua", "strings", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := len(imports[row.pkg].faults([]string{row.imported})) > 0; got != row.fault {
				t.Errorf("%s importing %s: fault %v, want %v", row.pkg, row.imported, got, row.fault)
			}
		})
	}
}

// A build without a vendor's subpackage links nothing of its SDK.
func TestAVendorCanBeLeftOut(t *testing.T) {
	for _, row := range []struct{ tags, sdk string }{
		{"no_anthropic", "github.com/anthropics/anthropic-sdk-go"},
		{"no_gemini", "google.golang.org/genai"},
		{"no_openai,no_openai_compatible", "github.com/openai/openai-go"},
	} {
		for _, tags := range []string{row.tags, ""} {
			out, err := exec.Command("go", "list", "-deps", "-tags", tags, module+"/cmd/cua-runner").Output()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(out), row.sdk) != (tags == "") {
				t.Errorf("tags %q: %s is linked: %v", tags, row.sdk, tags != "")
			}
		}
	}
}
