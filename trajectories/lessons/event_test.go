package lessons

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

// A lesson that is written down is told of, with what taught it, and leaves the episode as ended as it was.
func TestLessonsAreRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	taletest.CopyEpisode(t, "../testdata", dir)
	before, err := trajectories.Read(dir)
	must(t, err)
	incidents := taletest.Incidents()
	learned := Compose(before, incidents)
	if len(learned) == 0 {
		t.Fatal("the golden episode teaches nothing")
	}
	foreign := cua.Lesson{ID: "by-a-person", Text: "Read the page first."}
	at := time.Unix(50, 0).UTC()
	must(t, Record(dir, nil, incidents, at))
	must(t, Record(dir, append(learned, foreign), incidents, at))
	after, err := trajectories.Read(dir)
	must(t, err)
	if !reflect.DeepEqual(after.End, before.End) || len(after.Ends) != len(before.Ends) ||
		len(after.Events) != len(before.Events)+len(learned)+1 {
		t.Errorf("ends %+v, events %+v", after.Ends, after.Events)
	}
	if !reflect.DeepEqual(after.History(), before.History()) {
		t.Error("the history is another one")
	}
	got := trajectories.Sentinels(after, incidents)
	told := got[len(trajectories.Sentinels(before, incidents)):]
	if len(told) != len(learned)+1 {
		t.Fatalf("told %+v", told)
	}
	last := len(before.Steps)
	for i, s := range told {
		in := incidents[0]
		want := trajectories.Sentinel{Kind: trajectories.LessonCaptured, Step: last,
			CanContinue: before.End.Reason.CanContinue()}
		if i < len(learned) {
			want.Reason, want.Evidence, want.Incident, want.Outcome = learned[i].ID, []int{in.First, in.Last},
				in.ID, in.Outcome
			want.Steps, want.Tokens, want.USD, want.Seconds = s.Steps, s.Tokens, s.USD, s.Seconds
			if s.Steps != in.Last-in.First+1 {
				t.Errorf("the incident cost %d steps", s.Steps)
			}
		} else {
			want.Reason = foreign.ID
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("told %+v\nwant %+v", s, want)
		}
	}
	w, _, err := trajectories.Reopen(dir)
	must(t, err)
	must(t, w.Close())
}
