package guard

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/runner"
)

// session is a session of Claude Code with a browser MCP server: hooks around calls.
type session struct {
	t    *testing.T
	hook Hook
	id   string
	dir  string
}

func (s session) hooked(event, tool, arguments, more string) (decision, context string) {
	s.t.Helper()
	in := fmt.Sprintf(`{"session_id":%q,"transcript_path":"/x.jsonl","cwd":%q,"permission_mode":"default",`+
		`"hook_event_name":%q,"tool_name":"mcp__playwright__%s","tool_input":%s,"tool_use_id":"toolu_1"%s}`, s.id,
		s.dir, event, tool, arguments, more)
	b, err := s.hook.Serve([]byte(in))
	must(s.t, err)
	if b == nil {
		return "", ""
	}
	var out struct {
		Specific map[string]string `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(b, &out); err != nil || out.Specific["hookEventName"] != event {
		s.t.Fatalf("%s", b)
	}
	if d := out.Specific["permissionDecision"]; d != "" {
		return d, out.Specific["permissionDecisionReason"]
	}
	return "", out.Specific["additionalContext"]
}

// call makes one call whose answer is text.
func (s session) call(tool, arguments, text string) (decision, context string) {
	s.t.Helper()
	decision, context = s.hooked("PreToolUse", tool, arguments, "")
	if decision != "deny" {
		b, _ := json.Marshal([]map[string]string{{"type": "text", "text": text}})
		if d, c := s.hooked("PostToolUse", tool, arguments, `,"tool_response":`+string(b)); d+c != "" {
			s.t.Errorf("after the call: %s %s", d, c)
		}
	}
	return decision, context
}

// shown is an answer with a snapshot.
func shown(value string) string {
	return "### Page\n- Page URL: http://shop.example/\n- Page Title: Shop\n### Snapshot\n```yaml\n" +
		snapshot(value) + "\n```"
}

func snapshot(value string) string {
	return "- generic [ref=e1]:\n" +
		"  - textbox \"Name\" [ref=e5]" + value + "\n  - button \"Save\" [active] [ref=e8]"
}

const save = `{"element":"Save button","target":"e8"}`

func TestHook(t *testing.T) {
	for _, deny := range []bool{false, true} {
		t.Run(fmt.Sprint("deny ", deny), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "guard")
			s := session{t, Hook{runner.DefaultConfig(), dir, deny}, "abc-1", t.TempDir()}
			s.call("browser_snapshot", `{}`, shown(""))
			said, denied := 0, 0
			for i := range 12 {
				decision, context := s.call("browser_click", save, shown(""))
				if i < 3 && decision+context != "" {
					t.Errorf("press %d: %s %s", i+1, decision, context)
				}
				if strings.Contains(context, `click on "Save"`) && decision == "" {
					said++
				}
				if decision == "deny" && strings.Contains(context, "has held for") {
					denied++
				}
			}
			if said < 5 || deny != (denied > 0) || !deny && said != 9 {
				t.Errorf("%d notes, %d refusals", said, denied)
			}
			path := filepath.Join(s.hook.Dir, "abc-1.jsonl")
			info, err := os.Stat(path)
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", info.Mode())
			}
		})
	}
}

func TestHookLeavesHealthyCallsAlone(t *testing.T) {
	for _, row := range []struct {
		name, tool string
		arguments  func(i int) string
		shown      func(i int) string
	}{
		{"a stepper", "browser_click", func(int) string { return save },
			func(i int) string { return shown(fmt.Sprint(": ", i)) }},
		{"a pager", "browser_click", func(int) string { return save }, func(i int) string {
			return strings.Replace(shown(""), "Save\"", fmt.Sprintf("Save\" [level=%d]", i), 1)
		}},
		{"only looking", "browser_snapshot", func(int) string { return "{}" },
			func(int) string { return shown("") }},
		{"answers without a page", "browser_click",
			func(i int) string { return fmt.Sprintf(`{"target":"e%d"}`, i) },
			func(int) string { return "### Ran Playwright code" }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := session{t, Hook{runner.DefaultConfig(), t.TempDir(), true}, "x", t.TempDir()}
			s.call("browser_snapshot", `{}`, row.shown(-1))
			for i := range 15 {
				if d, c := s.call(row.tool, row.arguments(i), row.shown(i)); d+c != "" {
					t.Errorf("call %d: %s %s", i+1, d, c)
				}
			}
		})
	}
}

// A snapshot that the answer links counts, typed texts are on disk as digests only, and a session's name is
// no path.
func TestHookFiles(t *testing.T) {
	s := session{t, Hook{runner.DefaultConfig(), t.TempDir(), false}, "../../etc/x", t.TempDir()}
	must(t, os.WriteFile(filepath.Join(s.dir, "page.yml"), []byte(snapshot(": canary-value")), 0o600))
	link := "### Page\n- Page URL: http://shop.example/\n### Snapshot\n- [Snapshot](page.yml)"
	s.call("browser_type", `{"target":"e5","text":"canary-typed"}`, link)
	last := ""
	for range 6 { // the first is a new page, which widens the windows
		_, last = s.call("browser_click", save, link)
	}
	if !strings.Contains(last, `click on "Save"`) {
		t.Errorf("%q", last)
	}
	files, err := os.ReadDir(s.hook.Dir)
	must(t, err)
	if len(files) != 1 {
		t.Fatal(files)
	}
	b, err := os.ReadFile(filepath.Join(s.hook.Dir, files[0].Name()))
	must(t, err)
	if strings.Contains(string(b), "canary") {
		t.Errorf("%s", b)
	}
}

func TestHookErrors(t *testing.T) {
	s := session{t, Hook{runner.DefaultConfig(), t.TempDir(), false}, "x", t.TempDir()}
	last := ""
	for i := range 4 {
		args := fmt.Sprintf(`{"target":"e%d"}`, 90+i)
		_, last = s.hooked("PreToolUse", "browser_click", args, "")
		s.hooked("PostToolUseFailure", "browser_click", args, `,"error":"Error: Ref e99 not found"`)
	}
	if !strings.Contains(last, "steps failed") {
		t.Errorf("%q", last)
	}
	for _, in := range []string{"", "[]", "{}", `{"hook_event_name":"PreToolUse"}`} {
		if b, err := s.hook.Serve([]byte(in)); err == nil || b != nil {
			t.Errorf("%q: %s, %v", in, b, err)
		}
	}
	if b, err := s.hook.Serve([]byte(`{"session_id":"x","tool_name":"t","hook_event_name":"Stop"}`)); b != nil ||
		err != nil {
		t.Errorf("another event: %s, %v", b, err)
	}
}

func TestReadPage(t *testing.T) {
	before, _ := ReadPage(shown(": a"), nil)
	after, _ := ReadPage(strings.ReplaceAll(shown(": b"), "[active] ", ""), nil)
	if before.URL != "http://shop.example/" || before.Title != "Shop" || before.Focus != "button:Save" ||
		before.Refs["e8"] != "role=button name=Save" || before.Form == after.Form || after.Focus != "" ||
		before.Digest(nil) != after.Digest(nil) {
		t.Errorf("%+v\n%+v", before, after)
	}
	at := func(time string) Page {
		p, _ := ReadPage(strings.Replace(shown(": a"), "- textbox",
			"- paragraph [ref=e3]: \""+time+"\"\n  - textbox", 1), nil)
		return p
	}
	clock, tick := at("12"), at("13")
	if c := clock.Changed(&tick); len(c) != 1 || c[0] != "e3" {
		t.Error(c)
	}
	if same, known := clock.Same(&tick, map[string]bool{"e3": true}); !same || !known {
		t.Error("the masked part counts")
	}
	if same, _ := clock.Same(&tick, nil); same {
		t.Error("a part that is not masked does not count")
	}
	if _, ok := ReadPage("### Result\n3", nil); ok {
		t.Error("that is no page")
	}
}

// A history that is a symbolic link is an error, and what it points to stays as it is.
func TestHookFollowsNoLink(t *testing.T) {
	s := session{t, Hook{runner.DefaultConfig(), t.TempDir(), false}, "x", t.TempDir()}
	other := filepath.Join(s.dir, "other")
	for _, row := range []struct{ name, text string }{{"a file", "theirs\n"}, {"nothing yet", ""}} {
		if row.text != "" {
			must(t, os.WriteFile(other, []byte(row.text), 0o600))
		}
		must(t, os.Symlink(other, s.hook.path(s.id)))
		in := `{"session_id":"x","hook_event_name":"PreToolUse","tool_name":"mcp__playwright__browser_click",` +
			`"tool_input":` + save + `}`
		_, err := s.hook.Serve([]byte(in))
		if err == nil || !strings.Contains(err.Error(), "reading the history") {
			t.Errorf("%s: want an error of reading, got %v", row.name, err)
		}
		if b, _ := os.ReadFile(other); string(b) != row.text {
			t.Errorf("%s: it was written to: %q", row.name, b)
		}
		os.Remove(other)
		must(t, os.Remove(s.hook.path(s.id)))
	}
}

// A history, and a snapshot that an answer links, are regular files: a pipe is not waited for, and a link is
// not followed.
func TestHookReadsRegularFilesAlone(t *testing.T) {
	s := session{t, Hook{runner.DefaultConfig(), t.TempDir(), false}, "x", t.TempDir()}
	pipe := s.hook.path("pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	if _, _, _, err := s.hook.history("pipe"); err == nil {
		t.Error("a history that is a pipe: no error")
	}
	snapshot := filepath.Join(s.dir, "page.yml")
	must(t, os.WriteFile(snapshot, []byte("- button \"Save\" [ref=e1]\n"), 0o600))
	link := filepath.Join(s.dir, "link.yml")
	must(t, os.Symlink(snapshot, link))
	for _, row := range []struct {
		path string
		read bool
	}{{snapshot, true}, {"page.yml", true}, {link, false}, {pipe, false}, {"/dev/zero", false},
		{s.dir, false}} {
		says := "- Page URL: http://a.test/\n### Snapshot\n- [Snapshot](" + row.path + ")\n"
		in := `{"session_id":"x","hook_event_name":"PostToolUse",` +
			`"tool_name":"mcp__playwright__browser_click","cwd":` + strconv.Quote(s.dir) +
			`,"tool_response":[{"text":` + strconv.Quote(says) + `}]}`
		if _, err := s.hook.Serve([]byte(in)); err != nil {
			t.Errorf("%s: %v", row.path, err)
		}
		_, page, _, err := s.hook.history("x")
		if err != nil || page.URL == "" || (page.Parts != nil) != row.read {
			t.Errorf("%s: the page %+v, want one with parts: %t (%v)", row.path, page, row.read, err)
		}
	}
}
