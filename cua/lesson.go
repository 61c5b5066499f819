package cua

import "slices"

// Lesson is one sentence kept from an earlier episode: written by a person, or composed from an incident in
// our own words. It contains no text of a page and no secret.
type Lesson struct {
	// ID names it in files, headers and reports. It does not change when the text is edited.
	ID string `json:"id"`
	// Origin is that of the pages that the lesson is about (Origin). It is shown on no other.
	Origin string `json:"origin"`
	// Tag is the tag of the tasks in which it was learned; "" is none. Tasks with that tag get it first, but
	// all tasks can get it.
	Tag string `json:"tag,omitzero"`
	// Actions are the kinds of action that it is about; empty means any.
	Actions []Kind `json:"actions,omitzero"`
	// Text is what the brain is shown, word for word: one line.
	Text string `json:"text"`
	// At is when it was last learned: RFC 3339, or a date; "" is unknown and counts as oldest.
	At string `json:"at,omitzero"`
	// Pinned lessons come before all others.
	Pinned bool `json:"pinned,omitzero"`
}

// About reports whether l is about actions of k's class. All presses are one class, and so are all
// navigations.
func (l Lesson) About(k Kind) bool {
	return len(l.Actions) == 0 || slices.ContainsFunc(l.Actions, func(a Kind) bool { return a.sameClass(k) })
}

// sameClass reports whether a lesson about k applies to m.
func (k Kind) sameClass(m Kind) bool {
	travels := func(k Kind) bool { return k == Navigate || k == Back || k == Forward || k == Reload }
	return k == m || k.Pressing() && m.Pressing() || travels(k) && travels(m)
}

// Origin is the canonical scheme, host and port of an http or https address: lower case, without the scheme's
// default port. "" means that it has none.
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
