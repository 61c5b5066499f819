package formats

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
)

func TestInertCells(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"empty":             {"", ""},
		"plain":             {"User name", "User name"},
		"formula":           {"=1+1", "'=1+1"},
		"at":                {"@SUM(A1)", "'@SUM(A1)"},
		"plus":              {"+cmd", "'+cmd"},
		"minus text":        {"-cmd", "'-cmd"},
		"minus number":      {"-12.5", "-12.5"},
		"after space":       {"  =1", "'  =1"},
		"after line end":    {"\n=1", "'\n=1"},
		"after tab":         {"\tx", "'\tx"},
		"full-width equals": {"＝1", "'＝1"},
		"apostrophe":        {"'x", "''x"},
		"pipe":              {"|calc", "'|calc"},
		"not-a-number":      {"-NaN x", "'-NaN x"},
	} {
		if got := inert(c.in); got != c.out {
			t.Errorf("%s: %q, want %q", name, got, c.out)
		}
	}
}

func TestCSVIsRectangular(t *testing.T) {
	tr := goldenEpisode(t)
	tr.Steps[0].Target.Name = "=HYPERLINK(\"http://evil\")"
	tr.Steps[1].By = "a,b\n\"c\""
	var b bytes.Buffer
	must(t, WriteCSV(&b, []*trajectories.Trajectory{tr, tr}))
	rows, err := csv.NewReader(&b).ReadAll()
	must(t, err)
	if len(rows) != 1+2*len(tr.Steps) {
		t.Fatalf("%d rows", len(rows))
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	if got := rows[1][at["target_name"]]; got[0] != '\'' {
		t.Errorf("a formula leaves as %q", got)
	}
	if rows[2][at["by"]] != "a,b\n\"c\"" || rows[4][at["loop_recovery_reason"]] != "type_pending_value" ||
		rows[4][at["substituted"]] != "true" {
		t.Errorf("%q", rows[4])
	}
	if rows[7][at["action_x"]] != "" || rows[7][at["proposed_x"]] != "320" {
		t.Error("a key that replaced a click has no place of its own")
	}
}

func TestExportWithFrames(t *testing.T) {
	tr := goldenEpisode(t)
	var doc, lines bytes.Buffer
	must(t, WriteJSON(&doc, []*trajectories.Trajectory{tr}, true))
	must(t, WriteJSONL(&lines, []*trajectories.Trajectory{tr}, true))
	var out struct {
		Trajectories []struct {
			Steps  []exportedStep
			Result trajectories.RunResult
			Blobs  map[string]struct {
				Mime string
				Data []byte
			}
		}
	}
	must(t, json.Unmarshal(doc.Bytes(), &out))
	got := out.Trajectories[0]
	if len(got.Blobs) != 4 || len(got.Steps) != 8 || got.Result.WastedSteps != 0 ||
		len(got.Result.Incidents) != 1 {
		t.Errorf("%d blobs, %d steps, %+v", len(got.Blobs), len(got.Steps), got.Result)
	}
	for sha, blob := range got.Blobs {
		want, err := tr.Blob(sha)
		if err != nil || !bytes.Equal(want, blob.Data) || blob.Mime != "image/png" {
			t.Error("a frame differs")
		}
	}
	if n := strings.Count(lines.String(), `"mime":"image/png"`); n != 8 {
		t.Errorf("%d frames in the lines", n)
	}
	tr.Dir = t.TempDir()
	ts := []*trajectories.Trajectory{tr}
	if WriteJSON(&doc, ts, true) == nil || WriteJSONL(&lines, ts, true) == nil {
		t.Error("missing frames were passed over")
	}
}

func TestEmptyExports(t *testing.T) {
	var b bytes.Buffer
	must(t, WriteJSON(&b, nil, true))
	if strings.Join(strings.Fields(b.String()), "") != `{"trajectories":[]}` {
		t.Errorf("%s", b.String())
	}
}

func TestGoldenExports(t *testing.T) {
	ts := []*trajectories.Trajectory{goldenEpisode(t)}
	for _, c := range []struct {
		file  string
		write func(w io.Writer) error
	}{
		{"export.json", func(w io.Writer) error { return WriteJSON(w, ts, false) }},
		{"export.jsonl", func(w io.Writer) error { return WriteJSONL(w, ts, false) }},
		{"export.csv", func(w io.Writer) error { return WriteCSV(w, ts) }},
	} {
		t.Run(c.file, func(t *testing.T) {
			var b bytes.Buffer
			must(t, c.write(&b))
			compare(t, filepath.Join("testdata", c.file), b.Bytes())
		})
	}
}
