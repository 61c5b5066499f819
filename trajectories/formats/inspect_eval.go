package formats

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
)

// LogFormats are the choices of ExportOptions.LogFormat: the names that Inspect has for them, which are the
// extensions of their files.
func LogFormats() []string { return []string{"json", "eval"} }

// inspectExt is the extension of a log in a format; "" is json.
func inspectExt(format string) string {
	if format == "eval" {
		return ".eval"
	}
	return ".json"
}

// inspectSummary is an EvalSampleSummary: the row of a sample in the viewer's list.
type inspectSummary struct {
	ID        string                       `json:"id"`
	Epoch     int                          `json:"epoch"`
	Input     string                       `json:"input"`
	Target    string                       `json:"target"`
	Metadata  map[string]any               `json:"metadata"`
	Scores    map[string]inspectScoreValue `json:"scores"`
	Usage     map[string]any               `json:"model_usage"`
	Roles     map[string]any               `json:"role_usage"`
	Started   string                       `json:"started_at,omitzero"`
	Ended     string                       `json:"completed_at,omitzero"`
	Seconds   float64                      `json:"total_time"`
	Error     any                          `json:"error,omitzero"`
	Completed bool                         `json:"completed"`
	Messages  int                          `json:"message_count"`
}

func (s *inspectSample) summary() inspectSummary {
	return inspectSummary{s.ID, s.Epoch, s.Input, s.Target, s.Metadata, s.Scores, s.Usage, s.Roles, s.Started,
		s.Ended, s.Seconds, s.Error["message"], s.ended, len(s.Messages)}
}

// fileName is the name of the sample's file in a log: Inspect's own, which readers look for.
func (s *inspectSample) fileName() (string, error) {
	name := fmt.Sprintf("samples/%s_epoch_%d.json", s.ID, s.Epoch)
	if !fs.ValidPath(name) || strings.Contains(name, `\`) {
		return "", fmt.Errorf("%q cannot be the name of a file in a log; --log-format json has no such names",
			s.ID)
	}
	return name, nil
}

// writeZip writes the log as an .eval file: a zip in which each sample is a file, so that a viewer reads the
// one that is opened and not the whole log.
func (l *inspectLog) writeZip(w io.Writer) error {
	header := *l
	header.Samples = nil
	names, parts := []string{"_journal/start.json"}, []any{event{"version": l.Version, "eval": l.Eval,
		"plan": l.Plan}}
	summaries := []inspectSummary{}
	for i := range l.Samples {
		s := &l.Samples[i]
		name, err := s.fileName()
		if err != nil {
			return err
		}
		names, parts = append(names, name), append(parts, s)
		summaries = append(summaries, s.summary())
	}
	names, parts = append(names, "summaries.json", "header.json"), append(parts, summaries, header)
	z := zip.NewWriter(w)
	for i, name := range names {
		if err := zipJSON(z, name, parts[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

// zipJSON adds a file with v to a zip. Its size is in its own header, before the data: Inspect's viewer looks
// there, and finds zero if a Create of package zip wrote the header. It has no time, so that a second export
// has the same bytes.
func zipJSON(z *zip.Writer, name string, v any) error {
	var plain, packed bytes.Buffer
	enc := encoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	deflate, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return err
	}
	if _, err := deflate.Write(plain.Bytes()); err != nil {
		return err
	}
	if err := deflate.Close(); err != nil {
		return err
	}
	f, err := z.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, Flags: utf8Name,
		CRC32: crc32.ChecksumIEEE(plain.Bytes()), CompressedSize64: uint64(packed.Len()),
		UncompressedSize64: uint64(plain.Len()), ReaderVersion: zipDeflate})
	if err != nil {
		return err
	}
	_, err = f.Write(packed.Bytes())
	return err
}

// utf8Name is the flag of a file whose name is UTF-8, and zipDeflate the version of a reader that can
// inflate.
const (
	utf8Name   = 0x800
	zipDeflate = 20
)
