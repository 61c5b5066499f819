package manifest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/cua-runner/cua-runner/cua"
)

// banner is there once a task of ComponentBench is done.
const banner = `document.getElementById('cb-success-banner') !== null`

// runs is there once the task's component does: a task that the site does not know has no main, and what it
// says of that stands beside it.
const runs = `(document.querySelector('main')?.childElementCount ?? 0) > 0`

// ReadComponentBench are the tasks of the YAML files in dir, played at the address at which the user serves
// the site.
func ReadComponentBench(address, dir string) (*Manifest, error) {
	if bad := badURL(address, false); bad != "" {
		return nil, fmt.Errorf("manifest: %s", bad)
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("manifest: reading the tasks: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("manifest: there is no *.yaml in %s", dir)
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{Version: Version, Viewport: cua.Size{W: 1280, H: 720}}
	var faults Faults
	seen := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("manifest: reading the tasks: %w", err)
		}
		tasks, wrong := componentBench(address, file, text, seen)
		m.Tasks, faults = append(m.Tasks, tasks...), append(faults, wrong...)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return m, m.Validate()
}

// componentBench reads one file; seen are the ids so far and where they stand.
func componentBench(address, file string, text []byte, seen map[string]string) (out []Task, faults Faults) {
	var list []yaml.Node
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, Faults{{File: file, Detail: "no list of tasks: " +
			strings.ReplaceAll(err.Error(), "\n", " ")}}
	}
	for i, n := range list {
		fault := func(key, format string, args ...any) {
			faults = append(faults, Fault{File: file, Line: n.Line, Path: fmt.Sprintf("/%d%s", i, key),
				Detail: fmt.Sprintf(format, args...)})
		}
		var t struct {
			ID     string `yaml:"id"`
			Goal   string `yaml:"browsergym_goal"`
			Type   string `yaml:"canonical_type"`
			Source string `yaml:"implementation_source"`
		}
		if err := n.Decode(&t); err != nil {
			fault("", "no task: %s", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		switch {
		case !idForm.MatchString(t.ID):
			fault("/id", "%q must be 1 to 60 letters, digits, dots, lines and underscores", t.ID)
		case seen[t.ID] != "":
			fault("/id", "%q is the id in %s too", t.ID, seen[t.ID])
		case strings.TrimSpace(t.Goal) == "":
			fault("/browsergym_goal", "it is missing or empty")
		default:
			out = append(out, Task{ID: t.ID, Goal: strings.TrimSpace(t.Goal),
				URL: componentPage(address, t.ID), Tags: nonEmpty(t.Type, t.Source), Ready: runs,
				Success: Success{Predicate: banner}})
			seen[t.ID] = file
		}
	}
	return out, faults
}

// componentPage is the task alone, without the site's own heading. The smaller set has its mark in each id,
// and the site wants it said.
func componentPage(address, id string) string {
	u := strings.TrimRight(address, "/") + "/task/" + url.PathEscape(id) + "?mode=benchmark"
	if strings.Contains(id, "-v2-") {
		u += "&bench=v2"
	}
	return u
}

// answerWithin is how long the site may take for the first page that is asked of it: a server that has just
// been started compiles it then.
const answerWithin = 30 * time.Second

// Answers reports whether the site answers with the page at that address. The error is what it did instead.
func Answers(ctx context.Context, page string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("manifest: the site is not there: %w", err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("manifest: GET %s answered %s: is this the benchmark's site?", page, resp.Status)
	}
	return nil
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, s := range texts {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}
