package trajectories

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func goldenJournal(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "episode.jsonl"))
	must(t, err)
	return data
}

// Count is how many records of t there are, one number that a lost or invented one changes.
func (t *Trajectory) Count() int {
	n := 1 + len(t.Steps) + len(t.Events) + len(t.Ends)
	for i := range t.Steps {
		if a := t.Steps[i].Action; a != nil && !a.Kind.Ends() {
			n++ // its intent
		}
	}
	for _, e := range t.Events {
		if e.Kind == InterruptedEvent {
			n++
		}
	}
	if t.Interrupted != nil {
		n++
	}
	if t.Start.URL != "" {
		n++
	}
	return n
}

func TestCutAfterAnyByte(t *testing.T) {
	whole := goldenJournal(t)
	dir := t.TempDir()
	path := filepath.Join(dir, JournalName)
	// Each offset is read; the repair, which syncs, is tried around line ends and on a sample.
	for cut := range len(whole) + 1 {
		text := whole[:cut]
		want := bytes.Count(text, []byte("\n"))
		atEnd := cut < len(whole) && whole[cut] == '\n' // the record is whole, its line end is not
		if atEnd {
			want++
		}
		tr, err := Decode(bytes.NewReader(text), "cut", "")
		if want == 0 {
			if !errors.Is(err, ErrNoHeader) {
				t.Fatalf("cut at %d: %v, want ErrNoHeader", cut, err)
			}
			continue
		}
		if err != nil || tr.Count() != want {
			t.Fatalf("cut at %d: %d records, want %d: %v", cut, tr.Count(), want, err)
		}
		torn := text[cut-1] != '\n'
		if tr.Torn != torn || atEnd && tr.Dropped != 0 {
			t.Fatalf("cut at %d: torn %v, dropped %d", cut, tr.Torn, tr.Dropped)
		}
		if !atEnd && torn && cut%199 != 0 && whole[cut-1] != '}' {
			continue
		}
		must(t, os.WriteFile(path, text, 0o644))
		w, again, err := Reopen(dir)
		must(t, err)
		must(t, w.Close())
		again.Dir = tr.Dir
		if !reflect.DeepEqual(again, tr) {
			t.Fatalf("cut at %d: Reopen and Read differ", cut)
		}
		repaired, err := os.ReadFile(path)
		must(t, err)
		if bytes.Count(repaired, []byte("\n")) != want || !bytes.HasPrefix(whole, repaired) {
			t.Fatalf("cut at %d: repaired to %d bytes", cut, len(repaired))
		}
	}
}

func TestBadLines(t *testing.T) {
	lines := strings.SplitAfter(string(goldenJournal(t)), "\n")
	lines = lines[:len(lines)-1]
	join := func(edit func(l []string) []string) string {
		return strings.Join(edit(append([]string(nil), lines...)), "")
	}
	swap := func(i int, with string) func([]string) []string {
		return func(l []string) []string { l[i] = with; return l }
	}
	cut := func(n int, tail string) func([]string) []string {
		return func(l []string) []string { return append(l[:n], tail) }
	}
	offset3 := int64(len(lines[0] + lines[1] + lines[2]))
	for _, c := range []struct {
		name    string
		text    string
		err     string // "" is none
		offset  int64
		records int
	}{
		{"whole", join(cut(len(lines), "")), "", 0, len(lines)},
		{"bad line in the middle", join(swap(3, "{\"type\":\"step\",\n")), "line 4", offset3, 0},
		{"blank line in the middle", join(swap(3, "\n")), "line 4", offset3, 0},
		{"zeros in the middle", join(swap(3, strings.Repeat("\x00", 300)+"\n")), "line 4", offset3, 0},
		{"torn tail of zeros", join(cut(5, strings.Repeat("\x00", 4096))), "", 0, 5},
		{"torn tail of several lines", join(cut(5, "{\"type\":\nxx\n{\"type\":\"st")), "", 0, 5},
		{"torn tail that ends its line", join(cut(5, "{\"type\":\"step\",\"step\":{\n")), "", 0, 5},
		{"unknown field", join(swap(1, strings.Replace(lines[1], `"start":{`, `"since_2031":[1],"start":{"mood":"calm",`, 1))), "", 0, len(lines)},
		{"unknown event kind", join(swap(len(lines)-2, `{"type":"event","event":{"kind":"eclipse","step":8}}`+"\n")), "", 0, len(lines)},
		{"unknown record type", join(swap(3, `{"type":"haiku"}`+"\n")), `unknown record type "haiku"`, offset3, 0},
		{"step out of order", join(func(l []string) []string { return append(l[:2], l[4:]...) }), "where 1 comes next", int64(len(lines[0] + lines[1])), 0},
		{"newer version", join(swap(0, `{"type":"header","header":{"version":3,"task":7}}`+"\n")), "format version 3 is newer than this program, which reads up to 2", 0, 0},
		{"no version", join(swap(0, `{"type":"header","header":{}}`+"\n")), "without a format version", 0, 0},
		{"no journal", "hello\nworld\n", "not a journal", 0, 0},
		{"JSON of another kind", "[1,2]\n", "not a journal", 0, 0},
		{"empty", "", "never began", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, JournalName)
			must(t, os.WriteFile(path, []byte(c.text), 0o644))
			if c.err == "" {
				tr, err := Read(dir)
				must(t, err)
				if tr.Count() != c.records {
					t.Errorf("%d records, want %d", tr.Count(), c.records)
				}
				w, _, err := Reopen(dir)
				must(t, err)
				must(t, w.Close())
				tr, err = Read(path)
				if err != nil || tr.Torn || tr.Count() != c.records {
					t.Errorf("after the repair: %d records, torn %v: %v", tr.Count(), tr.Torn, err)
				}
				return
			}
			refused(t, dir, c.text, c.err, c.offset)
		})
	}
}

// refused checks that neither reader takes the journal, that both say where, and that it stays.
func refused(t *testing.T, dir, text, want string, offset int64) {
	t.Helper()
	path := filepath.Join(dir, JournalName)
	_, err := Read(dir)
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) || syntax.Offset != offset ||
		syntax.Path != path {
		t.Fatalf("%v, want %q at byte %d", err, want, offset)
	}
	if _, _, again := Reopen(dir); again == nil || again.Error() != err.Error() {
		t.Errorf("Reopen says %v, Read %v", again, err)
	}
	if now, _ := os.ReadFile(path); string(now) != text {
		t.Error("a journal that cannot be read was changed")
	}
}

func TestGrammar(t *testing.T) {
	click := cua.Action{Kind: cua.Click, Point: &cua.Point{}}
	header := Record{Type: HeaderRecord, Header: &Header{Version: 1}}
	start := Record{Type: StartRecord, Start: &cua.Observation{}}
	intent := func(n int) Record {
		return Record{Type: IntentRecord,
			Intent: &cua.Intent{Number: n, Action: click}}
	}
	step := func(n int) Record { return Record{Type: StepRecord, Step: &cua.Step{N: n, Action: &click}} }
	refused := func(n int) Record { return Record{Type: StepRecord, Step: &cua.Step{N: n}} }
	done := Record{Type: StepRecord, Step: &cua.Step{N: 1, Action: &cua.Action{Kind: cua.Done}}}
	event := func(k EventKind) Record { return Record{Type: EventRecord, Event: &Event{Kind: k}} }
	end := func(r cua.EndReason) Record { return Record{Type: EndRecord, End: &End{Reason: r}} }
	for _, c := range []struct {
		name string
		recs []Record
		err  string // of the last record; "" is none
	}{
		{"one step", []Record{header, start, intent(1), step(1), end(cua.EndDone)}, ""},
		{"step that dispatched nothing", []Record{header, start, refused(1), intent(2), step(2)}, ""},
		{"intent whose dispatch failed", []Record{header, start, intent(1), refused(1)}, ""},
		{"done without an intent", []Record{header, start, done, end(cua.EndDone)}, ""},
		{"page never reached", []Record{header, event(FaultEvent), end(cua.EndEnvError), event(ResumeEvent), start, intent(1)}, ""},
		{"interrupted and made again", []Record{header, start, intent(1), event(InterruptedEvent), event(ResumeEvent), intent(1), step(1)}, ""},
		{"continued after a pause", []Record{header, start, end(cua.EndPaused), event(ContinueEvent), intent(1), step(1), end(cua.EndDone)}, ""},
		{"no header", []Record{start}, "starts with a header"},
		{"newer header", []Record{{Type: HeaderRecord, Header: &Header{Version: 3}}}, "newer than this program"},
		{"second header", []Record{header, header}, "second header"},
		{"second start", []Record{header, start, start}, "second start"},
		{"step before the start", []Record{header, refused(1)}, "before the start"},
		{"intent before the start", []Record{header, intent(1)}, "before the start"},
		{"dispatch without an intent", []Record{header, start, step(1)}, "without an intent"},
		{"number skipped", []Record{header, start, intent(2)}, "where 1 comes next"},
		{"number twice", []Record{header, start, refused(1), refused(1)}, "where 2 comes next"},
		{"step of another intent", []Record{header, start, intent(1), step(2)}, "where 1 comes next"},
		{"two intents", []Record{header, start, intent(1), intent(1)}, "after the intent of step 1"},
		{"end after an intent", []Record{header, start, intent(1), end(cua.EndDone)}, "after the intent of step 1"},
		{"event after an intent", []Record{header, start, intent(1), event(PauseEvent)}, "after the intent of step 1"},
		{"interrupted without an intent", []Record{header, start, event(InterruptedEvent)}, "without an open intent"},
		{"step after the end", []Record{header, start, end(cua.EndPaused), refused(1)}, "a step after the end"},
		{"pause after the end", []Record{header, start, end(cua.EndPaused), event(PauseEvent)}, "after the end"},
		{"continued after done", []Record{header, start, end(cua.EndDone), event(ContinueEvent)}, "cannot be continued"},
		{"two things in one record", []Record{header, {Type: StartRecord, Start: start.Start, Step: done.Step}}, "another one's fields"},
		{"nothing in a record", []Record{header, {Type: StartRecord}}, "another one's fields"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var g Grammar
			for i := range c.recs {
				before := g
				err := g.Accept(&c.recs[i])
				last := i == len(c.recs)-1
				if want := last && c.err != ""; (err != nil) != want || want &&
					!strings.Contains(err.Error(), c.err) {
					t.Fatalf("record %d: %v, want %q", i+1, err, c.err)
				}
				if err != nil && !reflect.DeepEqual(g, before) {
					t.Error("a refused record changed the state")
				}
			}
		})
	}
}

func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, Header{Episode: "e"})
	must(t, err)
	defer w.Close()
	data := bytes.Repeat([]byte("frame"), 1000)
	var group sync.WaitGroup
	names := make([]string, 20)
	for i := range names {
		group.Go(func() {
			name, err := w.Blob(data[:len(data)-i%2])
			if err != nil {
				t.Error(err)
			}
			names[i] = name
		})
	}
	group.Wait()
	entries, _ := os.ReadDir(filepath.Join(dir, BlobsDir))
	if len(entries) != 2 || names[0] != names[2] || names[0] == names[1] {
		t.Errorf("%d files for two blobs", len(entries))
	}
	if info, _ := entries[0].Info(); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	tr := &Trajectory{Dir: dir}
	got, err := tr.Blob(names[0])
	if err != nil || !bytes.Equal(got, data) {
		t.Error(err)
	}
	must(t, os.WriteFile(filepath.Join(dir, BlobsDir, names[0]), []byte("changed"), 0o644))
	pipe, folder := strings.Repeat("1", 64), strings.Repeat("2", 64)
	must(t, syscall.Mkfifo(filepath.Join(dir, BlobsDir, pipe), 0o600))
	must(t, os.Mkdir(filepath.Join(dir, BlobsDir, folder), 0o700))
	for name, sha := range map[string]string{"changed": names[0], "path": "../" + JournalName, "short": "ab",
		"missing": strings.Repeat("0", 64), "": "", "a pipe": pipe, "a folder": folder} {
		if _, err := tr.Blob(sha); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	// A blob that a crash left cut is written again.
	again, err := w.Blob(data)
	must(t, err)
	if got, err := tr.Blob(again); err != nil || !bytes.Equal(got, data) {
		t.Error("not repaired")
	}
}

func TestHistory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	tr, err := Read(dir)
	must(t, err)
	h := tr.History()
	if len(h.Steps) != 8 || len(h.Resumed) != 1 || h.Resumed[0].At != 5 || h.Resumed[0].Fresh {
		t.Fatalf("%d steps, resumed %+v", len(h.Steps), h.Resumed)
	}
	if early := tr.HistoryAt(4); len(early.Steps) != 4 || len(early.Resumed) != 0 {
		t.Error("a turn saw what came after it")
	}
	if at := tr.HistoryAt(5); len(at.Resumed) != 1 || at.Now().FormDigest != "f-name" {
		t.Error("the resumed turn did not see the page it found")
	}
}

// A run folder may come from others: no pipe in it is waited for.
func TestAJournalThatIsAPipeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, JournalName), 0o600))
	if _, err := Read(dir); err == nil {
		t.Error("it was read")
	}
	if _, err := ReadHeader(dir); err == nil {
		t.Error("its header was read")
	}
}
