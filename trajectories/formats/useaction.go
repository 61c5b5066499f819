package formats

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// useKinds are the actions of browser-use, of all its versions, in our words. A name that is
// not here is a kind of its own: somebody's own tool, which acts.
var useKinds = map[string]cua.Kind{
	"click": cua.Click, "click_element": cua.Click, "click_element_by_index": cua.Click, "click_coordinate": cua.Click, "click_coordinates": cua.Click,
	"input": cua.Type, "input_text": cua.Type, "type": cua.Type,
	"navigate": cua.Navigate, "go_to_url": cua.Navigate, "search": cua.Navigate, "search_google": cua.Navigate,
	"open_tab": cua.NewTab, "open_new_tab": cua.NewTab, "switch": cua.SwitchTab, "switch_tab": cua.SwitchTab, "close": cua.CloseTab, "close_tab": cua.CloseTab,
	"scroll": cua.Scroll, "scroll_down": cua.Scroll, "scroll_up": cua.Scroll, "scroll_to_text": cua.Scroll, "find_text": cua.Scroll,
	"send_keys": cua.Key, "wait": cua.Wait, "go_back": cua.Back, "go_forward": cua.Forward, "refresh": cua.Reload, "reload": cua.Reload,
	"select_dropdown": cua.Select, "select_dropdown_option": cua.Select, "upload_file": cua.Upload, "drag_drop": cua.Drag, "hover": cua.Hover,
	"extract": cua.Extract, "extract_content": cua.Extract, "extract_page_content": cua.Extract, "extract_structured_data": cua.Extract,
	"dropdown_options": cua.Extract, "get_dropdown_options": cua.Extract, "search_page": cua.Find, "find_elements": cua.Find,
	"screenshot": cua.Observe, "take_screenshot": cua.Observe, "save_pdf": cua.Observe, "save_as_pdf": cua.Observe,
	"write_file": cua.Observe, "append_file": cua.Observe, "replace_file": cua.Observe, "replace_file_str": cua.Observe, "read_file": cua.Observe,
	"evaluate": "script", "execute_javascript": "script", "done": cua.Done,
}

// useParams are the parameters of one action.
type useParams map[string]json.RawMessage

// text is the first of names that is there: a text as it is, anything else as JSON.
func (p useParams) text(names ...string) string {
	for _, n := range names {
		raw, ok := p[n]
		if !ok || string(raw) == "null" {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
		return compact(raw)
	}
	return ""
}

// number is the first of names that is there, or nil; a number that is none is an error.
func (p useParams) number(names ...string) (*float64, error) {
	text := p.text(names...)
	if text == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(math.Abs(v) <= maxPlace) {
		return nil, fmt.Errorf("%s is %.40q: a number up to %v belongs there", names[0], text,
			float64(maxPlace))
	}
	return &v, nil
}

func (p useParams) point(x, y string) (*cua.Point, error) {
	px, err := p.number(x)
	if err != nil {
		return nil, err
	}
	py, err := p.number(y)
	if err != nil || px == nil || py == nil {
		return nil, err
	}
	return &cua.Point{X: *px, Y: *py}, nil
}

func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// useAction is one entry of a list of actions, {"name": {parameters}}, and its target. The zero
// Kind says that it names none.
func useAction(raw json.RawMessage, el *useElement) (a cua.Action, t cua.Target, err error) {
	var entry map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entry); err != nil {
		return a, t, plainError(err)
	}
	name := useName(entry)
	if len(name) > maxWord {
		return a, t, fmt.Errorf("a name of %d bytes", len(name))
	}
	if name == "" {
		return a, t, nil
	}
	var p useParams
	if json.Unmarshal(entry[name], &p) != nil { // one value instead of an object
		p = useParams{"index": entry[name], "text": entry[name]}
	}
	a.Kind = cmp.Or(useKinds[name], cua.Kind(name))
	if err := p.fill(&a, name, entry[name]); err != nil {
		return a, t, fmt.Errorf("%s: %w", name, err)
	}
	t = el.target()
	if index := p.text("index", "element_index"); t.ID == "" && index != "" && atElement(a.Kind) {
		t.ID = "[" + cua.HeadBytes(index, maxWord) + "]"
	}
	if a.Point == nil && a.Kind.Pointer() {
		a.Point = t.Point
	}
	t.Point = cmp.Or(a.Point, t.Point)
	return a, t, nil
}

// useName is the action's name: of several keys the one that is known, or the first.
func useName(entry map[string]json.RawMessage) string {
	delete(entry, "interacted_element")
	names := slices.Sorted(maps.Keys(entry))
	for _, n := range names {
		if useKinds[n] != "" {
			return n
		}
	}
	return strings.Join(names[:min(len(names), 1)], "")
}

// atElement reports whether the index that k may have is that of an element.
func atElement(k cua.Kind) bool {
	return k.Pointer() || k == cua.Type || k == cua.Select || k == cua.Upload || k == cua.Scroll
}

// fill sets what the parameters say.
func (p useParams) fill(a *cua.Action, name string, raw json.RawMessage) (err error) {
	switch a.Kind {
	case cua.Click, cua.Hover:
		a.Point, err = p.point("coordinate_x", "coordinate_y")
	case cua.Drag:
		a.Text = strings.TrimSpace(p.text("element_source") + " " + p.text("element_target"))
		if a.Point, err = p.point("coord_source_x", "coord_source_y"); err == nil {
			a.To, err = p.point("coord_target_x", "coord_target_y")
		}
	case cua.Type:
		a.Text, a.Clear = p.text("text"), p.text("clear") == "true"
	case cua.Navigate, cua.NewTab:
		a.URL, a.Text = p.text("url"), p.text("query")
		if p.text("new_tab") == "true" {
			a.Kind = cua.NewTab
		}
	case cua.SwitchTab, cua.CloseTab:
		a.Text = p.text("tab_id", "page_id", "index")
	case cua.Scroll:
		a.Text = p.scroll(name)
	case cua.Key:
		a.Keys = keys(p.text("keys"))
	case cua.Wait:
		var seconds *float64
		seconds, err = p.number("seconds")
		a.MS = useWaitMS
		if seconds != nil {
			a.MS = int(1000 * max(*seconds, 0))
		}
	case cua.Select:
		a.Text = p.text("text", "option", "value")
	case cua.Upload:
		a.Files = []string{p.text("path", "file_path")}
	case cua.Done:
		a.Text, a.Success = p.text("text", "data"), p.text("success") != "false"
	default:
		if len(p) > 0 {
			a.Text = compact(raw)
		}
	}
	return err
}

// useWaitMS is how long a wait of browser-use lasts that does not say it.
const useWaitMS = 3000

// scroll is where to and how far, in words: how many pixels a page has is not known.
func (p useParams) scroll(name string) string {
	if text := p.text("text"); text != "" {
		return text
	}
	direction := p.text("direction")
	switch {
	case direction != "":
	case name == "scroll_up" || p.text("down") == "false":
		direction = "up"
	default:
		direction = "down"
	}
	return strings.TrimSpace(direction + " " + p.text("pages", "num_pages", "amount"))
}

// target is what an action was aimed at; the zero value of nothing.
func (e *useElement) target() cua.Target {
	if e == nil {
		return cua.Target{}
	}
	attribute := func(names ...string) string {
		for _, n := range names {
			if s, _ := e.Attributes[n].(string); s != "" {
				return cua.HeadBytes(s, maxDetail)
			}
		}
		return ""
	}
	t := cua.Target{Tag: strings.ToLower(cmp.Or(e.TagName, e.NodeName)),
		Type: strings.ToLower(attribute("type")), Box: e.box()}
	t.Role = cmp.Or(attribute("role"), roleOf(t.Tag, t.Type))
	t.Name = cmp.Or(cua.HeadBytes(e.Name, maxDetail), attribute("aria-label", "title", "placeholder",
		"alt", "name"))
	t.Editable = t.Role == "textbox"
	path := cmp.Or(e.XPath, e.NodePath)
	if path == "" && len(e.Hash) > 0 && string(e.Hash) != "null" {
		path = compact(e.Hash)
	}
	if path != "" {
		t.ID = t.Role + ":" + t.Name + ":" + path
	}
	if !t.Box.Empty() {
		p := t.Box.Center()
		t.Point = &p
	}
	return t
}

// roleOf is the role that an element has by its name.
func roleOf(tag, kind string) string {
	switch tag {
	case "a":
		return "link"
	case "select":
		return "combobox"
	case "textarea":
		return "textbox"
	case "input":
		switch kind {
		case "button", "submit", "reset", "image":
			return "button"
		case "checkbox", "radio":
			return kind
		}
		return "textbox"
	}
	return tag
}

// box is where the element was; the zero Box when that is not known, or beyond all measure.
func (e *useElement) box() cua.Box {
	var b cua.Box
	switch {
	case e.Bounds != nil:
		b = cua.Box{X: e.Bounds.X, Y: e.Bounds.Y, W: e.Bounds.Width, H: e.Bounds.Height}
	case e.Viewport != nil:
		b = cua.Box{X: e.Viewport.TopLeft.X, Y: e.Viewport.TopLeft.Y, W: e.Viewport.Width,
			H: e.Viewport.Height}
	}
	for _, v := range []float64{b.X, b.Y, b.W, b.H} {
		if math.Abs(v) > maxPlace {
			return cua.Box{}
		}
	}
	return b
}
