package lessons

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// A lesson goes into prompts of later runs, and the name of a control and the path of a page are the page's
// to choose: as text they could be an instruction. So a lesson names a thing only in words that are known
// beforehand: those of a closed list, and the task's own.

const (
	// maxNamed bounds a name of the task's own words, words.
	maxNamed = 4
	// maxPathNamed bounds a path that a lesson names, bytes.
	maxPathNamed = 40
)

var (
	// plainName has no character that could end a quotation.
	plainName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} .&'’-]{0,39}$`)
	// plainPath is one word or two between strokes: room for a place and not for a sentence.
	plainPath = regexp.MustCompile(`^/[a-z]{2,16}(/[a-z]{2,16})?$`)
	ownPath   = regexp.MustCompile(`^/[A-Za-z0-9/._-]+$`)
)

// sayable reports whether a lesson may carry name, a text of a page: it is as a whole one word that controls
// have, a name of a closed list, or stands in the task's own words.
func sayable(name, goal string) bool {
	return plainName.MatchString(name) && (QuotesPage(name, []string{name}) == nil || inGoal(name, goal))
}

// inGoal reports whether the words of a short text stand in goal in a row.
func inGoal(text, goal string) bool {
	words := wordsOf(text)
	return len(words) > 0 && len(words) <= maxNamed && runs(wordsOf(goal), words)
}

// named is the element as a lesson has it: `"Save" button`, or its role alone.
func named(t cua.Target, goal string) string {
	role := roleWord(t)
	if name := strings.TrimSpace(t.Name); role != "empty place" && sayable(name, goal) {
		return `"` + name + `" ` + role
	}
	return role
}

// onPath is where a page is as a lesson has it, " on /checkout"; "" where its path is not to be said. The
// path of the task's own page was given by a person.
func onPath(page, own string) string {
	at, err := url.Parse(page)
	if err != nil {
		return ""
	}
	path := strings.TrimSuffix(at.Path, "/")
	if plainPath.MatchString(path) {
		return " on " + path
	}
	if start, err := url.Parse(own); err == nil && path == strings.TrimSuffix(start.Path, "/") &&
		len(path) <= maxPathNamed && ownPath.MatchString(path) {
		return " on " + path
	}
	return ""
}

// roles is the closed list of what an element may be called: a page can write anything into its own.
var roles = strings.Fields(`button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton tab menuitem
	menuitemcheckbox menuitemradio treeitem gridcell cell row dialog image heading`)

// gerunds are the kinds of action as a sentence has them; "" takes no object.
var gerunds = map[cua.Kind]string{
	cua.Click: "clicking", cua.DoubleClick: "double-clicking", cua.TripleClick: "triple-clicking",
	cua.RightClick:  "right-clicking",
	cua.MiddleClick: "middle-clicking", cua.Hover: "hovering over", cua.Drag: "dragging",
	cua.Type: "typing into", cua.Select: "choosing in",
	cua.Upload: "uploading into", cua.Key: "pressing", cua.Scroll: "scrolling",
	cua.Navigate: "opening the address", cua.Back: "going back",
	cua.Forward: "going forward", cua.Reload: "reloading", cua.Wait: "waiting", cua.NewTab: "opening a tab",
	cua.SwitchTab: "switching tabs",
	cua.CloseTab:  "closing the tab", cua.AnswerDlg: "answering the dialog", cua.Rewind: "rewinding",
	cua.Observe: "looking", cua.Zoom: "zooming",
	cua.Find: "searching the page", cua.Extract: "reading the page",
}

// keys are the keys that a lesson names; all others are "a key".
var keys = []string{"Return", "Tab", "Escape", "Page_Down", "Page_Up", "Home", "End", "BackSpace",
	"Delete", "Up", "Down", "Left", "Right"}

// doing is an action on something, in our own words.
func doing(a cua.Action, on string) string {
	what, known := gerunds[a.Kind]
	switch {
	case !known:
		return "doing the same"
	case a.Kind == cua.Key && slices.Contains(keys, a.Keys):
		return what + " " + a.Keys
	case a.Kind == cua.Key:
		return what + " a key"
	case a.Kind.Pointer(), a.Kind == cua.Type, a.Kind == cua.Select, a.Kind == cua.Upload:
		return what + " the " + on
	}
	return what
}

// roleWord is what kind of thing an element is.
func roleWord(t cua.Target) string {
	switch {
	case t.Type == "password":
		return "password textbox"
	case slices.Contains(roles, t.Role):
		return t.Role
	case t.Editable:
		return "textbox"
	case t.Identified():
		return "element"
	}
	return "empty place"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
