package runner

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// wentBack is who made the rewind s.
func wentBack(s *cua.Step) string {
	switch {
	case s.By == cua.Person:
		return "A person"
	case s.Substituted():
		return "The runner"
	}
	return "You"
}

// write appends the step to the journal. The recorded time is that of preparing the record: the time of the
// write itself is not known before it is written.
func (e *episode) write(w *work) error {
	start := e.now()
	if err := e.keepPrompt(w); err != nil {
		return err
	}
	w.step.AtMS = start.UnixMilli()
	w.step.Timing.Record = e.since(start)
	if err := e.journal.Step(&w.step); err != nil {
		return err
	}
	e.intent = nil
	return nil
}

// announce reports the recorded step s: to the brain if it is a rewind, to the person who asked for it, and
// to the watcher. It records the refused requests since the step before.
func (e *episode) announce(s *cua.Step) error {
	if undone := cua.Undone(e.history.Steps, len(e.history.Steps)-1); undone != "" {
		e.notes = append(e.notes, cua.Note{From: noteRunner, Text: fmt.Sprintf(
			"%s went back to before step %d. Undone: %s. Try another way.", wentBack(s), s.RewoundTo, undone)})
	}
	if err := e.denied(); err != nil {
		return err
	}
	e.inbox.reply(s)
	if e.watch != nil {
		e.watch(s)
	}
	return nil
}

// keepPrompt stores what the brain was sent as a blob, redacted. It is called after locate, so it redacts a
// password that the brain has just typed, too.
func (e *episode) keepPrompt(w *work) (err error) {
	if w.sent != "" {
		w.step.PromptSHA, err = e.journal.Blob([]byte(e.redact.Text(w.sent)))
	}
	return err
}
