package lessons

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

type tale = taletest.Tale[*trajectories.Trajectory]

// begin is a tale in which nothing has happened yet.
func begin(fields []cua.Field, values ...string) *tale {
	j := &trajectories.Trajectory{}
	j.Header = trajectories.Header{Version: 1, Episode: "tale", Toggles: cua.AllOn()}
	return taletest.Begin(j, &j.Header.Task, &j.Start, &j.Steps, fields, values...)
}

var textbox, typing, holding, dom = taletest.Textbox, taletest.Typing, taletest.Holding, taletest.DOM

var must = taletest.Must
