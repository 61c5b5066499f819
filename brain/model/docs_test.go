package model_test

import (
	"os"
	"strings"
	"testing"
)

// TestThePageShowsTheExample: what docs/adding-a-brain.md shows as a whole provider is what is compiled and
// run here.
func TestThePageShowsTheExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/adding-a-brain.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("parrot_test.go")
	if err != nil {
		t.Fatal(err)
	}
	example := string(code)
	if !strings.Contains(string(page), "```go\n"+strings.TrimSpace(example)+"\n```") {
		t.Error("docs/adding-a-brain.md does not show parrot_test.go as it is")
	}
	if n := strings.Count(example, "\n"); n >= 150 {
		t.Errorf("adding a provider takes %d lines", n)
	}
}
