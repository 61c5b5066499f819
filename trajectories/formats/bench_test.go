package formats

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"testing"
)

// BenchmarkRuns reads a file of 1,000 trajectories of 25 steps in the neutral form, 7 MiB
// of JSON packed with gzip.
func BenchmarkRuns(b *testing.B) {
	var text bytes.Buffer
	w := gzip.NewWriter(&text)
	size := 0
	for run := range 1000 {
		n, err := fmt.Fprintf(w, `{"id":"run-%d","source":"bench","task":"find the third lamp and say what it costs","success":true,"looping":null,"final_observation_hash":"%x","steps":[`, run, run)
		must(b, err)
		size += n
		for i := range 25 {
			n, err := fmt.Fprintf(w, `%s{"index":%d,"decision":%d,"action_type":"click","target":"role=button name=Next %d","x":%d,"y":300.5,"text":"","url":"http://shop.example/list?page=%d","observation_hash":"%08x","error":null,"raw":"click(%d)","thought":"The list goes on, so I press Next to see more lamps. %d"}`,
				[]string{"", ","}[min(i, 1)], i, i, i%3, 400+i, i, run*31+i, i, i)
			must(b, err)
			size += n
		}
		n, err = w.Write([]byte("]}\n"))
		must(b, err)
		size += n
	}
	must(b, w.Close())
	path := b.TempDir() + "/runs.jsonl.gz"
	must(b, os.WriteFile(path, text.Bytes(), 0o644))
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		steps := 0
		for run, err := range Runs(path, Auto, nil, nil) {
			must(b, err)
			steps += len(run.History.Steps)
		}
		if steps != 25_000 {
			b.Fatal(steps)
		}
	}
}
