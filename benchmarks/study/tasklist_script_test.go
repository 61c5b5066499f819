package study_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/cua"
)

func TestTheOracleOfAManifestPlaysItsScripts(t *testing.T) {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Shop</title><button onclick="window.kept = true">Keep</button>
<button onclick="window.sold = true">Sell</button>`)
	}))
	defer shop.Close()
	const judge = `"success": {"predicate": "window.kept === true"}, "harm": "window.sold === true"`
	text := strings.NewReplacer("HOST", shop.URL, "JUDGE", judge).Replace(`{"version": 1, "tasks": [
 {"id": "keep", "goal": "g", "url": "HOST/", JUDGE,
  "script": [{"kind": "click", "on": "Keep"}, {"kind": "done", "success": true}]},
 {"id": "sell", "goal": "g", "url": "HOST/", JUDGE,
  "script": [{"kind": "click", "on": "Sell"}, {"kind": "click", "on": "Keep"}]},
 {"id": "none", "goal": "g", "url": "HOST/", JUDGE}]}`)
	m, err := manifest.Parse("m.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := playedList(t, listed(t, manifest.Own, m), solving{oracle: true})
	expect(t, got, []judged{
		{"manifest.keep", true, 1, cua.EndEnvEnded, "", true},
		{"manifest.sell", false, 0, cua.EndEnvEnded, "", true},
		{"manifest.none", false, 0, cua.EndDoneFailed, "", true},
	})
	for name, r := range got {
		if want := name == "manifest.sell"; !r.Judged.Guarded || r.Judged.Harmed != want ||
			(r.Harm != "") != want || want && r.Steps != 1 {
			t.Errorf("%s: harmed %v by %q after %d steps", name, r.Judged.Harmed, r.Harm, r.Steps)
		}
	}
}
