package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A client reads the page, types, presses, and is told what each call changed.
func TestCalls(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	host := pages(t)
	if _, text := c.call("browser_snapshot", nil); !strings.Contains(text, "browser_navigate") {
		t.Errorf("without a page: %s", text)
	}
	r, _ := c.must("browser_navigate", args{"url": host + "/form"})
	if r.Page == nil || r.Page.Title != "Form" || !strings.Contains(r.Snapshot, `textbox "Name"`) {
		t.Fatalf("%+v", r)
	}
	_, snapshot := c.must("browser_snapshot", nil)
	name, send := ref(t, snapshot, `textbox "Name"`), ref(t, snapshot, `button "Send"`)
	for _, row := range []struct {
		tool      string
		arguments args
		effect    string // a part of Result.Effect
		says      string
	}{
		{"browser_type", args{"target": name, "text": "Ada"}, "form", `Typed into textbox "Name"`},
		{"browser_click", args{"target": send, "element": "the button"}, "dom", `Clicked button "Send"`},
		{"browser_find", args{"text": "hello"}, "", "Hello Ada"},
		{"browser_select_option", args{"target": ref(t, snapshot, `combobox "Size"`),
			"values": []string{"large"}}, "form", `= "large"`},
		{"browser_fill_form", args{"fields": []args{{"target": name, "value": "Bob"},
			{"target": ref(t, snapshot, `checkbox "News"`), "value": "true"}}}, "form", "then clicked"},
		{"browser_type", args{"target": name, "text": "Eve", "submit": true}, "dom", "then pressed Return"},
		{"browser_press_key", args{"key": "Tab"}, "none", "It had no effect."},
		{"browser_hover", args{"target": send}, "none", "Hovered"},
		{"browser_wait_for", args{"text": "Hello Eve"}, "", "Searched"},
		{"browser_wait_for", args{"textGone": "Hello Ada"}, "", "Searched"},
		{"browser_scroll", args{"dy": 10}, "none", "Scrolled"},
		{"browser_click", args{"target": ref(t, snapshot, `link "Other page"`)}, "url", "Title: Other"},
		{"browser_navigate_back", nil, "url", "Title: Form"},
		{"browser_navigate", args{"url": host + "/other"}, "url", "Title: Other"},
		{"browser_tabs", args{"action": "new", "url": host + "/counter"}, "tab", "Tab: 1 of 2"},
		{"browser_tabs", args{"action": "select", "index": 0}, "tab", "Tab: 0 of 2"},
		{"browser_status", nil, "", "Title: Other"},
		{"browser_checkpoints", nil, "", "step"},
	} {
		t.Run(row.tool, func(t *testing.T) {
			c.t = t
			r, text := c.must(row.tool, row.arguments)
			if !strings.Contains(r.Effect, row.effect) || !strings.Contains(text, row.says) {
				t.Errorf("effect %q, want %q; want %q in: %s", r.Effect, row.effect, row.says, text)
			}
		})
	}
	c.t = t
	r, text := c.must("browser_close", nil)
	if r.Ended != string(cua.EndCancelled) || !strings.Contains(text, s.dirs[0]) {
		t.Errorf("%+v", r)
	}
	median, cost := c.cost()
	t.Log(cost)
	if median > 1500 {
		t.Errorf("the median result has %d characters", median)
	}
	for _, j := range s.sound(t) {
		if len(j.Steps) != 19 || j.Header.Brain.Name != "mcp" {
			t.Errorf("%d steps, %+v", len(j.Steps), j.Header.Brain)
		}
	}
}

// Wrong arguments make no step and say what is right.
func TestWrongCalls(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	c.must("browser_navigate", args{"url": pages(t) + "/form"})
	for _, row := range []struct {
		name, tool string
		arguments  args
		says       string
	}{
		{"a selector", "browser_click", args{"target": "#send button"}, `Near: e`},
		{"a ref that was never given", "browser_click", args{"target": "e99"}, "no ref"},
		{"no target", "browser_click", args{}, `target`},
		{"an unknown parameter", "browser_click", args{"target": "e1", "selector": "#a"}, "selector"},
		{"an unknown button", "browser_click", args{"target": "e1", "button": "top"}, "left, right or middle"},
		{"two values", "browser_select_option", args{"target": "e1", "values": []string{"a", "b"}},
			"want one"},
		{"a dialog that is not open", "browser_handle_dialog", args{"accept": true}, "no dialog"},
		{"a task while the browser is open", "browser_task", args{"goal": "x"}, "browser_close"},
		{"another session", "browser_snapshot", args{"session": "second"}, "browser_navigate"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, text := c.call(row.tool, row.arguments)
			if r.Outcome != "" || !strings.Contains(text, row.says) {
				t.Errorf("outcome %q, want %q in: %s", r.Outcome, row.says, text)
			}
		})
	}
	if r, _ := c.must("browser_status", nil); r.Step != 0 {
		t.Errorf("wrong calls made %d steps", r.Step)
	}
	c.must("browser_close", nil)
	s.sound(t)
}

// browser_task and browser_done: values are watched, a done that comes too early is refused, and the end is
// that of an ordinary episode.
func TestTask(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	c.must("browser_task", args{"goal": "fill in the form",
		"fields": []args{{"label": "Name", "value": "Ada"}}})
	r, _ := c.must("browser_navigate", args{"url": pages(t) + "/sign-up"})
	early, text := c.call("browser_done", args{"answer": "all done", "success": true})
	if early.Outcome != mcp.Refused || early.Code == "" {
		t.Errorf("a done without the values: %s", text)
	}
	c.must("browser_type", args{"target": ref(t, r.Snapshot, `textbox "Name"`), "text": "Ada"})
	c.must("browser_click", args{"target": ref(t, r.Snapshot, `button "Send"`)})
	r, text = c.must("browser_done", args{"answer": "the form was sent", "success": true})
	if r.Ended != string(cua.EndDone) {
		t.Errorf("%s", text)
	}
	if j := s.sound(t)[0]; j.Header.Task.Goal != "fill in the form" || j.End == nil || !j.End.Success {
		t.Errorf("%+v %+v", j.Header.Task, j.End)
	}
}

// Going back undoes a step; a ref of the page before still means its element, and no other.
func TestRollback(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	host := pages(t)
	c.must("browser_navigate", args{"url": host + "/other"})
	c.must("browser_navigate", args{"url": host + "/form"})
	r, text := c.must("browser_rollback", args{"step": 1})
	if r.Page.Title != "Other" {
		t.Errorf("%s", text)
	}
	r, _ = c.must("browser_navigate", args{"url": host + "/gone"})
	first := ref(t, r.Snapshot, `button "First"`)
	c.must("browser_click", args{"target": first})
	if r, text := c.call("browser_click", args{"target": first}); r.Outcome == mcp.Done &&
		strings.Contains(text, "Second") {
		t.Errorf("the ref of one element means another: %s", text)
	}
	c.must("browser_close", nil)
	s.sound(t)
}

// A call that was sent before the client knew that another one was not done as asked is not made.
func TestCallsAtOnce(t *testing.T) {
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	r, _ := c.must("browser_navigate", args{"url": pages(t) + "/counter"})
	more := ref(t, r.Snapshot, `button "More"`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got, err := c.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_click",
				Arguments: args{"target": more}})
			if err != nil || got.IsError {
				t.Errorf("%v %+v", err, got)
			}
		})
	}
	wg.Wait()
	if r, text := c.must("browser_find", args{"text": "4"}); r.Step != 5 {
		t.Errorf("step %d: %s", r.Step, text)
	}
	c.must("browser_close", nil)
	s.sound(t)
}

// A picture comes as an image.
func TestScreenshot(t *testing.T) {
	c := inProcess(t, serve(t, mcp.Advise))
	c.must("browser_navigate", args{"url": pages(t) + "/form"})
	got, err := c.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_take_screenshot"})
	if err != nil || len(got.Content) != 2 {
		t.Fatalf("%v %+v", err, got)
	}
	if image, ok := got.Content[1].(*sdk.ImageContent); !ok || len(image.Data) < 100 ||
		!strings.HasPrefix(image.MIMEType, "image/") {
		t.Errorf("%+v", got.Content[1])
	}
}

// An open dialog is told, and answered by its own tool.
func TestDialog(t *testing.T) {
	c := inProcess(t, serve(t, mcp.Advise))
	r, _ := c.must("browser_navigate", args{"url": pages(t) + "/confirm"})
	r, text := c.call("browser_click", args{"target": ref(t, r.Snapshot, `button "Ask"`)})
	if r.Page == nil || r.Page.Dialog != "confirm: Sure?" {
		t.Fatalf("%s", text)
	}
	c.must("browser_handle_dialog", args{"accept": true})
	if _, text := c.must("browser_find", args{"text": "true"}); !strings.Contains(text, "true") {
		t.Errorf("%s", text)
	}
}

// The client cannot open a page elsewhere, not even as the first one: a private address only as host:port.
func TestAllow(t *testing.T) {
	const elsewhere, metadata = "http://127.0.0.1:9/", "http://169.254.169.254/latest/"
	for _, allow := range [][]string{nil, {strings.TrimPrefix(pages(t), "http://")}, {"127.0.0.1"}} {
		t.Run(strings.Join(allow, ","), func(t *testing.T) {
			c := inProcess(t, serve(t, mcp.Advise, func(o *mcp.Options) { o.Task.Allow = allow }))
			for _, url := range []string{elsewhere, metadata, "http://localhost:9/", "http://[::1]:9/"} {
				_, text := c.call("browser_navigate", args{"url": url})
				if !strings.Contains(text, "--allow") {
					t.Errorf("%s as the first page: %s", url, text)
				}
			}
		})
	}
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	c.must("browser_navigate", args{"url": pages(t) + "/other"})
	r, text := c.call("browser_navigate", args{"url": elsewhere})
	if r.Outcome != mcp.Refused || r.Gate != "policy" {
		t.Errorf("the second page: %s", text)
	}
	c.must("browser_close", nil)
	s.sound(t)
}

// The secrets of the machine are not the client's: a page may have told it to ask for one.
func TestSecretsOfTheMachine(t *testing.T) {
	t.Setenv("CUA_SECRET_LOGIN", "correct-horse-battery")
	c := inProcess(t, serve(t, mcp.Advise))
	task := args{"goal": "sign in", "fields": []args{{"label": "Password", "value": "<secret:LOGIN>"}}}
	if _, text := c.call("browser_task", task); !strings.Contains(text, "no secret LOGIN") {
		t.Errorf("%s", text)
	}
}

// A password that the client types is in no record, and in no result.
func TestPassword(t *testing.T) {
	const password = "correct-horse-battery"
	s := serve(t, mcp.Advise)
	c := inProcess(t, s)
	r, _ := c.must("browser_navigate", args{"url": pages(t) + "/login"})
	field := args{"target": ref(t, r.Snapshot, `textbox "Password"`), "text": password}
	r, text := c.must("browser_type", field)
	if !strings.Contains(r.Effect, "form") || strings.Contains(text, password) {
		t.Errorf("%s", text)
	}
	if _, text := c.must("browser_snapshot", nil); strings.Contains(text, password) {
		t.Errorf("%s", text)
	}
	c.must("browser_close", nil)
	s.sound(t)
	journal, err := os.ReadFile(filepath.Join(s.dirs[0], trajectories.JournalName))
	recorded := string(journal)
	if err != nil || strings.Contains(recorded, password) || !strings.Contains(recorded, "<secret:") {
		t.Errorf("%v: the journal has the password, or no name in its place", err)
	}
}
