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

// payer is a brain in Python that scrolls, and says what it cost: another sum at each step.
const payer = `import json, sys
for line in sys.stdin:
    m = json.loads(line)
    r = {"protocol_version": 1}
    if m["method"] == "next":
        n = m["params"]["step"]
        r = {"actions": [{"kind": "scroll", "dy": 90}], "usage": {"input_tokens": 1000 + 7 * n, "output_tokens": n, "cost_usd": 0.00123 * n}}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// A dataset of a study, read by the script of docs/examples, gives the study's own main table to the last
// column, of a brain without tokens and of one that costs something.
func TestADatasetGivesTheStudysTable(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	prog := filepath.Join(t.TempDir(), "payer.py")
	if err := os.WriteFile(prog, []byte(payer), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, ends string // of each line, as a pattern
		args       []string
	}{
		{"no tokens", ",0,–$", []string{"--task", "boxes-and-buttons", "--fault", "click_fixation=1"}},
		{"tokens and costs", `,\d{4,},0\.\d{2,}$`, []string{"--brain", "exec:python3 " + prog, "--max-cost-usd", "1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			study, data := filepath.Join(t.TempDir(), "study"), filepath.Join(t.TempDir(), "data")
			args := append([]string{"bench", "--suite", "forms", "--task", "login", "--seeds", "1", "--arms",
				"default,off", "--out", study, "--workers", "2"}, row.args...)
			if code, out, errs := command(t, args...); code != exitOK && code != exitFailed {
				t.Fatalf("bench: exit code %d: %s%s", code, out, errs)
			}
			exported(t, study, data)
			for _, line := range sameTable(t, study, data) {
				if !regexp.MustCompile(row.ends).MatchString(line) {
					t.Errorf("the script says %q, want %s", line, row.ends)
				}
			}
			if row.name == "no tokens" {
				otherwise(t, study)
			}
		})
	}
}

// exported writes the dataset of study into data. A broken folder beside it is a warning, and each column is
// explained.
func exported(t *testing.T, study, data string) {
	t.Helper()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.MkdirAll(broken, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, trajectories.JournalName), []byte("{\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := command(t, "export", study, broken, "--format", "dataset", "--out",
		data); code != exitFailed || !strings.Contains(errs, "left out: ") {
		t.Fatalf("export: exit code %d: %s", code, errs)
	}
	explained(t, data)
}

// sameTable holds what the script makes of data against the report of study: each line of the script is a row
// of the table there, with all its columns. It returns the lines.
func sameTable(t *testing.T, study, data string) []string {
	t.Helper()
	script, err := exec.Command("python3", "../../docs/examples/dataset.py", data).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, report, _ := command(t, "report", study, "--format", "md")
	head, table, ok := strings.Cut(report, "|---")
	if !ok {
		t.Fatalf("no table in %s", report)
	}
	rows := func(line string) string { return "\n| " + strings.ReplaceAll(line, ",", " | ") + " |\n" }
	got := strings.Split(strings.TrimSpace(string(script)), "\n")
	if len(got) != 3 || !strings.HasSuffix(head, rows(got[0])) {
		t.Errorf("the script says %q, the table is headed %q", got,
			head[strings.LastIndexByte(strings.TrimSpace(head), '\n')+1:])
	}
	for _, line := range got[1:] {
		if !strings.Contains(strings.ReplaceAll(table, ",", ""), rows(line)) {
			t.Errorf("the study has no row\n%s\nin\n%s", rows(line), table)
		}
	}
	return got[1:]
}

// otherwise asks of a study's journals where each arm would first have ruled otherwise.
func otherwise(t *testing.T, study string) {
	t.Helper()
	code, arms, errs := command(t, "replay", study, "--arms", "off,default")
	if rows := strings.Split(strings.TrimSpace(arms), "\n"); code != exitOK || len(rows) != 5 {
		t.Fatalf("replay --arms: exit code %d, %q %s", code, arms, errs)
	}
	for run, want := range map[string]string{"login@off.1-1": "as recorded +step \\d+: force_fill replace",
		"login@default.1-1": "step \\d+: all pass +as recorded"} {
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
