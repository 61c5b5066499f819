package formats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

// journals are the golden episodes of package trajectories and of package runner.
func journals(t testing.TB) map[string]*trajectories.Trajectory {
	t.Helper()
	out := map[string]*trajectories.Trajectory{"episode": decoded(t, goldenJournal(t))}
	files, err := filepath.Glob("../../runner/testdata/*.txtar")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("no golden episodes of package runner")
	}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		must(t, err)
		for _, part := range ar.Files {
			if part.Name == "journal.golden" {
				out[filepath.Base(f)] = decoded(t, part.Data)
			}
		}
	}
	return out
}

func decoded(t testing.TB, journal []byte) *trajectories.Trajectory {
	t.Helper()
	tr, err := trajectories.Decode(bytes.NewReader(journal), "journal", "")
	must(t, err)
	return tr
}

// exported is t in the neutral form, read again.
func exported(t testing.TB, tr *trajectories.Trajectory) *Run {
	t.Helper()
	var b bytes.Buffer
	must(t, WriteNeutral(&b, []*trajectories.Trajectory{tr}))
	if bytes.Count(b.Bytes(), []byte("\n")) != 1 {
		t.Fatalf("not one line: %s", &b)
	}
	return readOne(t, b.String())
}

// same says in what two histories differ for the shapes that read them; "" is in nothing.
func same(a, b []cua.Sample) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d and %d steps", len(a), len(b))
	}
	node := func(s []cua.Sample, i int) string {
		if i == 0 {
			return s[0].Before
		}
		return s[i-1].After
	}
	for i := range len(a) + 1 {
		for j := range i {
			if (node(a, i) == node(a, j)) != (node(b, i) == node(b, j)) ||
				(node(a, i) == "") != (node(b, i) == "") {
				return fmt.Sprintf("nodes %d and %d: %q %q, %q %q", j, i, node(a, j), node(a, i), node(b, j),
					node(b, i))
			}
		}
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.Acting != y.Acting || x.Known && (!y.Known || x.Progress != y.Progress) ||
			x.Step.HasAction() != y.Step.HasAction() {
			return fmt.Sprintf("step %d: acting %v %v, known %v %v, progress %v %v", i, x.Acting, y.Acting,
				x.Known, y.Known, x.Progress, y.Progress)
		}
		if (x.Step.Failure == nil) != (y.Step.Failure == nil) || x.Step.Failure != nil &&
			x.Step.Failure.Kind != y.Step.Failure.Kind {
			return fmt.Sprintf("step %d failed as %v, %v", i, x.Step.Failure, y.Step.Failure)
		}
		for j := range i {
			if (x.Signature == a[j].Signature) != (y.Signature == b[j].Signature) {
				return fmt.Sprintf("signatures %d and %d: %q %q, %q %q", j, i, a[j].Signature, x.Signature,
					b[j].Signature, y.Signature)
			}
		}
	}
	return ""
}

func TestExportNeutralComesBack(t *testing.T) {
	for name, tr := range journals(t) {
		t.Run(name, func(t *testing.T) {
			run := exported(t, tr)
			if diff := same(tr.History().Samples(), run.History.Samples()); diff != "" {
				t.Error(diff)
			}
			for i, s := range tr.History().Samples() {
				got := run.History.Steps[i].Action
				if s.Step.Action == nil {
					continue
				}
				if want := countsAs(&s); got.Kind != want.Kind || got.Text != want.Text ||
					got.Keys != want.Keys || got.URL != want.URL || got.MS != want.MS || got.DY != want.DY {
					t.Errorf("step %d: %+v, want %+v", i, got, want)
				}
				if run.Index[i] != s.Step.N-1 ||
					run.History.Steps[i].Usage.Tokens() != s.Step.Usage.Tokens() ||
					run.History.Steps[i].Target.ID != s.Step.Target.ID {
					t.Errorf("step %d: %+v", i, run.History.Steps[i])
				}
			}
			if run.ID != tr.Header.Episode || run.Task != tr.Header.Task.Goal ||
				*run.Success != tr.End.Success || run.Source != "cua-runner/"+tr.Header.Arm &&
				tr.Header.Arm != "" {
				t.Errorf("%+v", run)
			}
		})
	}
}

// page is a page whose parts are main and, ticking, clock.
func ticking(main, clock string, scroll float64) cua.Observation {
	o := cua.Observation{URL: "http://a/", Document: "d", FormDigest: "f", DOMDigest: main + clock,
		DOMParts: map[string]string{"main": main, "clock": clock},
		Ambient:  cua.Ambient{Parts: []string{"clock"}}}
	o.Scroll.Y = scroll
	return o
}

func TestExportNeutralLeavesChurnOut(t *testing.T) {
	click := &cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 2}}
	moved := &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}, Parts: []string{"clock"}}
	header := trajectories.Header{Episode: "e", Viewport: cua.Size{W: 640, H: 400}}
	tr := &trajectories.Trajectory{Header: header,
		Start: ticking("1", "a", 0)}
	for i, o := range []cua.Observation{ticking("1", "b", 0), ticking("1", "c", 0), ticking("2", "d", 0),
		ticking("2", "e", 250), ticking("2", "f", 250)} {
		tr.Steps = append(tr.Steps, cua.Step{N: i + 1, Proposed: *click, Action: click,
			Effect: moved, After: o})
	}
	tr.Steps[2].Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}, Parts: []string{"clock", "main"}}
	tr.Steps[3].Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeScroll}}
	run := exported(t, tr)
	if diff := same(tr.History().Samples(), run.History.Samples()); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	must(t, WriteNeutral(&b, []*trajectories.Trajectory{tr}))
	line := b.String()
	// a scroll is in the hash of the structure
	for i, want := range []string{"none", "none", "dom", "dom", "none"} {
		if got := progress(run.History.Steps[i].Effect); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
		// What a reader without our effects would find is the same.
		bare := readOne(t, strings.NewReplacer(`"effect":true,`, "", `"effect":false,`, "").Replace(line))
		if got := progress(bare.History.Steps[i].Effect); got != want {
			t.Errorf("step %d by its hashes: %s, want %s", i, got, want)
		}
	}
}

func TestExportNeutralWords(t *testing.T) {
	at := &cua.Point{X: 1, Y: 2.5}
	for _, c := range []struct {
		a    cua.Action
		want string
	}{
		{cua.Action{Kind: cua.Click, Point: at}, `"action_type":"click","x":1,"y":2.5`},
		{cua.Action{Kind: cua.MiddleClick, Point: at}, `"action_type":"click","x":1,"y":2.5,"text":"middle button"`},
		{cua.Action{Kind: cua.Drag, Point: at, To: &cua.Point{X: 30, Y: 4}}, `"action_type":"drag","x":1,"y":2.5,"text":"to 30,4"`},
		{cua.Action{Kind: cua.Type, Text: "<secret:PIN>", Into: "textbox:PIN"}, `"action_type":"type","target":"textbox:PIN","text":"<secret:PIN>"`},
		{cua.Action{Kind: cua.Scroll, DY: -300}, `"action_type":"scroll","text":"0,-300"`},
		{cua.Action{Kind: cua.Navigate, URL: "http://a/?b&c"}, `"action_type":"goto","text":"http://a/?b&c"`},
		{cua.Action{Kind: cua.NewTab, URL: "http://a/"}, `"action_type":"tab","text":"http://a/"`},
		{cua.Action{Kind: cua.SwitchTab, Tab: 2}, `"action_type":"tab","text":"2"`},
		{cua.Action{Kind: cua.CloseTab}, `"action_type":"tab","text":"close 0"`},
		{cua.Action{Kind: cua.Wait, MS: 500}, `"action_type":"wait","wait_ms":500`},
		{cua.Action{Kind: cua.Upload, Files: []string{"a.txt"}}, `"action_type":"other","text":"upload a.txt"`},
		{cua.Action{Kind: cua.AnswerDlg, Accept: true}, `"action_type":"other","text":"dialog accept"`},
		{cua.Action{Kind: cua.Rewind, Step: 3}, `"action_type":"other","text":"rewind to step 3"`},
		{cua.Action{Kind: cua.Zoom}, `"action_type":"note"`},
		{cua.Action{Kind: cua.Ask, Text: "Which?"}, `"action_type":"note","text":"Which?"`},
		{cua.Action{Kind: cua.Done, Text: "no"}, `"action_type":"fail","text":"no"`},
	} {
		tr := &trajectories.Trajectory{Steps: []cua.Step{{N: 1, Proposed: c.a, Action: &c.a}}}
		var b bytes.Buffer
		must(t, WriteNeutral(&b, []*trajectories.Trajectory{tr}))
		if want := `{"id":"","source":"cua-runner","steps":[{"index":0,` + c.want + "}]}\n"; b.String() != want {
			t.Errorf("%s\nwant %s", &b, want)
		}
		run := readOne(t, b.String())
		if got := run.History.Steps[0]; got.Acting() != tr.Steps[0].Acting() {
			t.Errorf("%s: acting is %v", c.want, got.Acting())
		}
	}
}

func TestExportNeutralTellsAFullDisk(t *testing.T) {
	if err := WriteNeutral(brokenWriter{}, []*trajectories.Trajectory{{}}); err == nil ||
		!strings.Contains(err.Error(), "trajectories: exporting the neutral form: ") {
		t.Error(err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// The hashes of a page's picture leave with the page, before each step and at the end; a page without a frame
// has none.
func TestExportNeutralHasTheHashesOfPictures(t *testing.T) {
	view := strings.Repeat("0f", 32)
	j := &trajectories.Trajectory{}
	tl := taletest.Begin(j, &j.Header.Task, &j.Start, &j.Steps, nil)
	tl.J.Start.Fingerprint = &cua.Fingerprint{DHash64: "00ff00ff00ff00ff", PHash256: view}
	press := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 1}}
	tl.Brain(press, cua.Target{}).Brain(press, cua.Target{})
	tl.J.Steps[0].After.Fingerprint = nil
	tl.J.Steps[1].After.Fingerprint = &cua.Fingerprint{PHash256: view}
	var b bytes.Buffer
	if err := WriteNeutral(&b, []*trajectories.Trajectory{tl.J}); err != nil {
		t.Fatal(err)
	}
	var line struct {
		FinalView string `json:"final_screenshot_phash256"`
		Steps     []struct {
			View string `json:"screenshot_phash256"`
		}
	}
	if err := json.Unmarshal(b.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if len(line.Steps) != 2 || line.Steps[0].View != view || line.Steps[1].View != "" ||
		line.FinalView != view {
		t.Errorf("%s", b.String())
	}
}
