package runner

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// lessonPolicy is how an assembly uses lessons; the zero value uses none.
type lessonPolicy struct {
	on     bool
	config lessons.Config
}

// Lessons are those of all for the turn t: a pure function of the header's lessons, task and history.
func (a Assembly) Lessons(all []cua.Lesson, t *cua.Turn) []cua.Lesson {
	if !a.lessons.on {
		return nil
	}
	var last cua.Kind
	if n := len(t.History.Steps); n > 0 {
		last = t.History.Steps[n-1].Proposed.Kind
	}
	return lessons.For(all, t.Now.URL, last, t.Task.Tags, a.lessons.config.Top)
}

// within are those of all that any turn of an episode on task can get.
func (a Assembly) within(all []cua.Lesson, task cua.Task) []cua.Lesson {
	if !a.lessons.on {
		return nil
	}
	return lessons.Within(all, task, a.lessons.config.Top)
}

// Learned is what an episode teaches: its incidents and rewinds as lessons (lessons.Compose). It
// is nil under a config without lessons. The incidents are those of one fixed detector config, as everywhere.
func Learned(t *trajectories.Trajectory, c Config) []cua.Lesson {
	if !Assemble(c).lessons.on {
		return nil
	}
	return lessons.Compose(t, Incidents(t, DefaultConfig()))
}

// harmless are the lessons without the value of a secret.
func harmless(lessons []cua.Lesson, secrets map[string]string) []cua.Lesson {
	var out []cua.Lesson
	for _, l := range lessons {
		if trajectories.HoldsSecret(l.Text+"\n"+l.Tag, secrets) == nil {
			out = append(out, l)
		}
	}
	return out
}
