package runner_test

import (
	"os"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// pickers is a page of controls whose pickers belong to the browser, the last so low that its list opens
// above it. The times hold a value: the picker of an empty one shows the clock of this machine, which moves
// on.
const pickers = `<title>Pickers</title><style>*{caret-color:transparent}</style><p><label>Country <select id=c style="width:90px"><option>Choose<option>Austria<option>Norway, a country far in the north of Europe</select></label>
<p><label>Day <input type=date onclick=showPicker()></label><p><label>Hour <input type=time value="10:30" onclick=showPicker()></label><p><label>When <input type=datetime-local value="2026-03-05T10:30" onclick=showPicker()></label><p><label>Colour <input type=color></label><p><label>File <input type=file></label>
<p style="padding-left:1080px"><label>Edge <select style="width:60px"><option>1<option>a list that is wider than its control by far</select></label><p><label>Large <select style="font-size:30px"><optgroup label=A><option>one<option>two</optgroup><option>three</select></label>
<style>.own,.own::picker(select){appearance:base-select}</style><p><label>Own <select class=own><option>one<option>two</select></label> <button type=button>Idle</button>
<p dir=rtl><label>Mirrored <select style="width:60px"><option>1<option>a list that is wider than its control by far</select></label><p style="margin-top:100px"><label>Low <select id=low></select></label><script>for(let i=0;i<60;i++)low.add(new Option('item '+i))</script>`

// fullBrowsers are the browsers that are installed: a picker may show otherwise in another one.
func fullBrowsers(t *testing.T) map[string]*browser.Browser {
	t.Helper()
	out := map[string]*browser.Browser{"default": chromium.Get(t)}
	const full = "/usr/lib/chromium/chromium"
	if _, err := os.Stat(full); err != nil || os.Getenv("CUA_BROWSER") != "" || !out["default"].Info().Shell {
		return out
	}
	out["new headless"] = browsertest.Launch(t, browser.Options{Path: full})
	return out
}

// playIn plays a script in browser b under cfg. What was recorded must be sound.
func playIn(t *testing.T, b *browser.Browser, cfg runner.Config, task cua.Task,
	script ...cua.Scripted) *trajectories.Trajectory {
	t.Helper()
	s, err := b.NewSession(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir() + "/episode"
	r := &runner.Runner{Brain: overseen(t, brain.Scripted{Script: script}), Env: s, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "episode", Brain: trajectories.BrainInfo{Name: "scripted"}}}
	if _, err := r.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	return sound(t, dir)
}

// configOf is an arm without the gates that would step in.
func configOf(t testing.TB, arm string, off func(*cua.Toggles)) runner.Config {
	t.Helper()
	cfg, err := runner.DefaultConfig().Arm(arm)
	if err != nil {
		t.Fatal(err)
	}
	if off != nil {
		off(&cfg.Toggles)
	}
	return cfg
}

// repeatClick is n clicks on one control.
func repeatClick(name string, n int) (out []cua.Scripted) {
	for range n {
		out = append(out, click(name))
	}
	return out
}

// A popup that the browser itself opens and closes beside a control is no progress, wherever it shows.
func TestPickersAreNoProgress(t *testing.T) {
	t.Parallel() // most of it is waiting
	site := pages(t, map[string]string{"/": pickers})
	all := []string{"Country", "Day", "Hour", "When", "Colour", "File", "Edge", "Large", "Own",
		"Mirrored", "Low"}
	for name, b := range fullBrowsers(t) {
		controls := all
		if name != "default" {
			controls = []string{"Country", "Day", "Edge", "Low"}
		}
		for _, control := range controls {
			t.Run(name+"/"+control, func(t *testing.T) {
				tr := playIn(t, b, configOf(t, "detectors", nil), cua.Task{ID: "pickers", URL: site.URL},
					repeatClick(control, 8)...)
				succeeded(t, tr, 8)
				opened := 0
				for _, s := range tr.Steps[:8] {
					opened += len(s.After.Pickers)
					if s.Effect.Any() {
						t.Errorf("step %d had the effect %v in tiles %v, the pickers being %v", s.N,
							s.Effect.Progress, s.Effect.Tiles.Progress(), s.After.Pickers)
					}
				}
				if control != "File" && opened == 0 {
					t.Error("no picker ever opened")
				}
				if !signalled(tr, 8, "repeat") {
					t.Errorf("no repeat among %+v", tr.Steps[7].Signals)
				}
			})
		}
	}
}

// signalled reports whether shape held at soft level or above at step n.
func signalled(tr *trajectories.Trajectory, n int, shape cua.Shape) bool {
	for _, s := range tr.Steps[n-1].Signals {
		if s.Shape == shape && s.Level.AtLeast(cua.Soft) {
			return true
		}
	}
	return false
}

// A list that another press closes, and one that a person works with: choosing is progress, and so is a menu
// of the page's own.
func TestPickersAndProgress(t *testing.T) {
	t.Parallel() // most of it is waiting
	site := pages(t, map[string]string{"/": pickers + `<p><button type=button onclick="m.hidden=!m.hidden">Menu</button><ul id=m hidden><li>Open<li>Save</ul>`})
	task := cua.Task{ID: "pickers", URL: site.URL}
	for _, tt := range []struct {
		name   string
		script []cua.Scripted
		want   []cua.Change // of the last step
	}{
		{"a press elsewhere closes the list", []cua.Scripted{click("Country"), click("Idle")}, nil},
		{"Escape closes the list", []cua.Scripted{click("Country"), key("Escape")}, nil},
		{"an option by value", []cua.Scripted{click("Country"), on("Country", cua.Action{Kind: cua.Select, Text: "Austria"})}, []cua.Change{cua.ChangeForm}},
		{"an option by its letter, the list open", []cua.Scripted{click("Country"), key("Down"), key("Return")}, []cua.Change{cua.ChangeForm}},
		{"an option by its letter, the list closed", []cua.Scripted{click("Country"), key("Escape"), key("N")}, []cua.Change{cua.ChangeForm}},
		{"a date by value", []cua.Scripted{on("Day", cua.Action{Kind: cua.Type, Text: "2026-03-05"})}, []cua.Change{cua.ChangeForm}},
		{"a menu of the page's own", []cua.Scripted{click("Menu")}, []cua.Change{cua.ChangeDOM}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := playIn(t, chromium.Get(t), configOf(t, "detectors", nil), task, tt.script...)
			succeeded(t, tr, len(tt.script))
			e := tr.Steps[len(tt.script)-1].Effect
			if e.Any() != (tt.want != nil) {
				t.Fatalf("the effect is %+v, want %v", e, tt.want)
			}
			for _, c := range tt.want {
				if !e.Has(c) {
					t.Errorf("%s is not among %v", c, e.Progress)
				}
			}
		})
	}
}

// A brain that only clicks a list gets stuck, and the rescue table sets the list by value.
func TestAListThatIsOnlyClickedIsSetByValue(t *testing.T) {
	site := pages(t, map[string]string{"/": pickers})
	task := cua.Task{ID: "pickers", URL: site.URL, Fields: values("Country", "Austria")}
	cfg := configOf(t, "default", func(on *cua.Toggles) { on.FormController = false })
	tr := playIn(t, chromium.Get(t), cfg, task, repeatClick("Country", 12)...)
	for i := range tr.Steps {
		s := &tr.Steps[i]
		if s.RecoveryReason != cua.UseControl {
			continue
		}
		if s.Action == nil || s.Action.Kind != cua.Select || s.Action.Text != "Austria" || s.Failure != nil ||
			!s.Effect.Has(cua.ChangeForm) {
			t.Errorf("step %d: %+v, failure %v, effect %+v", s.N, s.Action, s.Failure, s.Effect)
		}
		for _, f := range s.After.Fields {
			if f.Label == "Country" && f.Selected != "Austria" {
				t.Errorf("the list shows %q", f.Selected)
			}
		}
		return
	}
	for i := range tr.Steps {
		t.Log(show.StepLine(&tr.Steps[i]))
	}
	t.Errorf("nothing set the list; the end is %+v", tr.End)
}
