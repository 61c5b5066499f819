package show

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"
)

func TestGoldenPages(t *testing.T) {
	tr := goldenEpisode(t)
	for _, c := range []struct {
		file  string
		write func(w io.Writer) error
	}{
		{"show.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{}) }},
		{"show-100.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{Width: 100}) }},
		{"episode.html", func(w io.Writer) error { return WriteHTML(w, tr) }},
		{"show-step-4.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{Step: 4}) }},
	} {
		t.Run(c.file, func(t *testing.T) {
			var b bytes.Buffer
			must(t, c.write(&b))
			compare(t, filepath.Join("testdata", c.file), b.Bytes())
		})
	}
}
