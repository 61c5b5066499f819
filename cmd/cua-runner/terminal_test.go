package main

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// controls are what a terminal would obey: a colour, the clipboard by OSC 52, a C1 and a change of the
// direction of writing.
const controls = "\x1b[31m\x1b]52;c;aGk=\a\u009b31m\u202e"

// worded are the members of a journal whose text a page, a brain or a user wrote.
var worded = strings.Fields("goal title text name label thought why detail note arm placeholder message " +
	"value selected group invalid options alerts texts notices covering said wording")

// controlled is a journal whose words have controls.
func controlled(t *testing.T, journal string) string {
	t.Helper()
	var out bytes.Buffer
	n := 0
	var walk func(v any, key string) any
	walk = func(v any, key string) any {
		switch v := v.(type) {
		case string:
			if slices.Contains(worded, key) {
				n++
				return v + controls
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i], key)
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k], k)
			}
		}
		return v
	}
	for line := range strings.Lines(journal) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(walk(record, ""))
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	if n < 20 {
		t.Fatalf("the journal has %d words", n)
	}
	return out.String()
}

// A journal may come from others. No command that reads it writes to the terminal what that would obey.
func TestNoJournalControlsTheTerminal(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	const run = "runs/a" + controls
	placed(t, map[string]string{run: controlled(t, journal), "runs/b": journal})
	all := [][]string{
		{"show", run}, {"show", run, "--step", "2"}, {"show", "runs"}, {"show", run, "--json"},
		{"replay", run}, {"replay", run, "--set", "recovery.limits.max_steps=1"}, {"replay", "runs"},
		{"check", run}, {"check", "runs"}, {"detect", run}, {"detect", "runs", "--list", "all"},
		{"lessons", "extract", run}, {"resume", run},
		{"replay", run, "--json"}, {"check", run, "--json"}, {"detect", run, "--json"},
	}
	for _, x := range exporters() {
		if x.Write != nil && x.Ext != ".zip" && x.Ext != ".parquet" { // those are for no terminal
			all = append(all, []string{"export", run, "--format", x.Name, "--all", "--any-brain"})
		}
	}
	all = append(all, []string{"export", run, "--format", "otel", "--content"})
	for _, args := range all {
		name := strings.NewReplacer(controls, "", "/", "-").Replace(strings.Join(args, " "))
		t.Run(name, func(t *testing.T) {
			_, stdout, stderr := command(t, args...)
			if stdout+stderr == "" {
				t.Error("it says nothing")
			}
			for what, text := range map[string]string{"standard output": stdout, "standard error": stderr} {
				for i, r := range text {
					if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
						t.Errorf("%s has %q: …%q…", what, r, text[max(0, i-60):min(len(text), i+20)])
						break
					}
				}
			}
		})
	}
}

// What an export in JSON says is what the journal says, whatever its characters are.
func TestExportsKeepControls(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	placed(t, map[string]string{"runs/a": controlled(t, journal)})
	for _, args := range [][]string{{"--format", "json"}, {"--format", "jsonl"}, {"--format", "neutral"},
		{"--format", "otel", "--content"}, {"--format", "atif"}} {
		code, stdout, stderr := command(t, append([]string{"export", "runs/a"}, args...)...)
		if code != exitOK {
			t.Fatal(code, stderr)
		}
		n := 0
		var walk func(v any)
		walk = func(v any) {
			switch v := v.(type) {
			case string:
				n += strings.Count(v, controls)
			case []any:
				for _, v := range v {
					walk(v)
				}
			case map[string]any:
				for _, v := range v {
					walk(v)
				}
			}
		}
		for in := json.NewDecoder(strings.NewReader(stdout)); ; {
			var v any
			if err := in.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(args, err)
			}
			walk(v)
		}
		if n < 3 {
			t.Errorf("%v: %d texts have what the journal has", args, n)
		}
	}
}
