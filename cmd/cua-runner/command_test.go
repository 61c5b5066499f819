package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

// testApp is an app without input whose brains are asked under oversight: a request that holds a sentinel, or
// a value that these tests give as a secret, fails the test.
func testApp(t testing.TB, out, err io.Writer) *app {
	return &app{in: strings.NewReader(""), out: out, err: err, overseen: func(b runner.Brain) runner.Brain {
		return &envtest.Overseen{Brain: b, Secrets: map[string]string{"PASSWORD": "opensesame"},
			Fault: func(what string) { t.Error(what) }}
	}}
}

// command runs one command line in process.
func command(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(testApp(t, &o, &e), args, nil)
	return code, o.String(), e.String()
}

// Bad input is one line on standard error that says what and where, and exit code 2; nothing
// is started and nothing written.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(more ...string) []string {
		return append([]string{"run", "http://127.0.0.1:1/", "--goal", "x", "--out",
			filepath.Join(dir, "never")}, more...)
	}
	script := file("script.jsonl", "{\"kind\":\"click\",\"on\":\"Next\"}\n{\"kind\":\"clack\"}\n")
	config := file("config.json", `{"detector":{"sofft":4}}`)
	broken := file("broken/journal.jsonl", "{\"type\":\"header\"\nnonsense\n{}\n")
	for _, row := range []struct {
		name string
		args []string
		says []string
	}{
		{"no such command", []string{"rum"}, []string{`unknown command "rum"`}},
		{"no such flag", []string{"suites", "--jsn"}, []string{"unknown flag: --jsn"}},
		{"a flag that is nearly one", []string{"bench", "--wrkers", "3"}, []string{"unknown flag: --wrkers; did you mean --workers?"}},
		{"a flag that is near none", []string{"bench", "--zzzzz"}, []string{"unknown flag: --zzzzz; see cua-runner bench --help"}},
		{"a command below another without what it needs", []string{"lessons", "pin"}, []string{"(see cua-runner lessons pin --help)"}},
		{"a run without a page", []string{"run", "--goal", "x"}, []string{"needs the URL"}},
		{"a run without a goal", []string{"run", "http://127.0.0.1:1/"}, []string{"--goal is missing"}},
		{"a page that is no web address", []string{"run", "example", "--goal", "x"}, []string{`"example" is not a web address`}},
		{"a file as the page", []string{"run", "file:///etc/passwd", "--goal", "x"}, []string{"not a web address"}},
		{"a port that is none", []string{"run", "http://localhost:99999/", "--goal", "x"}, []string{"99999"}},
		{"a config without end", run("--config", "/dev/zero"), []string{"/dev/zero", "longer than"}},
		{"fixtures that are not there", run("--fixtures", filepath.Join(dir, "none")), []string{"--fixtures", "no folder"}},
		{"an allow-list entry with a scheme", run("--allow", "https://shop.test"), []string{"--allow", "https://shop.test"}},
		{"a public suffix as an allow-list entry", run("--allow", "test"), []string{"--allow", `"test"`, "public suffix"}},
		{"an unknown word for sub-resources", run("--allow-subresources", "some"), []string{"--allow-subresources", `"some"`, "any, same-site or listed"}},
		{"an unknown mechanism", run("--ablate", "brake"), []string{"--ablate", `"brake"`, "known: ", "loop_recovery"}},
		{"an unknown mechanism to keep", run("--only", "brake"), []string{"--only", `"brake"`, "known: "}},
		{"an unknown gate in shadow", run("--shadow", "brake"), []string{"shadow", `"brake"`, "known: mistakes, done, force_fill"}},
		{"a gate that always rules with force", run("--shadow", "policy"), []string{"shadow", `"policy"`}},
		{"an unknown director", run("--director", "oracular"), []string{"--director", `unknown brain "oracular"`}},
		{"an unknown arm", run("--arm", "sideways"), []string{`unknown arm "sideways"`, "default, classic, naive, nudge, placebo, detectors, off"}},
		{"an unknown config field", run("--set", "detector.sofft=4"), []string{`unknown field "detector.sofft"`, "soft"}},
		{"a value out of range", run("--set", "detector.soft=0"), []string{"detector: soft must be"}},
		{"a config file with an unknown field", run("--config", config), []string{config, `"detector.sofft"`}},
		{"a config file that is not there", run("--config", filepath.Join(dir, "none.json")), []string{"none.json", "no such file"}},
		{"an unknown brain", run("--brain", "oracular"), []string{`unknown brain "oracular"`, "heuristic"}},
		{"a script with an invalid action", run("--brain", "scripted:"+script), []string{script, "line 2", `"clack"`}},
		{"a script that is not there", run("--brain", "scripted:"+filepath.Join(dir, "none")), []string{"no such file"}},
		{"an unknown fault", run("--fault", "hiccup=1"), []string{`unknown fault "hiccup"`, "click_fixation"}},
		{"unknown words", run("--fault", "words=loud"), []string{`fault words: unknown value "loud"`, "kept, none, wrong, negated"}},
		{"a rate above one", run("--fault", "click_fixation=2"), []string{"rate must be 0 to 1"}},
		{"a field without a label", run("--field", "=alice"), []string{"--field", "label"}},
		{"a field without a value sign", run("--field", "alice"), []string{"--field", "label=value"}},
		{"more seeds than memory", []string{"bench", "--seeds", "99999999999"}, []string{"--seeds 10000 at most"}},
		{"more workers than memory", []string{"bench", "--workers", "99999999999"}, []string{"--workers may be 1000"}},
		{"a fault twice", []string{"bench", "--fault", "toggler=1", "--fault", "toggler=0.5"}, []string{"toggler=1 and toggler=0.5: a cell has each fault once"}},
		{"a fault twice by two names", []string{"bench", "--fault", "stubborn", "--fault", "nudge_obedience=1"}, []string{"stubborn and nudge_obedience=1: a cell has each fault once"}},
		{"a fault of all among each", []string{"bench", "--fault", "toggler=1", "--each-fault", "none,toggler=0.5"}, []string{"toggler=1 and toggler=0.5: a cell has each fault once"}},
		{"an unknown suite", []string{"bench", "--suite", "tarps"}, []string{`unknown suite "tarps"`, "forms, traps, controls", "of your own: miniwob, manifest, "}},
		{"an unknown arm of a study", []string{"bench", "--arms", "default,of"}, []string{`unknown arm "of"`}},
		{"a base that is no arm of the study", []string{"bench", "--base", "classic"}, []string{`"classic"`, "default, off"}},
		{"an unknown fault among several", []string{"bench", "--each-fault", "none,clack=1"}, []string{"--each-fault", `unknown fault "clack"`}},
		{"no worker", []string{"bench", "--workers", "0"}, []string{"--workers"}},
		{"a study that is not there", []string{"report", filepath.Join(dir, "none")}, []string{"opening a study", "no such file"}},
		{"a comparison with one study", []string{"compare", dir}, []string{"two studies", "got 1"}},
		{"a comparison with a study that is not there", []string{"compare", filepath.Join(dir, "none"), dir}, []string{"opening a study", "no such file"}},
		{"arms of three studies", []string{"compare", dir, dir, "--arms", "a:b:c"}, []string{"--arms", `"a:b:c"`}},
		{"an unknown list", []string{"compare", dir, dir, "--list", "some"}, []string{"--list", `"some"`}},
		{"a run that is not there", []string{"show", filepath.Join(dir, "none")}, []string{"no such file"}},
		{"a journal that is broken in the middle", []string{"show", broken}, []string{broken, "byte"}},
		{"a broken journal among others", []string{"replay", broken}, []string{broken, "byte"}},
		{"an unknown export format", []string{"export", broken, "--format", "xml"}, []string{`"xml"`, "known: atif, csv"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, stderr := command(t, row.args...)
			if code != exitUsage {
				t.Errorf("exit code %d, want %d", code, exitUsage)
			}
			if out != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("standard output %q, standard error %q: want one line of error", out, stderr)
			}
			for _, s := range row.says {
				if !strings.Contains(stderr, s) {
					t.Errorf("%q does not say %q", stderr, s)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "never")); err == nil {
				t.Error("an episode was begun")
			}
		})
	}
}

// Every command has help with an example.
func TestHelp(t *testing.T) {
	root := newRoot(&app{}, nil)
	for _, c := range root.Commands() {
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no description", c.Name())
		}
		code, out, _ := command(t, c.Name(), "--help")
		if code != exitOK || !strings.Contains(out, "Examples:") {
			t.Errorf("%s --help: exit code %d, %q", c.Name(), code, out)
		}
	}
}

func TestLists(t *testing.T) {
	for name, says := range map[string]string{
		"suites": "t3-tab-only", "brains": "heuristic", "mechanisms": "loop_recovery", "schema": `"$schema"`, "version": "journal format",
	} {
		code, out, stderr := command(t, name)
		if code != exitOK || !strings.Contains(out, says) || stderr != "" {
			t.Errorf("%s: exit code %d, standard error %q, output without %q", name, code, stderr, says)
		}
	}
}

// Output that cannot be written is the infrastructure's fault, also where a command prints only a line.
func TestFullOutput(t *testing.T) {
	for _, name := range []string{"suites", "mechanisms", "version", "schema"} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("this system has no /dev/full")
		}
		var stderr bytes.Buffer
		code := execute(&app{in: strings.NewReader(""), out: full, err: &stderr}, []string{name}, nil)
		full.Close()
		if code != exitInfra || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d, %q", name, code, stderr.String())
		}
	}
}

// --out follows no link: what it leads to stays as it is.
func TestOutputIntoALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	err := (&app{}).write(link, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	got, _ := os.ReadFile(target)
	info, statErr := os.Lstat(link)
	if err == nil || string(got) != "old" || statErr != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, target %q, link %v", err, got, info.Mode())
	}
}
