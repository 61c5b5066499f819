package main

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
)

// A dataset of a study, read by the script of docs/examples, gives the study's own main table; each of its
// columns is explained; and a broken
// folder beside the others is a warning.
func TestADatasetGivesTheStudysTable(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	study, data := filepath.Join(t.TempDir(), "study"), filepath.Join(t.TempDir(), "data")
	if code, out, errs := command(t, "bench", "--suite", "forms", "--task", "login", "--task", "boxes-and-buttons", "--seeds", "1", "--arms", "default,off",
		"--fault", "click_fixation=1", "--out", study, "--workers", "2"); code != exitOK && code != exitFailed {
		t.Fatalf("bench: exit code %d: %s%s", code, out, errs)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.MkdirAll(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, trajectories.JournalName), []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "export", study, broken, "--format", "dataset", "--out", data); code != exitFailed || !strings.Contains(errs, "left out: ") {
		t.Fatalf("export: exit code %d: %s", code, errs)
	}
	script, err := exec.Command("python3", "../../docs/examples/dataset.py", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, report, _ := command(t, "report", study, "--format", "md")
	_, table, ok := strings.Cut(report, "|---")
	if !ok {
		t.Fatalf("no table in %s", report)
	}
	got := strings.Split(strings.TrimSpace(string(script)), "\n")[1:]
	if len(got) != 2 {
		t.Errorf("the script says %q", got)
	}
	for _, line := range got {
		want := "| " + strings.ReplaceAll(line, ",", " | ") + " |"
		if !strings.Contains(strings.ReplaceAll(table, ",", ""), want) {
			t.Errorf("the study has no row\n%s\nin\n%s", want, table)
		}
	}
	explained(t, data)
	code, arms, errs := command(t, "replay", study, "--arms", "off,default")
	if rows := strings.Split(strings.TrimSpace(arms), "\n"); code != exitOK || len(rows) != 5 {
		t.Fatalf("replay --arms: exit code %d, %q %s", code, arms, errs)
	}
	for run, want := range map[string]string{"login@off.1-1": "as recorded +step \\d+: force_fill replace", "login@default.1-1": "step \\d+: all pass +as recorded"} {
		if !regexp.MustCompile(run + " .*" + want).MatchString(arms) {
			t.Errorf("no row of %s with %q in\n%s", run, want, arms)
		}
	}
}

// explained holds the tables of a dataset against its dictionary, both ways.
func explained(t *testing.T, data string) {
	t.Helper()
	read := func(table string) [][]string {
		f, err := os.Open(filepath.Join(data, table+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	said := map[string]bool{}
	for _, r := range read("columns")[1:] {
		if len(r) != 4 || r[2] == "" || r[3] == "" {
			t.Errorf("not explained: %q", r)
		}
		said[r[0]+"."+r[1]] = true
	}
	for _, table := range []string{"runs", "steps", "signals", "rulings", "incidents"} {
		for _, name := range read(table)[0] {
			if !said[table+"."+name] {
				t.Errorf("%s.%s is not in the dictionary", table, name)
			}
			delete(said, table+"."+name)
		}
	}
	if len(said) > 0 {
		t.Errorf("explained, and in no table: %v", said)
	}
}
