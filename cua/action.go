package cua

import "slices"

// Kind names what an Action does. The list is closed: a decision with any other kind makes a step that fails
// as FailUnknownAction.
type Kind string

// The action vocabulary.
const (
	Click       Kind = "click"
	DoubleClick Kind = "double_click"
	TripleClick Kind = "triple_click"
	RightClick  Kind = "right_click"
	MiddleClick Kind = "middle_click"
	Hover       Kind = "hover"
	Drag        Kind = "drag"
	Type        Kind = "type"
	Key         Kind = "key"
	Scroll      Kind = "scroll"
	Navigate    Kind = "navigate"
	Back        Kind = "back"
	Forward     Kind = "forward"
	Reload      Kind = "reload"
	Wait        Kind = "wait"
	Select      Kind = "select"
	Upload      Kind = "upload"
	NewTab      Kind = "new_tab"
	SwitchTab   Kind = "switch_tab"
	CloseTab    Kind = "close_tab"
	AnswerDlg   Kind = "dialog"
	Rewind      Kind = "rewind"
	Ask         Kind = "ask"
	Done        Kind = "done"
	Observe     Kind = "observe"
	Zoom        Kind = "zoom"
	Find        Kind = "find"
	Extract     Kind = "extract"
)

// Kinds lists the vocabulary in the order in which it is documented.
func Kinds() []Kind {
	return []Kind{Click, DoubleClick, TripleClick, RightClick, MiddleClick, Hover, Drag, Type, Key, Scroll,
		Navigate, Back, Forward, Reload, Wait, Select, Upload, NewTab, SwitchTab, CloseTab, AnswerDlg, Rewind,
		Ask, Done, Observe, Zoom, Find, Extract}
}

// Known reports whether k is in the vocabulary.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// ReadOnly reports whether k only looks at the page. No loop shape except failures counts such steps.
func (k Kind) ReadOnly() bool {
	switch k {
	case Observe, Zoom, Find, Extract:
		return true
	}
	return false
}

// Pointer reports whether k is done with a pointer at a point: a press, a hover or a drag.
func (k Kind) Pointer() bool {
	switch k {
	case Click, DoubleClick, TripleClick, RightClick, MiddleClick, Hover, Drag:
		return true
	}
	return false
}

// Pressing reports whether k presses the primary button at a point, once or more often.
func (k Kind) Pressing() bool {
	return k == Click || k == DoubleClick || k == TripleClick
}

// Ends reports whether k ends the episode. Such an action never touches the page.
func (k Kind) Ends() bool { return k == Done || k == Ask }

// acts reports whether k can change the page: it is no wait, not read-only, and does not end the episode.
func (k Kind) acts() bool { return k != Wait && !k.ReadOnly() && !k.Ends() }

// Point is a place in the viewport in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Action is one thing to do. Kind decides which fields count; Validate reports what is missing or out of
// range.
type Action struct {
	Kind Kind `json:"kind"`
	// Point is where a pointer action, a scroll, a select or a type starts. A type or select first clicks it
	// or focuses its element.
	Point *Point `json:"point,omitzero"`
	// To is where a drag ends.
	To *Point `json:"to,omitzero"`
	// Mark is the number of a mark of the turn's observation; it stands for the center of the mark's box. 0
	// is none. If both are given, Point wins.
	Mark int `json:"mark,omitzero"`
	// Into is the identity of a control (Field.ID, Mark.ID); "" does not constrain the action. A type, key or
	// select focuses the control first and sends nothing unless it then has the focus. A click is dispatched
	// only if it would reach the control. Only our own gates set it.
	Into string `json:"into,omitzero"`
	// Text is the text to type, the visible label of the option to select, the answer of a done, the question
	// of an ask, the text for a prompt, or the text to find.
	Text string `json:"text,omitzero"`
	// Clear makes a type overwrite the field instead of appending to it.
	Clear bool `json:"clear,omitzero"`
	// Keys is one key or chord, named as in X11: Return, Tab, Escape, Page_Down, Control+a. The list is
	// closed (the browser's key table).
	Keys string `json:"keys,omitzero"`
	// URL is the http or https address for navigate or new_tab.
	URL string `json:"url,omitzero"`
	// DX, DY are how far a scroll moves, CSS pixels. Positive is right and down.
	DX float64 `json:"dx,omitzero"`
	DY float64 `json:"dy,omitzero"`
	// MS is how long a wait lasts, 1 to 60,000.
	MS int `json:"ms,omitzero"`
	// Tab is the 1-based number of the tab to switch to or close; 0 is the active one.
	Tab int `json:"tab,omitzero"`
	// Files are names among the task's fixtures, for upload.
	Files []string `json:"files,omitzero"`
	// Accept answers a dialog: true is OK, false is Cancel. In a person's rewind it is the consent to go back
	// past a step that sent something. A brain cannot give that consent.
	Accept bool `json:"accept,omitzero"`
	// Step is the step that a rewind undoes: the page is restored to what it was before it.
	Step int `json:"step,omitzero"`
	// Facets are what a rewind restores (see Facets). Empty means all but the cookies.
	Facets []string `json:"facets,omitzero"`
	// Success is whether a done claims success.
	Success bool `json:"success,omitzero"`
	// Why is the brain's own explanation. Our code never sets it, and never reads it to find out what a gate
	// did.
	Why string `json:"why,omitzero"`
}
