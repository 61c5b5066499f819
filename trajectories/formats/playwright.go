package formats

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

func playwrightExporter() Exporter {
	return Exporter{Name: "playwright", About: "a test for npx playwright test, from the live steps",
		MediaType: "text/plain; charset=utf-8", Ext: ".ts", One: true,
		Write: func(w io.Writer, runs []DatasetRun, _ ExportOptions) error {
			t, err := only(runs, "playwright")
			if err != nil {
				return err
			}
			return writePlaywright(w, t)
		},
		Folder: func(dir string, runs []DatasetRun, _ ExportOptions) error {
			nameRuns(runs)
			return writeFolder(dir, func(f *outFolder) error {
				for i := range runs {
					err := f.file(f.own(runs[i].fileName(), ".spec.ts"), func(w io.Writer) error {
						return writePlaywright(w, runs[i].Trajectory)
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}}
}

// testWriter makes the test of one trajectory.
type testWriter struct {
	t       *trajectories.Trajectory
	history cua.History
	body    strings.Builder
	// secrets are the names of the secrets that the test needs, in the order of their use.
	secrets []string
	// dialogs says that the test answers dialogs, tabs that it changes the tab.
	dialogs, tabs bool
}

func writePlaywright(w io.Writer, t *trajectories.Trajectory) error {
	x := testWriter{t: t, history: t.History()}
	first := x.start(t.Header.Task.URL)
	live := liveSteps(t.Steps)
	for i := range t.Steps {
		x.took(t.Steps[i].N - 1)
		if live[t.Steps[i].N] {
			x.step(i)
		}
	}
	x.took(len(t.Steps))
	x.last()
	var b strings.Builder
	view := t.Header.Viewport
	if view == (cua.Size{}) {
		view = cua.Size{W: 1280, H: 720}
	}
	fmt.Fprintf(&b, "// %s: written by cua-runner export --format playwright.\n", cua.Flat(t.Header.Episode))
	fmt.Fprintf(&b, "import { test, expect%s } from '@playwright/test';\n\n",
		given(x.dialogs, ", type Dialog"))
	fmt.Fprintf(&b, "test.use({ viewport: { width: %d, height: %d } });\n\n", view.W, view.H)
	page := "{ page" + given(x.dialogs || x.tabs, ", context") + " }"
	if x.tabs {
		page = "{ page: first, context }"
	}
	fmt.Fprintf(&b, "test(%s, async (%s) => {\n", quoted(t.Header.Task.Goal), page)
	for _, name := range x.secrets {
		missing := quoted("the environment has no " + name + ": the test types this secret")
		fmt.Fprintf(&b, "  if (!%s) throw new Error(%s);\n", env(name), missing)
	}
	b.WriteString(given(x.tabs, "  let page = first;\n"))
	b.WriteString(given(x.dialogs, `  // A dialog gets the next answer; one without an answer is dismissed.
  const answers: ((d: Dialog) => Promise<void>)[] = [];
  context.on('dialog', (d) => (answers.shift() ?? ((d) => d.dismiss()))(d));
`))
	fmt.Fprintf(&b, "  await page.goto(%s);\n%s});\n", first, x.body.String())
	if _, err := io.WriteString(redact.VisibleWriter(w), b.String()); err != nil {
		return fmt.Errorf("trajectories: exporting playwright: %w", err)
	}
	return nil
}

// took notes what people did on the page after n steps: a test cannot do it.
func (x *testWriter) took(n int) {
	for _, e := range x.t.Events {
		if e.Kind == trajectories.TakeoverEvent && e.Step == n {
			x.note("A person acted on the page here, which this test does not do.")
		}
	}
}

// step writes step i, if it touched the page.
func (x *testWriter) step(i int) {
	s := &x.t.Steps[i]
	if !s.Acting() && (s.Action == nil || s.Action.Kind != cua.Wait) {
		return
	}
	// An action that a policy refused was not done, whatever else the page did meanwhile.
	if f := s.Failure; f != nil && (f.Kind == cua.FailPolicy || !s.Effect.Any()) {
		return
	}
	x.note("%s", traceTitle(s))
	x.answers(i)
	x.act(i, s)
	before := x.history.Before(i)
	if after := s.After.Tab; after > 0 && after != before.Tab && s.Action.Kind != cua.NewTab {
		x.tab(after)
	}
}

// last asserts what is left of the end: the journal has the address and the title of a page, no heading. A
// text that is cut, or has the name of a secret, is asserted only up to there: a page can write such a name
// itself.
func (x *testWriter) last() {
	now := x.history.Now()
	x.note("The end.")
	clean := cua.PublicURL(now.URL)
	at := clean
	if m := unasserted.FindStringIndex(clean); m != nil {
		at = clean[:m[0]]
	}
	switch {
	case at == "":
	case at == now.URL:
		x.say("await expect(page).toHaveURL(%s);", quoted(now.URL))
	default:
		x.say("await expect(page).toHaveURL(new RegExp(%s));", quoted("^"+regexp.QuoteMeta(at)))
	}
	if sayable(now.Title) {
		x.say("await expect(page).toHaveTitle(%s);", quoted(now.Title))
	}
}

// answers says what the dialogs of step i are answered: a dialog that it opens is answered by a later step.
func (x *testWriter) answers(i int) {
	s := &x.t.Steps[i]
	for range s.After.Alerts {
		x.dialogs = true
		x.say("answers.push((d) => d.accept());")
	}
	if s.After.Dialog == nil {
		return
	}
	for j := i + 1; j < len(x.t.Steps); j++ {
		a := x.t.Steps[j].Action
		switch {
		case a == nil || a.Kind != cua.AnswerDlg:
			continue
		case a.Accept && a.Text != "":
			x.say("answers.push((d) => d.accept(%s));", quoted(a.Text))
		case a.Accept:
			x.say("answers.push((d) => d.accept());")
		default:
			x.say("answers.push((d) => d.dismiss());")
		}
		x.dialogs = true
		return
	}
}

// tab makes the tab with that number the page.
func (x *testWriter) tab(n int) {
	x.tabs = true
	x.say("await expect.poll(() => context.pages().length).toBeGreaterThanOrEqual(%d);", n)
	x.say("page = context.pages()[%d];", n-1)
}

func (x *testWriter) note(format string, v ...any) {
	x.say("// %s", cua.Flat(fmt.Sprintf(format, v...)))
}

func (x *testWriter) say(format string, v ...any) { fmt.Fprintf(&x.body, "  "+format+"\n", v...) }

func given(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}
