package gemini

import (
	"image"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// open opens the brain at a fake API.
func open(t testing.TB, spec, base string, o brain.Options) brain.Brain {
	t.Helper()
	o.Providers = []brain.Provider{Provider()}
	o.Key = func(name string) string { return map[string]string{variable: plantedKey}[name] }
	sep := "?"
	if strings.Contains(spec, "?") {
		sep = "&"
	}
	b, err := brain.Open(spec+sep+"base_url="+base, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := wiretest.CloseBrowser(); err != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// play plays the login with the brain in the real browser. Forms are filled only by the model, or by the gate
// that ends its loop.
func play(t *testing.T, spec, api string, cost func(provider, model string,
	u cua.Usage) *float64) wiretest.Played {
	t.Helper()
	p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 1, Arm: "-form_controller", Key: plantedKey,
		Open: func(o brain.Options) brain.Brain {
			o.Cost = cost
			return open(t, spec, api, o)
		}})
	if p.End.Reason != cua.EndDone || p.Reward != 1 {
		t.Errorf("ended as %s (%s) with reward %v", p.End.Reason, p.End.Detail, p.Reward)
	}
	if len(p.Secrets) == 0 {
		t.Error("the task has no secret")
	}
	return p
}

func TestAWholeTaskThroughTheWire(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		legacy     bool
	}{
		{"newer functions", "gemini:gemini-3.5-flash?marks=1", false},
		{"older functions", "gemini:gemini-2.5-computer-use-preview-10-2025?marks=1", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := &mind{legacy: row.legacy}
			f := &fake{t: t, mind: m.answer}
			api := httptest.NewServer(f)
			defer api.Close()
			prices := model.Prices{USD: map[string]map[string]model.Price{"gemini": {"*": {Input: new(1.0),
				Output: new(10.0), CacheRead: new(0.1)}}}}
			journal := play(t, row.spec, api.URL, prices.Cost)
			f.valid(t)
			batched := false
			for i := range journal.Steps {
				s := &journal.Steps[i]
				follows := i > 0 && journal.Steps[i-1].Decision == s.Decision
				batched = batched || follows
				if s.By != strings.SplitN(row.spec, "?", 2)[0] || follows != (s.Usage.Tokens() == 0) {
					t.Errorf("step %d by %s in decision %d used %+v", s.N, s.By, s.Decision, s.Usage)
				}
				if !follows && (s.Usage.USD == nil || s.Usage.ReasoningTokens != 20 ||
					s.Usage.Attempts != 1) {
					t.Errorf("step %d used %+v", s.N, s.Usage)
				}
			}
			if batched == row.legacy {
				t.Errorf("batches %v", batched)
			}
			for _, size := range m.seen {
				if size != image.Pt(view.W, view.H) {
					t.Errorf("a picture of %v", size)
				}
			}
			if len(m.seen) < 3 {
				t.Errorf("only %d pictures were sent", len(m.seen))
			}
		})
	}
}

func TestALoopIsCuredThroughTheWire(t *testing.T) {
	m := &mind{fixed: true}
	f := &fake{t: t, mind: m.answer}
	api := httptest.NewServer(f)
	defer api.Close()
	journal := play(t, "gemini?marks=1", api.URL, nil)
	f.valid(t)
	if !slices.ContainsFunc(journal.Steps,
		func(s cua.Step) bool { return s.RecoveryReason == cua.TypePendingValue }) {
		t.Error("no value was typed in place of a press")
	}
	told := 0
	for _, e := range m.told {
		if strings.HasPrefix(e, "Not done as asked. The runner did something else instead:") &&
			strings.Contains(e, "type_pending_value") {
			told++
		}
	}
	swaps := 0
	for i := range journal.Steps {
		if journal.Steps[i].Substituted() {
			swaps++
		}
	}
	if told == 0 || told > swaps {
		t.Errorf("%d of %d substitutions were told: %q", told, swaps, m.told)
	}
	if !slices.ContainsFunc(m.instead, func(c any) bool { return c.(map[string]any)["name"] == "type" }) {
		t.Errorf("what was done instead is told as the calls %v", m.instead)
	}
}
