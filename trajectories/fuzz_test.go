package trajectories_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// FuzzRead feeds the reader anything. What it takes must obey the grammar, survive a
// repair, and leave in every form without a panic.
func FuzzRead(f *testing.F) {
	whole := goldenJournal(f)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.Join(lines[:3], nil))
	f.Add(append(bytes.Join(lines[:5], nil), "\x00\x00\n{"...))
	f.Add([]byte(`{"type":"header","header":{"version":99}}`))
	dir := f.TempDir()
	path := filepath.Join(dir, trajectories.JournalName)
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := trajectories.Decode(bytes.NewReader(text), "fuzz", "")
		if err != nil {
			return
		}
		for i := range tr.Steps {
			if tr.Steps[i].N != i+1 {
				t.Fatalf("place %d holds step %d", i+1, tr.Steps[i].N)
			}
		}
		must(t, formats.WriteJSON(io.Discard, []*trajectories.Trajectory{tr}, false))
		must(t, formats.WriteCSV(io.Discard, []*trajectories.Trajectory{tr}))
		must(t, show.WriteTable(io.Discard, tr, show.TableOptions{Width: 80}))
		_, err = show.Cards(tr, show.CardOptions{})
		must(t, err)
		_ = tr.HistoryAt(len(tr.Steps) / 2).Now()
		must(t, os.WriteFile(path, text, 0o644))
		w, again, err := trajectories.Reopen(dir)
		must(t, err)
		defer w.Close()
		if again.Count() != tr.Count() {
			t.Fatal("Reopen and Decode differ")
		}
		if again.Interrupted != nil {
			must(t, w.Event(trajectories.Event{Kind: trajectories.InterruptedEvent,
				Intent: again.Interrupted}))
		} else if again.End == nil {
			must(t, w.End(trajectories.End{Reason: cua.EndCancelled}))
		}
		must(t, w.Close())
		if now, err := trajectories.Read(dir); err != nil || now.Torn {
			t.Fatalf("after a repair: torn %v: %v", now != nil && now.Torn, err)
		}
	})
}
