package trajectories

import (
	"os"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// unsynced is a journal whose records stay in the system's cache.
type unsynced struct{ LogFile }

func (unsynced) Sync() error { return nil }

// BenchmarkStep appends a typical step of a form page, about 6 KiB as JSON.
func BenchmarkStep(b *testing.B) {
	run := func(b *testing.B, sync bool) {
		w, _ := started(b, b.TempDir())
		defer w.Close()
		if !sync {
			w.log.f = unsynced{w.log.f}
		}
		s := &cua.Step{Thought: "typed the name", After: cua.Observation{URL: "http://a/",
			DOMParts: map[string]string{"main": "0123456789abcdef"}}}
		for range 12 {
			s.After.Fields = append(s.After.Fields, cua.Field{ID: "textbox:User name:form/div:1",
				Role: "textbox", Name: "User name", Label: "User name", Tag: "input", Type: "text",
				Box: cua.Box{X: 1, Y: 2, W: 3, H: 4}, Editable: true})
			s.After.Marks = append(s.After.Marks, cua.Mark{ID: "textbox:User name:form/div:1",
				Role: "textbox", Name: "User name", Tag: "input", Box: cua.Box{X: 1, Y: 2, W: 3, H: 4}})
		}
		b.ReportAllocs()
		for b.Loop() {
			s.N++
			must(b, w.Step(s))
		}
		if info, err := os.Stat(w.path); err == nil {
			b.ReportMetric(float64(info.Size())/float64(s.N), "B/record")
		}
	}
	b.Run("sync", func(b *testing.B) { run(b, true) })
	b.Run("nosync", func(b *testing.B) { run(b, false) })
}

// BenchmarkBlob writes a new frame of 60 KiB each time.
func BenchmarkBlob(b *testing.B) {
	w, _ := started(b, b.TempDir())
	defer w.Close()
	frame := make([]byte, 60<<10)
	b.SetBytes(int64(len(frame)))
	for i := 0; b.Loop(); i++ {
		frame[0], frame[1], frame[2] = byte(i), byte(i>>8), byte(i>>16)
		_, err := w.Blob(frame)
		must(b, err)
	}
}

// BenchmarkRead reads a journal of 21 records.
func BenchmarkRead(b *testing.B) {
	dir := b.TempDir() + "/run"
	writeEpisode(b, dir)
	for b.Loop() {
		_, err := Read(dir)
		must(b, err)
	}
}
