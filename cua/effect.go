package cua

import "slices"

// Change is a class of difference between two observations.
type Change string

// Progress classes: a person would call them a result.
const (
	ChangeURL      Change = "url"
	ChangeForm     Change = "form"
	ChangeDOM      Change = "dom"
	ChangeScroll   Change = "scroll"
	ChangeWrite    Change = "write"
	ChangeDialog   Change = "dialog"
	ChangeTab      Change = "tab"
	ChangeDownload Change = "download"
	ChangePixels   Change = "pixels"
)

// Presentation classes: the page shows where the attention is.
const (
	ChangeFocus Change = "focus"
	ChangeHover Change = "hover"
	// ChangeFocusPixels are changed tiles inside the boxes of elements that gained or lost focus or hover, or
	// a single tile far from the action.
	ChangeFocusPixels Change = "focus_pixels"
)

// Progress reports whether c is of a progress class.
func (c Change) Progress() bool {
	switch c {
	case ChangeURL, ChangeForm, ChangeDOM, ChangeScroll, ChangeWrite, ChangeDialog, ChangeTab, ChangeDownload,
		ChangePixels:
		return true
	}
	return false
}

// Effect is what a step changed, a function of before, after, action and churn. It is computed once, in the
// verify stage. "No effect" always means no progress (docs/detection.md#evidence-and-what-no-effect-means).
type Effect struct {
	Progress     []Change `json:"progress,omitzero"`
	Presentation []Change `json:"presentation,omitzero"`
	// AtTarget are the progress changes at the target itself: in the value of its field, or in the tiles
	// around the point.
	AtTarget []Change `json:"at_target,omitzero"`
	// Parts are the changed DOM parts that are not churn, at most 20.
	Parts []string `json:"parts,omitzero"`
	// Tiles is the pixel part; nil if there were no two frames to compare.
	Tiles *TileDiff `json:"tiles,omitzero"`
}

// Any reports whether e has progress. A nil Effect is unknown and has none.
func (e *Effect) Any() bool { return e != nil && len(e.Progress) > 0 }

// Has reports whether e has the change c, in either class.
func (e *Effect) Has(c Change) bool {
	return e != nil && (slices.Contains(e.Progress, c) || slices.Contains(e.Presentation, c))
}

// Fingerprint says how similar two frames are. It never shows that nothing happened: a small change may
// change no bit. Hashes are hex.
type Fingerprint struct {
	DHash64  string `json:"dhash64"`
	PHash64  string `json:"phash64"`
	PHash256 string `json:"phash256,omitzero"`
	W        int    `json:"w"` // of the frame, pixels
	H        int    `json:"h"`
}

// TileSize is the edge of a comparison tile in pixels.
const TileSize = 32

// TileDiff is the comparison of two frames in a grid of TileSize tiles.
type TileDiff struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// Changed are the tiles that differ, including churn. Masked are those of them that the churn mask or
	// Ambient explains.
	Changed TileSet `json:"changed,omitzero"`
	Masked  TileSet `json:"masked,omitzero"`
	// Presentation are those of Changed that touch the box of an element that gained or lost focus or hover,
	// without the masked ones.
	Presentation TileSet `json:"presentation,omitzero"`
	// Box bounds the changes that are not masked.
	Box Box `json:"box,omitzero"`
	// Share is the part of the frame that changed and is not masked, 0 to 1.
	Share float64 `json:"share,omitzero"`
	// Region says that a pixel changed within the 200×200 px around the point, apart from churn and
	// presentation.
	Region bool `json:"region,omitzero"`
}

// Progress are the changed tiles that are neither churn nor presentation.
func (d TileDiff) Progress() TileSet {
	var out TileSet
	for _, t := range d.Changed {
		if !d.Masked.Has(t) && !d.Presentation.Has(t) {
			out = append(out, t)
		}
	}
	return out
}

// TileBox is the box of tile t in d, in pixels of the frame.
func (d TileDiff) TileBox(t int) Box {
	cols := max(d.Cols, 1)
	return Box{X: float64(t % cols * TileSize), Y: float64(t / cols * TileSize), W: TileSize, H: TileSize}
}
