package trajectories

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

// The golden episode: a brain that clicks where it should type, on a page whose title and
// whose brain are hostile. It holds each record type and each kind of ruling that is shown.

const (
	hostileTitle   = `Harbour</script><img src=x onerror="document.title='owned'">`
	hostileThought = "The field is focused.\x1b[31m I click " +
		"<b>again</b>.\n=HYPERLINK(\"http://evil.example\")"
)

var golden = struct {
	name, pass, button cua.Point
}{cua.Point{X: 320, Y: 178}, cua.Point{X: 320, Y: 250}, cua.Point{X: 320, Y: 313}}

// clock counts up, so that a golden journal is byte-stable.
func clock() func() time.Time {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

var must = taletest.Must

func page(t testing.TB, w *Writer, frame string) cua.Observation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "frames", frame+".png"))
	must(t, err)
	sha, err := w.Blob(data)
	must(t, err)
	o := cua.Observation{URL: "http://127.0.0.1:8080/login", Title: hostileTitle, Document: "d1",
		Viewport: cua.Size{W: 640, H: 400}, FormDigest: "f-" + frame, DOMDigest: "dom",
		DOMParts: map[string]string{"main": "1f"}, FrameSHA: sha,
		Fields: []cua.Field{
			{ID: "textbox:User name", Role: "textbox", Name: "User name", Tag: "input", Type: "text", Form: "form", Box: cua.Box{X: 170, Y: 158, W: 300, H: 39}, Editable: true, Empty: frame == "empty"},
			{ID: "textbox:Password", Role: "textbox", Name: "Password", Tag: "input", Type: "password", Form: "form", Box: cua.Box{X: 170, Y: 230, W: 300, H: 39}, Editable: true, Empty: frame != "both"}},
		Forms: []cua.Form{{ID: "form", Default: &cua.Control{ID: "button:Sign in", Role: "button",
			Name: "Sign in", Text: "Sign in", Tag: "button", Form: "form", Submit: true}}}}
	if frame == "both" {
		o.Focus = new(o.Fields[1])
	}
	return o
}

// writeEpisode writes the golden episode into dir.
func writeEpisode(t testing.TB, dir string) {
	t.Helper()
	now := clock()
	w, err := Create(dir, goldenHeader(now))
	must(t, err)
	defer w.Close()
	must(t, w.Start(page(t, w, "empty")))
	for i, s := range goldenSteps(t, w) {
		s.N, s.Decision, s.By = i+1, i+1, "heuristic+fault"
		s.Usage = cua.Usage{InputTokens: 1200 + 10*i, OutputTokens: 40, CachedTokens: 800, USD: new(0.0025)}
		s.Timing = cua.Timing{Decide: 20, Locate: 3, Act: 12.5, Verify: 1}
		if i > 0 { // journals of before have no time in a step
			s.AtMS = goldenHeader(clock()).Started.Add(time.Duration(i) * time.Second).UnixMilli()
		}
		if s.Action != nil && !s.Action.Kind.Ends() {
			must(t, w.Intent(cua.Intent{Number: s.N, Action: *s.Action}))
		}
		if s.N == 6 {
			must(t, w.Event(Event{Kind: InterruptedEvent, At: now(),
				Intent: &cua.Intent{Number: 6, Action: *s.Action}}))
			after := page(t, w, "name")
			must(t, w.Event(Event{Kind: ResumeEvent, At: now(), Detail: "killed before", After: &after}))
			must(t, w.Intent(cua.Intent{Number: s.N, Action: *s.Action}))
		}
		must(t, w.Step(&s))
	}
	must(t, w.Event(Event{Kind: FaultEvent, At: now(), Detail: "browser gone"}))
	must(t, w.End(End{Reason: cua.EndDone, Success: true, Answer: "Signed in as ada.",
		Reward: new(1.0), At: now(),
		Totals: Totals{Steps: 8, Tokens: 10200, USD: new(0.02), DurationMS: 1234}}))
}

func goldenGates() []string {
	return []string{"limits", "policy", "done", "force_fill", "rescue"}
}

func goldenHeader(now func() time.Time) Header {
	h := Header{ID: "0dt46sua8k0000000000000000", Episode: EpisodeID("t1-login", "default", 3, 1),
		Arm: "default", Attempt: 1, Task: cua.Task{ID: "t1-login",
			Goal: "Sign in as ada and say who is signed in.", URL: "http://127.0.0.1:8080/login", Seed: 3,
			Fields: []cua.PlanValue{{Label: "User name", Value: "ada"},
				{Label: "Password", Value: "<secret:PASSWORD>"}}},
		Config: json.RawMessage(`{"detector":{"soft":3,"hard":8}}`), Toggles: cua.AllOn(),
		Detectors: []string{"repeat", "drift", "frozen"}, Advisors: []string{"nudge"}, Gates: goldenGates(),
		Brain: BrainInfo{Name: "heuristic", Settings: json.RawMessage(`{"click_fixation":1}`)}, Viewport: cua.Size{W: 640, H: 400},
		Browser: BrowserInfo{Name: "chromium-headless-shell", Version: "156.0",
			Flags: []string{"--disable-gpu"}},
		Build: Build{Version: "v0.1.0", Revision: "0123abc", Go: "go1.26"},
		Host:  Host{OS: "linux", Arch: "amd64", CPUs: 2, MemoryMB: 3900}, Started: now()}
	return h
}

func goldenSteps(t testing.TB, w *Writer) []cua.Step {
	g := golden
	field := cua.Target{ID: "textbox:User name", Role: "textbox", Name: "User name", Tag: "input",
		Box: cua.Box{X: 170, Y: 158, W: 300, H: 39}, Point: &g.name, Editable: true,
		Field: "textbox:User name"}
	button := cua.Target{ID: "button:Sign in", Role: "button", Name: "Sign in", Text: "Sign in",
		Tag: "button", Form: "form", Clickable: true, Box: cua.Box{X: 170, Y: 293, W: 300, H: 39},
		Point: &g.button, Submit: true}
	click := cua.Action{Kind: cua.Click, Point: &g.name, Why: "focus the field"}
	press := cua.Action{Kind: cua.Click, Point: &g.button}
	key := func(k string) *cua.Action { return &cua.Action{Kind: cua.Key, Keys: k} }
	typed := &cua.Action{Kind: cua.Type, Text: "ada", Point: &g.name, Clear: true}
	loop := func(level cua.Level, run int) []cua.Signal {
		return []cua.Signal{{Shape: cua.ShapeRepeat, Level: level, Run: run, Since: 1, Target: field.ID,
			Evidence: []int{1, 2, 3}},
			{Shape: cua.ShapeDrift, Level: cua.NoteLevel, Run: run, Since: 1, Score: 1.5, Evidence: []int{1, 2, 3}}}
	}
	pass := func(gates ...string) (out []cua.Ruling) {
		for _, name := range gates {
			out = append(out, cua.Ruling{Gate: name, Verdict: cua.Pass})
		}
		return out
	}
	replace := func(reason cua.Reason, a *cua.Action, detail string) []cua.Ruling {
		return append(pass("limits", "policy", "done", "force_fill"),
			cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: string(reason), Detail: detail,
				Action: a, Evidence: []int{1, 2, 3}})
	}
	empty, name, both, welcome := page(t, w, "empty"), page(t, w, "name"), page(t, w, "both"),
		page(t, w, "welcome")
	focus := &cua.Effect{Presentation: []cua.Change{cua.ChangeFocus}}
	filled := &cua.Effect{Progress: []cua.Change{cua.ChangeForm, cua.ChangePixels},
		AtTarget: []cua.Change{cua.ChangeForm},
		Tiles: &cua.TileDiff{Cols: 20, Rows: 13, Changed: cua.TileSet{105, 106},
			Box: cua.Box{X: 160, Y: 160, W: 64, H: 32}, Share: 0.0077, Region: true}}
	secret := &cua.Effect{Progress: filled.Progress, AtTarget: filled.AtTarget,
		Tiles: &cua.TileDiff{Cols: 20, Rows: 13, Changed: cua.TileSet{145, 146, 147},
			Box: cua.Box{X: 160, Y: 224, W: 96, H: 32}, Share: 0.0115, Region: true}}
	sent := &cua.Effect{Progress: []cua.Change{cua.ChangeDOM, cua.ChangeWrite}, Parts: []string{"main"}}
	seen, unseen := true, false
	password := field
	password.ID, password.Name, password.Field, password.Point, password.Box = "textbox:Password", "Password",
		"textbox:Password", &g.pass, cua.Box{X: 170, Y: 230, W: 300, H: 39}
	return []cua.Step{
		{Proposed: click, Action: &click, Thought: hostileThought, Target: field, Rulings: pass(goldenGates()...), Effect: focus, After: empty, Settle: &cua.Settle{MS: 7, Frame: "screencast"}},
		{Proposed: click, Action: &click, Target: field, Rulings: pass(goldenGates()...), Effect: &cua.Effect{}, After: empty, EffectObserved: &unseen, EffectReason: cua.GlobalAndRegionStable,
			Feedback: "WARNING: no observed effect (global_and_region_stable)"},
		{Proposed: click, Action: &click, Target: field, Effect: &cua.Effect{}, After: empty, Rulings: pass(goldenGates()...), Repetition: &cua.Repetition{Count: 3, Target: field.ID},
			Feedback: "Note: 3rd consecutive click on this element without a fresh look — verify visually " +
				"or report current state instead of clicking again."},
		{Proposed: click, Action: typed, Target: field, Signals: loop(cua.Soft, 3), Notes: []cua.Note{{From: "nudge", Level: 1, Text: "Three clicks on User name changed nothing. Type into it."}},
			Rulings:        replace(cua.TypePendingValue, typed, "User name is focused and empty"),
			RecoveryReason: cua.TypePendingValue, Effect: filled, After: name, Incident: "i4"},
		{Proposed: cua.Action{Kind: cua.Done, Success: true, Text: ""}, Rulings: append(pass("limits", "policy"), cua.Ruling{Gate: "done", Verdict: cua.Refuse, Reason: string(cua.EmptySummary), Detail: "say what was done"}),
			DoneRejected: cua.EmptySummary, Failure: &cua.Failure{Kind: cua.FailDoneRefused,
				Detail: "say what was done"}, After: name},
		{Proposed: cua.Action{Kind: cua.Type, Text: "<secret:PASSWORD>", Point: &g.pass}, Action: &cua.Action{Kind: cua.Type, Text: "<secret:PASSWORD>", Point: &g.pass}, Target: password, Effect: secret, After: both, Rulings: pass(goldenGates()...)},
		{Proposed: press, Action: key("Return"), Target: button, Signals: loop(cua.Hard, 6), Rulings: replace(cua.PressReturnForSubmit, key("Return"), "the button ate two clicks"), RecoveryReason: cua.PressReturnForSubmit,
			EffectObserved: &seen, EffectReason: cua.GlobalAndRegionChanged, Effect: sent, After: welcome,
			Incident: "i4"},
		{Proposed: cua.Action{Kind: cua.Done, Success: true, Text: "Signed in as ada."}, Action: &cua.Action{Kind: cua.Done, Success: true, Text: "Signed in as ada."}, Rulings: pass(goldenGates()...), After: welcome},
	}
}
