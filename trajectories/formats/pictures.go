package formats

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"github.com/cua-runner/cua-runner/trajectories"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// pictureDigest is the digest of a screenshot that a trajectory in dir names: the file itself, or
// one of its name in dir or in dir/screenshots, for such folders are moved about. "" is unknown:
// there is no such picture. The path says nothing by itself, each step has its own. A trajectory
// may come from anywhere, so nothing but a regular file that holds a picture is read.
func pictureDigest(dir, path string) string {
	var places []string
	if filepath.IsAbs(path) {
		places = append(places, path)
	}
	if dir != "" {
		name := filepath.Base(path)
		places = append(places, filepath.Join(dir, name), filepath.Join(dir, "screenshots", name))
		if filepath.IsLocal(path) {
			places = append(places, filepath.Join(dir, path))
		}
	}
	for _, p := range places {
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() || info.Size() > trajectories.MaxBlob {
			continue
		}
		if digest := filePictureDigest(p); digest != "" {
			return digest
		}
	}
	return ""
}

func filePictureDigest(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	if !strings.HasPrefix(http.DetectContentType(head[:n]), "image/") {
		return ""
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.MultiReader(bytes.NewReader(head[:n]),
		io.LimitReader(f, trajectories.MaxBlob))); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
