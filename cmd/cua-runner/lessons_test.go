package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cua-runner/cua-runner/trajectories"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cua-runner": main, scriptedName: scripted})
}

// The scripts are run with a run's folder beside them: $WORK/run, in which a brain clicked a field three
// times.
func TestLessonsScripts(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			dir := filepath.Join(e.WorkDir, "run")
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, trajectories.JournalName), []byte(journal), 0o644)
		}})
}

// Lint tells by its exit code what it found; what cannot be read is bad input.
func TestLessonsExitCodes(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.md",
		"```json\n{\"id\": \"a\", \"origin\": \"https://a.test\", \"text\": \"Typing worked.\"}\n```\n")
	broken := file("broken.md", "```json\n{\n```\n")
	for _, row := range []struct {
		name string
		args []string
		want int
	}{
		{"all can be used", []string{"lint", "--lessons", good}, exitOK},
		{"one cannot", []string{"lint", "--lessons", broken}, exitFailed},
		{"as JSON", []string{"lint", "--lessons", broken, "--json"}, exitFailed},
		{"no such file", []string{"lint", "--lessons", filepath.Join(dir, "none")}, exitUsage},
		{"an argument too many", []string{"lint", good}, exitUsage},
		{"listing what is broken", []string{"list", "--lessons", broken}, exitOK},
		{"a sentence that is refused", []string{"add", "The password is hunter2.", "--origin", "https://a.test", "--lessons", good}, exitUsage},
		{"a run that is not there", []string{"add", "--run", filepath.Join(dir, "none"), "--lessons", good}, exitUsage},
		{"a folder that is not there", []string{"add", "Typing worked.", "--origin", "https://b.test", "--lessons", filepath.Join(dir, "none", "L.md")}, exitInfra},
		{"no such lesson", []string{"pin", "b", "--lessons", good}, exitUsage},
		{"no such command", []string{"forget"}, exitUsage},
		{"none at all", nil, exitUsage},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := command(t, append([]string{"lessons"}, row.args...)...)
			if code != row.want || row.want >= exitUsage && stderr == "" {
				t.Errorf("exit code %d, want %d; %q", code, row.want, stderr)
			}
		})
	}
	for _, name := range []string{"add", "list", "pin", "rm", "lint", "report"} {
		if code, out, _ := command(t, "lessons", name, "--help"); code != exitOK ||
			!strings.Contains(out, "Examples:") {
			t.Errorf("lessons %s --help: exit code %d, %q", name, code, out)
		}
	}
}

// A run learns where it is asked to, the next one is given what it learned, and a third without the mechanism
// is not.
func TestRunLearns(t *testing.T) {
	url, dir := loginPage(t), t.TempDir()
	file := filepath.Join(dir, "L.md")
	if err := os.WriteFile(file, []byte("```json\n{broken\n```\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	play := func(name string, more ...string) (*trajectories.Trajectory, string) {
		t.Helper()
		out := filepath.Join(dir, name)
		_, _, stderr := command(t, loginArgs(url, out, append([]string{"--lessons", file, "--ablate",
			"form_controller,nudge", "--fault", "click_fixation=1", "--fault", "nudge_obedience=1",
			"--max-steps", "30", "--tag", "login"}, more...)...)...)
		tr, err := trajectories.Read(out)
		if err != nil {
			t.Fatalf("%v; %s", err, stderr)
		}
		return tr, stderr
	}
	first, said := play("first", "--learn")
	if !strings.Contains(said, "lesson captured: Clicking the ") ||
		!strings.Contains(said, file+": line 2: no JSON") || len(first.Header.Lessons) > 0 {
		t.Fatalf("the first run said %s", said)
	}
	if last := first.Events[len(first.Events)-1]; last.Kind != trajectories.LessonEvent || first.End == nil ||
		!strings.Contains(said, last.Detail+" ("+last.Lesson+" in ") {
		t.Errorf("the journal says %+v, its end is %+v", last, first.End)
	}
	if _, shown, _ := command(t, "show", filepath.Join(dir, "first")); !strings.Contains(shown,
		"lesson captured ("+first.Events[len(first.Events)-1].Lesson+"); incident ") {
		t.Errorf("show says\n%s", shown)
	}
	text := read(t, file)
	if !strings.HasPrefix(text, "```json\n{broken\n```\n") || strings.Contains(text, "opensesame") ||
		strings.Contains(text, "User name") {
		t.Errorf("the file is\n%s", text)
	}
	second, said := play("second")
	if len(second.Header.Lessons) == 0 || len(second.Steps) >= len(first.Steps) ||
		strings.Contains(said, "lesson captured") {
		t.Errorf("the second run: %d lessons, %d steps after %d; it said %s", len(second.Header.Lessons),
			len(second.Steps), len(first.Steps), said)
	}
	if third, _ := play("third", "--only", "loop_recovery"); len(third.Header.Lessons) > 0 {
		t.Errorf("without lessons the header holds %+v", third.Header.Lessons)
	}
	// The same page on another port is another site: it is given nothing, and what it teaches is about
	// itself.
	elsewhere := loginPage(t)
	out := filepath.Join(dir, "elsewhere")
	_, _, said = command(t, loginArgs(elsewhere, out, "--lessons", file, "--max-steps", "30", "--tag",
		"login")...)
	if other, err := trajectories.Read(out); err != nil || len(other.Header.Lessons) > 0 {
		t.Errorf("the run on another site: %+v, %v; %s", other, err, said)
	}
	if read(t, file) != text {
		t.Error("a run without --learn has changed the file")
	}
	if code, out, stderr := command(t, "lessons", "report", dir); code != exitOK ||
		!strings.Contains(out, "1 use") {
		t.Errorf("report: exit code %d, %s%s", code, out, stderr)
	}
}
