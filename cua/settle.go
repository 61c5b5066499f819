package cua

// Settle says what an action started in the page and how long the runner waited for it.
type Settle struct {
	MS int `json:"ms"`
	// For lists what was waited for: timer, fetch, xhr, animation, transition, navigation, load, dialog,
	// frame.
	For []string `json:"for,omitzero"`
	// Capped says that the time ran out while something was still pending.
	Capped bool `json:"capped,omitzero"`
	// Retried counts reads of the page that a navigation interrupted.
	Retried int `json:"retried,omitzero"`
	// Frame is how the frame was obtained: screencast, capture, reuse (its pixels equal those of the frame
	// before), none.
	Frame string `json:"frame,omitzero"`
	// Why is the reason why the frame was captured instead of taken from the screencast: asked (the caller
	// wants captures), after (the page uses the pseudo-element that would show the frame's number), document
	// (the document is not HTML), unpainted (an animation frame did not run), numbers (more animation frames
	// than numbers), frames (the page contains a document of another origin), picker (a list or calendar of
	// the browser is or was open), unseen (the number is covered), late (no frame came in time), size,
	// screencast (it could not be opened).
	Why string `json:"frame_why,omitzero"`
	// Faults are browser faults that were met and overcome: tab_crash, hung, partial_load, ….
	Faults []string `json:"faults,omitzero"`
}
