package invariants

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// offList finds what was opened by its address outside what the task and the config allow. The address alone
// is judged: where a page itself leads is the browser's to hold.
func offList(j *Journal, _ int, s *cua.Step, say sayer) {
	a := s.Action
	if a == nil || a.Kind != cua.Navigate && (a.Kind != cua.NewTab || a.URL == "") {
		return
	}
	p, t := j.bounds().Recovery.Policy, j.Header.Task
	may := cua.AllowList{Start: t.URL, Hosts: slices.Concat(p.Allow, t.Allow), Open: p.Open}
	if _, err := may.Check(a.URL); err != nil {
		say("opened %s: %v", cua.Origin(a.URL), err)
	}
}
