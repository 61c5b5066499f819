package mcp_test

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// errNoCall says that no tool does what the brain wants: an element that no snapshot lists, a bare point.
var errNoCall = errors.New("no call does this")

// translated is the call that does a on the page of t.
func (c *scriptedClient) translated(a cua.Action, t *cua.Turn) (string, args, error) {
	switch a.Kind {
	case cua.Key:
		out := args{"key": a.Keys}
		if a.Into != "" {
			ref, err := c.refOf(a, t)
			out["target"] = ref
			return "browser_press_key", out, err
		}
		return "browser_press_key", out, nil
	case cua.Scroll:
		return "browser_scroll", args{"dx": a.DX, "dy": a.DY}, nil
	case cua.Wait:
		return "browser_wait_for", args{"time": float64(a.MS) / 1000}, nil
	case cua.Navigate:
		return "browser_navigate", args{"url": a.URL}, nil
	case cua.Reload:
		return "browser_navigate", args{"url": t.Now.URL}, nil
	case cua.Back:
		return "browser_navigate_back", nil, nil
	case cua.Extract:
		return "browser_snapshot", nil, nil
	case cua.Observe:
		return "browser_take_screenshot", nil, nil
	case cua.Find:
		return "browser_find", args{"text": a.Text}, nil
	case cua.AnswerDlg:
		return "browser_handle_dialog", args{"accept": a.Accept, "promptText": a.Text}, nil
	case cua.Done:
		return "browser_done", args{"answer": a.Text, "success": a.Success}, nil
	case cua.CloseTab:
		return "browser_tabs", args{"action": "close"}, nil
	case cua.SwitchTab:
		return "browser_tabs", args{"action": "select", "index": a.Tab - 1}, nil
	}
	ref, err := c.refOf(a, t)
	if err != nil {
		return "", nil, err
	}
	switch a.Kind {
	case cua.Click:
		return "browser_click", args{"target": ref}, nil
	case cua.DoubleClick:
		return "browser_click", args{"target": ref, "doubleClick": true}, nil
	case cua.RightClick:
		return "browser_click", args{"target": ref, "button": "right"}, nil
	case cua.Hover:
		return "browser_hover", args{"target": ref}, nil
	case cua.Type:
		return "browser_type", args{"target": ref, "text": a.Text}, nil
	case cua.Select:
		return "browser_select_option", args{"target": ref, "values": []string{a.Text}}, nil
	case cua.Upload:
		return "browser_file_upload", args{"target": ref, "paths": a.Files}, nil
	case cua.Drag:
		to, err := c.refOf(cua.Action{Kind: cua.Click, Point: a.To}, t)
		return "browser_drag", args{"startTarget": ref, "endTarget": to}, err
	}
	return "", nil, fmt.Errorf("%w: %s", errNoCall, a.Kind)
}

// shown is an element of an observation, named as a snapshot does.
type shown struct {
	id, words string
	box       cua.Box
}

func shownOn(o *cua.Observation) (out []shown) {
	name := func(role, name string) string {
		name = cua.ClipBytes(strings.Join(strings.Fields(name), " "), 80)
		return cmp.Or(role, "element") + map[bool]string{true: " " + strconv.Quote(name)}[name != ""]
	}
	for _, m := range o.Marks {
		out = append(out, shown{m.ID, name(m.Role, cmp.Or(m.Name, m.Text)), m.Box})
	}
	for _, f := range o.Fields {
		if !slices.ContainsFunc(out, func(s shown) bool { return s.id == f.ID }) {
			out = append(out, shown{f.ID, name(f.Role, cmp.Or(f.Label, f.Name, f.Placeholder)), f.Box})
		}
	}
	return out
}

// refOf is the ref of what a is aimed at. If no result has named it, the client looks at the page again.
func (c *scriptedClient) refOf(a cua.Action, t *cua.Turn) (string, error) {
	all := shownOn(&t.Now)
	at := -1
	for i, s := range all {
		switch {
		case a.Into != "" && s.id == a.Into:
			at = i
		case a.Into == "" && a.Mark > 0 && i == a.Mark-1:
			at = i
		case a.Into == "" && a.Point != nil && s.box.Contains(*a.Point) &&
			(at < 0 || s.box.W*s.box.H < all[at].box.W*all[at].box.H):
			at = i
		}
	}
	if at < 0 && a.Point == nil && a.Into == "" && c.last.Page != nil { // into what has the focus
		if _, rest, ok := strings.Cut(c.last.Page.Focus, "[ref="); ok {
			return strings.TrimSuffix(rest, "]"), nil
		}
	}
	if at < 0 {
		return "", fmt.Errorf("%w: %s at %v on no element", errNoCall, a.Kind, a.Point)
	}
	nth, alike := 0, 0
	for i, s := range all {
		if s.words == all[at].words {
			alike++
			if i < at {
				nth++
			}
		}
	}
	for look := 0; ; look++ {
		var found []string
		for _, l := range c.refs {
			if l.words == all[at].words {
				found = append(found, l.ref)
			}
		}
		if len(found) == alike {
			return found[nth], nil
		}
		if look == 1 {
			return "", fmt.Errorf("%w: the snapshot has %d of %d %s", errNoCall, len(found), alike,
				all[at].words)
		}
		if err := c.call("browser_snapshot", nil); err != nil {
			return "", err
		}
		if c.last.Ended != "" || len(c.last.Next) > 0 {
			return "", fmt.Errorf("%w: looked at the page instead", errLooked)
		}
	}
}

// errLooked says that the look itself is to be answered first.
var errLooked = errors.New("a look came to something")
