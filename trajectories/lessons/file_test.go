package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

const goodBlock = "```json\n" + `{"id": "l-1", "origin": "https://shop.test", "text": "Return sends the form."}` + "\n```\n"

// A lesson file takes any text. A block that is no lesson is reported with its line, or is a person's own
// text.
func TestFile(t *testing.T) {
	for _, row := range []struct {
		name, text string
		ids        []string
		faults     []string // "line: part of what is said"
	}{
		{"nothing", "", nil, nil},
		{"words alone", "# Lessons\n\nNone yet.\n", nil, nil},
		{"a lesson", "Words.\n\n" + goodBlock + "\nMore.\n", []string{"l-1"}, nil},
		{"blanks before the fence, tildes, capitals", "   ~~~~ JSON title\n" + `{"id":"a","origin":"http://a.test:8080","text":"x"}` + "\n~~~~~\n", []string{"a"}, nil},
		{"line ends of another system", strings.ReplaceAll(goodBlock, "\n", "\r\n"), []string{"l-1"}, nil},
		{"a code block of something else", "```sh\n" + "```json\n{\n```\n", nil, nil},
		{"a lesson shown inside a longer fence", "````\n" + goodBlock + "````\n", nil, nil},
		{"an indented block is text", "    ```json\n    {\n    ```\n", nil, nil},
		{"backticks within a line are no fence", "```json `a`\n{\n```\n", nil, []string{}},
		{"a broken one between two good ones", goodBlock + "```json\n{\"id\": \"x\",\n\"text\" \"y\"}\n```\n" + strings.Replace(goodBlock, "l-1", "l-2", 1),
			[]string{"l-1", "l-2"}, []string{"6: no JSON"}},
		{"nothing in the block", "\n```json\n```\n", nil, []string{"3: no JSON"}},
		{"a list", "```json\n[]\n```\n", nil, []string{"1: a lesson is a JSON object"}},
		{"more after the object", "```json\n{}\n{}\n```\n", nil, []string{"3: no JSON"}},
		{"a field twice", "```json\n{\"id\":\"a\",\n\"id\":\"b\"}\n```\n", nil, []string{`3: the field "id" is there twice`}},
		{"a field of another kind", strings.Replace(goodBlock, `"l-1"`, `7`, 1), nil, []string{`1: "id" is number, where a string belongs`}},
		{"no text", "```json\n{\"id\":\"a\",\"origin\":\"https://a.test\"}\n```\n", nil, []string{"1: text and tag are one line"}},
		{"no origin", "```json\n{\"id\":\"a\",\"text\":\"x\"}\n```\n", nil, []string{"1: the origin is missing"}},
		{"an origin with a path", strings.Replace(goodBlock, "shop.test", "shop.test/a", 1), nil, []string{"1: the origin must be"}},
		{"an id twice", goodBlock + goodBlock, []string{"l-1"}, []string{`4: id "l-1" is that of the lesson in line 1`}},
		{"no end of the fence", goodBlock + "\n```json\n{\"id\":\"a\"}\n", []string{"l-1"}, []string{"5: the fence is not closed"}},
		{"no UTF-8", "```json\n\"\xff\"\n```\n", nil, []string{"1: the text is not UTF-8"}},
		{"an unknown kind of action", strings.Replace(goodBlock, `"text"`, `"actions":["clack"],"text"`, 1), nil, []string{`no kind of action is called "clack"`}},
		{"a secret", strings.Replace(goodBlock, "Return sends", "With the password hunter2 Return sends", 1), nil, []string{"says_secret"}},
		{"too long", strings.Replace(goodBlock, "Return", strings.Repeat("Return or ", 30)+"Return", 1), nil, []string{"50 is the most"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := Parse([]byte(row.text))
			if got := string(f.Bytes()); got != row.text {
				t.Fatalf("read as %q, written as %q", row.text, got)
			}
			var ids, faults []string
			for _, l := range f.Lessons() {
				ids = append(ids, l.ID)
			}
			for _, e := range f.Faults() {
				faults = append(faults, strings.TrimPrefix(e.Error(), "line "))
			}
			if !slices.Equal(ids, row.ids) || len(faults) != len(row.faults) {
				t.Fatalf("lessons %q, faults %q; want %q and %q", ids, faults, row.ids, row.faults)
			}
			for i, want := range row.faults {
				line, says, _ := strings.Cut(want, ": ")
				if strings.Contains(want, ": ") && !strings.HasPrefix(faults[i], line+": ") || says == "" &&
					!strings.Contains(faults[i], want) || !strings.Contains(faults[i], says) {
					t.Errorf("says %q, want %q", faults[i], want)
				}
			}
			keepsAll(t, row.text)
		})
	}
}

// keepsAll checks that a lesson can be added to any text and taken out again, and that nothing else of it
// changes.
func keepsAll(t testing.TB, text string) {
	t.Helper()
	f := Parse([]byte(text))
	l := cua.Lesson{ID: "l-new", Origin: "https://new.test", Text: "Typing worked."}
	if f.index(l.ID) >= 0 {
		return
	}
	before, faults := f.Lessons(), len(f.Faults())
	if isNew, err := f.Add(l); err != nil || !isNew {
		t.Fatalf("adding to %q: %v, %v", text, isNew, err)
	}
	if after := f.Lessons(); !slices.EqualFunc(without(after, l.ID), before,
		func(a, b cua.Lesson) bool { return reflect.DeepEqual(a, b) }) || len(after) != len(before)+1 ||
		len(f.Faults()) != faults {
		t.Fatalf("adding to %q has changed other lessons: %+v, %+v", text, before, after)
	}
	whole := string(f.Bytes())
	at := strings.Index(whole, "```json\n{\n  \"id\": \"l-new\"")
	if at < 0 {
		t.Fatalf("%q does not show the lesson", whole)
	}
	if !f.Pin(l.ID, true) || !f.Pin(l.ID, false) || !f.Remove(l.ID) || f.Remove(l.ID) {
		t.Fatalf("the lesson added to %q cannot be pinned or removed", text)
	}
	rest := string(f.Bytes())
	same := 0 // from the beginning
	for same < min(len(rest), len(text)) && rest[same] == text[same] {
		same++
	}
	if added := len(rest) - len(text); text != "" && (added < 0 || rest[same+added:] != text[same:] ||
		strings.Trim(rest[same:same+added], "\n") != "") {
		t.Fatalf("%q became %q", text, rest)
	}
}

func without(ls []cua.Lesson, id string) []cua.Lesson {
	return slices.DeleteFunc(slices.Clone(ls), func(l cua.Lesson) bool { return l.ID == id })
}

// Edits by hand stay: words between blocks, the order of fields, fields that nobody knows, how a
// list is written.
func TestFileKeepsWhatIsNotItsOwn(t *testing.T) {
	text := "Mine.\n\n```json\n{\"x-team\": {\"who\": [\"a\",\n  \"b\"]}, \"text\": \"Return <b> " +
		"sends.\",\n \"origin\": \"https://shop.test\", \"id\": \"l-1\", \"n\": 1e2}\n```\n\nYours.  \n" +
		"```json\n{broken\n```\nEnd without a line end"
	f := Parse([]byte(text))
	if !f.Pin("l-1", true) {
		t.Fatal("cannot be pinned")
	}
	want := strings.Replace(text, `{"x-team": {"who": ["a",`+"\n"+`  "b"]}, "text": "Return <b> sends.",`+"\n"+` "origin": "https://shop.test", "id": "l-1", "n": 1e2}`,
		"{\n  \"x-team\": {\"who\": [\"a\",\n  \"b\"]},\n  \"text\": \"Return <b> sends.\",\n  \"origin\": \"https://shop.test\",\n  \"id\": \"l-1\",\n  \"n\": 1e2,\n  \"pinned\": true\n}", 1)
	if got := string(f.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if l := f.Lessons(); len(l) != 1 || !l[0].Pinned || l[0].Text != "Return <b> sends." {
		t.Errorf("read as %+v", l)
	}
	if f.Pin("l-1", false); f.Lessons()[0].Pinned {
		t.Error("still pinned")
	}
	if f.Pin("nobody", true) || f.Remove("nobody") {
		t.Error("what is not there was changed")
	}
}

// A block that cannot be read is told with its line, and no way of writing changes a byte of it.
func TestABrokenBlockSurvivesEveryWrite(t *testing.T) {
	const broken = "```json\n{\"id\": \"l-2\", \"origin\": \"https://shop.test\",\n  \"text\": 7, oops " +
		"\r\n}\n```\n"
	const before = "# Mine\n\n```json\n{\"id\": \"l-1\", \"origin\": \"https://shop.test\", \"text\": " +
		"\"Return sends.\", \"at\": \"2026-01-02\"}\n```\n\nWords.\n"
	known := cua.Lesson{ID: "l-1", Origin: "https://shop.test", Text: "Return sends.", At: "2026-05-06"}
	for _, row := range []struct {
		name  string
		write func(*File) error
	}{
		{"a lesson is added", func(f *File) error {
			_, err := f.Add(cua.Lesson{Origin: "https://shop.test", Text: "Typing worked."})
			return err
		}},
		{"one is learned again", func(f *File) error { _, err := f.Add(known); return err }},
		{"one is refused", func(f *File) error {
			if _, err := f.Add(cua.Lesson{Origin: "https://shop.test",
				Text: "The password is hunter2."}); err == nil {
				return errors.New("it was not refused")
			}
			return nil
		}},
		{"one is pinned", func(f *File) error { f.Pin("l-1", true); return nil }},
		{"the broken one is pinned", func(f *File) error { f.Pin("l-2", true); return nil }},
		{"one is removed", func(f *File) error { f.Remove("l-1"); return nil }},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			must(t, os.WriteFile(path, []byte(before+broken+"End.\n"), 0o644))
			must(t, Update(path, row.write))
			text, err := os.ReadFile(path)
			must(t, err)
			f, err := Read(path)
			must(t, err)
			at := strings.Index(string(text), broken)
			if at < 0 || len(f.Faults()) != 1 {
				t.Fatalf("%d faults in\n%s", len(f.Faults()), text)
			}
			first := 1 + strings.Count(string(text[:at]), "\n") // of the block
			if line := f.Faults()[0].Line; line <= first || line > first+3 {
				t.Errorf("told with line %d, the block begins at %d", line, first)
			}
		})
	}
}

// A lesson that is learned again is the same one, and what a person made of its words stays.
func TestLessonLearnedAgain(t *testing.T) {
	f := Parse(nil)
	l := cua.Lesson{Origin: "https://a.test", Text: "Clicking the textbox again has no effect here.",
		At: "2026-01-02T00:00:00Z"}
	if isNew, err := f.Add(l); !isNew || err != nil {
		t.Fatal(isNew, err)
	}
	edited := Parse([]byte(strings.Replace(string(f.Bytes()),
		"Clicking the textbox again has no effect here.", "Never click it twice.", 1)))
	l.At = "2026-03-04T00:00:00Z"
	if isNew, err := edited.Add(l); isNew || err != nil {
		t.Fatal(isNew, err)
	}
	if got := edited.Lessons(); len(got) != 1 || got[0].Text != "Never click it twice." || got[0].At != l.At {
		t.Errorf("got %+v", got)
	}
	was := string(edited.Bytes())
	l.At = "2025-01-01"
	if _, err := edited.Add(l); err != nil || string(edited.Bytes()) != was {
		t.Errorf("an older time has changed the file: %s (%v)", edited.Bytes(), err)
	}
}

// anyLesson is one that keeps the rules.
func anyLesson(t *rapid.T) cua.Lesson {
	l := cua.Lesson{
		Origin: rapid.SampledFrom([]string{"https://shop.test", "http://127.0.0.1:8080", "http://[::1]:81",
			"https://xn--mnchen-3ya.de"}).Draw(t, "origin"),
		Tag: rapid.SampledFrom([]string{"", "order", "größe \"<&>"}).Draw(t, "tag"),
		Text: strings.TrimSpace(rapid.StringOfN(rapid.SampledFrom([]rune("abc ü`~\"\\{}[]<>&,:語😀")),
			1, 40, -1).
			Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "text")),
		Actions: rapid.SliceOfN(rapid.SampledFrom(cua.Kinds()), 0, 3).Draw(t, "actions"),
		At:      rapid.SampledFrom([]string{"", "2026-01-31", "2026-01-31T12:00:00+02:00"}).Draw(t, "at"),
		Pinned:  rapid.Bool().Draw(t, "pinned"),
	}
	if len(l.Actions) == 0 {
		l.Actions = nil
	}
	l.ID = ID(l)
	return l
}

// A file that was written can be read: the same lessons, in their order, whatever stands between them.
func TestLessonsSurviveTheFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Parse([]byte(rapid.SampledFrom([]string{"", "# Mine\n", "no line end", "```sh\nls\n```\n",
			"```sh\nnot closed\n", "```json\n{\"id\":\n"}).Draw(t, "before")))
		var want []cua.Lesson
		for _, l := range rapid.SliceOf(rapid.Custom(anyLesson)).Draw(t, "lessons") {
			isNew, err := f.Add(l)
			if err != nil {
				t.Fatalf("%+v: %v", l, err)
			}
			if isNew {
				want = append(want, l)
			}
		}
		got := Parse(f.Bytes()).Lessons()
		for i := range got { // one learned again has a newer time
			if i < len(want) && learned(got[i]).After(learned(want[i])) {
				want[i].At = got[i].At
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("wrote %+v\nread %+v\nof %s", want, got, f.Bytes())
		}
	})
}

func FuzzLessons(f *testing.F) {
	for _, s := range []string{"", goodBlock, "x\n" + goodBlock + "```json\n{\n", "~~~json\n{}\n```\n~~~",
		"```\n```json\n", "````json\n{\"id\":\"a\",\"a\":1,\"a\":2}\n````\r\n", "  ```json\n\"\xff\"\n```"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := Parse(text)
		if !bytes.Equal(file.Bytes(), text) {
			t.Fatalf("%q is written as %q", text, file.Bytes())
		}
		lines := bytes.Count(text, []byte("\n")) + 1
		for _, e := range file.Faults() {
			if e.Line < 1 || e.Line > lines {
				t.Fatalf("%q: a fault in line %d of %d", text, e.Line, lines)
			}
		}
		for _, l := range file.Lessons() {
			if err := Check(l); err != nil || file.Line(l.ID) < 1 {
				t.Fatalf("%q: %+v: %v", text, l, err)
			}
		}
		keepsAll(t, string(text))
	})
}

const childLessons = "TRAJECTORIES_TEST_LESSONS"

// Several processes that write at once lose nothing of one another, and a reader never sees half a file.
func TestLessonsOfManyProcesses(t *testing.T) {
	const each = 15
	add := func(path, who string) error {
		for i := range each {
			err := Update(path, func(f *File) error {
				_, err := f.Add(cua.Lesson{ID: fmt.Sprintf("%s-%d", who, i), Origin: "https://a.test",
					Text: "Typing worked."})
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	if path := os.Getenv(childLessons); path != "" {
		must(t, add(path, "child"+fmt.Sprint(os.Getpid())))
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	must(t, os.WriteFile(path, []byte("Mine.\n"), 0o600))
	link := filepath.Join(dir, "link.md")
	must(t, os.Symlink(path, link))
	var work sync.WaitGroup
	errs := make(chan error, 4)
	for i := range 2 {
		work.Go(func() { errs <- add(link, fmt.Sprintf("worker%d", i)) })
		work.Go(func() {
			child := exec.Command(os.Args[0], "-test.run=^TestLessonsOfManyProcesses$")
			child.Env = append(os.Environ(), childLessons+"="+path)
			out, err := child.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			errs <- err
		})
	}
	go func() { work.Wait(); close(errs) }()
	for err := range errs {
		must(t, err)
		f, err := Read(path)
		must(t, err)
		if len(f.Faults()) > 0 {
			t.Errorf("half a file was there: %v", f.Faults())
		}
	}
	f, err := Read(path)
	must(t, err)
	info, err := os.Stat(path)
	must(t, err)
	if n := len(f.Lessons()); n != 4*each || !bytes.HasPrefix(f.Bytes(), []byte("Mine.\n")) ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("%d lessons, want %d; mode %v; begins with %q", n, 4*each, info.Mode(), f.Bytes()[:8])
	}
	if target, err := os.Readlink(link); err != nil || target != path {
		t.Errorf("the link became %q (%v)", target, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q (%v)", left, err)
	}
}

// A change that fails writes nothing.
func TestLessonsUpdateFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	no := errors.New("no")
	if err := Update(path, func(*File) error { return no }); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	must(t, Update(path, func(*File) error { return nil }))
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file was written for nothing: %v", err)
	}
	if err := Update(filepath.Join(path, "x"), func(*File) error { return nil }); err == nil {
		t.Error("a folder that is not there was taken")
	}
}
