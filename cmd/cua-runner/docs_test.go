package main

import (
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
)

// root is the project's folder as seen from this package, detectionPage the page about the detectors, and
// detectionPages that page and those with what was measured.
var (
	root           = filepath.Join("..", "..")
	detectionPage  = docsPage("detection.md")
	measuredPage   = docsPage("detection-measured.md")
	errorsPage     = docsPage("detection-errors.md")
	detectionPages = []string{detectionPage, measuredPage, errorsPage}
)

func docsPage(name string) string { return filepath.Join(root, "docs", name) }

// block is a fenced block of a page.
type block struct {
	lang, text string
	// start and end are where the text is in the page.
	start, end int
	// next is the block that follows at once, without a word between; nil is none.
	next *block
}

var fence = regexp.MustCompile("(?ms)^```(\\w*)\\n(.*?)^```\\n")

// blocks are the fenced blocks of a page.
func blocks(page string) []*block {
	var out []*block
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := &block{lang: page[m[2]:m[3]], text: page[m[4]:m[5]], start: m[4], end: m[5]}
		if n := len(out); n > 0 && strings.TrimSpace(page[out[n-1].end+len("```\n"):m[0]]) == "" {
			out[n-1].next = b
		}
		out = append(out, b)
	}
	return out
}

// lines are the commands of a block in sh: comments cut off, broken lines joined.
func (b *block) lines() []string {
	var out []string
	for line := range strings.Lines(strings.ReplaceAll(b.text, "\\\n", " ")) {
		line, _, _ = strings.Cut(line, "  #")
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// rewrite puts text in the place of page[start:end] of the file, where that is asked for; else it fails
// when they differ.
func rewrite(t *testing.T, path string, start, end int, text string) {
	t.Helper()
	page := read(t, path)
	if page[start:end] == text {
		return
	}
	if !*update {
		t.Errorf("%s shows\n%s\nbut it is\n%s\n(-update rewrites it)", path, page[start:end], text)
		return
	}
	if err := os.WriteFile(path, []byte(page[:start]+text+page[end:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each command line of the page is one that exists.
func TestDetectionPageCommands(t *testing.T) {
	n := 0
	for _, name := range detectionPages {
		for _, b := range blocks(read(t, name)) {
			if b.lang != "sh" {
				continue
			}
			for _, line := range b.lines() {
				n++
				if err := known(line); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d command lines were found", n)
	}
}

// fold is where the page's commands look for real trajectories, from the project's folder.
const fold = "../shared/data/loops"

// needFold skips where the real trajectories are not beside this checkout.
func needFold(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(root, fold)); err != nil {
		t.Skip("the trajectories to measure with are not there: ", filepath.Join(root, fold))
	}
}

// printed is what commands have printed, by command line: several blocks show parts of one.
type printed map[string]string

// of runs a command of the page in process.
func (p printed) of(t *testing.T, line string) string {
	t.Helper()
	if out, ok := p[line]; ok {
		return out
	}
	args, err := words(line)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range args {
		if strings.HasPrefix(a, fold) || strings.HasPrefix(a, "docs/") {
			args[i] = filepath.Join(root, a)
		}
	}
	_, out, _ := command(t, args[1:]...)
	p[line] = out
	return out
}

// The page shows what its commands print: each block in sh that is followed at once by another is run
// over the real trajectories, filters and all. -update writes what they print now.
func TestDetectionPageShows(t *testing.T) {
	needFold(t)
	p := printed{}
	for _, name := range detectionPages {
		showsWhatItPrints(t, p, name)
	}
}

// showsWhatItPrints compares the blocks of one page with what their commands print.
func showsWhatItPrints(t *testing.T, p printed, name string) {
	t.Helper()
	page := blocks(read(t, name))
	for i, b := range slices.Backward(page) { // from the end, so that the places of those before stay right
		if b.lang != "sh" || b.next == nil || b.next.lang != "" || !strings.Contains(b.text, fold) {
			continue
		}
		var out strings.Builder
		for _, line := range b.lines() {
			line, filter, filtered := strings.Cut(line, " | ")
			text := p.of(t, line)
			if filtered {
				cmd := exec.Command("sh", "-c", filter)
				cmd.Stdin = strings.NewReader(text)
				raw, err := cmd.Output()
				if err != nil {
					t.Errorf("%s: %v", filter, err)
				}
				text = string(raw)
			}
			out.WriteString(text)
		}
		rewrite(t, name, page[i+1].start, page[i+1].end, strings.Trim(out.String(), "\n")+"\n")
	}
}

// leaves are the numbers of a config document by their path.
func leaves(path string, v any, out map[string]float64) {
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			leaves(path+"."+k, w, out)
		}
	case float64:
		out[path] = v
	}
}

var (
	field  = regexp.MustCompile("`(detector(?:\\.[a-z_]+)+)`(?: \\(([0-9.]+)[^)]*\\))?")
	figure = regexp.MustCompile(`!\[[^\]]+\]\((detection/([a-z]+)\.png)\)`)
)

// The page names each shape and each threshold, with the value that it has, and shows a picture of
// each shape.
func TestDetectionPageNames(t *testing.T) {
	page := read(t, detectionPage)
	raw, err := json.Marshal(detector.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	values, said := map[string]float64{}, map[string]bool{}
	leaves("detector", doc, values)
	for _, m := range field.FindAllStringSubmatch(page, -1) {
		v, ok := values[m[1]]
		if said[m[1]] = true; !ok {
			t.Errorf("%s is no field of the config", m[1])
		} else if said, err := strconv.ParseFloat(m[2], 64); m[2] != "" && (err != nil || said != v) {
			t.Errorf("%s is said to be %s and is %g", m[1], m[2], v)
		}
	}
	for path := range values {
		if !said[path] {
			t.Errorf("%s is not on the page", path)
		}
	}
	pictures := map[string]bool{}
	for _, m := range figure.FindAllStringSubmatch(page, -1) {
		pictures[m[2]] = true
		picture(t, filepath.Join(root, "docs", m[1]))
	}
	for _, m := range cua.Mechanisms() {
		if shape, ok := strings.CutPrefix(m.Name, "shape_"); ok &&
			(!strings.Contains(page, "\n### `"+shape+"`") || !pictures[shape]) {
			t.Errorf("the page has no part about %s, or no picture in it", shape)
		}
	}
}

// picture checks that a picture loads quickly and is no wider than a page.
func picture(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	size, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(f)
	if err != nil || c.Width > 1200 || size.Size() > 120<<10 {
		t.Errorf("%s: %d px wide, %d bytes, %v", path, c.Width, size.Size(), err)
	}
}

// The page has a line for each case of the suites.
func TestDetectionPageCases(t *testing.T) {
	page := read(t, errorsPage)
	suites, err := tuned.FindSuites("stuck", "healthy")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suites {
		for _, task := range s.Tasks {
			if !strings.Contains(page, "\n"+task.Name+" ") {
				t.Errorf("the page says nothing of %s", task.Name)
			}
		}
	}
}
