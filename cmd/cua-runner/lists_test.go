package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
)

var suitesPage = docsPage("suites.md")

// The page describes every embedded task, as the command does.
func TestBenchmarksPageSuites(t *testing.T) {
	code, want, errs := command(t, "suites", "--format", "md")
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	page := read(t, suitesPage)
	open, shut := "<!-- table: suites, as cua-runner suites --format md prints them -->\n", "<!-- end -->"
	start := strings.Index(page, open)
	if start < 0 {
		t.Fatal("the page has no table of the suites")
	}
	start += len(open)
	rewrite(t, suitesPage, start, start+strings.Index(page[start:], shut), want)
	for _, s := range tuned.Suites() {
		for _, task := range s.Tasks {
			if !strings.Contains(want, "| `"+task.Name+"` | "+task.About+" |") {
				t.Errorf("%s is not described", task.Name)
			}
		}
	}
}

// Each command line of the pages about benchmarks is one that exists.
func TestBenchmarksPageCommands(t *testing.T) {
	n := 0
	var all []*block
	for _, name := range []string{"benchmarks.md", "suites.md", "own-tasks.md"} {
		all = append(all, blocks(read(t, docsPage(name)))...)
	}
	for _, b := range all {
		if b.lang != "sh" {
			continue
		}
		for _, line := range b.lines() {
			if strings.HasPrefix(line, "git ") || strings.HasPrefix(line, "docs/") ||
				strings.HasPrefix(line, "jq ") {
				continue
			}
			n++
			if strings.HasPrefix(line, "cua-runner ") {
				line = "bin/" + line // the page is for those who have it installed
			}
			if err := known(line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d command lines were found", n)
	}
}

func TestSuitesForms(t *testing.T) {
	for _, row := range []struct {
		name, line string
		code       int
		says       string
	}{
		{"for people", "suites", exitOK, "  t1-login "},
		{"JSON", "suites --json", exitOK, `"name": "t1-login"`},
		{"JSON as a format", "suites --format json", exitOK, `"name": "t1-login"`},
		{"both say the same", "suites --json --format json", exitOK, `"name": "t1-login"`},
		{"two formats", "suites --json --format md", exitUsage, "--json is --format json, and not md"},
		{"an unknown one", "suites --format xml", exitUsage, "known: table, md, json"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, errs := command(t, strings.Fields(row.line)...)
			if code != row.code || !strings.Contains(out+errs, row.says) {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
			if strings.HasPrefix(row.name, "JSON") && !json.Valid([]byte(out)) {
				t.Error("that is no JSON")
			}
		})
	}
}
