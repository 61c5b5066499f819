package lessons

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Lint names broken entries, secrets and texts of pages, each with its line, and changes nothing.
func TestLint(t *testing.T) {
	page := &trajectories.Trajectory{Start: cua.Observation{Title: "Winter sale of garden lamps"}}
	secrets := map[string]string{"NICK": "grandmother"}
	leak := strings.Replace(goodBlock, "Return sends the form.", "The nick is grandmother.", 1)
	quote := strings.Replace(goodBlock, "Return sends the form.", "It says Winter sale of garden lamps.", 1)
	for _, row := range []struct {
		name, text string
		runs       []*trajectories.Trajectory
		want       []string // part of why, in order
	}{
		{"nothing", "", nil, nil},
		{"all can be used", goodBlock, []*trajectories.Trajectory{page}, nil},
		{"no JSON", "\n```json\n{\n```\n", nil, []string{"no JSON"}},
		{"a secret", leak, nil, []string{"secret_value"}},
		{"a text of a page", quote, []*trajectories.Trajectory{page}, []string{"page_text"}},
		{"a text of a page that is not looked at", quote, nil, nil},
		{"a broken one before one with a secret", "```json\n{\n```\n" + leak, nil, []string{"no JSON", "secret_value"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := Parse([]byte(row.text))
			found := file.Lint(row.runs, secrets)
			if found == nil || len(found) != len(row.want) {
				t.Fatalf("%#v, want %q", found, row.want)
			}
			for i, f := range found {
				if !strings.Contains(f.Why, row.want[i]) || f.Line < 1 {
					t.Errorf("%+v, want %q", f, row.want[i])
				}
			}
			if string(file.Bytes()) != row.text || !reflect.DeepEqual(found, file.Lint(row.runs, secrets)) {
				t.Error("it changed the file")
			}
		})
	}
}
