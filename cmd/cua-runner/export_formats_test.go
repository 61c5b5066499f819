package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordedRun is the folder of the golden episode.
func recordedRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	from := filepath.Join(root, "trajectories", "testdata")
	frames, err := filepath.Glob(filepath.Join(from, "frames", "*.png"))
	if err != nil || len(frames) == 0 {
		t.Fatal("no frames", err)
	}
	files := map[string]string{"journal.jsonl": read(t, filepath.Join(from, "episode.jsonl"))}
	for _, f := range frames {
		data := read(t, f)
		sum := sha256.Sum256([]byte(data))
		files[filepath.Join("blobs", hex.EncodeToString(sum[:]))] = data
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(data), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The table of exporters is what the help, the completion, the server and the docs name.
func TestOneTableOfExporters(t *testing.T) {
	page := read(t, docsPage("exports.md"))
	_, help, _ := command(t, "export", "--help")
	served := exports()
	for _, x := range exporters() {
		if !strings.Contains(page, "| `"+x.Name+"` |") || !strings.Contains(page, "--format "+x.Name+" ") {
			t.Errorf("docs/exports.md has no row or no example of %s", x.Name)
		}
		if !strings.Contains(help, "  "+x.Name+" ") {
			t.Errorf("the help does not name %s", x.Name)
		}
		if _, ok := served[x.Name]; ok != (x.Write != nil) {
			t.Errorf("the server has %s: %v", x.Name, ok)
		}
		if x.Write == nil && x.Folder == nil || x.Write != nil && (x.MediaType == "" || x.Ext == "") {
			t.Errorf("%s cannot be written, or its file has no type", x.Name)
		}
	}
	if names := exportFormats(); !slices.IsSorted(names) || len(slices.Compact(names)) != len(exporters()) {
		t.Errorf("%v", names)
	}
}

func TestExportUsage(t *testing.T) {
	run := recordedRun(t)
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"an unknown format", []string{"--format", "xml"}, "unknown format \"xml\"; known: " + strings.Join(exportFormats(), ", ")},
		{"unknown frames", []string{"--frames", "some"}, `unknown frames "some"; known: none, last, all`},
		{"an unknown layout", []string{"--format", "sft", "--layout", "x"}, "known: openai, llamafactory"},
		{"an unknown choice", []string{"--format", "sft", "--replaced", "x"}, "known: drop, dispatched, proposed"},
		{"an unknown log format", []string{"--format", "inspect", "--log-format", "zip"}, "known: json, eval"},
		{"two log formats", []string{"--format", "inspect", "--log-format", "json", "--out", "a.eval"}, "name two forms"},
		{"a folder without a name", []string{"--format", "dataset"}, "name it with --out"},
		{"two runs in one file", []string{run, "--format", "trace"}, "name a folder with --out"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"export", run}, row.args...)...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, row.says) {
				t.Errorf("%d: %q %q, want %q", code, stdout, stderr, row.says)
			}
		})
	}
}

// Training data without a sample is told of.
func TestExportWithoutASample(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	shortRun(t, run, "Buy a lamp")
	for _, format := range []string{"sft", "dpo"} {
		code, stdout, stderr := command(t, "export", run, "--format", format)
		if code != exitOK || stdout != "" || !strings.Contains(stderr, "no step of these runs is a sample") {
			t.Errorf("%s: %d %q %s", format, code, stdout, stderr)
		}
	}
}

// A file of one run has the extension of its format, any other name is a folder.
func TestExportToAFileOrAFolder(t *testing.T) {
	run := recordedRun(t)
	dir := t.TempDir()
	for out, want := range map[string]string{"one.zip": "one.zip", "many": "many/*.zip"} {
		code, _, stderr := command(t, "export", run, "--format", "trace", "--out", filepath.Join(dir, out))
		found, err := filepath.Glob(filepath.Join(dir, want))
		if code != exitOK || err != nil || len(found) != 1 {
			t.Errorf("%s: %d %v %s", out, code, found, stderr)
		}
	}
	logs := t.TempDir()
	for out, want := range map[string]string{"a.eval": "a.eval", "b.json": "b.json", "c": "c/*.json"} {
		args := []string{"export", run, "--format", "inspect", "--out", filepath.Join(logs, out)}
		code, _, stderr := command(t, args...)
		found, err := filepath.Glob(filepath.Join(logs, want))
		if code != exitOK || err != nil || len(found) != 1 {
			t.Errorf("%s: %d %v %s", out, code, found, stderr)
		}
	}
	kept := filepath.Join(dir, "many")
	if code, _, stderr := command(t, "export", run, "--format", "trace", "--out", kept); code != exitInfra ||
		!strings.Contains(stderr, "is not empty") {
		t.Errorf("%d %s", code, stderr)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v was left", entries)
	}
}
