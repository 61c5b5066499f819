package cua

import (
	"math"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	p := func(x, y float64) *Point { return &Point{x, y} }
	view := Size{1280, 800}
	rows := []struct {
		name string
		a    Action
		err  string // a piece of the error; "" is none
	}{
		{"unknown kind", Action{Kind: "dance"}, `unknown action kind "dance"`},
		{"no kind", Action{}, "unknown action kind"},
		{"click at a point", Action{Kind: Click, Point: p(1, 1)}, ""},
		{"click at a mark", Action{Kind: Click, Mark: 3}, ""},
		{"click nowhere", Action{Kind: Click}, "needs a point or a mark"},
		{"the last pixel", Action{Kind: Click, Point: p(1279, 799)}, ""},
		{"just outside", Action{Kind: Click, Point: p(1280, 10)}, "outside the viewport 1280×800"},
		{"negative", Action{Kind: Click, Point: p(-1, 10)}, "outside"},
		{"no number", Action{Kind: Click, Point: p(math.NaN(), 10)}, "outside"},
		{"drag without an end", Action{Kind: Drag, Point: p(1, 1)}, "a to"},
		{"drag to outside", Action{Kind: Drag, Point: p(1, 1), To: p(1, 900)}, "outside"},
		{"drag", Action{Kind: Drag, Point: p(1, 1), To: p(2, 2)}, ""},
		{"type nothing to clear a field", Action{Kind: Type, Clear: true}, ""},
		{"key", Action{Kind: Key, Keys: "Control+a"}, ""},
		{"key without keys", Action{Kind: Key}, "needs keys"},
		{"scroll", Action{Kind: Scroll, DY: -10}, ""},
		{"scroll by nothing", Action{Kind: Scroll}, "dx or dy"},
		{"navigate nowhere", Action{Kind: Navigate}, "needs a url"},
		{"navigate to what is no url", Action{Kind: Navigate, URL: "http://[::1"}, "bad url"},
		{"a blank tab", Action{Kind: NewTab}, ""},
		{"wait", Action{Kind: Wait, MS: 60000}, ""},
		{"wait too long", Action{Kind: Wait, MS: 60001}, "1 to 60000"},
		{"wait no time", Action{Kind: Wait}, "1 to 60000"},
		{"select", Action{Kind: Select, Mark: 1, Text: "Blue"}, ""},
		{"select nothing", Action{Kind: Select, Mark: 1}, "the text of an option"},
		{"upload without files", Action{Kind: Upload, Mark: 1}, "files"},
		{"switch to no tab", Action{Kind: SwitchTab}, "a tab number"},
		{"rewind to no step", Action{Kind: Rewind}, "a step number"},
		{"ask nothing", Action{Kind: Ask}, "needs text"},
		{"done", Action{Kind: Done, Success: true}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			err := row.a.Validate(view)
			if (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("error %v, want one with %q", err, row.err)
			}
		})
	}
	if err := (Action{Kind: Click, Point: p(5000, 1)}).Validate(Size{}); err != nil {
		t.Errorf("no viewport is known: %v", err)
	}
	for _, k := range Kinds() {
		if err := (Action{Kind: k, Point: p(1, 1), To: p(1, 1), Text: "t", Keys: "k", DX: 1,
			URL: "https://a.test/", MS: 1,
			Tab: 1, Files: []string{"f"}, Step: 1}).Validate(view); err != nil {
			t.Errorf("%s with everything: %v", k, err)
		}
	}
}
