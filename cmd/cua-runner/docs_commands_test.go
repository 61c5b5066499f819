package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

var recoveryPage = docsPage("recovery.md")

// Each command line of these pages is one that exists.
func TestDocsCommands(t *testing.T) {
	for _, row := range []struct {
		page  string
		least int // commands of cua-runner
	}{
		{"recovery.md", 4},
		{"recovery-measured.md", 4},
		{"memory.md", 5},
		{"exports.md", 12},
		{"forks.md", 6},
		{"temporal.md", 1},
	} {
		t.Run(row.page, func(t *testing.T) {
			n := 0
			for _, b := range blocks(read(t, filepath.Join(root, "docs", row.page))) {
				if b.lang != "sh" {
					continue
				}
				for _, line := range b.lines() {
					if strings.HasPrefix(line, "cua-runner ") {
						line = "bin/" + line
					}
					ours := strings.HasPrefix(line, "bin/") || strings.HasPrefix(line, "go ")
					if !ours || strings.HasPrefix(line, "bin/cua-runner-temporal ") { // of engine/temporal
						continue
					}
					n++
					if err := known(line); err != nil {
						t.Errorf("%s: %v", line, err)
					}
				}
			}
			if n < row.least {
				t.Errorf("only %d command lines were found, want %d", n, row.least)
			}
		})
	}
}

var setting = regexp.MustCompile(
	"`((?:recovery|detector|formctl|checkpoints)(?:\\.[a-z_]+)+)(?:=[^`]*)?`(?:\\s\\(([0-9.,]+)\\))?")

// Settings that the pages name exist, and have the value that stands in brackets after them.
func TestDocsSettings(t *testing.T) {
	raw, err := json.Marshal(runner.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"recovery.md", "recovery-measured.md", "memory.md", "uncertain-sends.md",
		"forms.md", "benchmarks.md", "detection.md",
		"detection-measured.md", "detection-errors.md"} {
		page := read(t, filepath.Join(root, "docs", name))
		for _, m := range setting.FindAllStringSubmatch(page, -1) {
			parts := strings.Split(m[1], ".")
			overlay := `{"` + strings.Join(parts, `":{"`) + `":null` + strings.Repeat("}", len(parts))
			if _, err := runner.DefaultConfig().Overlay([]byte(overlay)); err != nil {
				t.Errorf("%s: %s: %v", name, m[1], err)
			}
			if said := strings.ReplaceAll(m[2], ",", ""); said != "" && said != valueAt(t, raw, parts) {
				t.Errorf("%s: %s is said to be %s and is %s", name, m[1], said, valueAt(t, raw, parts))
			}
		}
	}
}

// valueAt is the value at the path in the document, as JSON.
func valueAt(t *testing.T, doc []byte, path []string) string {
	t.Helper()
	at := json.RawMessage(doc)
	for _, part := range path {
		var in map[string]json.RawMessage
		if err := json.Unmarshal(at, &in); err != nil {
			t.Fatal(err)
		}
		at = in[part]
	}
	return string(at)
}

// The page about recovery has a row for each code of the rescue table and of the done gate.
func TestRecoveryPageNames(t *testing.T) {
	page := read(t, recoveryPage)
	var codes []string
	for _, r := range cua.Reasons() {
		codes = append(codes, string(r))
	}
	for _, c := range cua.DoneCodes() {
		codes = append(codes, string(c))
	}
	for _, c := range codes {
		if !strings.Contains(page, "\n| `"+c+"`") {
			t.Errorf("%s has no row", c)
		}
	}
}

// The page about mechanisms names each toggle, that of a row by the row's code.
func TestMechanismsPageNames(t *testing.T) {
	page := read(t, docsPage("mechanisms.md"))
	for _, name := range cua.MechanismNames() {
		if !strings.Contains(page, "`"+strings.TrimPrefix(name, "rescue_")+"`") {
			t.Errorf("%s is not on the page", name)
		}
	}
}
