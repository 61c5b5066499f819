package trajectories

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// A journal that version 1 wrote is read with the toggles and observations of now; the header says what wrote
// it.
func TestReadingVersion1(t *testing.T) {
	tr, err := Read(filepath.Join("testdata", "version1.jsonl"))
	must(t, err)
	h := tr.Header
	if h.Version != 1 || !h.Toggles.RescueType || !h.Toggles.RescueReturn || !h.Toggles.RescueTab ||
		!h.Toggles.RescueScrollPage ||
		!h.Toggles.RescueRetarget || !h.Toggles.RescueAsk || !h.Toggles.LoopRecovery {
		t.Errorf("version %d, toggles %+v", h.Version, h.Toggles)
	}
	for _, s := range tr.Steps {
		for _, m := range s.After.Marks {
			if m.Text != m.Name {
				t.Errorf("step %d: mark %q has the text %q", s.N, m.Name, m.Text)
			}
		}
		if len(s.After.Fields) > 0 && s.After.Forms == nil {
			t.Errorf("step %d has fields and no forms", s.N)
		}
		if s.Target.Role == "textbox" && (!s.Target.Input || !s.Target.Clickable) {
			t.Errorf("step %d: target %+v", s.N, s.Target)
		}
	}
}

func TestUpgradeConfig(t *testing.T) {
	for _, row := range []struct{ name, old, want string }{
		{"what has a successor", `{"recovery":{"ladder":{"retarget_px":40.0,"stale_ms":30000,"rewinds":2,"misses":2,"tries":3},` +
			`"loop_recovery":{"place_px":8,"rules":[1,2,3,4],"value":"matching"},"top_click_guard":{"clicks":2,"max_y":100},"breaker":{"grace":3}}}`,
			`{"recovery":{"breaker":{"grace":3},"rescue":{"classic":false,"early":2,"near_px":40.0,"place_px":8,"rewinds":2,"stale_ms":30000}}}`},
		{"classic", `{"recovery":{"loop_recovery":{"rules":[1,3,4],"value":"first"}}}`, `{"recovery":{"rescue":{"classic":true}}}`},
		{"toggles", `{"toggles":{"breaker":true,"loop_recovery":true,"rung_rewind":false,"top_click_guard":true}}`,
			`{"toggles":{"breaker":true,"loop_recovery":true,"rescue_press_return_for_submit":true,"rescue_rewind":false,` +
				`"rescue_scroll_page":true,"rescue_tab_to_next_field":true,"rescue_type_pending_value":true}}`},
		{"a long number", `{"recovery":{"limits":{"max_tokens":123456789012345678}}}`, `{"recovery":{"limits":{"max_tokens":123456789012345678}}}`},
		{"no object", `7`, `7`},
		{"objects that are none", `{"recovery":3,"toggles":[]}`, `{"recovery":3,"toggles":[]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := string(upgradeConfig(json.RawMessage(row.old))); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestUpgradePage(t *testing.T) {
	o := cua.Observation{Fields: []cua.Field{{ID: "a", Form: "f"}, {ID: "b"}}, Marks: []cua.Mark{
		{ID: "x", Role: "checkbox", Name: "Terms", Form: "f"}, {ID: "y", Role: "button", Name: "Send", Submit: true, Form: "f"},
		{ID: "z", Role: "button", Name: "Delete", Submit: true, Form: "f"}}}
	upgradePage(&o)
	if f := o.FormOf("f", ""); f == nil || f.Default == nil || f.Default.ID != "y" ||
		f.Default.Text != "Send" {
		t.Errorf("forms %+v", o.Forms)
	}
	if f := o.FormOf("", ""); f == nil || f.Default != nil {
		t.Errorf("fields in no form have %+v", f)
	}
	if !o.Marks[0].Input || o.Marks[1].Input || o.Marks[0].Text != "Terms" {
		t.Errorf("marks %+v", o.Marks)
	}
	icon := cua.Observation{Forms: []cua.Form{{ID: "f"}}, Marks: []cua.Mark{{ID: "x", Role: "button",
		Name: "Close"}}}
	if upgradePage(&icon); icon.Marks[0].Text != "" {
		t.Error("an observation of now was changed")
	}
}
