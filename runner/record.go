package runner

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// wentBack says who made the rewind s.
func wentBack(s *cua.Step) string {
	switch {
	case s.By == cua.Person:
		return "A person"
	case s.Substituted():
		return "The runner"
	}
	return "You"
}

// record appends the step to journal and history; whoever watches sees the same record. What is kept of a
// page that stayed as it was is kept once.
func (e *episode) record(w *work) error {
	start := e.now()
	// The time of writing is not known before it is written; what is recorded is the time of
	// preparing, and the sync shows in the wall time between records.
	if err := e.keepPrompt(w); err != nil {
		return err
	}
	w.step.AtMS = start.UnixMilli()
	w.step.Timing.Record = e.since(start)
	if err := e.journal.Step(&w.step); err != nil {
		return err
	}
	e.intent = nil
	w.step.After = w.step.After.Sharing(&w.turn.Now)
	e.history.Steps = append(e.history.Steps, w.step)
	if gone := cua.Undone(e.history.Steps, len(e.history.Steps)-1); gone != "" {
		e.notes = append(e.notes, cua.Note{From: noteRunner, Text: fmt.Sprintf(
			"%s went back to before step %d. Undone: %s. Try another way.", wentBack(&w.step),
			w.step.RewoundTo, gone)})
	}
	if err := e.denied(); err != nil {
		return err
	}
	e.desk.answer(&w.step)
	if e.watch != nil {
		e.watch(&e.history.Steps[len(e.history.Steps)-1])
	}
	if w.end != nil {
		return w.end
	}
	return nil
}

// keepPrompt writes what the brain was sent beside the journal. By now a password that the brain itself has
// typed is known, too.
func (e *episode) keepPrompt(w *work) (err error) {
	if w.sent != "" {
		w.step.PromptSHA, err = e.journal.Blob([]byte(trajectories.Redact(w.sent, e.secrets)))
	}
	return err
}
