package runner

import (
	"reflect"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
)

// reader computes what turns need from a history that grows, and reads each step once. It only caches: the
// result depends on task and history alone. A history that does not extend the last one is read from its
// start.
type reader struct {
	growth   cua.Growth
	task     cua.Task
	evidence cua.EvidenceReader
	incident detector.OpenReader
	form     formctl.Reader
	ledger   cua.LedgerReader
}

// follow prepares r for h: it drops the cache if h does not extend what was read.
func (r *reader) follow(h cua.History) {
	if !r.growth.GoesOn(h) {
		*r = reader{growth: r.growth, task: r.task}
	}
}

// turn prepares r for a turn of task after h.
func (r *reader) turn(task cua.Task, h cua.History) {
	r.follow(h)
	if !reflect.DeepEqual(r.task, task) {
		r.task, r.form = task, formctl.Reader{}
	}
}
