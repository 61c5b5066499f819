package runner_test

import (
	"bytes"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// holding is the scripted environment, which holds back what its queue says: one entry each time it is asked.
type holding struct {
	*envtest.Env
	queue [][]cua.Denial
}

func (h *holding) Denials() []cua.Denial {
	if len(h.queue) == 0 {
		return nil
	}
	next := h.queue[0]
	h.queue = h.queue[1:]
	return next
}

// A refused request is on record after the step that it belongs to, or before the end, and is counted.
func TestWhatWasNotLetOutIsOnRecord(t *testing.T) {
	cdn := cua.Denial{Host: "cdn.test:443", Reason: cua.ReasonHost, Count: 3}
	inner := cua.Denial{Host: "\x1b[31minner.test:80", Reason: cua.ReasonPrivate, Count: 1}
	late := cua.Denial{Host: "cdn.test:443", Reason: cua.ReasonHost, Count: 2}
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	dir := filepath.Join(t.TempDir(), "run")
	r, env := e.runner(t, dir)
	steps := func() int {
		tr, err := trajectories.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(tr.Steps)
	}
	other, _ := e.runner(t, filepath.Join(t.TempDir(), "plain"))
	plain, err := other.Run(t.Context(), e.task)
	if err != nil || plain.Denied != nil {
		t.Fatalf("an episode that asked for nothing: %v, %v", plain.Denied, err)
	}
	queue := make([][]cua.Denial, plain.Steps+1) // one for each step and one for the end
	queue[0], queue[plain.Steps] = []cua.Denial{cdn, inner}, []cua.Denial{late}
	r.Env = &holding{Env: env, queue: queue}
	got, err := r.Run(t.Context(), e.task)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{cua.ReasonHost: 5, cua.ReasonPrivate: 1}; !reflect.DeepEqual(got.Denied, want) {
		t.Errorf("counted %v, want %v", got.Denied, want)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Events) != 2 || tr.Events[0].Kind != trajectories.DeniedEvent || tr.Events[0].Step != 1 ||
		tr.Events[1].Step != steps() || !reflect.DeepEqual(tr.Events[0].Denied, queue[0]) {
		t.Errorf("on record: %+v", tr.Events)
	}
	if again := trajectories.Summarize(tr, runner.Incidents(tr,
		runner.DefaultConfig())); !reflect.DeepEqual(again.Denied, got.Denied) {
		t.Errorf("read back: %v", again.Denied)
	}
	var table, page bytes.Buffer
	if err := show.WriteTable(&table, tr, show.TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := show.WriteHTML(&page, tr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"egress_denied: cdn.test:443 host_not_allowed ×3",
		"6 requests of pages not let out: host_not_allowed ×5 private_address ×1"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("show does not say %q:\n%s", want, table.String())
		}
	}
	if strings.ContainsRune(table.String(), 0x1b) || !strings.Contains(page.String(),
		"requests not let out") {
		t.Error("show passes control characters on, or the page does not count")
	}
}
