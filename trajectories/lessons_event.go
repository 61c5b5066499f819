package trajectories

import (
	"errors"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// RecordLessons writes into the journal of dir that the episode's lessons were written down at that time. It
// is an error when the journal is in use or cannot be written; what was written before stays.
func RecordLessons(dir string, lessons []cua.Lesson, at time.Time) (err error) {
	if len(lessons) == 0 {
		return nil
	}
	w, _, err := Reopen(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, l := range lessons {
		if err := w.Event(Event{Kind: LessonEvent, At: at, Lesson: l.ID, Detail: l.Text}); err != nil {
			return err
		}
	}
	return nil
}
