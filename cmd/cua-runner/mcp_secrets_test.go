package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A client uses a secret that it does not know: by its name, on the origin that it is bound to.
func TestMCPSecrets(t *testing.T) {
	page, other := loginPage(t), loginPage(t)
	t.Setenv("THE_PASSWORD", "opensesame")
	p := mcpClient(t, false, "--allow", strings.TrimPrefix(page, "http://"), "--allow",
		strings.TrimPrefix(other, "http://"), "--secret", "shop=env:THE_PASSWORD@"+page)
	if told := p.client.InitializeResult().Instructions; !strings.Contains(told, "<secret:shop>") {
		t.Errorf("the client is told %q", told)
	}
	typed := func(at, label, text string) (map[string]any, string) {
		_, got := p.call("browser_snapshot", nil)
		m := regexp.MustCompile(label + `" \[ref=(e\d+)\]`).FindStringSubmatch(said(got))
		if m == nil {
			t.Fatalf("%s has no %s: %s", at, label, said(got))
		}
		r, got := p.call("browser_type", map[string]any{"target": m[1], "text": text,
			"submit": label == "Password"})
		return r, said(got)
	}
	p.call("browser_navigate", map[string]any{"url": other + "/"})
	if r, text := typed(other, "Password", "<secret:shop>"); r["outcome"] == "done" {
		t.Errorf("on another origin: %v %s", r, text)
	}
	p.call("browser_navigate", map[string]any{"url": page + "/"})
	typed(page, "User name", "alice")
	if r, text := typed(page, "Password", "<secret:shop>"); r["outcome"] != "done" ||
		!strings.Contains(text, "Home") {
		t.Errorf("%v %s", r, text)
	}
	_, closed := p.call("browser_close", nil)
	journals, err := filepath.Glob(filepath.Join(p.dir, "*", "journal.jsonl"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("%v %v", err, journals)
	}
	if text, err := os.ReadFile(journals[0]); err != nil || strings.Contains(string(text)+said(closed),
		"opensesame") {
		t.Errorf("%v: the secret is in the journal or a result", err)
	}
}
