package cua

// Observation is what is on screen after a step, and what the page's probe found there. It
// contains digests of what a person typed and no values, so it is safe to store.
type Observation struct {
	// URL and Title are those of the top document. Title is untrusted: the page wrote it.
	URL   string `json:"url"`
	Title string `json:"title,omitzero"`
	// Document is different for each new top document, which separates a reload from a change within one
	// document. "" is unknown.
	Document string `json:"document,omitzero"`
	Viewport Size   `json:"viewport,omitzero"`
	// Focus is the focused element, also inside frames and open shadow roots; nil if there is none or it is
	// the body.
	Focus *Field `json:"focus,omitzero"`
	// Fields are all visible form controls except buttons, in document order, from all frames and open shadow
	// roots.
	Fields []Field `json:"fields,omitzero"`
	// Marks are the interactive elements inside the viewport, numbered from 1 in
	// document order; at most 300.
	Marks []Mark `json:"marks,omitzero"`
	// FormDigest is a digest over Fields. One typed character changes it.
	FormDigest string `json:"form_digest,omitzero" redact:"-"`
	// DOMParts are digests of visible text and structure by region, DOMDigest is the digest over them.
	// Attributes that get new numbers on each load are left out.
	DOMParts  map[string]string `json:"dom_parts,omitzero"`
	DOMDigest string            `json:"dom_digest,omitzero" redact:"-"`
	// Recut are the keys of DOMParts that came, went or changed since the observation before although the
	// page did not change there: it has grown or shrunk so much that it is divided into other regions.
	// Sorted; nil is none.
	Recut []string `json:"recut,omitzero"`
	// Canvases are content digests by canvas identity.
	Canvases map[string]string `json:"canvases,omitzero"`
	Scroll   Scrolled          `json:"scroll,omitzero"`
	// Writes are the state-changing requests that the last action caused.
	Writes []Write `json:"writes,omitzero"`
	// Ambient is what changed since the last observation without being caused by an action: tickers,
	// spinners, polls. It is one source of the churn mask.
	Ambient Ambient `json:"ambient,omitzero"`
	// Hover are the boxes of the elements under the pointer that react to hovering.
	Hover []Box `json:"hover,omitzero"`
	// Selected are the boxes of selected text, or of the control in which some is selected.
	Selected []Box `json:"selected,omitzero"`
	// Restyled are the boxes of elements whose class or style the last press changed. Changes by the way of
	// pointer or focus to it are left out.
	Restyled []Box `json:"restyled,omitzero"`
	// Forms are the forms of Fields and Marks. Each frame with fields in no form has one with ID "".
	Forms []Form `json:"forms,omitzero"`
	// Modal is the identity of the topmost visible modal dialog of the page; "" is none. Nothing outside of
	// it can be used. A JavaScript dialog is in Dialog instead.
	Modal string `json:"modal,omitzero"`
	// Notices are digests of the visible texts that the page announces: alerts, live regions, messages of
	// fields, and what floats above the page. They are sorted, at most 20. Status, log and output elements do
	// not count.
	Notices []string `json:"notices,omitzero" redact:"-"`
	// Working says that the page shows a job in progress: a progress element that is not full, or aria-busy.
	Working bool `json:"working,omitzero"`
	// Unread says that an embedded document (object, embed), which cannot be read, covers a quarter of its
	// page's viewport or more.
	Unread bool `json:"unread,omitzero"`
	// Answered counts the same-site requests of any method that the last action caused and that were answered
	// with 2xx or 3xx, including that for the document.
	Answered int `json:"answered,omitzero"`
	// Pickers are the areas where open pickers of the browser may be: the list of a select, the calendar of a
	// date. They are not part of the page. It is not known whether they open above or below the control.
	Pickers []Box `json:"pickers,omitzero"`
	// Dialog is the open JavaScript dialog; nil is none. While one is open the page can be neither read nor
	// captured, and all other fields repeat the last known values.
	Dialog *Dialog `json:"dialog,omitzero"`
	// Tabs is the number of open tabs, Tab the 1-based number of the active one.
	Tabs int `json:"tabs,omitzero"`
	Tab  int `json:"tab,omitzero"`
	// Downloads counts the downloads that were started in the episode, including denied ones.
	Downloads int `json:"downloads,omitzero"`
	// Alerts are the texts of alerts that were accepted since the last observation.
	Alerts []string `json:"alerts,omitzero"`
	// PartialLoad says that the document did not finish loading and was stopped.
	PartialLoad bool `json:"partial_load,omitzero"`
	// Status is the HTTP status of the top document; 0 if it has none or it is not known.
	Status int `json:"status,omitzero"`
	// NavError is the net:: error of the error page that is shown; "" is none.
	NavError string `json:"nav_error,omitzero"`
	// FrameSHA is the hex SHA-256 of the encoded frame, and the name of its blob.
	FrameSHA string `json:"frame_sha,omitzero" redact:"-"`
	// Fingerprint is computed from the frame by package perceptual.
	Fingerprint *Fingerprint `json:"fingerprint,omitzero"`
	// NodeBy is the evidence for the state node of the page: NodeByFrame, or "" for structure (func NodeBy).
	NodeBy string `json:"node_by,omitzero"`
	// Checkpoint is the name of the file under state/ that holds State; "" is none.
	Checkpoint string `json:"checkpoint,omitzero" redact:"-"`
	// State is the page state that a rewind restores; nil is not known. It is never part of a record and is
	// stored only in that file.
	State *PageState `json:"-" redact:"-"`
	// Shot is the frame itself. It is never part of a record, and policies do not read it.
	Shot *Shot `json:"-"`
}

// Shot is one encoded frame as the browser delivered it.
type Shot struct {
	Data []byte `redact:"-"`
	Mime string // image/png or image/jpeg
	// Raster is the decoded frame for the next reader of its pixels; nil if nobody has decoded it.
	Raster *Raster
}

// Field is one form control.
type Field struct {
	// ID is the target identity: role, name, frame, and a structural path that ignores generated ids. It
	// stays the same when the control is rendered again.
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	// Name is the accessible name, Label the text of the label element or aria-label, Placeholder the
	// placeholder. All are untrusted: the page wrote them.
	Name        string `json:"name,omitzero"`
	Label       string `json:"label,omitzero"`
	Placeholder string `json:"placeholder,omitzero"`
	// Group is the name of a radio button's group: the legend of its fieldset, or the name of its radiogroup;
	// "" is none. Label then names the option only. It is untrusted: the page wrote it.
	Group string `json:"group,omitzero"`
	// NameAttr and IDAttr are the name and id attributes, Autocomplete the
	// autocomplete token.
	NameAttr     string `json:"name_attr,omitzero"`
	IDAttr       string `json:"id_attr,omitzero"`
	Autocomplete string `json:"autocomplete,omitzero"`
	// Tag is the lower-case element name; Type the input type, lower case ("text" for a
	// textarea, "select" for a select, "contenteditable" for one).
	Tag  string `json:"tag,omitzero"`
	Type string `json:"type,omitzero"`
	// Frame is the path of its frame; "" is the top document. A segment is the frame's name, the foreign host
	// that it shows, or its index. It stays the same when other frames come and go, or when the frame is
	// created again.
	Frame string `json:"frame,omitzero"`
	// Origin is that of its document, scheme://host[:port]; "" is the page's own. "null" is a document
	// without an origin: a sandboxed one, or one without an address.
	Origin string `json:"origin,omitzero"`
	Form   string `json:"form,omitzero"` // identity of its form, "" is none
	Box    Box    `json:"box,omitzero"`
	// Editable says that it takes typed text.
	Editable bool `json:"editable,omitzero"`
	Empty    bool `json:"empty,omitzero"`
	// ValueDigest is Digest(value); "" if it is empty. For a select it is that of the value attribute. One
	// that begins with "cut:" (the value is too long and was cut) or "secret:" (a secret is in it) equals no
	// Digest.
	ValueDigest string `json:"value_digest,omitzero" redact:"-"`
	// Secret is the name of the secret that the value equals, ignoring spaces and hyphens between digits; ""
	// is none.
	Secret string `json:"secret,omitzero"`
	// Selected is the visible label of the selected option, Options the labels of all (at most 100), for
	// selects and radio groups.
	Selected string   `json:"selected,omitzero"`
	Options  []string `json:"options,omitzero"`
	Checked  bool     `json:"checked,omitzero"`
	Disabled bool     `json:"disabled,omitzero"`
	ReadOnly bool     `json:"read_only,omitzero"`
	Required bool     `json:"required,omitzero"`
	// Ring says that the page shows the focus ring (:focus-visible). It is set on the focused element only. A
	// press by keyboard shows the ring, one by mouse may not.
	Ring bool `json:"ring,omitzero"`
	// Invalid is the message of a field that the page shows as invalid: by native validation after it was
	// used, by aria-invalid or by a visible aria-errormessage. "" is valid or not checked.
	Invalid string `json:"invalid,omitzero"`
	// Dialog is the identity of the dialog that contains it, modal or not; "" is none.
	Dialog string `json:"dialog,omitzero"`
	// Covered says that another element would receive a click at its center; false if that is out of view.
	Covered bool `json:"covered,omitzero"`
}

// Mark is one interactive element inside the viewport.
type Mark struct {
	N    int    `json:"n"`  // its number, from 1
	ID   string `json:"id"` // target identity, as Field.ID
	Role string `json:"role,omitzero"`
	Name string `json:"name,omitzero"` // accessible name, the page's text: hostile
	// Text is the visible text, or the value that a button shows. It is untrusted: the page wrote it. "" is
	// an icon or nothing.
	Text string `json:"text,omitzero"`
	Tag  string `json:"tag,omitzero"`
	Type string `json:"type,omitzero"`
	// Input says that a press changes local state only (Control).
	Input bool `json:"input,omitzero"`
	// Dialog is the identity of the dialog that contains it, modal or not; "" is none.
	Dialog string `json:"dialog,omitzero"`
	// Submit says that by the page's markup the element submits its form.
	Submit   bool   `json:"submit,omitzero"`
	Form     string `json:"form,omitzero"`
	Frame    string `json:"frame,omitzero"`
	Box      Box    `json:"box,omitzero"`
	Disabled bool   `json:"disabled,omitzero"`
	// Covered says that another element would receive a click at its center.
	Covered bool `json:"covered,omitzero"`
}

// Scrolled is how far the document and a container are scrolled, CSS pixels.
type Scrolled struct {
	X float64 `json:"x,omitzero"`
	Y float64 `json:"y,omitzero"`
	// MaxY is the largest Y that the document allows.
	MaxY float64 `json:"max_y,omitzero"`
	// ContainerX and ContainerY are those of the scroll container at the action's point; in a frame without
	// one, of the frame's document. For an action without a point it is the container around the focus or in
	// the middle of the view, else the last one that was used. 0 means that only the document scrolls.
	ContainerX float64 `json:"container_x,omitzero"`
	ContainerY float64 `json:"container_y,omitzero"`
}

// Write is one request that may have changed the server: a form submission, or a same-site request whose
// method is not GET, HEAD or OPTIONS. Beacons and the task's read endpoints do not count.
type Write struct {
	Method string `json:"method"`
	URL    string `json:"url"` // without userinfo, query and fragment
	// Status is the HTTP status of the answer; 0 while there is none.
	Status int `json:"status,omitzero"`
}

// OK reports whether the server accepted the write (2xx or 3xx).
func (w Write) OK() bool { return w.Status >= 200 && w.Status < 400 }

// Ambient is what moves without an action: it has been running since the load, or repeats since an earlier
// action. A change of unknown cause is added once it was seen twice while nobody acted.
type Ambient struct {
	// Parts are keys of Observation.DOMParts, here or as locate found the page, or CanvasPart of a canvas,
	// sorted.
	Parts []string `json:"parts,omitzero"`
	// Boxes are those of elements that changed for another reason than the action, or that run an endless
	// animation.
	Boxes []Box `json:"boxes,omitzero"`
}

// Dialog is an open JavaScript dialog.
type Dialog struct {
	Type    string `json:"type"` // alert, confirm, prompt, beforeunload
	Message string `json:"message,omitzero"`
	Default string `json:"default,omitzero"`
}

// Target is what a proposed action is aimed at, as the page reports it before the gates review the action.
type Target struct {
	// ID is the identity of the element. If there is no element at the point, it is the point's 8-px bucket
	// ("@12,40"). "" is unknown.
	ID    string `json:"id,omitzero"`
	Role  string `json:"role,omitzero"`
	Name  string `json:"name,omitzero"`
	Tag   string `json:"tag,omitzero"`
	Type  string `json:"type,omitzero"`
	Frame string `json:"frame,omitzero"`
	Form  string `json:"form,omitzero"`
	Box   Box    `json:"box,omitzero"`
	// Text, Input and Dialog are as in Mark.
	Text   string `json:"text,omitzero"`
	Input  bool   `json:"input,omitzero"`
	Dialog string `json:"dialog,omitzero"`
	// Clickable says that the element reacts to presses: it is a control, is part of one, or has a handler.
	Clickable bool `json:"clickable,omitzero"`
	// Point is where a press would land, with marks resolved; nil for actions without a place.
	Point *Point `json:"point,omitzero"`
	// Editable says that the element takes typed text. Field is then its ID in Observation.Fields; a label
	// stands for its field.
	Editable bool   `json:"editable,omitzero"`
	Field    string `json:"field,omitzero"`
	Submit   bool   `json:"submit,omitzero"`
	Disabled bool   `json:"disabled,omitzero"`
	// Covering is the element that would receive the press instead; nil is none.
	Covering *Covering `json:"covering,omitzero"`
	// Idle is what changed since the turn while nobody acted.
	Idle Idle `json:"idle_changes,omitzero"`
}

// Identified reports whether ID names an element rather than a place.
func (t Target) Identified() bool { return t.ID != "" && t.ID[0] != '@' }

// Covering is the element on top of a target's point.
type Covering struct {
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	Name string `json:"name,omitzero"`
	Box  Box    `json:"box,omitzero"`
	// Controls are the IDs of the marks in it, in document order.
	Controls []string `json:"controls,omitzero"`
}

// Idle is what changed between an observation and the next Locate.
type Idle struct {
	// Parts are the keys of DOMParts that changed, appeared or disappeared, sorted.
	Parts []string `json:"parts,omitzero"`
	// Caused are those of Parts that are a late effect of the last action, by their known cause. The first
	// change of unknown cause counts as one.
	Caused []string `json:"caused,omitzero"`
	// Tiles are those that differ between the two frames. They are only known if a frame was taken.
	Tiles TileSet `json:"tiles,omitzero"`
	// Changes are the other classes of change (url, form, dialog, tab, …).
	Changes []Change `json:"changes,omitzero"`
	// Shot is the frame taken by Locate; nil if the page reported neither a mutation nor an animation.
	Shot *Shot `json:"-"`
	// Page is the page as Locate found it; nil if nothing had changed. An action's effect is measured from
	// it. It is never recorded.
	Page *Observation `json:"-"`
}

// Any reports whether anything changed.
func (i Idle) Any() bool { return len(i.Parts)+len(i.Tiles)+len(i.Changes) > 0 }
