package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
)

var update = flag.Bool("update", false, "rewrite testdata; commit the change only if you understand it")

// example is the file that docs/detection.md shows: four short trajectories written by hand.
var example = filepath.Join("..", "..", "docs", "examples", "trajectories.jsonl")

// golden compares got with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\ngot\n%s\nwant\n%s", path, got, want)
	}
}

func TestDetectGoldens(t *testing.T) {
	labels := filepath.Join("testdata", "labels.jsonl")
	for _, row := range []struct {
		name string
		args []string
	}{
		{"detect.txt", nil},
		{"detect.json", []string{"--json"}},
		{"detect-alarms.txt", []string{"--list", "alarms"}},
		{"detect-eval.txt", []string{"--eval", "--list", "none", "--labels", labels, "--group", "calendars=date"}},
		{"detect-eval.json", []string{"--eval", "--json", "--list", "none", "--labels", labels}},
		{"detect-classic.json", []string{"--json", "--arm", "classic"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, append([]string{"detect", example}, row.args...)...)
			if code != exitOK || stderr != "" {
				t.Errorf("exit code %d, %q", code, stderr)
			}
			golden(t, row.name, out)
		})
	}
}

// detectedLine is a line of --json.
type detectedLine struct {
	ID        string                    `json:"id"`
	Signals   []benchmarks.DetectedFrom `json:"signals"`
	FirstSoft *int                      `json:"first_soft"`
	FirstHard *int                      `json:"first_hard"`
	Incidents []struct {
		ID    string `json:"id"`
		First int    `json:"first_step"`
		Last  int    `json:"last_step"`
	} `json:"incidents"`
}

func detectedLines(t *testing.T, out string) map[string]detectedLine {
	t.Helper()
	lines := map[string]detectedLine{}
	for text := range strings.Lines(out) {
		var l detectedLine
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines[l.ID] = l
	}
	return lines
}

// Three presses of a dead button are one loop, whatever the input calls its steps.
func TestDetectNamesStepsAsTheInputDoes(t *testing.T) {
	var steps []string
	for i := range 6 {
		steps = append(steps, fmt.Sprintf(`{"index":%d,"action_type":"click","target":"role=button name=Go","observation_hash":"a"}`, 100+10*i))
	}
	input := `{"id":"tens","final_observation_hash":"a","steps":[` + strings.Join(steps, ",") + "]}\n"
	var o, e bytes.Buffer
	if code := execute(&app{in: strings.NewReader(input), out: &o, err: &e}, []string{"detect", "-", "--json", "--only", "shape_repeat,effect_conditioning"}, nil); code != exitOK {
		t.Fatalf("exit code %d: %s", code, e.String())
	}
	l := detectedLines(t, o.String())["tens"]
	if l.FirstSoft == nil || *l.FirstSoft != 120 || len(l.Signals) != 1 || l.Signals[0].Step != 120 || l.Signals[0].Run != 6 {
		t.Errorf("%s", o.String())
	}
	if len(l.Incidents) != 1 || l.Incidents[0].ID != "i130" || l.Incidents[0].First != 130 || l.Incidents[0].Last != 150 {
		t.Errorf("incidents %+v: want the steps made under the signal, 130 to 150", l.Incidents)
	}
}

func TestDetectTakesTheConfigOfARun(t *testing.T) {
	first := func(args ...string) map[string]detectedLine {
		t.Helper()
		code, out, stderr := command(t, append([]string{"detect", example, "--json"}, args...)...)
		if code != exitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
		return detectedLines(t, out)
	}
	config := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(config, []byte(`{"detector":{"soft":4}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	base := first()
	if base["date-picker"].FirstSoft != nil || base["there-and-back"].FirstSoft == nil {
		t.Errorf("the defaults: %+v", base)
	}
	// Arguments alone see a loop in a date picker.
	classic := first("--arm", "classic")
	if classic["date-picker"].FirstSoft == nil {
		t.Errorf("--arm classic: %+v", classic)
	}
	only := []string{"--only", "shape_repeat,effect_conditioning"}
	for name, args := range map[string][]string{"--set": append(only, "--set", "detector.soft=4"), "--config": append(only, "--config", config)} {
		if got := first(args...)["dead-button"].FirstSoft; got == nil || *got != 4 {
			t.Errorf("%s: %v, want a signal after the fourth press: step 4", name, got)
		}
	}
	if got := first("--ablate", "shape_cycle,shape_revisit")["there-and-back"].FirstSoft; got != nil {
		t.Errorf("--ablate: a loop was found after step %d by shapes that are off", *got)
	}
}

// inputs are files that cannot be read, and what is said of each.
func inputs(t *testing.T, dir string) []struct{ name, path, says string } {
	t.Helper()
	good, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(bytes.Repeat(good, 50))
	z.Close()
	empty := filepath.Join(dir, "nothing")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	step := `{"index":0,"action_type":"click"}`
	return []struct{ name, path, says string }{
		{"a broken line", file("broken.jsonl", string(good)+"{\"id\":\"x\",\"steps\":[\n"), "broken.jsonl: line 5"},
		{"a line that is no JSON among others", file("noise.jsonl", "{\"id\":\"a\",\"steps\":["+step+"]}\nnonsense\n"), "noise.jsonl: line 2"},
		{"JSON that is something else", file("foreign.json", `{"name":"package","version":"1.0"}`), "foreign.json: line 1"},
		{"a coordinate that is no number", file("nan.jsonl", `{"id":"a","steps":[{"index":0,"action_type":"click","x":NaN,"y":1}]}`), "nan.jsonl: line 1"},
		{"a coordinate beyond all screens", file("far.jsonl", `{"id":"a","steps":[{"index":0,"action_type":"click","x":1e300,"y":1}]}`), "far.jsonl: line 1"},
		{"a step without an action", file("kind.jsonl", `{"id":"a","steps":[{"index":0}]}`), "kind.jsonl: line 1"},
		{"an empty file", file("empty.jsonl", ""), "empty.jsonl"},
		{"a file of another kind", file("image.jsonl", "\x89PNG\x1a\x00\x00"), "image.jsonl: line 1"},
		{"a gzip that is cut", file("cut.jsonl.gz", packed.String()[:packed.Len()/2]), "cut.jsonl.gz"},
		{"a gzip that is none", file("none.jsonl.gz", "\x1f\x8bnonsense"), "none.jsonl.gz"},
		{"a journal that is torn off at its start", file("torn.jsonl", `{"type":"header"`), "torn.jsonl"},
		{"a file that is not there", filepath.Join(dir, "absent.jsonl"), "no such file"},
		{"a folder without anything", empty, empty},
	}
}

// What cannot be read is named, the rest is scored, and the exit code says that something was wrong.
func TestDetectBadInput(t *testing.T) {
	for _, row := range inputs(t, t.TempDir()) {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, "detect", row.path, example, "--json")
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) || !strings.HasPrefix(stderr, "cua-runner: ") {
				t.Errorf("standard error %q: want one line that says %q", stderr, row.says)
			}
			if l := detectedLines(t, out); l["there-and-back"].FirstSoft == nil {
				t.Errorf("the file after it was not scored: %s", out)
			}
		})
	}
}

// A file that is something else altogether does not fill the screen.
func TestDetectBoundsFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat("12:00 nothing happened\n", 500)), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, stderr := command(t, "detect", path, path+".gone", example)
	if n := strings.Count(stderr, "\n"); code != exitUsage || n > maxFaults+2 || !strings.Contains(stderr, path+".gone") || !strings.Contains(out, "date-picker") {
		t.Errorf("exit code %d, %d lines of error, %s", code, n, out)
	}
}

// Flags are read before any input is.
func TestDetectBadFlags(t *testing.T) {
	dir := t.TempDir()
	labels := filepath.Join(dir, "labels.jsonl")
	if err := os.WriteFile(labels, []byte("\n{\"id\":\"a\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		says []string
	}{
		{"no input", nil, []string{"needs a file"}},
		{"an unknown format", []string{example, "--format", "xml"}, []string{`"xml"`, "auto, cua, neutral, browser-use"}},
		{"an unknown list", []string{example, "--list", "some"}, []string{`"some"`, "all, alarms, none"}},
		{"a config without detectors", []string{example, "--arm", "off"}, []string{"no detector"}},
		{"an unknown mechanism", []string{example, "--ablate", "brake"}, []string{`"brake"`}},
		{"a group without a pattern", []string{example, "--group", "dates"}, []string{"NAME=REGEXP", `"dates"`}},
		{"a group that is no pattern", []string{example, "--group", "dates=("}, []string{"--group dates", "missing closing"}},
		{"labels that are not there", []string{example, "--labels", filepath.Join(dir, "none")}, []string{"--labels", "no such file"}},
		{"labels that are none", []string{example, "--labels", labels}, []string{labels, "line 2"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, append([]string{"detect"}, row.args...)...)
			if code != exitUsage || out != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, standard output %q, standard error %q", code, out, stderr)
			}
			for _, s := range row.says {
				if !strings.Contains(stderr, s) {
					t.Errorf("%q does not say %q", stderr, s)
				}
			}
		})
	}
}

// One input gives the same lines as a file, packed, in a folder and through a pipe.
func TestDetectReadsFromEverywhere(t *testing.T) {
	good, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := command(t, "detect", example, "--json")
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(good)
	z.Close()
	gz := filepath.Join(dir, "a.jsonl.gz")
	if err := os.WriteFile(gz, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		in   io.Reader
		args []string
	}{
		{"gzip", nil, []string{gz}},
		{"a folder", nil, []string{dir}},
		{"a pipe", bytes.NewReader(good), []string{"-"}},
		{"a packed pipe", bytes.NewReader(packed.Bytes()), []string{"-"}},
		{"the format by name", nil, []string{example, "--format", "neutral"}},
	} {
		var o, e bytes.Buffer
		code := execute(&app{in: row.in, out: &o, err: &e}, append([]string{"detect", "--json"}, row.args...), nil)
		if code != exitOK || o.String() != want {
			t.Errorf("%s: exit code %d, %q, %s", row.name, code, e.String(), o.String())
		}
	}
}

// The file of the labels may lie among the trajectories: it is none, and no fault.
func TestDetectPassesOverTheLabels(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{example, filepath.Join("testdata", "labels.jsonl")} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := command(t, "detect", dir, "--labels", filepath.Join(dir, "labels.jsonl")); code != exitOK || stderr != "" {
		t.Errorf("with --labels: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, "detect", dir); code != exitUsage || !strings.Contains(stderr, "labels.jsonl") {
		t.Errorf("without: exit code %d, %q", code, stderr)
	}
}

// Ctrl-C prints what was found, also while the input stands still.
func TestDetectIsInterrupted(t *testing.T) {
	good, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	in, feed := io.Pipe()
	defer feed.Close()
	go func() { _, _ = feed.Write(good) }() // and then nothing, but no end either
	signals := make(chan os.Signal, 1)
	out := &lineWatch{text: "next-page", once: func() { signals <- os.Interrupt }}
	var stderr bytes.Buffer
	if code := execute(&app{in: in, out: out, err: &stderr}, []string{"detect", "-", "--eval"}, signals); code != exitInt {
		t.Errorf("exit code %d, want %d", code, exitInt)
	}
	for _, says := range []string{"(interrupted)", "Alarms", "note: Interrupted"} {
		if !strings.Contains(out.buf.String(), says) {
			t.Errorf("%q is not in\n%s", says, out.buf.String())
		}
	}
	if !strings.Contains(stderr.String(), "printing what was found") {
		t.Errorf("standard error %q", stderr.String())
	}
}

// What cannot be written ends the work at once.
func TestDetectIntoAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	var stderr bytes.Buffer
	code := execute(&app{in: strings.NewReader(""), out: full, err: &stderr}, []string{"detect", example}, nil)
	if code != exitInfra || !strings.Contains(stderr.String(), "no space left") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// docs/detection.md shows what the command prints.
func TestDetectionPageShowsTheExample(t *testing.T) {
	page := read(t, detectionPage)
	const line = "bin/cua-runner detect docs/examples/trajectories.jsonl"
	_, rest, ok := strings.Cut(page, line+"\n")
	if !ok {
		t.Fatalf("the page does not show %q", line)
	}
	_, rest, _ = strings.Cut(rest, "\n```\n")
	shown, _, _ := strings.Cut(rest, "```")
	if _, out, _ := command(t, "detect", example); shown != out {
		t.Errorf("the page shows\n%s\nbut the command prints\n%s", shown, out)
	}
}

// TestDetectByEffectsAlone: where a run tells effects and no pages, they are what there is to go by.
func TestDetectByEffectsAlone(t *testing.T) {
	for effect, want := range map[bool]bool{false: true, true: false} {
		var steps []string
		for i := range 12 {
			steps = append(steps, fmt.Sprintf(`{"index":%d,"action_type":"click","target":"button %d","effect":%v}`, i, i, effect))
		}
		path := filepath.Join(t.TempDir(), "run.jsonl")
		if err := os.WriteFile(path, []byte(`{"id":"a","steps":[`+strings.Join(steps, ",")+`]}`), 0o644); err != nil {
			t.Fatal(err)
		}
		code, out, stderr := command(t, "detect", path, "--json")
		var line detectedLine
		if err := json.Unmarshal([]byte(out), &line); err != nil || code != exitOK || stderr != "" {
			t.Fatal(err, code, stderr)
		}
		if got := line.FirstHard != nil; got != want {
			t.Errorf("effect %v: %s", effect, out)
		}
	}
}

// steps is a trajectory of equal steps on one page, the last page included.
func dead(id, step string, n int) string {
	return `{"id":"` + id + `","final_observation_hash":"a","steps":[` + strings.Repeat(step+",", n-1) + step + "]}\n"
}

// detectText is what detect prints of a text on standard input.
func detectText(t *testing.T, text string, args ...string) (code int, out, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(&app{in: strings.NewReader(text), out: &o, err: &e}, append([]string{"detect", "-"}, args...), nil)
	return code, o.String(), e.String()
}

// The table says in a phrase what looped. Steps without an index are numbered from 0.
func TestDetectSaysWhatLooped(t *testing.T) {
	for _, row := range []struct{ name, step, says string }{
		{"a dead button", `{"action_type":"click","target":"role=button name=Go","observation_hash":"a"}`,
			"steps 0–8: click \"Go\" ×9, page unchanged"},
		{"a press of a point, where no page is known", `{"action_type":"click","x":10,"y":20}`,
			"steps 0–8: click at 10,20 ×9, nothing is known of the page"},
		{"errors", `{"action_type":"click","target":"Go","error":"element_not_found: none","observation_hash":"a"}`,
			"steps 0–8: click \"Go\" ×9, failed each time"},
		{"waits", `{"action_type":"wait","wait_ms":10000,"observation_hash":"a"}`, "steps 0–8: wait 10 s ×9, page unchanged"},
	} {
		t.Run(row.name, func(t *testing.T) {
			text := dead("a", row.step, 9)
			if strings.Contains(row.name, "no page") {
				text = strings.Replace(text, `"final_observation_hash":"a",`, "", 1)
			}
			code, out, stderr := detectText(t, text)
			if code != exitOK || stderr != "" || !strings.Contains(out, "       "+row.says+"\n") {
				t.Errorf("exit code %d, %q\n%s\nwant %s", code, stderr, out, row.says)
			}
		})
	}
}

// A loop that lasts to the end of a log whose last page is unknown has cost its steps.
func TestDetectCountsWhatNobodyGotOutOf(t *testing.T) {
	step := `{"action_type":"click","target":"Go","observation_hash":"a"}`
	text := strings.Replace(dead("a", step, 12), `"final_observation_hash":"a",`, "", 1)
	code, out, _ := detectText(t, text, "--json")
	if code != exitOK || !strings.Contains(out, `"outcome":"ended"`) || strings.Contains(out, "recovered") {
		t.Errorf("exit code %d, %s", code, out)
	}
	if _, out, _ := detectText(t, text); !strings.Contains(out, "inside incidents (1): 9, wasted: 9") {
		t.Errorf("%s", out)
	}
}

// A field that is nearly one of ours is told, once a file; a field of another name is not.
func TestDetectWarnsOfNamesThatAreNearlyOurs(t *testing.T) {
	text := `{"id":"a","agent":"x","steps":[{"action_type":"click","tagret":"Go"}]}` + "\n" +
		`{"id":"b","steps":[{"action_type":"click","tagret":"Go","URL":"https://a.test/","observation_sim":"1"}]}` + "\n"
	code, out, stderr := detectText(t, text)
	want := "cua-runner: warning: -: line 1: unknown field \"tagret\": is \"target\" meant?\n" +
		"cua-runner: warning: -: line 2: field \"URL\" is taken for \"url\"\n"
	if code != exitOK || stderr != want || !strings.Contains(out, "trajectories: 2") {
		t.Errorf("exit code %d, %q, want %q\n%s", code, stderr, want, out)
	}
}

// Other logs keep their names.
func TestDetectMapsNames(t *testing.T) {
	text := `{"id":"a","trace":[` + strings.TrimSuffix(strings.Repeat(`{"action":"click","selector":"Go","target":7,"page":"a"},`, 6), ",") + `]}`
	code, out, stderr := detectText(t, text, "--map", "steps=trace,target=selector", "--map", "action_type=action,observation_hash=page")
	if code != exitOK || stderr != "" || !strings.Contains(out, "click \"Go\"") {
		t.Errorf("exit code %d, %q\n%s", code, stderr, out)
	}
	for arg, says := range map[string]string{"tarvet=x": `is "target" meant`, "target": "want OURS=THEIRS"} {
		if code, out, stderr := detectText(t, text, "--map", arg); code != exitUsage || out != "" || !strings.Contains(stderr, says) {
			t.Errorf("--map %s: exit code %d, %q, %q", arg, code, stderr, out)
		}
	}
}

// Where nothing could be read there is no table of zeros.
func TestDetectPrintsNothingOfNothing(t *testing.T) {
	for _, args := range [][]string{nil, {"--eval"}, {"--json", "--eval"}, {"--list", "none"}} {
		code, out, stderr := command(t, append([]string{"detect", filepath.Join(t.TempDir(), "absent.jsonl")}, args...)...)
		if code != exitUsage || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out, stderr)
		}
	}
}

// Where a log has screenshots only, frames that are nearly equal are one page; a typed character makes another.
func TestDetectByScreenshotsAlone(t *testing.T) {
	hash := func(bits int) string { return fmt.Sprintf("%064x", 1<<bits-1) }
	step := func(i, bits int) string {
		return fmt.Sprintf(`{"action_type":"click","target":"Go","observation_hash":"%d","screenshot_phash256":"%s"}`, i, hash(bits))
	}
	for _, row := range []struct {
		name string
		bits func(i int) int
		soft bool
	}{
		{"a dead button beside a clock", func(i int) int { return i % 3 }, true},
		{"three screens in a circle", func(i int) int { return 20 * (i % 3) }, true},
		{"a new screen each time", func(i int) int { return 4 * i }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			var steps []string
			for i := range 14 {
				steps = append(steps, step(i, row.bits(i)))
			}
			text := fmt.Sprintf(`{"id":"a","final_observation_hash":"end","final_screenshot_phash256":"%s","steps":[%s]}`, hash(row.bits(14)),
				strings.Join(steps, ","))
			_, out, stderr := detectText(t, text, "--json")
			if got := detectedLines(t, out)["a"].FirstSoft != nil; got != row.soft || stderr != "" {
				t.Errorf("soft %v, want %v: %s %s", got, row.soft, out, stderr)
			}
		})
	}
}
