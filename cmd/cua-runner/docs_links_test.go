package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxPageLines bounds a page of the docs: a longer one is two pages.
const maxPageLines = 300

// pagesOf are the pages that a person reads, from the project's folder.
func pagesOf(t *testing.T) []string {
	t.Helper()
	out, err := filepath.Glob(docsPage("*.md"))
	if err != nil || len(out) < 10 {
		t.Fatalf("only %d pages were found: %v", len(out), err)
	}
	return append(out, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

func TestPagesAreShort(t *testing.T) {
	for _, page := range pagesOf(t) {
		if n := strings.Count(read(t, page), "\n"); n > maxPageLines {
			t.Errorf("%s has %d lines, at most %d", page, n, maxPageLines)
		}
	}
}

var (
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	noneOfSlug = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// Each link of a page leads to a file that is there, and to a heading of it.
func TestLinksOfPages(t *testing.T) {
	for _, page := range pagesOf(t) {
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.HasPrefix(m[1], "http") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s links to %s: no such heading", page, m[1])
			}
		}
	}
}

// anchors are the headings of a page as links name them: lower case, blanks as hyphens, without other signs.
func anchors(page string) map[string]bool {
	out, inFence := map[string]bool{}, false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			inFence = !inFence
		}
		if text := strings.TrimLeft(line, "#"); !inFence && text != line {
			text = noneOfSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(text)), "")
			out[strings.ReplaceAll(text, " ", "-")] = true
		}
	}
	return out
}
