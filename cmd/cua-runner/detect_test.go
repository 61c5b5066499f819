package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
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
	ID        string           `json:"id"`
	Signals   []detection.From `json:"signals"`
	FirstSoft *int             `json:"first_soft"`
	FirstHard *int             `json:"first_hard"`
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
	if code := execute(&app{in: strings.NewReader(input), out: &o, err: &e},
		[]string{"detect", "-", "--json", "--only", "shape_repeat,effect_conditioning"},
		nil); code != exitOK {
		t.Fatalf("exit code %d: %s", code, e.String())
	}
	l := detectedLines(t, o.String())["tens"]
	if l.FirstSoft == nil || *l.FirstSoft != 120 || len(l.Signals) != 1 || l.Signals[0].Step != 120 ||
		l.Signals[0].Run != 6 {
		t.Errorf("%s", o.String())
	}
	if len(l.Incidents) != 1 || l.Incidents[0].ID != "i130" || l.Incidents[0].First != 130 ||
		l.Incidents[0].Last != 150 {
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
	for name, args := range map[string][]string{"--set": append(only, "--set", "detector.soft=4"),
		"--config": append(only, "--config", config)} {
		if got := first(args...)["dead-button"].FirstSoft; got == nil || *got != 4 {
			t.Errorf("%s: %v, want a signal after the fourth press: step 4", name, got)
		}
	}
	if got := first("--ablate", "shape_cycle,shape_revisit")["there-and-back"].FirstSoft; got != nil {
		t.Errorf("--ablate: a loop was found after step %d by shapes that are off", *got)
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
	code = execute(&app{in: strings.NewReader(text), out: &o, err: &e},
		append([]string{"detect", "-"}, args...), nil)
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
	code, out, stderr := detectText(t, text, "--map", "steps=trace,target=selector", "--map",
		"action_type=action,observation_hash=page")
	if code != exitOK || stderr != "" || !strings.Contains(out, "click \"Go\"") {
		t.Errorf("exit code %d, %q\n%s", code, stderr, out)
	}
	for arg, says := range map[string]string{"tarvet=x": `is "target" meant`, "target": "want OURS=THEIRS"} {
		if code, out, stderr := detectText(t, text, "--map", arg); code != exitUsage || out != "" ||
			!strings.Contains(stderr, says) {
			t.Errorf("--map %s: exit code %d, %q, %q", arg, code, stderr, out)
		}
	}
}

// Where nothing could be read there is no table of zeros.
func TestDetectPrintsNothingOfNothing(t *testing.T) {
	for _, args := range [][]string{nil, {"--eval"}, {"--json", "--eval"}, {"--list", "none"}} {
		code, out, stderr := command(t, append([]string{"detect", filepath.Join(t.TempDir(), "absent.jsonl")},
			args...)...)
		if code != exitUsage || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d, %q, %q", args, code, out, stderr)
		}
	}
}

// Where a log has screenshots only, frames that are nearly equal are one page; a typed character makes
// another.
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
