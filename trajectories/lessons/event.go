package lessons

import (
	"errors"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Record writes into the journal of dir that these lessons were written down at that time, each with
// the incident or the rewind of the episode that taught it. The incidents are those of the episode. It is an
// error when the journal is in use or cannot be written; what was written before stays.
func Record(dir string, lessons []cua.Lesson, incidents []cua.Incident, at time.Time) (err error) {
	if len(lessons) == 0 {
		return nil
	}
	w, t, err := trajectories.Reopen(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	sources := taught(t, incidents)
	for _, l := range lessons {
		e := trajectories.Event{Kind: trajectories.LessonEvent, At: at, Lesson: l.ID, Detail: l.Text}
		for _, s := range sources {
			if s.lesson.ID == l.ID {
				e.Incident, e.Evidence = s.source()
			}
		}
		if err := w.Event(e); err != nil {
			return err
		}
	}
	return nil
}
