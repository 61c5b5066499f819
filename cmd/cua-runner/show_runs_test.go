package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// placed puts journals into folders below a new one, which becomes the working directory, and says nothing
// else is there.
func placed(t *testing.T, journals map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for dir, text := range journals {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, trajectories.JournalName), []byte(text),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// For a folder of runs show prints a line for each, the oldest first; one that cannot be read is a warning,
// wherever it stands in the order.
func TestShowOfAFolder(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	older := strings.Replace(journal, `"started":"2030-`, `"started":"2029-`, 1)
	cut, _, _ := strings.Cut(journal, `{"type":"end"`)
	placed(t, map[string]string{"runs/b": older, "runs/c": cut, "runs/deep/a": journal,
		"runs/0-broken": "{\n"})
	code, out, errs := command(t, "show", "runs")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitFailed || strings.Count(errs, "left out: ") != 1 || !strings.Contains(errs, "0-broken") ||
		len(lines) != 4 {
		t.Fatalf("exit code %d, %q\n%s", code, errs, out)
	}
	for i, want := range []string{`^STARTED +ID +RUN +ARM +STEPS +END +SUCCESS +GOAL$`, `^2029-\S+ \S+ +[0-9a-v]{26} +b .* 8 +done +true +\S`, ` c .* 8 +- +- `, ` deep/a .* 8 +done +true `} {
		if !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d is %q, want %s", i, lines[i], want)
		}
	}
	code, out, _ = command(t, "show", "runs", "--json")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != exitFailed || len(lines) != 3 || !strings.Contains(lines[0], `"termination_reason":"done"`) {
		t.Errorf("--json: exit code %d\n%s", code, out)
	}
}

// latest is the newest run below runs/, for each command that takes a run; a file of that name comes first.
func TestLatest(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	named := func(goal string) string { return strings.Replace(journal, `"goal":"`, `"goal":"`+goal+" ", 1) }
	placed(t, map[string]string{"runs/new": named("NEWER"), "runs/old": named("OLDER"),
		"studies/newest": named("ELSEWHERE")})
	if err := os.Chtimes("runs/old/"+trajectories.JournalName, time.Time{},
		time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show", "latest"}, {"export", "latest", "--format", "json"}} {
		if code, out, errs := command(t, args...); code != exitOK || !strings.Contains(out, "NEWER") ||
			strings.Contains(out, "OLDER") {
			t.Errorf("%v: exit code %d, %s%s", args, code, errs, out)
		}
	}
	if err := os.Rename("runs/old", "latest"); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := command(t, "show", "latest"); code != exitOK || !strings.Contains(out, "OLDER") {
		t.Errorf("a folder of that name: exit code %d, %s", code, out)
	}
	placed(t, nil)
	if code, _, errs := command(t, "show", "latest"); code != exitUsage || !strings.Contains(errs, "latest") {
		t.Errorf("no run: exit code %d, %s", code, errs)
	}
}

// Each schema has a name, and what has none says so.
func TestSchemaOf(t *testing.T) {
	for _, name := range trajectories.SchemaNames() {
		if code, out, errs := command(t, "schema", "--of", name); code != exitOK || out != string(trajectories.SchemaOf(name)) || !strings.Contains(out, `"$schema"`) {
			t.Errorf("%s: exit code %d, %s", name, code, errs)
		}
	}
	if code, _, errs := command(t, "schema", "--of", "haiku"); code != exitUsage ||
		!strings.Contains(errs, "record, run_result, export") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// Errors name what a person typed and what it takes, and no part or type of the program.
func TestErrorsWithoutInternals(t *testing.T) {
	dir := t.TempDir()
	ended := filepath.Join(dir, "ended")
	if err := os.MkdirAll(ended, 0o755); err != nil {
		t.Fatal(err)
	}
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	if err := os.WriteFile(filepath.Join(ended, trajectories.JournalName), []byte(journal),
		0o600); err != nil {
		t.Fatal(err)
	}
	run := []string{"run", "http://localhost:1/", "--goal", "x"}
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"resume", ended}, "cua-runner: " + ended + ": the episode has ended (done)\n"},
		{append(run, "--set", "detector.soft=abc"), `"detector.soft=abc": config: detector.soft must be a whole number, not a string`},
		{append(run, "--set", "toggles.nudge=maybe"), "toggles.nudge must be true or false, not a string"},
		{append(run, "--set", "detector.soft=-1"), "cua-runner: config: detector: soft must be 2 to 1000, not -1\n"},
		{append(run, "--arm", "foo"), `--arm: unknown arm "foo"`},
		{append(run, "--brain", "foo"), `--brain: unknown brain "foo"`},
		{[]string{"show", "/nope"}, "cua-runner: opening journal: open /nope"},
		{[]string{"report", "/nope"}, "cua-runner: opening a study: open /nope"},
	} {
		code, _, errs := command(t, row.args...)
		if code != exitUsage || !strings.Contains(errs, row.says) || strings.Contains(errs, "json: ") &&
			!strings.Contains(errs, ".json: ") || strings.Contains(errs, "Go struct") {
			t.Errorf("%v: exit code %d, %q, want %q", row.args, code, errs, row.says)
		}
	}
}

// Each flag that changes the config changes the arm's name, and the name is an arm.
func TestFlagsNameTheArm(t *testing.T) {
	for _, row := range []struct {
		name  string
		flags configFlags
		caps  brainFlags
		want  string
	}{
		{"none", configFlags{}, brainFlags{}, "default"},
		{"--on-spiral", configFlags{onSpiral: "halt"}, brainFlags{}, "default{recovery.on_spiral=halt}"},
		{"--allow-crossing", configFlags{crossing: true}, brainFlags{}, "default{recovery.policy.allow_crossing=true}"},
		{"--no-checkpoint-state", configFlags{noState: true}, brainFlags{}, "default{checkpoints.state=false}"},
		{"two --shadow gates", configFlags{shadow: []string{"rescue", "done"}}, brainFlags{}, `default{shadow=["rescue","done"]}`},
		{"--max-tokens", configFlags{}, brainFlags{maxTokens: 5000}, "default{recovery.limits.max_tokens=5000}"},
		{"--max-cost-usd and a --set", configFlags{set: []string{"frames=2"}}, brainFlags{maxCost: 0.25},
			"default{frames=2,recovery.limits.max_cost_usd=0.25}"},
	} {
		f := runFlags{config: row.flags, model: row.caps}
		f.config.arm = "default"
		if _, err := f.resolved(false); err != nil || f.config.arm != row.want {
			t.Errorf("%s: %q, %v, want %q", row.name, f.config.arm, err, row.want)
		}
		if _, err := runner.DefaultConfig().Arm(f.config.arm); err != nil {
			t.Errorf("%s: its name is no arm: %v", row.name, err)
		}
	}
}

// A list of arms is split between names and not within one, and replaces what there is without the flag.
func TestArmsFlag(t *testing.T) {
	list := []string{"default", "off"}
	fl := pflag.NewFlagSet("x", pflag.ContinueOnError)
	addArms(fl, &list, "arms", "`arms` to compare")
	if usage := fl.FlagUsages(); !strings.Contains(usage, "--arms arms") ||
		!strings.Contains(usage, "(default default,off)") {
		t.Errorf("help: %s", usage)
	}
	err := fl.Parse([]string{"--arms", `default{shadow=["rescue","done"],frames=2}, off`, "--arms", "default{detector.soft=5,frames=2}"})
	if want := []string{`default{shadow=["rescue","done"],frames=2}`, "off", "default{detector.soft=5,frames=2}"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%q, %v, want %q", list, err, want)
	}
	if code, _, errs := command(t, "replay", filepath.Join(root, "trajectories", "testdata", "episode.jsonl"), "--arms", `off,default{shadow=["rescue","nobody"],frames=2}`); code != exitUsage || !strings.Contains(errs, `no gate or row "nobody"`) {
		t.Errorf("replay: exit code %d, %s", code, errs)
	}
}
