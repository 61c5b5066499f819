package formctl_test

import (
	"maps"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
)

func TestRedactTyped(t *testing.T) {
	hidden := cua.Field{ID: "pw", Type: "password", Label: "Choose a Kennwort", Editable: true}
	card := cua.Field{ID: "card", Type: "text", Autocomplete: "cc-number", Label: "Number", Editable: true}
	holder := cua.Field{ID: "holder", Type: "text", Autocomplete: "cc-name", Label: "Holder", Editable: true}
	name := cua.Field{ID: "name", Type: "text", Label: "Name", Editable: true}
	typing := func(text, into string) cua.Action {
		return cua.Action{Kind: cua.Type, Text: text, Into: into, Why: "type " + text}
	}
	for _, row := range []struct {
		name    string
		action  cua.Action
		target  cua.Target
		focus   *cua.Field
		planned string
		known   map[string]string
		want    string
	}{
		{"a password", typing("hunter2!", "pw"), cua.Target{}, nil, "", map[string]string{}, "<secret:CHOOSE_A_KENNWORT>"},
		{"at a place", cua.Action{Kind: cua.Type, Text: "hunter2!", Point: &cua.Point{X: 1}}, cua.Target{Field: "pw"}, nil, "", map[string]string{}, "<secret:CHOOSE_A_KENNWORT>"},
		{"into what has the focus", typing("hunter2!", ""), cua.Target{}, &hidden, "", map[string]string{}, "<secret:CHOOSE_A_KENNWORT>"},
		{"a card's number", typing("4111111111111111", "card"), cua.Target{}, nil, "", map[string]string{}, "<secret:NUMBER>"},
		{"one that is known", typing("hunter2!", "pw"), cua.Target{}, nil, "", map[string]string{"MINE": "hunter2!"}, "<secret:MINE>"},
		{"a name that is taken", typing("hunter2!", "pw"), cua.Target{}, nil, "", map[string]string{"CHOOSE_A_KENNWORT": "other"}, "<secret:CHOOSE_A_KENNWORT_2>"},
		{"a reference", typing("<secret:PASSWORD>", "pw"), cua.Target{}, nil, "", map[string]string{}, "<secret:PASSWORD>"},
		{"what is planned in clear", typing("hunter2!", "pw"), cua.Target{}, nil, "hunter2!", map[string]string{}, "hunter2!"},
		{"the name on a card", typing("Ada", "holder"), cua.Target{}, nil, "", map[string]string{}, "Ada"},
		{"into a field that hides nothing", typing("Ada", "name"), cua.Target{}, &hidden, "", map[string]string{}, "Ada"},
		{"into a field that is not known", typing("Ada", "gone"), cua.Target{}, nil, "", map[string]string{}, "Ada"},
		{"where nobody keeps secrets", typing("hunter2!", "pw"), cua.Target{}, nil, "", nil, "hunter2!"},
		{"nothing", typing(" ", "pw"), cua.Target{}, nil, "", map[string]string{}, " "},
		{"no typing", cua.Action{Kind: cua.Key, Text: "hunter2!"}, cua.Target{}, &hidden, "", map[string]string{}, "hunter2!"},
	} {
		t.Run(row.name, func(t *testing.T) {
			turn := &cua.Turn{Now: cua.Observation{Fields: []cua.Field{name, hidden, card, holder},
				Focus: row.focus},
				Task: cua.Task{Fields: []cua.PlanValue{{Label: "Salasana", Value: row.planned}}}}
			before := maps.Clone(row.known)
			got := formctl.RedactTyped(turn, cua.Proposal{Action: row.action, Target: row.target,
				Thought: "I choose " + row.action.Text}, row.known)
			if got.Action.Text != row.want || got.Thought != "I choose "+row.want {
				t.Errorf("%q, %q, want %q", got.Action.Text, got.Thought, row.want)
			}
			if row.action.Why != "" && got.Action.Why != "type "+row.want {
				t.Errorf("why: %q", got.Action.Why)
			}
			if n := cua.SecretName(row.want); row.want != row.action.Text && row.known[n] != row.action.Text {
				t.Errorf("%v does not keep it", row.known)
			} else if row.want == row.action.Text && !maps.Equal(before, row.known) {
				t.Errorf("%v has grown", row.known)
			}
		})
	}
}
