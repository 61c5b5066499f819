package anthropic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// tabs names the open tabs. An id stays with its tab while it is open and is never reused. An observation
// has the number of tabs and the active one. The content of another tab is what it showed when it was last
// active.
type tabs struct {
	ids    []string // by position
	active int      // position of the active one, from 1; 0 before the first observation
	next   int
	shown  map[string]shown
	opened []string // by the newest step, still open
}

type shown struct{ title, url string }

// see updates the tabs with one step: its action and the page after it. A nil action means none.
func (t *tabs) see(o *cua.Observation, done *cua.Action) {
	if t.shown == nil {
		t.shown = map[string]shown{}
	}
	t.opened = nil
	count, active := max(o.Tabs, 1), max(o.Tab, 1)
	if gone := len(t.ids) - count; gone > 0 {
		t.drop(gone, active, done)
	}
	anew := len(t.ids) == 0 // the first look, or unknown tabs are left: none counts as opened now
	for len(t.ids) < count {
		t.next++
		id := fmt.Sprintf("tab_%d", t.next)
		t.ids = append(t.ids, id)
		if !anew {
			t.opened = append(t.opened, id)
		}
	}
	t.active = min(active, count)
	t.shown[t.current()] = shown{clean(o.Title), clean(cua.PublicURL(o.URL))}
}

// drop removes closed tabs: the one that was asked for, or the active one if another is active now. It is
// unknown which of the others were closed. Those that are left get new ids, so that no id refers to
// another tab.
func (t *tabs) drop(gone, active int, done *cua.Action) {
	at := 0
	switch {
	case done != nil && done.Kind == cua.CloseTab:
		at = done.Tab
		if at == 0 {
			at = t.active
		}
	case active != t.active:
		at = t.active
	}
	if gone == 1 && at >= 1 && at <= len(t.ids) {
		delete(t.shown, t.ids[at-1])
		t.ids = slices.Delete(t.ids, at-1, at)
		return
	}
	t.ids = nil
	clear(t.shown)
}

// current is the id of the active tab; "" before the first observation.
func (t *tabs) current() string {
	if t.active < 1 || t.active > len(t.ids) {
		return ""
	}
	return t.ids[t.active-1]
}

// position is the position of the tab with that id, from 1; 0 if there is none.
func (t *tabs) position(id string) int { return slices.Index(t.ids, id) + 1 }

// maxTabs is the maximum number of tabs in one block of the wire.
const maxTabs = 100

// state is the browser_state block: all tabs, exactly one of them active. opened are the tabs to mark as
// opened by the call.
func (t *tabs) state(opened []string) *sdk.BrowserStateBlockParam {
	b := &sdk.BrowserStateBlockParam{Tabs: []sdk.BrowserStateTabEntryParam{}}
	for i, id := range t.ids {
		if len(b.Tabs) == maxTabs-1 && i < t.active-1 {
			continue // the active one is always among them
		}
		if len(b.Tabs) == maxTabs {
			break
		}
		e := sdk.BrowserStateTabEntryParam{TabID: id, Title: t.shown[id].title, URL: t.shown[id].url}
		if i == t.active-1 {
			e.Active = param.NewOpt(true)
		}
		b.Tabs = append(b.Tabs, e)
	}
	for _, id := range opened {
		if slices.ContainsFunc(b.Tabs, func(e sdk.BrowserStateTabEntryParam) bool { return e.TabID == id }) {
			b.StateChanges = append(b.StateChanges, sdk.BrowserStateChangeParamOfTabOpened(id))
		}
	}
	return b
}

// tabbing parses the members that manage tabs.
func (s *scene) tabbing(c call, id string) (order, *cua.Failure) {
	o := order{show: showTabs}
	switch c.name {
	case "list_tabs":
		return o, nil
	case "new_tab":
		o.actions, o.opens = []cua.Action{{Kind: cua.NewTab}}, true
		return o, nil
	}
	at := s.tabs.position(id)
	if at == 0 {
		return order{}, s.noTab(c, id)
	}
	kind := cua.SwitchTab
	if c.name == "close_tab" {
		kind = cua.CloseTab
	}
	o.actions = []cua.Action{{Kind: kind, Tab: at}}
	return o, nil
}

// after are the tabs after a call of a batch, for parsing the calls behind it: positions change when a tab
// is closed. A tab that the call will open has no id yet that a model could know.
func (t *tabs) after(o order) *tabs {
	out := &tabs{ids: slices.Clone(t.ids), active: t.active, shown: t.shown}
	for _, a := range o.actions {
		switch a.Kind {
		case cua.SwitchTab:
			out.active = a.Tab
		case cua.CloseTab:
			if len(out.ids) > 1 {
				out.ids = slices.Delete(out.ids, a.Tab-1, a.Tab)
				out.active = min(out.active, len(out.ids))
			}
		case cua.NewTab:
			out.ids = append(out.ids, "")
			out.active = len(out.ids)
		}
	}
	return out
}

// noTab answers a call that names a tab that is not open.
func (s *scene) noTab(c call, id string) *cua.Failure {
	return faulty(cua.FailNotFound, "%s: there is no tab %q; open are %s", c.name, brain.Line(id, 40),
		strings.Join(s.tabs.ids, ", "))
}

// maxString is the maximum length of a string of a browser_state block, characters.
const maxString = 4096

// clean is a text for a browser_state block: without control characters, and not too long.
func clean(s string) string {
	return cua.Clip(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")), maxString)
}
