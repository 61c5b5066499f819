package trajectories

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

type tale = taletest.Tale[*Trajectory]

// begin is a tale in which nothing has happened yet.
func begin(fields []cua.Field, values ...string) *tale {
	j := &Trajectory{Header: Header{Version: 1, Episode: "tale", Toggles: cua.AllOn()}}
	return taletest.Begin(j, &j.Header.Task, &j.Start, &j.Steps, fields, values...)
}

var textbox = taletest.Textbox
