package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/trajectories"
)

// outFolder is the folder of an export while it is written.
type outFolder struct {
	dir    string
	images map[string]string // by digest: the path of the file
	taken  map[string]bool   // names of files so far, as own has them
}

// writeFolder is trajectories.WriteFolder, and refuses a folder that is not empty.
func writeFolder(dir string, fill func(*outFolder) error) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("the folder %s is not empty", dir)
	}
	return trajectories.WriteFolder(dir, func(tmp string) error {
		return fill(&outFolder{tmp, map[string]string{}, map[string]bool{}})
	})
}

// own is name+ext for a file that no other has, with a number where that name is taken: the names of two runs
// may differ in what no name of a file has, or in the case of letters, which some disks do not tell apart.
func (f *outFolder) own(name, ext string) string {
	out := name + ext
	for n := 2; f.taken[strings.ToLower(out)]; n++ {
		out = fmt.Sprintf("%s-%d%s", name, n, ext)
	}
	f.taken[strings.ToLower(out)] = true
	return out
}

// file writes one file; name is below the folder.
func (f *outFolder) file(name string, write func(io.Writer) error) error {
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return trajectories.WriteFile(path, trajectories.FileOptions{Mode: 0o600}, write)
}

// image writes the frame of t with that digest once, and is its path below the folder, and its media type.
func (f *outFolder) image(t *trajectories.Trajectory, sha string) (path, mime string, err error) {
	if path, ok := f.images[sha]; ok {
		return path, mimeOf(path), nil
	}
	data, err := t.Blob(sha)
	if err != nil {
		return "", "", err
	}
	path = "images/" + sha + imageExt(data)
	f.images[sha] = path
	return path, mimeOf(path), f.file(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func imageExt(data []byte) string {
	if http.DetectContentType(data) == "image/jpeg" {
		return ".jpg"
	}
	return ".png"
}

func mimeOf(path string) string {
	if filepath.Ext(path) == ".jpg" {
		return "image/jpeg"
	}
	return "image/png"
}

// encoder writes JSON with invisible characters escaped. The values are the same. A form may go to a
// terminal, and text of a page must not control it.
func encoder(w io.Writer) *json.Encoder { return json.NewEncoder(redact.VisibleJSONWriter(w)) }
