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
		want       []Unusable // Why is a part of it
	}{
		{"nothing", "", nil, nil},
		{"all can be used", goodBlock, []*trajectories.Trajectory{page}, nil},
		{"no JSON", "\n```json\n{\n```\n", nil, []Unusable{{3, "", "no JSON"}}},
		{"a secret", leak, nil, []Unusable{{1, "l-1", "secret_value"}}},
		{"a text of a page", quote, []*trajectories.Trajectory{page}, []Unusable{{1, "l-1", "page_text"}}},
		{"a text of a page that is not looked at", quote, nil, nil},
		{"a broken one before one with a secret", "```json\n{\n```\n" + leak, nil, []Unusable{{2, "", "no JSON"}, {4, "l-1", "secret_value"}}},
		{"one with a secret before two broken ones", leak + "```json\n{\n```\n" + strings.Replace(goodBlock, "text", "words", 1), nil,
			[]Unusable{{5, "", "no JSON"}, {7, "l-1", "text"}, {1, "l-1", "secret_value"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := Parse([]byte(row.text))
			found := file.Lint(row.runs, secrets)
			if found == nil || len(found) != len(row.want) {
				t.Fatalf("%+v, want %+v", found, row.want)
			}
			for i, f := range found {
				w := row.want[i]
				if f.Line != w.Line || f.ID != w.ID || !strings.Contains(f.Why, w.Why) {
					t.Errorf("%+v, want %+v", f, w)
				}
			}
			if string(file.Bytes()) != row.text || !reflect.DeepEqual(found, file.Lint(row.runs, secrets)) {
				t.Error("it changed the file")
			}
		})
	}
}
