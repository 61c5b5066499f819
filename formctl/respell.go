package formctl

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// respelt is the pending value that p types as the plan writes it into a native date or time control that takes no such
// text (04/15/2018), and the control. A text field may want any spelling, and a director knows what it does.
func respelt(t *cua.Turn, p cua.Proposal) (cua.FormValue, *cua.Field) {
	f := receiver(t, p)
	if f == nil || strings.HasPrefix(p.By, cua.DirectorPrefix) {
		return cua.FormValue{}, nil
	}
	switch f.Type {
	case "date", "month", "time", "datetime-local":
	default:
		return cua.FormValue{}, nil
	}
	said := strings.TrimSpace(p.Action.Text)
	for _, v := range t.Form.Pending() {
		if v.Field == f.ID && said == strings.TrimSpace(v.Value) && said != v.Text && v.Text != "" {
			return v, f
		}
	}
	return cua.FormValue{}, nil
}
