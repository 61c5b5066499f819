package formats

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestPlaywright(t *testing.T) {
	tr := goldenEpisode(t)
	files := exportedFiles(t, "playwright", ExportOptions{}, DatasetRun{Trajectory: tr})
	compare(t, filepath.Join("testdata", "export.spec.ts"), files[tr.Header.Episode+".spec.ts"])
}

// A step becomes these lines of a test.
func TestLinesOfAPlaywrightTest(t *testing.T) {
	button := func(name, frame string) cua.Mark {
		return cua.Mark{N: 1, ID: "button:" + name + frame, Role: "button", Name: name, Frame: frame}
	}
	page := cua.Observation{Document: "d", Tab: 1, Tabs: 1, Marks: []cua.Mark{button("Save", ""),
		button("Pay", "shop/1"), {N: 3, ID: "a", Role: "link", Name: "More"},
		{N: 4, ID: "b", Role: "link", Name: "More"}},
		Fields: []cua.Field{
			{ID: "pw", Role: "textbox", Name: "Password", Label: "Password", Type: "password", Empty: true},
			{ID: "date", Role: "textbox", Name: "Day", Label: "Day", Type: "date", Empty: true},
			{ID: "full", Role: "textbox", Name: "Note", Type: "text"}}}
	aimed := func(kind cua.Kind, id string) cua.Step {
		a := cua.Action{Kind: kind, Point: &cua.Point{X: 5, Y: 6}}
		return cua.Step{N: 1, Proposed: a, Action: &a, Target: cua.Target{ID: id}}
	}
	typed := func(id, text string) cua.Step {
		s := aimed(cua.Type, id)
		s.Action.Text = text
		return s
	}
	with := func(s cua.Step, change func(*cua.Step)) cua.Step { change(&s); return s }
	act := func(a cua.Action) cua.Step { return cua.Step{N: 1, Proposed: a, Action: &a} }
	for _, row := range []struct {
		name string
		step cua.Step
		want string
	}{
		{"a name that one control has", aimed(cua.Click, "button:Save"), `page.getByRole('button', { name: "Save", exact: true }).click();`},
		{"a control in a frame", aimed(cua.RightClick, "button:Payshop/1"), `page.frameLocator('iframe[name="shop"], ` +
			`iframe[src*="//shop"]').frameLocator('iframe, frame').nth(1).getByRole('button', { name: "Pay", exact: true }).click({ button: 'right' });`},
		{"a name that two controls have", aimed(cua.Click, "a"), "page.mouse.click(5, 6);"},
		{"a control that is covered", with(aimed(cua.Click, "button:Save"), func(s *cua.Step) {
			s.Target.Covering = &cua.Covering{ID: "x"}
		}), "page.mouse.click(5, 6);"},
		{"a secret by the label", typed("pw", "<secret:PIN>"), `page.getByLabel("Password", { exact: true }).fill(process.env.PIN);`},
		{"a name of a secret that is no name of a variable", typed("full", "<secret:my-pin>"), `page.keyboard.type(process.env["my-pin"]);`},
		{"a name of a secret within a text", typed("full", "a <secret:my-pin> b"), `page.keyboard.type("a <secret:my-pin> b");`},
		{"a name of a secret in an address", act(cua.Action{Kind: cua.Navigate, URL: "http://x/?<secret:PIN>"}), `page.goto("http://x/?<secret:PIN>");`},
		{"a name of a secret in a new tab", act(cua.Action{Kind: cua.NewTab, URL: "http://x/?<secret:PIN>"}), `page.goto("http://x/?<secret:PIN>");`},
		{"a page that names a secret", with(aimed(cua.Click, "button:Save"), func(s *cua.Step) {
			s.After.URL, s.After.Title = "http://x/a?<secret:PIN>", "<secret:PIN>"
		}), "// The end.\n  await expect(page).toHaveURL(new RegExp(\"^http://x/a\\\\?\"));\n});"},
		{"what a policy refused", with(typed("pw", "<secret:PIN>"), func(s *cua.Step) {
			s.Failure = &cua.Failure{Kind: cua.FailPolicy}
			s.Effect = &cua.Effect{Progress: make([]cua.Change, 1)}
		}), "page.goto(\"\");\n  // The end."},
		{"a whole date", typed("date", "2030-01-31"), `getByLabel("Day", { exact: true }).fill("2030-01-31");`},
		{"a part of a date", typed("date", "01"), `page.keyboard.type("01");`},
		{"letters that turn", typed("full", "a\u202eb"), `page.keyboard.type("a\u{202e}b");`},
		{"chords", act(cua.Action{Kind: cua.Key, Keys: "ctrl+a Page_Down +"}), "press(\"Control+a\");\n  await page.keyboard.press(\"PageDown\");\n  await page.keyboard.press(\"+\");"},
		{"an address", act(cua.Action{Kind: cua.Navigate, URL: "http://x/"}), `page.goto("http://x/");`},
		{"a new tab", act(cua.Action{Kind: cua.NewTab, URL: "http://x/"}), "page = await context.newPage();"},
		{"an alert", with(aimed(cua.Click, "button:Save"), func(s *cua.Step) { s.After.Alerts = []string{"x"} }), "answers.push((d) => d.accept());\n"},
		{"a control that a gate chose", with(aimed(cua.Click, "a"), func(s *cua.Step) {
			s.Action = &cua.Action{Kind: cua.Type, Into: "full", Text: "x", Clear: true}
			s.Rulings = []cua.Ruling{{Verdict: cua.Replace}}
		}), `getByRole('textbox', { name: "Note", exact: true }).fill("x");`},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr := &trajectories.Trajectory{Start: page, Steps: []cua.Step{row.step}}
			var b bytes.Buffer
			must(t, writePlaywright(&b, tr))
			if !strings.Contains(b.String(), row.want) {
				t.Errorf("%s\nhas no %s", b.String(), row.want)
			}
		})
	}
}

// What a rewind undid, what failed and what only looked is not in a test.
func TestAPlaywrightTestHasLiveStepsAlone(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps[5].RewoundTo = 2
	tr.Steps[6].Failure, tr.Steps[6].Effect = &cua.Failure{Kind: cua.FailTimeout}, nil
	var b bytes.Buffer
	must(t, writePlaywright(&b, tr))
	for n, want := range map[string]bool{"// 1 ": true, "// 2 ": false, "// 4 ": false, "// 7 ": false} {
		if strings.Contains(b.String(), n) != want {
			t.Errorf("step %q is in it: %v\n%s", n, !want, b.String())
		}
	}
}
