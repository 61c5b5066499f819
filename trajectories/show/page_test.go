package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

const attack = `</style></script>"'><img src=x onerror="document.title='owned'"><script>document.title='owned'</script><svg onload=alert(1)>{{.}}` + "`javascript:alert(1)`"

// poison puts text into each string that v holds, and one element into each empty list.
func poison(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(attack)
	case reflect.Pointer:
		if v.IsNil() && depth < 8 {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			poison(v.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type() != reflect.TypeFor[time.Time]() && v.Type().Field(i).IsExported() {
				poison(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() || v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			poison(v.Index(i), depth+1)
		}
	}
}

// poisoned is the golden episode with hostile text in every string. A few fields get back what
// leads the template into each of its branches.
func poisoned(t *testing.T) *trajectories.Trajectory {
	t.Helper()
	tr := goldenEpisode(t)
	dir, clean := tr.Dir, goldenEpisode(t)
	poison(reflect.ValueOf(tr).Elem(), 0)
	tr.Dir, tr.End.Reason = dir, "x"+cua.EndReason(attack)
	gate, err := json.Marshal(attack)
	must(t, err)
	tr.Header.Config = fmt.Appendf(nil, `{"shadow":[%s]}`, gate)
	for i := range tr.Steps {
		s, was := &tr.Steps[i], &clean.Steps[i]
		s.N, s.Proposed.Point, s.After.FrameSHA, s.After.Viewport = was.N, was.Proposed.Point,
			was.After.FrameSHA, was.After.Viewport
		s.Rulings[len(s.Rulings)-1].Verdict = []cua.Verdict{cua.Replace, cua.Refuse, cua.Halt, cua.Pass}[i%4]
		s.Rulings[len(s.Rulings)-1].Shadow = false
		s.Rulings[0].Shadow, s.Rulings[0].Verdict = i%2 == 0, cua.Replace
		s.Thought += strings.Repeat(attack, i)
		s.Target.Covering.Box = cua.Box{X: 1, Y: 1, W: 1e9, H: 5}
		if i%3 == 2 {
			s.Failure, s.Action = nil, nil
		}
	}
	return tr
}

// ours are the tags that a page may hold beside plain ones, each as this package writes it.
var ours = map[string]*regexp.Regexp{
	"img": regexp.MustCompile(`^<img class="frame"( id="f-[0-9a-f]{20}")? alt="[A-Za-z0-9 ]*"` +
		`( src="data:image/(png|jpeg);base64,[A-Za-z0-9+/=]*"| data-from="f-[0-9a-f]{20}") loading="lazy">$`),
	"svg":    regexp.MustCompile(`^<svg class="tiles" viewBox="0 0 \d+ \d+" preserveAspectRatio="none" aria-hidden="true">$`),
	"script": regexp.MustCompile(`^<script>$`),
	"form":   regexp.MustCompile(`^<form class="find" role="search" hidden>$`),
}

// holdsOnlyOurs fails for a tag, an attribute or a link that a text could have made.
func holdsOnlyOurs(t *testing.T, page string, link *regexp.Regexp) {
	t.Helper()
	script, _, err := CardScript()
	must(t, err)
	for _, part := range []string{"<style>", "</style>", "<head>", "</html>", "Content-Security-Policy",
		"<script", "</script>", string(script)} {
		if strings.Count(page, part) != 1 {
			t.Errorf("%d times %.40s", strings.Count(page, part), part)
		}
	}
	page = strings.Replace(page, string(script), "", 1)
	// In a start tag that holds no quote but its own, no attribute can come from a text.
	for _, tag := range regexp.MustCompile(`<[a-zA-Z]+(?:\s[^<>]*)?>`).FindAllString(page, -1) {
		name := regexp.MustCompile(`^<([a-zA-Z]+)`).FindStringSubmatch(tag)[1]
		switch own := ours[name]; {
		case own != nil && !own.MatchString(tag),
			slices.Contains([]string{"iframe", "object", "embed", "base", "link"}, name):
			t.Fatalf("%.300s in the page", tag)
		case own != nil:
			continue
		}
		if m := regexp.MustCompile(`\s(on[a-z]+|src)=`).FindString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)); m != "" {
			t.Errorf("attribute%s in %s", m, tag)
		}
		if strings.Contains(tag, "href=") && !link.MatchString(tag) {
			t.Errorf("a link leads out: %s", tag)
		}
	}
}

func TestHostileTextStaysText(t *testing.T) {
	var b, list bytes.Buffer
	tr := poisoned(t)
	must(t, WriteHTML(&b, tr))
	rows := []IndexRow{NewIndexRow(tr, "a b/../run.html"), NewIndexRow(tr, "javascript:alert(1)")}
	must(t, WriteIndex(&list, rows))
	if strings.Count(b.String(), "owned") < 100 || strings.Count(b.String(), "would have: ") < 3 ||
		strings.Count(list.String(), "owned") < 5 {
		t.Fatal("the attack is not in the page: the test shows nothing")
	}
	holdsOnlyOurs(t, b.String(), regexp.MustCompile(`href="#step-`))
	holdsOnlyOurs(t, list.String(), regexp.MustCompile(`href="(a%20b/../run.html|#ZgotmplZ)"`))
}

func TestEachFrameIsEmbeddedOnce(t *testing.T) {
	seen := map[string]bool{}
	one, err := Cards(goldenEpisode(t), CardOptions{Embedded: seen, Anchor: "a-"})
	must(t, err)
	two, err := Cards(goldenEpisode(t), CardOptions{Embedded: seen, Anchor: "b-"})
	must(t, err)
	if n := strings.Count(string(one), "data:image/png"); n != 4 ||
		strings.Contains(string(two), "data:image") || len(seen) != 4 {
		t.Errorf("%d frames for one", n)
	}
	if strings.Contains(string(two), `id="a-`) || !strings.Contains(string(two), `id="b-4"`) {
		t.Error("the cards of one trajectory depend on the other's")
	}
	for sha := range seen {
		id := "f-" + sha[:20]
		if strings.Count(string(one), ` id="`+id+`"`) != 1 || !strings.Contains(string(two), `data-from="`+id+`"`) {
			t.Errorf("frame %s is embedded and not shown", sha)
		}
	}
}

func TestFramesCanBeLinked(t *testing.T) {
	tr := goldenEpisode(t)
	must(t, os.Remove(filepath.Join(tr.Dir, trajectories.BlobsDir, tr.Start.FrameSHA)))
	html, err := Cards(tr, CardOptions{Link: func(sha string) string { return "runs/one/" + sha }})
	must(t, err)
	if s := string(html); strings.Contains(s, "data:") || strings.Contains(s, "data-from") ||
		strings.Contains(s, tr.Start.FrameSHA) ||
		!strings.Contains(s, `src="runs/one/`+tr.Steps[4].After.FrameSHA+`"`) || !strings.Contains(s, "the frame is missing") {
		t.Error(s)
	}
}

// The tiles are drawn where they are, in as few rectangles as rows and equal rows below each other make.
func TestChangedTilesAreDrawnOneByOne(t *testing.T) {
	for _, row := range []struct {
		name  string
		tiles cua.TileSet
		path  string
	}{
		{"none", nil, ""},
		{"one", cua.TileSet{11}, "M32 32h32v32h-32z"},
		{"a run", cua.TileSet{11, 12, 13}, "M32 32h96v32h-96z"},
		{"two corners, and nothing between them", cua.TileSet{0, 49}, "M0 0h32v32h-32zM288 128h32v32h-32z"},
		{"a block", cua.TileSet{11, 12, 21, 22, 31, 32}, "M32 32h64v96h-64z"},
		{"the end of a row and the start of the next", cua.TileSet{9, 10}, "M288 0h32v32h-32zM0 32h32v32h-32z"},
		{"equal runs with a row between them", cua.TileSet{1, 21}, "M32 0h32v32h-32zM32 64h32v32h-32z"},
		{"beyond the frame", cua.TileSet{-3, 50, 999}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := outline(cua.TileDiff{Cols: 10, Rows: 5}, row.tiles); got != row.path {
				t.Errorf("%q, want %q", got, row.path)
			}
		})
	}
	if got := outline(cua.TileDiff{}, cua.TileSet{0, 1}); got != "" {
		t.Errorf("without a grid: %q", got)
	}
}

func TestCardsOfSomeSteps(t *testing.T) {
	tr := goldenEpisode(t)
	html, err := Cards(tr, CardOptions{Only: (*cua.Step).Substituted})
	must(t, err)
	if n := strings.Count(string(html), "<article"); n != 2 || strings.Contains(string(html),
		"browser gone") {
		t.Errorf("%d cards", n)
	}
	if !strings.Contains(string(html), "data:image") {
		t.Error("no frame")
	}
	html, err = Cards(tr, CardOptions{NoFrames: true})
	must(t, err)
	if strings.Contains(string(html), "data:") || strings.Contains(string(html), "<figure") ||
		strings.Count(string(html), "<article") != 8 {
		t.Error("NoFrames")
	}
}

func TestMissingFramesAreSaid(t *testing.T) {
	tr := goldenEpisode(t)
	must(t, os.WriteFile(filepath.Join(tr.Dir, trajectories.BlobsDir, tr.Start.FrameSHA),
		[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), 0o644))
	tr.Steps[4].After.FrameSHA = `x"){}</style>`
	html, err := Cards(tr, CardOptions{})
	must(t, err)
	if !strings.Contains(string(html), "the frame is missing") || strings.Contains(string(html), "</style") ||
		strings.Contains(string(html), "image/svg") {
		t.Error("a frame that is none was shown")
	}
	must(t, WriteHTML(&bytes.Buffer{}, &trajectories.Trajectory{}))
}

func TestPinsStayOnTheFrame(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps = tr.Steps[:1]
	tr.Steps[0].Target.Point = &cua.Point{X: -50, Y: 1e9}
	html, err := Cards(tr, CardOptions{})
	must(t, err)
	if !strings.Contains(string(html), `class="pin both" style="left:0%;top:100%"`) {
		t.Error(html)
	}
}

func TestAnActionIntoAFieldIsDrawnThere(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps = tr.Steps[:4]
	tr.Steps[3].Action = &cua.Action{Kind: cua.Type, Text: "ada", Into: tr.Start.Fields[0].ID}
	tr.Steps[3].Target.Point = &cua.Point{X: 64, Y: 40}
	html, err := Cards(tr, CardOptions{})
	must(t, err)
	if !strings.Contains(string(html), `class="pin proposed" style="left:10%;top:10%"></i><i class="pin dispatched" style="left:50%;top:44.38%"`) {
		t.Error(html)
	}
}

// A page of its own: the style once, then each trajectory's frames and cards.
func ExampleCards() {
	frames := map[string]bool{}
	var body template.HTML
	for i, t := range []*trajectories.Trajectory{{}, {}} {
		cards, err := Cards(t, CardOptions{Embedded: frames, Anchor: fmt.Sprintf("run%d-", i)})
		if err != nil {
			fmt.Println(err)
		}
		body += cards
	}
	fmt.Println(strings.Count(string(body), `<section class="episode">`))
	// Output: 2
}

// The page of an episode tells people the same as show.
func TestThePageTellsWhatShowTells(t *testing.T) {
	tr := goldenEpisode(t)
	end := *tr.End
	end.Reason, end.Success, end.Totals.Steps = cua.EndMaxSteps, false, len(tr.Steps)
	tr.End, tr.Ends = &end, []trajectories.End{end}
	tr.Events = append(tr.Events, trajectories.Event{Kind: trajectories.TakeoverEvent, Step: 2})
	lines := sentinelLines(tr)
	var page, shown bytes.Buffer
	must(t, WriteHTML(&page, tr))
	must(t, WriteTable(&shown, tr, TableOptions{}))
	for _, want := range []string{"cap hit (max_steps)", "after step 2: takeover"} {
		if !strings.Contains(strings.Join(lines, "\n"), want) {
			t.Errorf("no %q in %q", want, lines)
		}
	}
	for _, l := range lines {
		if !strings.Contains(page.String(), "<li><bdi>"+template.HTMLEscapeString(l)+"</bdi></li>") ||
			!strings.Contains(shown.String(), l+"\n") {
			t.Errorf("%q is not in both", l)
		}
	}
}
