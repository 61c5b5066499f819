package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/uudashr/gocognit"
)

// The limits of the code: a file that outgrows them has a wrong design. Tests have those of files and lines
// alone.
const (
	maxFileLines  = 400
	maxFuncLines  = 60
	maxColumns    = 110 // a tab counts as 4
	maxComplexity = 20  // cognitive, as gocognit counts it
)

func TestSizes(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !isCode(filepath.ToSlash(path)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, fault := range tooLarge(path, text) {
			t.Error(fault)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isCode reports whether a file is held to the limits: Go, and scripts and style sheets that are no data of a
// test or a benchmark.
func isCode(path string) bool {
	switch filepath.Ext(path) {
	case ".go":
		return true
	case ".js", ".mjs", ".css":
		return !strings.Contains(path, "/testdata/") && !strings.Contains(path, "/pages/")
	}
	return false
}

// The files that explain the machine: what a step is, what a turn is, the eight stages, the chain.
var machineFiles = []string{"cua/step.go", "cua/turn.go", "runner/step.go", "runner/assemble.go"}

// maxMachineLines is how long they may be together.
const maxMachineLines = 499

func TestSizesOfTheMachine(t *testing.T) {
	lines := 0
	for _, name := range machineFiles {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines > maxMachineLines {
		t.Errorf("%q have %d lines together, at most %d", machineFiles, lines, maxMachineLines)
	}
}

// The rows say what counts. Each was too large, or was not.
func TestTooLarge(t *testing.T) {
	long := strings.Repeat("x", maxColumns)
	for _, row := range []struct {
		name, file, code string
		faults           int
	}{
		{"a comment", "a.go", "package a\n// " + long + "\n", 1},
		{"a line of code", "a.go", "package a\n\nvar a = \"" + long + "\"\n", 1},
		{"as many characters as may be", "a.go", "package a\n\n// " + strings.Repeat("ü", maxColumns-3) + "\n", 0},
		{"a tab is four columns", "a.go", "package a\n\nfunc f() {\n\t// " + long[7:] + "x\n}\n", 1},
		{"a row of a table", "a.go", "package a\n\nvar a = []struct{ b string }{\n\t{\"" + long + "\"},\n}\n", 0},
		{"a line of a script", "a.js", "f(\"" + long + "\")\n", 1},
		{"a raw string", "a.go", "package a\n\nvar a = `\n" + long + "x\n`\n", 0},
		{"a file of too many lines", "a_test.go", "package a\n" + strings.Repeat("\n", maxFileLines), 1},
		{"a long function", "a.go", "package a\n\nfunc f() {\n" + strings.Repeat("\tprintln()\n", maxFuncLines) + "}\n", 1},
		{"a long test", "a_test.go", "package a\n\nfunc f() {\n" + strings.Repeat("\tprintln()\n", maxFuncLines) + "}\n", 0},
		{"a maze", "a.go", "package a\n\nfunc f() {\n" + strings.Repeat("if true {\n", 6) + strings.Repeat("}\n", 6) + "}\n", 1},
	} {
		if got := tooLarge(row.file, []byte(row.code)); len(got) != row.faults {
			t.Errorf("%s: %q, want %d", row.name, got, row.faults)
		}
	}
}

// tooLarge are the places of a file that are over a limit.
func tooLarge(path string, text []byte) (faults []string) {
	say := func(line int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s:%d: ", path, line)+fmt.Sprintf(format, args...))
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(lines) > maxFileLines {
		say(maxFileLines, "the file has %d lines, at most %d", len(lines), maxFileLines)
	}
	wide := func(free func(i int) bool) {
		for i, line := range lines {
			columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			if columns > maxColumns && !free(i) {
				say(i+1, "the line has %d columns, at most %d", columns, maxColumns)
			}
		}
	}
	if !strings.HasSuffix(path, ".go") {
		wide(func(int) bool { return false })
		return faults
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		say(1, "%v", err)
		return faults
	}
	raw := rawLines(set, file)
	wide(func(i int) bool { return raw[i+1] || isRow(lines[i]) })
	if strings.HasSuffix(path, "_test.go") {
		return faults
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := set.Position(f.Pos()).Line, set.Position(f.End()).Line
		if n := to - from + 1; n > maxFuncLines {
			say(from, "%s has %d lines, at most %d", f.Name.Name, n, maxFuncLines)
		}
		if n := gocognit.Complexity(f); n > maxComplexity {
			say(from, "%s has complexity %d, at most %d", f.Name.Name, n, maxComplexity)
		}
	}
	return faults
}

// isRow reports whether a line begins a value of a list: tables of data are wide.
func isRow(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "{") || strings.HasPrefix(line, `"`)
}

// rawLines are the lines that raw strings reach into: pages, scripts, struct tags.
func rawLines(set *token.FileSet, file *ast.File) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && strings.HasPrefix(s.Value, "`") {
			for l := set.Position(s.Pos()).Line; l <= set.Position(s.End()).Line; l++ {
				out[l] = true
			}
		}
		return true
	})
	return out
}
