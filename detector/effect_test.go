package detector

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestEffect(t *testing.T) {
	field := func(id, value string) cua.Field {
		return cua.Field{ID: id, ValueDigest: cua.Digest(value), Empty: value == "", Editable: true}
	}
	base := func() cua.Observation {
		return cua.Observation{URL: "https://a.test/", Document: "d1", FormDigest: "f1", DOMDigest: "p1",
			DOMParts: map[string]string{"main": "1", "clock": "1"},
			Fields:   []cua.Field{field("name", ""), field("mail", "")}, Tabs: 1, Tab: 1}
	}
	type changes = []cua.Change
	lone := func(tiles ...int) *cua.TileDiff { return &cua.TileDiff{Cols: 40, Rows: 25, Changed: tiles} }
	rows := []struct {
		name         string
		in           func(*EffectInput)
		unknown      bool
		progress     changes
		presentation changes
		atTarget     changes
		parts        []string
	}{
		{name: "nothing", in: func(*EffectInput) {}},
		{name: "another address", in: func(in *EffectInput) { in.After.URL = "https://a.test/b" }, progress: changes{cua.ChangeURL}},
		{name: "a new document that shows the same", in: func(in *EffectInput) { in.After.Document = "d2" }},
		{name: "one character into the target", in: func(in *EffectInput) {
			in.After.FormDigest, in.After.Fields, in.Target.ID = "f2",
				[]cua.Field{field("name", "a"), field("mail", "")}, "name"
		}, progress: changes{cua.ChangeForm}, atTarget: changes{cua.ChangeForm}},
		{name: "one character into the focused field", in: func(in *EffectInput) {
			in.After.FormDigest, in.After.Fields = "f2", []cua.Field{field("name", "a"), field("mail", "")}
			f := field("name", "")
			in.Before.Focus, in.After.Focus = &f, &f
		}, progress: changes{cua.ChangeForm}, atTarget: changes{cua.ChangeForm}},
		{name: "another field than the target", in: func(in *EffectInput) {
			in.After.FormDigest, in.After.Fields, in.Target.ID = "f2",
				[]cua.Field{field("name", ""), field("mail", "x")}, "name"
		}, progress: changes{cua.ChangeForm}},
		{name: "a ticked box by its label", in: func(in *EffectInput) {
			in.Before.Fields, in.After.Fields = []cua.Field{{ID: "box"}},
				[]cua.Field{{ID: "box", Checked: true}}
			in.After.FormDigest, in.Target.ID, in.Target.Field = "f2", "label", "box"
		}, progress: changes{cua.ChangeForm}, atTarget: changes{cua.ChangeForm}},
		{name: "text", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "2", "clock": "1"}
		}, progress: changes{cua.ChangeDOM}, parts: []string{"main"}},
		{name: "a part came, a part went", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "1", "alert": "1"}
		}, progress: changes{cua.ChangeDOM}, parts: []string{"alert", "clock"}},
		{name: "churn only", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "1", "clock": "2"}
			in.Churn.Parts = map[string]bool{"clock": true}
		}},
		{name: "ambient only", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "1", "clock": "2"}
			in.After.Ambient.Parts = []string{"clock"}
		}},
		{name: "ambient and a result", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "2", "clock": "2"}
			in.After.Ambient.Parts = []string{"clock"}
		}, progress: changes{cua.ChangeDOM}, parts: []string{"main"}},
		{name: "digests without parts", in: func(in *EffectInput) {
			in.Before.DOMParts, in.After.DOMParts, in.After.DOMDigest = nil, nil, "p2"
		}, progress: changes{cua.ChangeDOM}},
		{name: "a stroke on a canvas", in: func(in *EffectInput) {
			in.Before.Canvases, in.After.Canvases = map[string]string{"c": "1"}, map[string]string{"c": "2"}
		}, progress: changes{cua.ChangeDOM}, parts: []string{"canvas:c"}},
		{name: "a scroll", in: func(in *EffectInput) { in.After.Scroll.Y = 100 }, progress: changes{cua.ChangeScroll}},
		{name: "less than a pixel of scroll", in: func(in *EffectInput) { in.After.Scroll.Y = 0.5 }},
		{name: "a scroll in a container", in: func(in *EffectInput) {
			in.Action = cua.Action{Kind: cua.Scroll, DY: 100}
			in.After.Scroll.ContainerY = 100
		}, progress: changes{cua.ChangeScroll}},
		{name: "a click into another container", in: func(in *EffectInput) { in.After.Scroll.ContainerY = 100 }},
		{name: "a Tab that scrolls to the next field", in: func(in *EffectInput) {
			f := field("mail", "")
			in.Action = cua.Action{Kind: cua.Key, Keys: "Shift+Tab"}
			in.After.Scroll.Y, in.After.Focus, in.Tiles = 300, &f,
				&cua.TileDiff{Cols: 4, Rows: 4, Changed: cua.TileSet{1}}
		}, presentation: changes{cua.ChangeFocus, cua.ChangeFocusPixels}},
		{name: "a request that was answered well", in: func(in *EffectInput) { in.After.Writes = []cua.Write{{Method: "POST", Status: 200}} },
			progress: changes{cua.ChangeWrite}},
		{name: "a request without an answer yet", in: func(in *EffectInput) { in.After.Writes = []cua.Write{{Method: "POST"}} },
			progress: changes{cua.ChangeWrite}},
		{name: "a request that was turned down", in: func(in *EffectInput) { in.After.Writes = []cua.Write{{Method: "POST", Status: 500}} }},
		{name: "a dialog opens", in: func(in *EffectInput) { in.After.Dialog = &cua.Dialog{Type: "confirm"} }, progress: changes{cua.ChangeDialog}},
		{name: "an alert", in: func(in *EffectInput) { in.After.Alerts = []string{"no"} }, progress: changes{cua.ChangeDialog}},
		{name: "the same alert again", in: func(in *EffectInput) { in.Before.Alerts, in.After.Alerts = []string{"no"}, []string{"no"} }},
		{name: "a tab", in: func(in *EffectInput) { in.After.Tabs = 2 }, progress: changes{cua.ChangeTab}},
		{name: "tabs unknown", in: func(in *EffectInput) { in.After.Tabs, in.After.Tab = 0, 0 }},
		{name: "a download", in: func(in *EffectInput) { in.After.Downloads = 1 }, progress: changes{cua.ChangeDownload}},
		{name: "focus alone", in: func(in *EffectInput) { f := field("name", ""); in.After.Focus = &f }, presentation: changes{cua.ChangeFocus}},
		{name: "a focus ring", in: func(in *EffectInput) {
			f := field("name", "")
			in.After.Focus = &f
			in.Tiles = &cua.TileDiff{Changed: cua.TileSet{1, 2}, Presentation: cua.TileSet{1, 2},
				Region: true}
		}, presentation: changes{cua.ChangeFocus, cua.ChangeFocusPixels}},
		{name: "a hovered button", in: func(in *EffectInput) {
			in.After.Hover = []cua.Box{{W: 10, H: 10}}
			in.Tiles = &cua.TileDiff{Changed: cua.TileSet{1}, Presentation: cua.TileSet{1}}
		}, presentation: changes{cua.ChangeFocusPixels, cua.ChangeHover}},
		{name: "pixels at the point", in: func(in *EffectInput) { in.Tiles = &cua.TileDiff{Changed: cua.TileSet{1}, Region: true} },
			progress: changes{cua.ChangePixels}, atTarget: changes{cua.ChangePixels}},
		{name: "masked pixels", in: func(in *EffectInput) { in.Tiles = &cua.TileDiff{Changed: cua.TileSet{1}, Masked: cua.TileSet{1}} }},
		{name: "a lone animated tile far from the press", in: func(in *EffectInput) { in.Tiles = lone(39) }, presentation: changes{cua.ChangeFocusPixels}},
		{name: "a lone tile 200 px from the press", in: func(in *EffectInput) { in.Tiles = lone(6) }, progress: changes{cua.ChangePixels}},
		{name: "two tiles far from the press", in: func(in *EffectInput) { in.Tiles = lone(38, 39) }, progress: changes{cua.ChangePixels}},
		{name: "a lone tile beside a masked one", in: func(in *EffectInput) {
			in.Tiles = lone(38, 39)
			in.Tiles.Masked = cua.TileSet{38}
		}, presentation: changes{cua.ChangeFocusPixels}},
		{name: "a badge in a corner that the structure knows", in: func(in *EffectInput) {
			in.After.DOMDigest, in.After.DOMParts = "p2", map[string]string{"main": "2", "clock": "1"}
			in.Tiles = lone(39)
		}, progress: changes{cua.ChangeDOM, cua.ChangePixels}, parts: []string{"main"}},
		{name: "a character beside the caret, far from the pointer", in: func(in *EffectInput) {
			f := field("name", "")
			f.Box = cua.Box{X: 1100, Y: 0, W: 160, H: 24}
			in.Action, in.Before.Focus, in.After.Focus, in.Tiles = cua.Action{Kind: cua.Type, Text: "i"}, &f,
				&f, lone(39)
		}, progress: changes{cua.ChangePixels}},
		{name: "a lone tile far from the focus of a key", in: func(in *EffectInput) {
			f := field("name", "")
			f.Box = cua.Box{X: 0, Y: 0, W: 160, H: 24}
			in.Action, in.Before.Focus, in.After.Focus, in.Tiles = cua.Action{Kind: cua.Key, Keys: "Return"},
				&f, &f, lone(39)
		}, presentation: changes{cua.ChangeFocusPixels}},
		{name: "a lone tile where a drag ends", in: func(in *EffectInput) {
			in.Action, in.Tiles = cua.Action{Kind: cua.Drag, Point: at(10, 10), To: at(1200, 10)}, lone(39)
		}, progress: changes{cua.ChangePixels}},
		{name: "a lone tile after a reload, which has no place", in: func(in *EffectInput) {
			in.Action, in.Tiles = cua.Action{Kind: cua.Reload}, lone(39)
		}, progress: changes{cua.ChangePixels}},
		{name: "a lone tile on a page that is not read", in: func(in *EffectInput) {
			in.Before.DOMDigest, in.After.DOMDigest, in.Before.DOMParts, in.After.DOMParts = "", "", nil, nil
			in.Tiles = lone(39)
		}, progress: changes{cua.ChangePixels}},
		{name: "a lone tile of a frame of twice the size", in: func(in *EffectInput) {
			in.After.Viewport, in.After.Fingerprint, in.Tiles = cua.Size{W: 640, H: 400},
				&cua.Fingerprint{W: 1280, H: 800}, lone(12)
		}, progress: changes{cua.ChangePixels}},
		{name: "an unread page", unknown: true, in: func(in *EffectInput) { in.After = cua.Observation{URL: in.Before.URL} }},
		{name: "an unread page elsewhere", in: func(in *EffectInput) { in.After = cua.Observation{URL: "https://b.test/"} }, progress: changes{cua.ChangeURL}},
		{name: "an address alone on both sides", unknown: true, in: func(in *EffectInput) {
			in.Before, in.After = cua.Observation{URL: "https://a.test/"},
				cua.Observation{URL: "https://a.test/"}
		}},
		{name: "equal frames alone", in: func(in *EffectInput) {
			in.Before, in.After = cua.Observation{FrameSHA: "1"}, cua.Observation{FrameSHA: "1"}
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			in := EffectInput{Before: base(), After: base(), Action: click(10, 10)}
			row.in(&in)
			e := Effect(in)
			if e == nil || row.unknown {
				if (e == nil) != row.unknown {
					t.Fatalf("effect = %v, want unknown %v", e, row.unknown)
				}
				return
			}
			for _, c := range []struct {
				name      string
				got, want changes
			}{{"progress", e.Progress, row.progress}, {"presentation", e.Presentation, row.presentation},
				{"at target", e.AtTarget, row.atTarget}} {
				if !slices.Equal(c.got, c.want) {
					t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
				}
			}
			if !slices.Equal(e.Parts, row.parts) {
				t.Errorf("parts = %v, want %v", e.Parts, row.parts)
			}
		})
	}
}

func TestEffectCutsParts(t *testing.T) {
	in := EffectInput{Before: cua.Observation{DOMDigest: "1", DOMParts: map[string]string{"x": "1"}},
		After: cua.Observation{DOMDigest: "2", DOMParts: map[string]string{}}}
	for i := range 100 {
		in.After.DOMParts[string(rune('A'+i))] = "1"
	}
	if e := Effect(in); len(e.Parts) != cua.MaxEffectParts {
		t.Errorf("%d parts, want %d", len(e.Parts), cua.MaxEffectParts)
	}
}
