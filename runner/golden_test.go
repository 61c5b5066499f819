package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

var update = flag.Bool("update", false, "rewrite the golden journals")

// episode is one golden: a task on a scripted site, decided by a script.
type episode struct {
	name   string
	file   string
	task   cua.Task
	site   envtest.Site
	script []cua.Scripted
	config runner.Config
	golden []byte
}

// episodes reads testdata/*.txtar. The files of an archive: task.json, site.json, script.jsonl, and
// optionally arm and overlay.json; journal.golden is what is expected.
func episodes(t *testing.T) []episode {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden episodes (%v)", err)
	}
	var out []episode
	for _, f := range files {
		out = append(out, readEpisode(t, f))
	}
	return out
}

func readEpisode(t *testing.T, file string) episode {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e := episode{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), file: file,
		config: runner.DefaultConfig()}
	e.config.Viewport = cua.Size{W: 320, H: 320}
	for _, f := range ar.Files {
		switch f.Name {
		case "task.json":
			err = json.Unmarshal(f.Data, &e.task)
		case "site.json":
			e.site, err = envtest.ParseSite(f.Data)
		case "script.jsonl":
			e.script, err = brain.ParseScript(file, f.Data)
		case "arm":
			e.config, err = e.config.Arm(strings.TrimSpace(string(f.Data)))
		case "overlay.json":
			e.config, err = e.config.Overlay(f.Data)
		case "journal.golden":
			e.golden = f.Data
		default:
			t.Fatalf("%s: unknown file %s", file, f.Name)
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", file, f.Name, err)
		}
	}
	e.task.ID = e.name
	return e
}

// clock is a counter: a millisecond each time it is read.
func clock() func() time.Time {
	at := time.Unix(0, 0).UTC()
	return func() time.Time { at = at.Add(time.Millisecond); return at }
}

// runner puts e together for the folder dir.
func (e episode) runner(t testing.TB, dir string) (*runner.Runner, *envtest.Env) {
	env := &envtest.Env{Site: e.site}
	return &runner.Runner{Brain: overseen(t, brain.Scripted{Script: e.script}), Env: env, Config: e.config,
		Dir: dir, Now: clock(), Random: bytes.NewReader(make([]byte, 10)),
		Header: trajectories.Header{Episode: e.name, Brain: trajectories.BrainInfo{Name: "scripted"}}}, env
}

// run plays e and returns its journal.
func (e episode) run(t *testing.T) (dir string, result trajectories.RunResult) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), e.name)
	r, _ := e.runner(t, dir)
	result, err := r.Run(context.Background(), e.task)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	return dir, result
}

func TestGoldenEpisodes(t *testing.T) {
	for _, e := range episodes(t) {
		t.Run(e.name, func(t *testing.T) {
			dir, _ := e.run(t)
			got := readable(t, filepath.Join(dir, "journal.jsonl"))
			if *update {
				rewrite(t, e.file, got)
				return
			}
			if string(got) != string(e.golden) {
				t.Errorf("the journal differs from %s (rewrite with -update):\n%s", e.file,
					firstDifference(e.golden, got))
			}
		})
	}
}

// readable is a journal as goldens keep it: one record a line, without the config, which other
// tests cover, and without hashes of frames, which depend on the PNG encoder.
func readable(t *testing.T, journal string) []byte {
	t.Helper()
	raw, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var rec any
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		drop(rec)
		short, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(short, '\n'))
	}
	return out.Bytes()
}

func drop(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range []string{"config", "frame_sha", "fingerprint", "toggles"} {
			delete(v, k)
		}
		for _, c := range v {
			drop(c)
		}
	case []any:
		for _, c := range v {
			drop(c)
		}
	}
}

func rewrite(t *testing.T, file string, journal []byte) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := ar.Files[:0]
	for _, f := range ar.Files {
		if f.Name != "journal.golden" {
			kept = append(kept, f)
		}
	}
	ar.Files = append(kept, txtar.File{Name: "journal.golden", Data: journal})
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}

func firstDifference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return "want " + a + "\ngot  " + b
		}
	}
	return ""
}
