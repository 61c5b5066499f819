package cua

import "slices"

// Lesson is one sentence kept from an earlier episode: from a person, or composed from an incident
// in our own words. It holds no text of a page and no secret.
type Lesson struct {
	// ID names it in files, headers and reports; it stays when the text is edited.
	ID string `json:"id"`
	// Origin is that of the pages that it is about (Origin). It reaches no other.
	Origin string `json:"origin"`
	// Tag is the tag of the tasks that it was learned in; "" is none. Tasks with it come first, no
	// task is left out.
	Tag string `json:"tag,omitzero"`
	// Actions are the kinds of action that it is about; none is any.
	Actions []Kind `json:"actions,omitzero"`
	// Text is what the brain reads, word for word: one line.
	Text string `json:"text"`
	// At is when it was learned, or learned again: RFC 3339, or a date; "" is unknown and the oldest.
	At string `json:"at,omitzero"`
	// Pinned lessons come before all others.
	Pinned bool `json:"pinned,omitzero"`
}

// About says whether l is about actions of k's class: presses of the pointer are one, and so are
// ways to another page. A lesson about nothing in particular is about any action.
func (l Lesson) About(k Kind) bool {
	return len(l.Actions) == 0 || slices.ContainsFunc(l.Actions, func(a Kind) bool { return a.sameClass(k) })
}

// sameClass says whether a lesson about k holds for m.
func (k Kind) sameClass(m Kind) bool {
	travels := func(k Kind) bool { return k == Navigate || k == Back || k == Forward || k == Reload }
	return k == m || k.Pressing() && m.Pressing() || travels(k) && travels(m)
}

// Origin is scheme, host and port of an http or https address, in one form for all spellings: lower case, and
// the scheme's own port left out. "" is what has none.
func Origin(address string) string {
	h, _, err := ParseAddress(address)
	if err != nil {
		return ""
	}
	scheme := "http"
	if len(address) > 5 && (address[4] == 's' || address[4] == 'S') {
		scheme = "https"
	}
	if h.Port == 80 && scheme == "http" || h.Port == 443 && scheme == "https" {
		h.Port = 0
	}
	return scheme + "://" + h.String()
}
