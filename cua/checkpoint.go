package cua

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Checkpoint is what is needed to return to a page.
type Checkpoint struct {
	Step int    `json:"step"` // taken before this step
	URL  string `json:"url"`
	// State is the name of the file under state/ with the page's state; "" is none.
	State string `json:"state,omitzero"`
	// Page is the content of that file. If it is nil, only the address can be restored. It is a person's
	// session and never part of a record.
	Page *PageState `json:"-"`
}

// PageState is the state of a page that a rewind restores: a person's session. It is stored only under
// state/, readable by its owner alone. It is never recorded, exported, served or sent to a brain
// (docs/memory.md#checkpoints). Known secrets are in it by name, never by value.
type PageState struct {
	URL string `json:"url"`
	// Entry is the 0-based index of the page in its tab's history of Entries pages, as far as the page can
	// tell. It is not restored.
	Entry   int `json:"entry,omitzero"`
	Entries int `json:"entries,omitzero"`
	// Frames are the documents that could be read, the top one first.
	Frames []FrameState `json:"frames,omitzero"`
	// Stores are local and session storage by origin.
	Stores []OriginStore `json:"stores,omitzero"`
	// Cookies are all cookies of the session; nil is not known, empty is none.
	Cookies []Cookie `json:"cookies"`
	// Tabs are the open tabs in order. Tab is the 1-based position of the active one.
	Tabs []TabState `json:"tabs,omitzero"`
	Tab  int        `json:"tab,omitzero"`
	// DigestKey is the key of the digests that begin with DigestSecret and DigestCut, and of parts of the
	// page that show a secret: what was recorded stays comparable after a resume. nil is not known.
	DigestKey []byte `json:"digest_key,omitzero"`
	// FrameSHA, FormDigest and DOMDigest are those of the observation.
	FrameSHA   string `json:"frame_sha,omitzero"`
	FormDigest string `json:"form_digest,omitzero"`
	DOMDigest  string `json:"dom_digest,omitzero"`
}

// FrameState is the state of one document.
type FrameState struct {
	// Path is that of the frame, as in Field.Frame. Origin is that of its document.
	Path   string `json:"path,omitzero"`
	Origin string `json:"origin"`
	// X and Y are its scroll position, CSS pixels.
	X float64 `json:"x,omitzero"`
	Y float64 `json:"y,omitzero"`
	// Boxes are its scroll containers that are scrolled, as far as they are known.
	Boxes []ScrolledBox `json:"boxes,omitzero"`
	// Controls are all controls with a value, visible or not, in document order.
	Controls []ControlState `json:"controls,omitzero"`
}

// ScrolledBox is the scroll position of one container, CSS pixels.
type ScrolledBox struct {
	Path string  `json:"path"` // structural, within its document
	X    float64 `json:"x,omitzero"`
	Y    float64 `json:"y,omitzero"`
}

// ControlState is the state of one form control.
type ControlState struct {
	// Key identifies the control: element, type, name, id, and its index among equal ones. Alt is the same
	// without the id, for pages that assign new ids on each load.
	Key string `json:"key"`
	Alt string `json:"alt"`
	// Kind is text, check, select, rich or file. A file cannot be restored.
	Kind string `json:"kind"`
	// Value is the text, with <secret:NAME> for a known secret.
	Value string `json:"value,omitzero"`
	// Mask is how the page formats the digits of the secret in Value: the text with each digit as 0. "" means
	// that it does not.
	Mask string `json:"mask,omitzero"`
	On   bool   `json:"on,omitzero"` // checked
	// Chosen are the values of the selected options.
	Chosen []string `json:"chosen,omitzero"`
	// Withheld says that the value is not stored: a password that is no known secret, or a file. It cannot be
	// restored.
	Withheld bool `json:"withheld,omitzero"`
}

// OriginStore is the storage of one origin; nil maps are not known.
type OriginStore struct {
	Origin  string            `json:"origin"`
	Local   map[string]string `json:"local"`
	Session map[string]string `json:"session"`
}

// TabState is one open tab.
type TabState struct {
	ID  string `json:"id"` // the browser's; it means nothing in another browser
	URL string `json:"url"`
}

// Cookie is one cookie of the session.
type Cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Domain   string `json:"domain"`
	Path     string `json:"path"`
	Secure   bool   `json:"secure,omitzero"`
	HTTPOnly bool   `json:"http_only,omitzero"`
	SameSite string `json:"same_site,omitzero"`
	// Expires is in seconds since the epoch; 0 or less means the end of the session.
	Expires float64 `json:"expires,omitzero"`
	// Partition is the browser's own description of the cookie's partition; nil is none.
	Partition json.RawMessage `json:"partition,omitzero"`
}

// The facets of a page that a rewind restores.
const (
	FacetURL     = "url"
	FacetStorage = "storage"
	FacetCookies = "cookies"
	FacetForm    = "form"
	FacetScroll  = "scroll"
	FacetTabs    = "tabs"
)

// Facets lists them in the order in which they are reported.
func Facets() []string {
	return []string{FacetURL, FacetStorage, FacetCookies, FacetForm, FacetScroll, FacetTabs}
}

// The results for one facet, read back from the page.
const (
	WasRestored = "restored"    // it is as it was
	Drifted     = "drifted"     // it was restored, but reads differently
	Kept        = "kept"        // it was not asked for
	Unsupported = "unsupported" // it cannot be restored, or was not known
)

// RestoredOK is how well a rewind went. In JSON it is true, "partial" or false.
type RestoredOK string

// The results of a rewind.
const (
	RestoredAll  RestoredOK = "true"    // every facet that was asked for was restored
	RestoredPart RestoredOK = "partial" // the page is back, but a facet differs
	RestoredNone RestoredOK = "false"   // nothing was done, or it failed
)

// MarshalJSON writes true, "partial" or false.
func (ok RestoredOK) MarshalJSON() ([]byte, error) {
	switch ok {
	case RestoredAll:
		return []byte("true"), nil
	case RestoredPart:
		return []byte(`"partial"`), nil
	}
	return []byte("false"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (ok *RestoredOK) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true":
		*ok = RestoredAll
	case `"partial"`:
		*ok = RestoredPart
	case "false":
		*ok = RestoredNone
	default:
		return fmt.Errorf(`cua: reading ok of a rewind: want true, "partial" or false, not %s`, text)
	}
	return nil
}

// RewindError is why a rewind was not made. The list is closed.
type RewindError string

// The reasons why a rewind is not made.
const (
	// SnapshotExpired: the checkpoint was dropped to make room for newer ones.
	SnapshotExpired RewindError = "snapshot_expired"
	// NoSnapshot: the step has no checkpoint, or it cannot be read.
	NoSnapshot RewindError = "no_snapshot"
	// IrreversibleFence: a step since then sent something that the server accepted, and nobody consented.
	IrreversibleFence RewindError = "irreversible_fence"
	// RewindBusy: another rewind is pending.
	RewindBusy RewindError = "busy"
)

// RewindErrors lists them in that order.
func RewindErrors() []RewindError {
	return []RewindError{SnapshotExpired, NoSnapshot, IrreversibleFence, RewindBusy}
}

// Restored is the result of a rewind, read back from the page.
type Restored struct {
	OK RestoredOK `json:"ok"`
	// ToStep is the step before which the page is now, as far as Facets say; 0 if nothing was done.
	ToStep int `json:"to_step,omitzero"`
	// Facets are the results by facet: restored, drifted, kept or unsupported.
	Facets map[string]string `json:"facets,omitzero"`
	// Crossed are the numbers of the undone steps that sent something that the server accepted. The server
	// still has it.
	Crossed []int `json:"crossed,omitzero"`
	// Error is why nothing was done; "" is none.
	Error RewindError `json:"error,omitzero"`
	// OldestAvailable is the oldest step that can still be undone, if Error is snapshot_expired.
	OldestAvailable int `json:"oldest_available,omitzero"`
	// Step is the step that must not be undone, if Error is irreversible_fence.
	Step int `json:"step,omitzero"`
}

// NewRestored is the result of a rewind to before step to: facets are the results, asked the facets that were
// to be restored.
func NewRestored(to int, facets map[string]string, asked []string, crossed []int) Restored {
	r := Restored{OK: RestoredAll, ToStep: to, Facets: facets, Crossed: crossed}
	if r.Crossed == nil {
		r.Crossed = []int{} // it is reported even if it is empty
	}
	for _, f := range asked {
		if facets[f] != WasRestored {
			r.OK = RestoredPart
		}
	}
	return r
}

// By lists the facets with that result, in order.
func (r Restored) By(word string) []string {
	var out []string
	for _, f := range Facets() {
		if r.Facets[f] == word {
			out = append(out, f)
		}
	}
	return out
}

// Person is Decision.By and Step.By of what a person decided. No brain has that name.
const Person = "person"

// PersonSays begins the text of a note from a person (Note.From is Person).
const PersonSays = "The person who watches this run says: "

// Sent are the numbers of the steps from number n on that sent something that the server accepted. A rewind
// does not undo that, so steps that a rewind undid count too.
func (h History) Sent(n int) []int {
	var out []int
	for i := len(h.Steps) - 1; i >= 0 && h.Steps[i].N >= n; i-- {
		if s := &h.Steps[i]; slices.ContainsFunc(s.After.Writes, Write.OK) {
			out = append(out, s.N)
		}
	}
	slices.Reverse(out)
	return out
}
