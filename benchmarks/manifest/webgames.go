package manifest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// ReadWebGames is a build of WebGames in dist with the tasks of its JSONL file. The challenge of a task is at
// /PATH and shows a password when it is solved, which is the answer. The second value are the tasks that are
// left out.
func ReadWebGames(dist, tasks string) (*Manifest, []string, error) {
	site, err := OpenSite(dist)
	if err != nil {
		return nil, nil, err
	}
	site.Seeded, site.Posts = true, []string{"/api/record-view", "/api/record-completion"}
	text, err := os.ReadFile(tasks)
	if err != nil {
		return nil, nil, fmt.Errorf("manifest: reading the tasks: %w", err)
	}
	list, skipped, err := webGames(tasks, text)
	if err != nil {
		return nil, nil, err
	}
	m := &Manifest{Version: Version, Site: site, Tasks: list}
	return m, skipped, m.Validate()
}

// human is what the names of the tasks begin with that ask whether one is a person; they are left out.
const human = "robo-check"

// routed holds once the application shows anything but its router's own page for an address that it does not
// have.
const routed = `(() => { const root = document.getElementById('root'); return root !== null && root.childElementCount > 0 && !root.textContent.includes('Unexpected Application Error'); })()`

// webGames reads a task a line. The error is of type Faults.
func webGames(file string, text []byte) (out []Task, skipped []string, _ error) {
	var faults Faults
	seen := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxBytes)
	n := 0
	for lines.Scan() {
		n++
		fault := func(path, format string, args ...any) {
			faults = append(faults, Fault{File: file, Line: n, Path: path,
				Detail: fmt.Sprintf(format, args...)})
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var t struct {
			ID, Path, Description, Password, Difficulty string
			Tags                                        []string
		}
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			fault("", "no JSON of a task: %v", err)
			continue
		}
		// A game of several pages has its route for a name: maze/* begins at /maze.
		t.ID, t.Path = strings.TrimSuffix(t.ID, "/*"), strings.TrimSuffix(cmp.Or(t.Path, t.ID), "/*")
		switch {
		case !idForm.MatchString(t.ID):
			fault("/id", "%q must be 1 to 60 letters, digits, dots, lines and underscores", t.ID)
		case seen[t.ID] > 0:
			fault("/id", "%q is the id in line %d too", t.ID, seen[t.ID])
		case strings.TrimSpace(t.Description) == "":
			fault("/description", "it is missing or empty")
		case strings.TrimSpace(t.Password) == "":
			fault("/password", "it is missing or empty")
		case strings.HasPrefix(t.ID, human):
			skipped = append(skipped, t.ID+": it asks whether one is a person")
		default:
			out = append(out, Task{ID: t.ID, Goal: webGamesGoal(t.Description), URL: "/" + t.Path,
				Tags: nonEmpty(append(t.Tags, t.Difficulty)...), Ready: routed,
				Success: Success{Answer: t.Password}})
		}
		seen[t.ID] = n
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, Fault{File: file, Line: n + 1, Detail: err.Error()})
	}
	if len(out) == 0 && len(faults) == 0 {
		faults = append(faults, Fault{File: file, Detail: "there is no task to play in it"})
	}
	if len(faults) > 0 {
		return nil, nil, faults
	}
	return out, skipped, nil
}

func webGamesGoal(description string) string {
	return strings.TrimRight(strings.TrimSpace(description), ".") +
		". When the challenge on this page is solved it shows a password: answer with that password. Do " +
		"not read the page's source."
}
