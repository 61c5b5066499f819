package runner

import "github.com/cua-runner/cua-runner/cua"

// Judgement is what the machine says before a step that somebody else is about to make.
type Judgement struct {
	// Turn has the signals, the notes and the open incident. It is valid until the next call of the Assembly.
	Turn *cua.Turn
	// Rulings are the answers of the gates that were asked, in order.
	Rulings []cua.Ruling
	// Decided is the ruling with force; a pass if there is none.
	Decided cua.Ruling
}

// Judge is turn and review without an environment: what the advisors and the gates say about p after h. notes
// are those that the caller adds itself; nil is none. It is a pure function of its arguments and the config.
// An Assembly is not for concurrent use.
func (a Assembly) Judge(task cua.Task, h cua.History, notes []cua.Note, p cua.Proposal) Judgement {
	j := Judgement{Turn: a.Turn(task, h, notes)}
	j.Rulings, j.Decided = a.Review(j.Turn, p)
	return j
}
