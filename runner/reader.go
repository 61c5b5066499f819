package runner

import (
	"reflect"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/formctl"
)

// reader reads what turns are made of from a history that grows, each step once. It holds nothing that task
// and history do not say: it spares a turn the steps that an earlier one has read, and gives the same as one
// that has read none. A history that does not go on where the last one ended is read from its start.
type reader struct {
	growth   cua.Growth
	task     cua.Task
	evidence cua.EvidenceReader
	incident detector.OpenReader
	form     formctl.Reader
	ledger   cua.LedgerReader
}

// follow readies r for h: nothing is left of what it has read where h does not extend that.
func (r *reader) follow(h cua.History) {
	if !r.growth.GoesOn(h) {
		*r = reader{growth: r.growth, task: r.task}
	}
}

// turn readies r for a turn of task after h.
func (r *reader) turn(task cua.Task, h cua.History) {
	r.follow(h)
	if !reflect.DeepEqual(r.task, task) {
		r.task, r.form = task, formctl.Reader{}
	}
}
