package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
		line, _, _ := strings.Cut(line, " | ")
		line, _, _ = strings.Cut(line, " > ")
		args, err := words(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		switch args[0] {
		case "make":
			if out, err := exec.Command("make", append([]string{"-n", "-C", "../.."}, args[1:]...)...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", line, err, out)
			}
		case "bin/cua-runner":
			cmd, rest, err := newRoot(&app{}, nil).Find(args[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
		default:
			t.Errorf("%s: no command of this project", line)
		}
	}
}

// words parts a line as a shell would, double and single quotes only.
func words(line string) ([]string, error) {
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+strings.NewReplacer("<", "", ">", "", "…", "").Replace(line)).Output()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}
