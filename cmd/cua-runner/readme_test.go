package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shellLines are the lines of README.md's sh blocks, comments cut off.
func shellLines(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	in := false
	for line := range strings.Lines(string(raw)) {
		switch {
		case strings.HasPrefix(line, "```"):
			in = strings.TrimSpace(line) == "```sh"
		case in:
			line, _, _ = strings.Cut(line, "  #")
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// Each command line of the README is one that exists: make targets are known to make, and each line
// of cua-runner parses, flags and all. The episodes of the other tests run what they do.
func TestReadmeCommands(t *testing.T) {
	lines := shellLines(t)
	if len(lines) < 10 {
		t.Fatalf("only %d command lines were found", len(lines))
	}
	for _, line := range lines {
		if err := known(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// The brain that the README shows starts and speaks the protocol's version.
func TestReadmeBrain(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	_, rest, _ := strings.Cut(read(t, filepath.Join(root, "README.md")), "```python\n")
	code, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("README.md shows no brain")
	}
	path := filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	if exit, out, errs := command(t, "brains", "--check", "exec:python3 "+path); exit != exitOK {
		t.Errorf("exit code %d: %s%s", exit, out, errs)
	}
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Example)\w*)\(`)

// known says what is wrong with a line of shell: a make target that is unknown to make, a command of
// cua-runner that does not parse, a test that is not there.
func known(line string) error {
	line, _, _ = strings.Cut(line, " | ")
	line, _, _ = strings.Cut(line, " > ")
	args, err := words(line)
	if err != nil {
		return err
	}
	switch args[0] {
	case "export":
	case "make":
		if out, err := exec.Command("make", append([]string{"-n", "-C", "../.."},
			args[1:]...)...).CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	case "bin/cua-runner":
		cmd, rest, err := newRoot(&app{}, nil).Find(args[1:])
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil && cmd.Args != nil {
			err = cmd.Args(cmd, cmd.Flags().Args())
		}
		return err
	case "go":
		return knownTest(args)
	default:
		return errors.New("no command of this project")
	}
	return nil
}

// knownTest reports whether what `go test` is asked to run is in the package.
func knownTest(args []string) error {
	files, err := filepath.Glob(filepath.Join("..", "..", args[len(args)-1], "*_test.go"))
	if err != nil || len(files) == 0 || args[1] != "test" {
		return fmt.Errorf("%s has no tests (%w)", args[len(args)-1], err)
	}
	for i, a := range args[:len(args)-1] {
		if a != "-run" && a != "-bench" || args[i+1] == "^$" {
			continue
		}
		wanted, err := regexp.Compile(args[i+1])
		if err != nil {
			return err
		}
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
				found = found || wanted.MatchString(m[1])
			}
		}
		if !found {
			return fmt.Errorf("nothing in %s is called %s", args[len(args)-1], args[i+1])
		}
	}
	return nil
}

// words parts a line as a shell would, double and single quotes only.
func words(line string) ([]string, error) {
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.NewReplacer("<", "", ">", "", "…", "").Replace(line)).Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}
