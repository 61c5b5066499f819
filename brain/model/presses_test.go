package model

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestPressKeys(t *testing.T) {
	for _, row := range []struct {
		name  string
		names []string
		want  string // "" is a failure
	}{
		{"a chord", []string{"ctrl", "a"}, "Control+a"},
		{"a chord in one name", []string{"ctrl+a"}, "Control+a"},
		{"one after another", []string{"TAB", "TAB", "ENTER"}, "Tab Tab Return"},
		{"held for what is behind", []string{"SHIFT", "TAB", "TAB"}, "Shift+Tab Shift+Tab"},
		{"chords one after another", []string{"ctrl+a", "Delete"}, "Control+a Delete"},
		{"modifiers alone", []string{"shift"}, "Shift"},
		{"the space bar", []string{" "}, "space"},
		{"empty names", []string{"", "Tab"}, "Tab"},
		{"nothing", nil, ""},
		{"an unknown key", []string{"ctrl", "warp"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, bad := PressKeys(row.names...)
			if a.Keys != row.want || (bad == nil) != (row.want != "") {
				t.Errorf("got %q %v, want %q", a.Keys, bad, row.want)
			}
			if bad != nil && bad.Kind != cua.FailUnknownAction {
				t.Errorf("it is a %s", bad.Kind)
			}
		})
	}
}
