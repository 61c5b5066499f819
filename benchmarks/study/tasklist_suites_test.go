package study_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cua"
)

func TestWebGamesArePlayed(t *testing.T) {
	const at = "../manifest/testdata/webgames/"
	m, skipped, err := manifest.ReadWebGames(at+"dist", at+"tasks.jsonl")
	if err != nil || !slices.Equal(skipped, []string{"robo-check: it asks whether one is a person"}) {
		t.Fatalf("%v, skipped %q", err, skipped)
	}
	got := playedList(t, listed(t, manifest.WebGames, m),
		solving{press: map[string]string{"webgames.press": "Solve"},
			answers: map[string]string{"webgames.press": "The password is Pressed-17.",
				"webgames.dice": "I did it."}})
	expect(t, got, []judged{
		{"webgames.press", true, 1, cua.EndDone, "", true},
		{"webgames.dice", false, 0, cua.EndDone, "", true},
	})
}

func TestATasklistSaysWhatIsLeftOut(t *testing.T) {
	const at = "../manifest/testdata/uicube/"
	m, skipped, err := manifest.ReadUICube(at+"dist", "")
	if err != nil {
		t.Fatal(err)
	}
	p := listed(t, manifest.UICube, m)
	p.Tasklist.Skipped = append(skipped, "b--1: another reason",
		"copy-paste-tasks--2: half of the copy-paste tasks need programs outside of the browser")
	for n := 3; n < 8; n++ {
		p.Tasklist.Skipped = append(p.Tasklist.Skipped,
			fmt.Sprintf(
				"copy-paste-tasks--%d: half of the copy-paste tasks need programs outside of the browser", n))
	}
	const pasting = "7 of 10 tasks of uicube: copy-paste-tasks--1, copy-paste-tasks--2, " +
		"copy-paste-tasks--3, copy-paste-tasks--4, copy-paste-tasks--5 and 2 more: half of the copy-paste " +
		"tasks need programs outside of the browser"
	if got := p.Tasklist.LeftOut(); !slices.Equal(got, []string{pasting,
		"1 of 10 tasks of uicube: b--1: another reason"}) {
		t.Errorf("left out: %q", got)
	}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := report.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	var text, md, page strings.Builder
	if err := errors.Join(rep.WriteText(&text), rep.WriteMarkdown(&md), report.WritePage(&page, s,
		report.PageOptions{})); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"table": text.String(), "md": md.String(),
		"html": page.String()} {
		if out = strings.Join(strings.Fields(out), " "); !strings.Contains(out,
			"Left out, and not in the numbers: "+pasting) || !strings.Contains(out, "b--1: another reason") {
			t.Errorf("%s does not say what is left out: %s", name, out)
		}
	}
}

func TestComponentBenchMustAnswerAtItsAddress(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	defer other.Close()
	for _, row := range []struct{ name, address, wrong string }{
		{"nothing listens", gone.URL, "the site is not there: "},
		{"something else does", other.URL, "answered 404 Not Found: is this the benchmark's site?"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := manifest.ReadComponentBench(row.address, "../manifest/testdata/componentbench/tasks")
			if err != nil {
				t.Fatal(err)
			}
			l := listed(t, manifest.ComponentBench, m).Tasklist
			if err := l.Check(t.Context()); err == nil || !strings.Contains(err.Error(), row.wrong) ||
				!strings.Contains(err.Error(), row.address) {
				t.Errorf("%v; want %s", err, row.wrong)
			}
		})
	}
}

func TestChanceInWebGamesComesFromTheSeed(t *testing.T) {
	const at = "../manifest/testdata/webgames/"
	m, _, err := manifest.ReadWebGames(at+"dist", at+"tasks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	// The first number that the seed 1 gives, computed apart from the page: mulberry32(1).
	m.Tasks = []manifest.Task{{ID: "dice", Goal: "Look.", URL: "/dice", Success: manifest.Success{AtEnd: true,
		Predicate: `document.getElementById('thrown').textContent === '0.6270739405881613' && document.getElementById('seen').textContent === 'seen true'`}}}
	got := playedList(t, listed(t, manifest.WebGames, m), solving{})
	expect(t, got, []judged{{"webgames.dice", true, 1, cua.EndDone, "", true}})
}

func TestUICubeIsPlayed(t *testing.T) {
	m, skipped, err := manifest.ReadUICube("../manifest/testdata/uicube/dist", "")
	if err != nil || !slices.Equal(skipped,
		[]string{"copy-paste-tasks--1: half of the copy-paste tasks need programs outside of the browser"}) {
		t.Fatalf("%v, skipped %q", err, skipped)
	}
	got := playedList(t, listed(t, manifest.UICube, m),
		solving{press: map[string]string{"uicube.switches-1": "Switch", "uicube.switches-2": "Switch"}})
	expect(t, got, []judged{
		{"uicube.switches-1", true, 1, cua.EndDone, "", true},
		{"uicube.switches-2", false, 0, cua.EndDone, "", true},
	})
}

func TestComponentBenchIsPlayed(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		times := 1
		switch {
		case r.URL.Query().Get("mode") != "benchmark" || !strings.HasPrefix(r.URL.Path, "/task/button-own-"):
			http.NotFound(w, r)
			return
		case r.URL.Query().Get("bench") == "v2":
			times = 2
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head><title>Task</title></head><body>Loading task...<script>
setTimeout(() => { document.body.innerHTML = '<main><button>Go</button></main>';
let left = %d; document.querySelector('button').onclick = () => { if (--left === 0) document.body.insertAdjacentHTML('afterbegin', '<div id="cb-success-banner">Task completed</div>'); };
}, 3000);</script></body></html>`, times)
	}))
	defer site.Close()
	m, err := manifest.ReadComponentBench(site.URL+"/", "../manifest/testdata/componentbench/tasks")
	if err != nil || m.Viewport != (cua.Size{W: 1280, H: 720}) || len(m.Tasks) != 2 ||
		m.Tasks[0].Steps() != 20 || m.Tasks[1].Goal != "Press the “Go” button twice." {
		t.Fatalf("%+v, %v", m, err)
	}
	got := playedList(t, listed(t, manifest.ComponentBench, m),
		solving{press: map[string]string{"componentbench.button-own-T01": "Go",
			"componentbench.button-own-v2-T01": "Go"}})
	expect(t, got, []judged{
		{"componentbench.button-own-T01", true, 1, cua.EndEnvEnded, "", true},
		{"componentbench.button-own-v2-T01", false, 0, cua.EndDone, "", true},
	})
}
