package cua

import "slices"

// Kind names what an Action does. The list is closed: a brain that asks for
// anything else has made a step that failed as FailUnknownAction.
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

// Known says whether k is in the vocabulary.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// ReadOnly says whether k only looks at the page. Such steps are in no loop
// shape but failures (spec: loops, "acting steps").
func (k Kind) ReadOnly() bool {
	switch k {
	case Observe, Zoom, Find, Extract:
		return true
	}
	return false
}

// Pointer says whether k is a press of a pointer button at a point.
func (k Kind) Pointer() bool {
	switch k {
	case Click, DoubleClick, TripleClick, RightClick, MiddleClick, Hover, Drag:
		return true
	}
	return false
}

// Pressing says whether k presses the primary button once or more at a point.
func (k Kind) Pressing() bool {
	return k == Click || k == DoubleClick || k == TripleClick
}

// Ends says whether k ends the episode instead of touching the page.
func (k Kind) Ends() bool { return k == Done || k == Ask }

// acts says whether k is neither a wait nor read-only and does not end the episode.
func (k Kind) acts() bool { return k != Wait && !k.ReadOnly() && !k.Ends() }

// Point is a place in the viewport in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Action is one thing to be done. Which fields count depends on Kind; Validate
// tells what is missing or out of range.
type Action struct {
	Kind Kind `json:"kind"`
	// Point is where a pointer action, a scroll, a select or a type starts. For type
	// and select it is clicked, or its element focused, first.
	Point *Point `json:"point,omitzero"`
	// To is where a drag ends.
	To *Point `json:"to,omitzero"`
	// Mark is the number of a mark of the turn's observation and stands for the
	// centre of its box; 0 is none. Point wins where both are given.
	Mark int `json:"mark,omitzero"`
	// Into is the identity of a control (Field.ID, Mark.ID). For type, key and select it is focused first,
	// and nothing is sent unless it then has the focus; for a click it must be what the press reaches, or
	// nothing is dispatched. "" leaves the focus alone. Only our own gates write it: identities come from the
	// page's probe.
	Into string `json:"into,omitzero"`
	// Text is what to type, the visible label of the option to select, the answer of
	// a done, the question of an ask, the text of a prompt, or what to find.
	Text string `json:"text,omitzero"`
	// Clear makes a type replace what the field holds instead of adding to it.
	Clear bool `json:"clear,omitzero"`
	// Keys is one key or chord by its X11-like name: Return, Tab, Escape, Page_Down,
	// Control+a. The table is closed (browser key table).
	Keys string `json:"keys,omitzero"`
	// URL is where navigate or new_tab goes: http or https.
	URL string `json:"url,omitzero"`
	// DX, DY are how far a scroll moves, CSS pixels, positive right and down.
	DX float64 `json:"dx,omitzero"`
	DY float64 `json:"dy,omitzero"`
	// MS is how long a wait lasts, 1 to 60,000.
	MS int `json:"ms,omitzero"`
	// Tab is the 1-based number of the tab to switch to or close; 0 is the active one.
	Tab int `json:"tab,omitzero"`
	// Files are names among the task's fixtures, for upload.
	Files []string `json:"files,omitzero"`
	// Accept answers a dialog: true is OK, false is Cancel. For a person's rewind it is the consent to go
	// back past a step that sent something; a brain cannot give it.
	Accept bool `json:"accept,omitzero"`
	// Step is the step number that a rewind returns to.
	Step int `json:"step,omitzero"`
	// Facets are what a rewind restores (see Facets); empty is all but the cookies.
	Facets []string `json:"facets,omitzero"`
	// Success is what a done claims.
	Success bool `json:"success,omitzero"`
	// Why is the brain's own words. Our code never writes it and never reads it to
	// find out what a gate did.
	Why string `json:"why,omitzero"`
}
