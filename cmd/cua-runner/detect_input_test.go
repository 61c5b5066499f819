package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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

// An input that cannot be read is named, the rest is scored, and the exit code says that something was wrong.
func TestDetectBadInput(t *testing.T) {
	for _, row := range inputs(t, t.TempDir()) {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, "detect", row.path, example, "--json")
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) ||
				!strings.HasPrefix(stderr, "cua-runner: ") {
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
	if n := strings.Count(stderr, "\n"); code != exitUsage || n > maxFaults+2 ||
		!strings.Contains(stderr, path+".gone") || !strings.Contains(out, "date-picker") {
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
		{"an unknown format", []string{example, "--format", "xml"}, []string{`"xml"`, "auto, cua, neutral, browser-use, atif"}},
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
		code := execute(&app{in: row.in, out: &o, err: &e}, append([]string{"detect", "--json"},
			row.args...), nil)
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
	if code, _, stderr := command(t, "detect", dir, "--labels", filepath.Join(dir,
		"labels.jsonl")); code != exitOK || stderr != "" {
		t.Errorf("with --labels: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, "detect", dir); code != exitUsage ||
		!strings.Contains(stderr, "labels.jsonl") {
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
	if code := execute(&app{in: in, out: out, err: &stderr}, []string{"detect", "-", "--eval"},
		signals); code != exitInt {
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

// Output that cannot be written ends the work at once.
func TestDetectIntoAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	var stderr bytes.Buffer
	code := execute(&app{in: strings.NewReader(""), out: full, err: &stderr},
		[]string{"detect", example}, nil)
	if code != exitInfra || !strings.Contains(stderr.String(), "no space left") ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}
