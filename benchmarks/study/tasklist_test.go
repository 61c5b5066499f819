package study_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// solving presses what a task's script names and answers, in sessions of one real browser.
type solving struct {
	sessions
	press, answers map[string]string // by task; "" presses nothing
	oracle         bool              // the task's own script in place of all that
}

func (s solving) NewBrain(in benchmarks.Scripts, c benchmarks.Cell) (runner.Brain,
	trajectories.BrainInfo, error) {
	if s.oracle {
		return brain.Scripted{Script: in.Oracle}, trajectories.BrainInfo{Name: "oracle"}, nil
	}
	var script []cua.Scripted
	for _, on := range strings.Fields(s.press[c.Task]) {
		script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: on})
	}
	script = append(script, cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true,
		Text: s.answers[c.Task]}})
	return brain.Scripted{Script: script}, trajectories.BrainInfo{Name: "scripted"}, nil
}

// bought is a shop whose orders are kept by the run that they belong to.
type bought struct {
	mu     sync.Mutex
	orders map[string]int
}

const shopPage = `<!doctype html><html lang="en"><head><title>Shop</title></head><body><h1>Shop</h1>
<button onclick="this.after(' Thank you')">Thank</button> <a href="?went=1">Go</a>
<form method="post"><button>Order</button></form></body></html>`

func (b *bought) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	run := r.URL.Query().Get("run")
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r.URL.Path == "/reset":
		var sent struct{ Run string }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		b.orders[sent.Run] = 0
	case r.URL.Path == "/state":
		n, begun := b.orders[run]
		fmt.Fprintf(w, `{"over": %t, "orders": %d, "begun": %t}`, n > 0, n, begun)
	case r.URL.Path == "/verdict":
		fmt.Fprintf(w, `{"reward": %d, "reason": "one order"}`, min(b.orders[run], 1))
	case r.URL.Path == "/broken":
		http.Error(w, "out of order", http.StatusInternalServerError)
	case r.URL.Path == "/moved":
		http.NotFound(w, r)
	// as hosts of files alone do that answer each other address with the application
	case r.URL.Path == "/app":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, shopPage)
	case r.Method == http.MethodPost:
		b.orders[run]++
		fallthrough
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, shopPage)
	}
}

// listed is a plan with the arm off that plays a list.
func listed(t *testing.T, suite string, m *manifest.Manifest) benchmarks.Plan {
	t.Helper()
	off, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	return benchmarks.Plan{Version: 1, Suites: []string{suite}, Seeds: benchmarks.SeedsUpTo(1), Base: "off",
		Arms: []benchmarks.Arm{{Name: "off", Config: off}}, Tasklist: &benchmarks.Tasklist{Suite: suite,
			Source: "the test", Manifest: *m}}
}

// playedList plays p, reads the study again and returns its results by task.
func playedList(t *testing.T, p benchmarks.Plan, f solving) map[string]benchmarks.Result {
	t.Helper()
	f.b = browsertest.Launch(t, browser.Options{})
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	again, err := benchmarks.Open(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := again.Plan.Cells()
	if err != nil || len(again.Results) != len(cells) {
		t.Errorf("%d results of %d cells, %v", len(again.Results), len(cells), err)
	}
	out := map[string]benchmarks.Result{}
	for _, r := range again.Results {
		out[r.Task] = r
		for _, v := range r.Broken {
			t.Errorf("%s: %v", r.Episode, v)
		}
	}
	return out
}

// judged is what a cell should have come to.
type judged struct {
	task    string
	success bool
	reward  float64
	end     cua.EndReason
	detail  string
	verdict bool
}

func expect(t *testing.T, got map[string]benchmarks.Result, want []judged) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d tasks, want %d", len(got), len(want))
	}
	for _, w := range want {
		r := got[w.task]
		if r.Success != w.success || r.Reward != w.reward || r.End != w.end ||
			!strings.Contains(r.Detail, w.detail) || r.Judged == nil || r.Judged.Judged != w.verdict {
			t.Errorf("%s: success %v, reward %v, end %s: %q, judged %+v; want %+v", w.task, r.Success,
				r.Reward, r.End, r.Detail, r.Judged, w)
		}
	}
}

func TestAManifestIsPlayedAndJudged(t *testing.T) {
	shop := httptest.NewServer(&bought{orders: map[string]int{}})
	defer shop.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	text := strings.NewReplacer("HOST", shop.URL, "GONE", gone.URL).Replace(`{"version": 1, "viewport": {"w": 640, "h": 480}, "tasks": [
 {"id": "thank", "goal": "Press Thank.", "url": "HOST/", "success": {"text": "Thank  you"}},
 {"id": "lazy", "goal": "Press Thank.", "url": "HOST/", "success": {"text": "Thank you"}},
 {"id": "go", "goal": "Press Go.", "url": "HOST/", "success": {"url": "went=1"}},
 {"id": "count", "goal": "Press Thank.", "url": "HOST/", "success": {"predicate": "document.body.innerText.includes('Thank you') // so it is", "at_end": true}},
 {"id": "say", "goal": "Say the heading.", "url": "HOST/", "success": {"answer": "Shop"}},
 {"id": "order", "goal": "Order once.", "url": "HOST/?run={run}", "cap": 5, "success": {"http": {"reset": "HOST/reset", "state": "HOST/state?run={run}", "verdict": "HOST/verdict?run={run}"}}},
 {"id": "wrong", "goal": "Order once.", "url": "HOST/", "success": {"http": {"verdict": "HOST/broken"}}},
 {"id": "text", "goal": "Press Thank.", "url": "HOST/", "success": {"predicate": "document.title"}},
 {"id": "throws", "goal": "Press Thank.", "url": "HOST/", "success": {"predicate": "nobody.knows", "at_end": true}},
 {"id": "moved", "goal": "Press Thank.", "url": "HOST/moved", "success": {"text": "Thank you"}},
 {"id": "fails", "goal": "Say the heading.", "url": "HOST/broken", "success": {"answer": "Shop"}},
 {"id": "gone", "goal": "Press Thank.", "url": "GONE/", "success": {"text": "Thank you", "at_end": true}},
 {"id": "app", "goal": "Press Thank.", "url": "HOST/app", "ready": "document.title === 'Shop'", "success": {"text": "Thank you"}},
 {"id": "already", "goal": "Press Thank.", "url": "HOST/", "success": {"text": "Shop"}}]}`)
	m, err := manifest.Parse("tasks.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := playedList(t, listed(t, manifest.Own, m), solving{
		press: map[string]string{"manifest.thank": "Thank", "manifest.go": "Go", "manifest.count": "Thank",
			"manifest.order": "Order", "manifest.throws": "Thank", "manifest.app": "Thank"},
		answers: map[string]string{"manifest.say": "It says Shop."}})
	expect(t, got, []judged{
		{"manifest.thank", true, 1, cua.EndEnvEnded, "", true},
		{"manifest.lazy", false, 0, cua.EndDone, "", true},
		{"manifest.go", true, 1, cua.EndEnvEnded, "", true},
		{"manifest.count", true, 1, cua.EndDone, "", true},
		{"manifest.say", true, 1, cua.EndDone, "", true},
		{"manifest.order", true, 1, cua.EndEnvEnded, "", true},
		{"manifest.wrong", false, 0, cua.EndEnvError, "it answered 500 Internal Server Error", false},
		{"manifest.text", false, 0, cua.EndEnvError, `came to "Shop"; it must come to true or false`, false},
		{"manifest.throws", false, 0, cua.EndEnvError, "ReferenceError: nobody is not defined", false},
		{"manifest.moved", false, 0, cua.EndEnvError, "opening the start page: manifest.moved: the start page answered 404 Not Found", false},
		{"manifest.fails", false, 0, cua.EndEnvError, "manifest.fails: the start page answered 500 Internal Server Error", false},
		{"manifest.gone", false, 0, cua.EndEnvError, "net::ERR_CONNECTION_REFUSED at " + gone.URL, false},
		{"manifest.app", true, 1, cua.EndEnvEnded, "", true},
		{"manifest.already", false, 0, cua.EndEnvError, "counts as done before anything was done", false},
	})
	for name, r := range got {
		if want := map[bool]int{true: 2}[r.End == cua.EndEnvError]; r.Faulted != want {
			t.Errorf("%s: %d attempts ended by a fault, want %d", name, r.Faulted, want)
		}
	}
	if v := got["manifest.order"].Judged; v == nil || v.Reason != "one order" || !strings.Contains(string(v.State), `"begun":true`) {
		t.Errorf("the shop's verdict: %+v", v)
	}
}

func TestAListNeedsItsSuite(t *testing.T) {
	p := listed(t, manifest.Own, &manifest.Manifest{Version: 1, Tasks: []manifest.Task{{ID: "a", Goal: "g",
		URL: "http://h/", Success: manifest.Success{Text: "x"}}}})
	for _, row := range []struct {
		name, want string
		change     func(*benchmarks.Plan)
	}{
		{"as it is", "", func(*benchmarks.Plan) {}},
		{"a suite of no list", `unknown suite "shop"`, func(p *benchmarks.Plan) { p.Tasklist.Suite, p.Suites = "manifest", []string{"shop"} }},
		{"a list that is not played", "the suite manifest is not among forms", func(p *benchmarks.Plan) { p.Suites = []string{"forms"} }},
		{"a name that is no list's", "none of manifest, webgames, componentbench, uicube but \"forms\"", func(p *benchmarks.Plan) { p.Tasklist.Suite, p.Suites = "forms", []string{"forms"} }},
		{"a predicate that is none", "/tasks/0/success/predicate: no JavaScript expression", func(p *benchmarks.Plan) {
			p.Tasklist.Manifest.Tasks = []manifest.Task{{ID: "a", Goal: "g", URL: "http://h/",
				Success: manifest.Success{Predicate: "if ("}}}
		}},
		{"a task that is none", "/tasks/0/goal: it is empty", func(p *benchmarks.Plan) { p.Tasklist.Manifest.Tasks = []manifest.Task{{ID: "a"}} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := p
			l := *p.Tasklist
			q.Tasklist = &l
			row.change(&q)
			if err := q.Validate(); (err != nil) != (row.want != "") || err != nil &&
				!strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}

var _ benchmarks.Factory = solving{}
var _ manifest.Page = (*browser.Session)(nil)
