package trajectories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
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
func poisoned(t *testing.T) *Trajectory {
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
		s.N, s.Proposed.Point, s.After.FrameSHA, s.After.Viewport = was.N, was.Proposed.Point, was.After.FrameSHA, was.After.Viewport
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

func TestHostileTextStaysText(t *testing.T) {
	var b bytes.Buffer
	must(t, WriteHTML(&b, poisoned(t)))
	page := b.String()
	if strings.Count(page, "owned") < 100 || strings.Count(page, "would have: ") < 3 {
		t.Fatal("the attack is not in the page: the test shows nothing")
	}
	for _, tag := range regexp.MustCompile(`<[a-zA-Z][^\s>/]*`).FindAllString(page, -1) {
		switch tag[1:] {
		case "script", "img", "svg", "iframe", "object", "embed", "base", "form", "link":
			t.Fatalf("%s in the page", tag)
		}
	}
	for _, part := range []string{"<style>", "</style>", "<head>", "</html>", "Content-Security-Policy"} {
		if strings.Count(page, part) != 1 {
			t.Errorf("%d times %s", strings.Count(page, part), part)
		}
	}
	// In a start tag that holds no quote but its own, no attribute can come from a text.
	for _, tag := range regexp.MustCompile(`<[a-z]+(?:\s[^<>]*)?>`).FindAllString(page, -1) {
		if m := regexp.MustCompile(`\s(on[a-z]+|src)=`).FindString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)); m != "" {
			t.Errorf("attribute%s in %s", m, tag)
		}
		if strings.Contains(tag, "href=") && !strings.Contains(tag, `href="#step-`) {
			t.Errorf("a link leads out: %s", tag)
		}
	}
}

// browser finds a Chromium; "" is none.
func browser() string {
	for _, name := range []string{os.Getenv("CUA_BROWSER"), "/usr/lib/chromium/chromium-headless-shell", "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

func TestHostilePageInABrowser(t *testing.T) {
	chromium := browser()
	if chromium == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("no Chromium found")
		}
		t.Skip("no Chromium found")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	var b bytes.Buffer
	must(t, WriteHTML(&b, poisoned(t)))
	must(t, os.WriteFile(file, b.Bytes(), 0o644))
	args := []string{"--headless", "--disable-gpu", "--user-data-dir=" + t.TempDir(), "--dump-dom", "file://" + file}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	dom, err := exec.CommandContext(t.Context(), chromium, args...).Output()
	must(t, err)
	if !bytes.Contains(dom, []byte("&lt;img src=x")) {
		t.Fatalf("the page did not load: %.300s", dom)
	}
	if bytes.Contains(dom, []byte("<title>owned")) || bytes.Contains(dom, []byte("<img")) || bytes.Contains(dom, []byte("<script")) {
		t.Error("a text of the journal ran")
	}
}

func TestEachFrameIsEmbeddedOnce(t *testing.T) {
	one, two := goldenEpisode(t), goldenEpisode(t)
	seen := map[string]bool{}
	html1, css1, err := Cards(one, CardOptions{Embedded: seen, Anchor: "a-"})
	must(t, err)
	html2, css2, err := Cards(two, CardOptions{Embedded: seen, Anchor: "b-"})
	must(t, err)
	if n := strings.Count(string(css1), "data:image/png"); n != 4 || css2 != "" || len(seen) != 4 {
		t.Errorf("%d frames for one, %d bytes for the second", n, len(css2))
	}
	if strings.Contains(string(html2), `id="a-`) || !strings.Contains(string(html2), `id="b-4"`) || strings.ReplaceAll(string(html2), "b-", "a-") != string(html1) {
		t.Error("the cards of one trajectory depend on the other's")
	}
	for sha := range seen {
		if !strings.Contains(string(html1), "f-"+sha) {
			t.Errorf("frame %s is embedded and not shown", sha)
		}
	}
}

func TestCardsOfSomeSteps(t *testing.T) {
	tr := goldenEpisode(t)
	html, css, err := Cards(tr, CardOptions{Only: (*cua.Step).Substituted})
	must(t, err)
	if n := strings.Count(string(html), "<article"); n != 2 || strings.Contains(string(html), "browser gone") {
		t.Errorf("%d cards", n)
	}
	if strings.Contains(string(css), "url(") != strings.Contains(string(html), "shot f-") {
		t.Error("frames and cards disagree")
	}
	html, css, err = Cards(tr, CardOptions{NoFrames: true})
	must(t, err)
	if css != "" || strings.Contains(string(html), "<figure") || strings.Count(string(html), "<article") != 8 {
		t.Error("NoFrames")
	}
}

func TestMissingFramesAreSaid(t *testing.T) {
	tr := goldenEpisode(t)
	must(t, os.WriteFile(filepath.Join(tr.Dir, BlobsDir, tr.Start.FrameSHA), []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), 0o644))
	tr.Steps[4].After.FrameSHA = `x"){}</style>`
	html, css, err := Cards(tr, CardOptions{})
	must(t, err)
	if !strings.Contains(string(html), "the frame is missing") || strings.Contains(string(css), "</style") || strings.Contains(string(css), "svg") {
		t.Error("a frame that is none was shown")
	}
	must(t, WriteHTML(&bytes.Buffer{}, &Trajectory{}))
}

func TestPinsStayOnTheFrame(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps = tr.Steps[:1]
	tr.Steps[0].Target.Point = &cua.Point{X: -50, Y: 1e9}
	html, _, err := Cards(tr, CardOptions{})
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
	html, _, err := Cards(tr, CardOptions{})
	must(t, err)
	if !strings.Contains(string(html), `class="pin proposed" style="left:10%;top:10%"></i><i class="pin dispatched" style="left:50%;top:44.38%"`) {
		t.Error(html)
	}
}

// A page of its own: the style once, then each trajectory's frames and cards.
func ExampleCards() {
	style, _ := CardStyle()
	frames := map[string]bool{}
	var body template.HTML
	for i, t := range []*Trajectory{{}, {}} {
		cards, css, err := Cards(t, CardOptions{Embedded: frames, Anchor: fmt.Sprintf("run%d-", i)})
		if err != nil {
			fmt.Println(err)
		}
		style += css
		body += cards
	}
	fmt.Println(strings.Count(string(body), `<section class="episode">`))
	// Output: 2
}

// What people are told of an episode stands in its page as it stands in show.
func TestThePageTellsWhatShowTells(t *testing.T) {
	tr := goldenEpisode(t)
	end := *tr.End
	end.Reason, end.Success, end.Totals.Steps = cua.EndMaxSteps, false, len(tr.Steps)
	tr.End, tr.Ends = &end, []End{end}
	tr.Events = append(tr.Events, Event{Kind: TakeoverEvent, Step: 2})
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
		if !strings.Contains(page.String(), "<li><bdi>"+template.HTMLEscapeString(l)+"</bdi></li>") || !strings.Contains(shown.String(), l+"\n") {
			t.Errorf("%q is not in both", l)
		}
	}
}
