package cua

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Checkpoint is enough to return to a page.
type Checkpoint struct {
	Step int    `json:"step"` // taken before this step
	URL  string `json:"url"`
	// State is the name of the file under state/ that holds the rest; "" is none.
	State string `json:"state,omitzero"`
	// Page is what that file holds; nil is not known, and then only the address can be returned to.
	// It is a person's session and never part of a record.
	Page *PageState `json:"-"`
}

// PageState is what a page must be given back to be as it was: a person's session. It is kept only
// below state/, readable by the owner alone, and is never recorded, exported, served or sent to a brain
// (spec: memory, checkpoints). The values of known secrets are not in it: their names stand for them.
type PageState struct {
	URL string `json:"url"`
	// Entry is the 0-based place of the page in its tab's history among Entries pages of its own
	// origin and others, as far as the page can tell; it is not restored.
	Entry   int `json:"entry,omitzero"`
	Entries int `json:"entries,omitzero"`
	// Frames are the documents that could be read, the top one first.
	Frames []FrameState `json:"frames,omitzero"`
	// Stores are local and session storage by origin.
	Stores []OriginStore `json:"stores,omitzero"`
	// Cookies are all of the session; nil is not known, empty is none.
	Cookies []Cookie `json:"cookies"`
	// Tabs are the open ones in their order, Tab is the place of the active one, from 1.
	Tabs []TabState `json:"tabs,omitzero"`
	Tab  int        `json:"tab,omitzero"`
	// Frame, FormDigest and DOMDigest are those of the observation.
	FrameSHA   string `json:"frame_sha,omitzero"`
	FormDigest string `json:"form_digest,omitzero"`
	DOMDigest  string `json:"dom_digest,omitzero"`
}

// FrameState is what one document holds.
type FrameState struct {
	// Path is that of the frame, as Field.Frame; Origin is its document's.
	Path   string `json:"path,omitzero"`
	Origin string `json:"origin"`
	// X and Y say how far it is scrolled, CSS pixels.
	X float64 `json:"x,omitzero"`
	Y float64 `json:"y,omitzero"`
	// Boxes are the scroll containers in it that are scrolled, as far as they are known.
	Boxes []ScrolledBox `json:"boxes,omitzero"`
	// Controls are all that hold a value, shown or not, in document order.
	Controls []ControlState `json:"controls,omitzero"`
}

// ScrolledBox is how far one scroll container is scrolled, CSS pixels.
type ScrolledBox struct {
	Path string  `json:"path"` // structural, within its document
	X    float64 `json:"x,omitzero"`
	Y    float64 `json:"y,omitzero"`
}

// ControlState is what one form control holds.
type ControlState struct {
	// Key finds the control again: element, type, name, id and its number among its like. Alt is the
	// same without the id, for pages that number theirs anew.
	Key string `json:"key"`
	Alt string `json:"alt"`
	// Kind is text, check, select, rich or file; a file cannot be given back.
	Kind string `json:"kind"`
	// Value is the text, with <secret:NAME> for a known secret.
	Value string `json:"value,omitzero"`
	// Mask says how the page parts the digits of the secret that is Value: the text with each digit
	// as 0. "" is the secret as it is.
	Mask string `json:"mask,omitzero"`
	On   bool   `json:"on,omitzero"` // checked
	// Chosen are the values of the chosen options.
	Chosen []string `json:"chosen,omitzero"`
	// Withheld says that it holds something that is not kept: a password that is no known secret, a file. It
	// cannot be given back.
	Withheld bool `json:"withheld,omitzero"`
}

// OriginStore is what an origin has stored in the browser; nil maps are not known.
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
	// Expires is in seconds since the epoch; 0 or less ends with the session.
	Expires float64 `json:"expires,omitzero"`
	// Partition is the browser's own description of the partition that it is in; nil is none.
	Partition json.RawMessage `json:"partition,omitzero"`
}

// What a rewind restores, facet by facet.
const (
	FacetURL     = "url"
	FacetStorage = "storage"
	FacetCookies = "cookies"
	FacetForm    = "form"
	FacetScroll  = "scroll"
	FacetTabs    = "tabs"
)

// Facets lists them in the order in which they are told.
func Facets() []string {
	return []string{FacetURL, FacetStorage, FacetCookies, FacetForm, FacetScroll, FacetTabs}
}

// What came of a facet, read back from the page.
const (
	WasRestored = "restored"    // it is as it was
	Drifted     = "drifted"     // it was tried, and it is not as it was
	Kept        = "kept"        // it was not asked for and was left as it is
	Unsupported = "unsupported" // it cannot be restored, or was not known
)

// RestoredOK says how well a rewind went. In JSON it is true, "partial" or false.
type RestoredOK string

// The three ways in which a rewind can go.
const (
	RestoredAll  RestoredOK = "true"    // every facet that was asked for was restored
	RestoredPart RestoredOK = "partial" // the page was gone back to, and something is not as it was
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

// RewindError says why nothing was gone back to. The list is closed.
type RewindError string

// The reasons for which a rewind is not made.
const (
	// SnapshotExpired: the checkpoint was there and had to make room for newer ones.
	SnapshotExpired RewindError = "snapshot_expired"
	// NoSnapshot: there is none of that step, or it cannot be read.
	NoSnapshot RewindError = "no_snapshot"
	// IrreversibleFence: a step since then sent something that was answered well, and nobody consented.
	IrreversibleFence RewindError = "irreversible_fence"
	// RewindBusy: another rewind is under way.
	RewindBusy RewindError = "busy"
)

// RewindErrors lists them in their order.
func RewindErrors() []RewindError {
	return []RewindError{SnapshotExpired, NoSnapshot, IrreversibleFence, RewindBusy}
}

// Restored is what came of a rewind, read back from the page.
type Restored struct {
	OK RestoredOK `json:"ok"`
	// ToStep is the step before which the page is now as far as Facets say; 0 when nothing was done.
	ToStep int `json:"to_step,omitzero"`
	// Facets say what came of each: restored, drifted, kept or unsupported.
	Facets map[string]string `json:"facets,omitzero"`
	// Crossed are the numbers of the steps gone back past that sent something that was answered well:
	// the server still has it.
	Crossed []int `json:"crossed,omitzero"`
	// Error is why nothing was done; "" is none.
	Error RewindError `json:"error,omitzero"`
	// OldestAvailable is the first step that can still be gone back to, where Error is snapshot_expired.
	OldestAvailable int `json:"oldest_available,omitzero"`
	// Step is the one that may not be gone back past, where Error is irreversible_fence.
	Step int `json:"step,omitzero"`
}

// NewRestored is the result of a rewind to before step to, of which asked were to be restored.
func NewRestored(to int, facets map[string]string, asked []string, crossed []int) Restored {
	r := Restored{OK: RestoredAll, ToStep: to, Facets: facets, Crossed: crossed}
	if r.Crossed == nil {
		r.Crossed = []int{} // it is told also where it is empty
	}
	for _, f := range asked {
		if facets[f] != WasRestored {
			r.OK = RestoredPart
		}
	}
	return r
}

// By is the names of the facets with that word, in their order.
func (r Restored) By(word string) []string {
	var out []string
	for _, f := range Facets() {
		if r.Facets[f] == word {
			out = append(out, f)
		}
	}
	return out
}

// Person is Decision.By and Step.By of what a person decided; no brain goes by that name.
const Person = "person"

// PersonSays begins the text of a note that is a sentence of a person's (Note.From is Person).
const PersonSays = "The person who watches this run says: "

// Sent are the numbers of the steps from number n on that sent something that was answered well: what the
// server did then, no rewind undoes. All steps count, also those that a rewind undid.
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
