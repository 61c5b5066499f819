package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The text that a program was sent for a step is shown by show --prompt and on the episode's page, and is
// exported with --blobs; a brain that sends nothing has none, and --no-prompts keeps none.
func TestThePromptThatWasSent(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	tmp := t.TempDir()
	prog := filepath.Join(tmp, "payer.py")
	if err := os.WriteFile(prog, []byte(payer), 0o600); err != nil {
		t.Fatal(err)
	}
	site := labyrinth(t)
	for _, row := range []struct {
		name string
		args []string
		kept bool
	}{
		{"a program", []string{"--brain", "exec:python3 " + prog}, true},
		{"not wanted", []string{"--brain", "exec:python3 " + prog, "--no-prompts"}, false},
		{"a brain that sends nothing", nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			args := append([]string{"run", site, "--goal", "get through the door", "--max-steps", "2",
				"--json", "--out", dir}, row.args...)
			if code, out, errs := command(t, args...); code != exitFailed {
				t.Fatalf("exit code %d, %s%s", code, out, errs)
			}
			want := "params.task.goal: get through the door\n"
			code, out, errs := command(t, "show", dir, "--step", "1", "--prompt")
			if row.kept != (code == exitOK && strings.Contains(out, want)) || !row.kept &&
				(code != exitUsage || !strings.Contains(errs, "nothing is kept")) {
				t.Errorf("show --prompt: exit code %d, %s%s", code, out, errs)
			}
			for _, show := range [][]string{{"show", dir, "--step", "1"},
				{"export", dir, "--format", "html"}} {
				if _, out, _ = command(t, show...); strings.Contains(out,
					"bytes were sent (show --step 1 --prompt)") ||
					strings.Contains(out, " bytes that were sent</summary>") {
					if !row.kept {
						t.Errorf("%v speaks of a prompt", show)
					}
				} else if row.kept {
					t.Errorf("%v does not speak of the prompt", show)
				}
			}
			if _, out, _ = command(t, "export", dir, "--format", "jsonl", "--blobs"); row.kept != strings.Contains(out, `"prompt":"`) {
				t.Errorf("jsonl: %.300s", out)
			}
			if row.kept {
				if _, second, _ := command(t, "show", dir, "--step", "2",
					"--prompt"); strings.Contains(second, want) ||
					!strings.Contains(second, "params.step: 2\n") {
					t.Errorf("the second prompt repeats the first: %s", second)
				}
			}
			if code, _, errs := command(t, "show", dir, "--prompt"); code != exitUsage ||
				!strings.Contains(errs, "--step") {
				t.Errorf("without a step: exit code %d, %s", code, errs)
			}
		})
	}
}
