package remote

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// logName is the file in an episode's folder that holds the standard error of its processes.
const logName = "brain.log"

// maxLog is the limit of that file, bytes, over all processes of an episode.
const maxLog = 1 << 20

// cutWords is the last line of a log that reached its limit.
const cutWords = "\n[cua-runner: the log is full, the rest was not kept]\n"

// errorLog stores the standard error of a process, with the secrets redacted. A write error is ignored,
// because the episode does not depend on the log. The file is created with the first byte.
type errorLog struct {
	path  string         // "" stores nothing
	clean *redact.Writer // redacts what is written, also a secret that is split over two writes
	file  *os.File
	room  int64 // bytes left in the file
}

func newErrorLog(dir string, secrets []string) *errorLog {
	l := &errorLog{}
	l.clean = redact.NewWriter(putter{l}, redact.Keys(model.KeyMark, secrets...))
	if dir != "" {
		l.path = filepath.Join(dir, logName)
	}
	return l
}

// Write never returns an error: the process must not fail because its log cannot be stored.
func (l *errorLog) Write(b []byte) (int, error) {
	if l.path == "" {
		return len(b), nil
	}
	return l.clean.Write(b)
}

// putter writes to the file of a log. It never fails.
type putter struct{ *errorLog }

func (p putter) Write(b []byte) (int, error) {
	p.put(string(b))
	return len(b), nil
}

// put writes as much of text as fits.
func (l *errorLog) put(text string) {
	if text == "" || l.path == "" {
		return
	}
	if l.file == nil && !l.open() {
		l.path = ""
		return
	}
	if int64(len(text)) > l.room {
		text = cua.HeadBytes(text, int(l.room)) + cutWords
		l.path = ""
	}
	n, err := l.file.WriteString(text)
	if l.room -= int64(n); err != nil {
		l.path = ""
	}
}

// open opens the file, which another process of the episode may have created.
func (l *errorLog) open() bool {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() >= maxLog {
		f.Close()
		return false
	}
	l.file, l.room = f, maxLog-info.Size()-int64(len(cutWords))
	return true
}

// close writes the text that was held back.
func (l *errorLog) close() {
	l.clean.Flush() //nolint:errcheck // it never fails
	if l.file == nil {
		return
	}
	l.file.Close() //nolint:errcheck // what cannot be kept ends nothing
}
