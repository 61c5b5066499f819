package trajectories

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The names that format version 1 had for things of today.
var (
	// renamedToggles are pairs of a toggle of version 1 and one of now. A toggle of version 1 may have many
	// successors.
	renamedToggles = [][2]string{
		{"top_click_guard", "rescue_scroll_page"},
		{"loop_recovery", "rescue_type_pending_value"},
		{"loop_recovery", "rescue_press_return_for_submit"},
		{"loop_recovery", "rescue_tab_to_next_field"},
		{"rung_dismiss_overlay", "rescue_dismiss_overlay"},
		{"rung_scroll_into_view", "rescue_scroll_into_view"},
		{"rung_retarget_click", "rescue_retarget_click"},
		{"rung_use_control", "rescue_use_control"},
		{"rung_press_submit", "rescue_press_submit"},
		{"rung_reload_page", "rescue_reload_page"},
		{"rung_rewind", "rescue_rewind"},
		{"rung_ask_user", "rescue_ask_user"},
	}
	// renamedSettings are pairs of paths in the config. A setting without a successor is not among them.
	renamedSettings = [][2]string{
		{"recovery.ladder.retarget_px", "recovery.rescue.near_px"},
		{"recovery.ladder.stale_ms", "recovery.rescue.stale_ms"},
		{"recovery.ladder.rewinds", "recovery.rescue.rewinds"},
		{"recovery.loop_recovery.place_px", "recovery.rescue.place_px"},
		{"recovery.top_click_guard.clicks", "recovery.rescue.early"},
	}
	// goneSettings are dropped after that.
	goneSettings = []string{"recovery.ladder", "recovery.loop_recovery", "recovery.top_click_guard",
		"recovery.breaker.looks", "recovery.nudge.looks", "recovery.nudge.placebo", "recovery.policy.rewinds",
		"formctl.refusals"}
)

// upgradeHeader gives a header of version 1 the toggles and settings of now; text is its record. The version
// stays that of the file.
func upgradeHeader(h *Header, text []byte) {
	var old struct {
		Header struct{ Toggles map[string]any }
	}
	if json.Unmarshal(text, &old) == nil {
		for name, on := range upgradeToggles(old.Header.Toggles) {
			if on, ok := on.(bool); ok {
				_ = h.Toggles.Set(name, on) // a toggle that is no more switches nothing
			}
		}
	}
	if len(h.Config) > 0 {
		h.Config = upgradeConfig(h.Config)
	}
}

// upgradeToggles are the toggles by their names of now.
func upgradeToggles(old map[string]any) map[string]any {
	out := map[string]any{}
	for name, on := range old {
		if !slices.ContainsFunc(renamedToggles, func(r [2]string) bool {
			return r[0] == name &&
				r[0] != "loop_recovery"
		}) {
			out[name] = on
		}
	}
	for _, r := range renamedToggles {
		if on, ok := old[r[0]]; ok {
			out[r[1]] = on
		}
	}
	return out
}

// upgradeConfig is the config of version 1 as one of now. A config that cannot be read stays as it is.
func upgradeConfig(text json.RawMessage) json.RawMessage {
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if dec.Decode(&doc) != nil || doc == nil {
		return text
	}
	if toggles, ok := doc["toggles"].(map[string]any); ok {
		doc["toggles"] = upgradeToggles(toggles)
	}
	for _, r := range renamedSettings {
		if v, ok := setting(doc, r[0]); ok {
			putSetting(doc, r[1], v)
		}
	}
	if v, ok := setting(doc, "recovery.loop_recovery.value"); ok {
		putSetting(doc, "recovery.rescue.classic", v == "first")
	}
	for _, path := range goneSettings {
		parent, name := path[:strings.LastIndexByte(path, '.')], path[strings.LastIndexByte(path, '.')+1:]
		if m, ok := setting(doc, parent); ok {
			if m, ok := m.(map[string]any); ok {
				delete(m, name)
			}
		}
	}
	out, err := json.Marshal(doc)
	if err != nil {
		return text
	}
	return out
}

// setting is what stands at the path of names between dots.
func setting(doc map[string]any, path string) (any, bool) {
	var at any = doc
	for name := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		if at, ok = m[name]; !ok {
			return nil, false
		}
	}
	return at, true
}

// putSetting sets v at the path, and makes the objects on the way.
func putSetting(doc map[string]any, path string, v any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		m, ok := doc[name].(map[string]any)
		if !ok {
			m = map[string]any{}
			doc[name] = m
		}
		doc = m
	}
	doc[names[len(names)-1]] = v
}

// upgradeRecord adds to a record of a journal of version 1 what the observations of now tell, as far as that
// can be known.
func upgradeRecord(r *Record) {
	switch r.Type {
	case StartRecord:
		upgradePage(r.Start)
	case StepRecord:
		upgradePage(&r.Step.After)
		t := &r.Step.Target
		if t.Text == "" && !t.Clickable {
			t.Text, t.Input = t.Name, inputRole(t.Role)
			t.Clickable = t.Input || t.Submit || t.Editable || slices.Contains(actorRoles, t.Role)
		}
	case EventRecord:
		if r.Event.After != nil {
			upgradePage(r.Event.After)
		}
	}
}

// actorRoles are the roles of what reacts to presses and is no input.
var actorRoles = []string{"button", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "summary",
	"treeitem"}

// inputRole reports whether a press on what has that role changes local state only.
func inputRole(role string) bool {
	switch role {
	case "textbox", "checkbox", "radio", "switch", "option", "slider", "spinbutton", "tab", "combobox",
		"listbox", "gridcell", "searchbox":
		return true
	}
	return false
}

// upgradePage leaves an observation as it is that has forms or visible texts: a session of now may have gone
// on in a journal of version 1.
func upgradePage(o *cua.Observation) {
	if o.Forms != nil || slices.ContainsFunc(o.Marks, func(m cua.Mark) bool {
		return m.Text != "" ||
			m.Input
	}) {
		return
	}
	form := func(id, frame string) *cua.Form {
		if f := o.FormOf(id, frame); f != nil {
			return f
		}
		o.Forms = append(o.Forms, cua.Form{ID: id, Frame: frame})
		return &o.Forms[len(o.Forms)-1]
	}
	for i := range o.Fields {
		form(o.Fields[i].Form, o.Fields[i].Frame)
	}
	for i := range o.Marks {
		m := &o.Marks[i]
		m.Text, m.Input = m.Name, inputRole(m.Role)
		if m.Form == "" {
			continue
		}
		if f := form(m.Form, m.Frame); m.Submit && f.Default == nil {
			f.Default = new(m.Control())
		}
	}
}
