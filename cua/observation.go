package cua

// Observation is what is on screen after a step and what the page's probe knows
// of it (spec: loops, evidence). It holds no value that a person typed, only
// digests, so it is safe to store.
type Observation struct {
	// URL and Title are those of the top document. Title is the page's text: hostile.
	URL   string `json:"url"`
	Title string `json:"title,omitzero"`
	// Document changes with each new top document, so that churn and reloads can be
	// told from changes within one document. "" is unknown.
	Document string `json:"document,omitzero"`
	Viewport Size   `json:"viewport,omitzero"`
	// Focus is the focused element, found through frames and open shadow roots; nil
	// when nothing but the body has it.
	Focus *Field `json:"focus,omitzero"`
	// Fields are all visible form controls, buttons excepted, in document order, in all frames
	// and open shadow roots.
	Fields []Field `json:"fields,omitzero"`
	// Marks are the interactive elements inside the viewport, numbered from 1 in
	// document order; at most 300.
	Marks []Mark `json:"marks,omitzero"`
	// FormDigest is a digest over Fields: it changes when one character is typed.
	FormDigest string `json:"form_digest,omitzero"`
	// DOMParts are digests of visible text and structure by region; DOMDigest is
	// the digest over them. Attributes that renumber themselves are left out.
	DOMParts  map[string]string `json:"dom_parts,omitzero"`
	DOMDigest string            `json:"dom_digest,omitzero"`
	// Canvases are content digests by canvas identity.
	Canvases map[string]string `json:"canvases,omitzero"`
	Scroll   Scrolled          `json:"scroll,omitzero"`
	// Writes are the state-changing requests that the last action caused.
	Writes []Write `json:"writes,omitzero"`
	// Ambient is what changed since the last observation by nothing that an action set
	// off: tickers, spinners, polls. It feeds the churn mask.
	Ambient Ambient `json:"ambient,omitzero"`
	// Hover are the boxes of the elements under the pointer that react to hovering.
	Hover []Box `json:"hover,omitzero"`
	// Selected are the boxes of selected text, or of the control in which some is selected.
	Selected []Box `json:"selected,omitzero"`
	// Restyled are the boxes of elements to which the last action's press, and not the way of
	// pointer or focus to it, gave another class or style.
	Restyled []Box `json:"restyled,omitzero"`
	// Forms are the forms of Fields and Marks, and for each frame with fields in no form one with ID "".
	Forms []Form `json:"forms,omitzero"`
	// Modal is the identity of the topmost modal dialog of the page that shows; "" when none does. What lies
	// outside of it cannot be used. A JavaScript dialog is Dialog and not this.
	Modal string `json:"modal,omitzero"`
	// Notices are digests of the texts that the page announces and that show: alerts, live regions, messages
	// of fields, and what floats over the page; sorted, at most 20. Advice (status, log, output) is none.
	Notices []string `json:"notices,omitzero"`
	// Working says that the page tells of a job under way: a progress element that shows and is not full, or
	// aria-busy.
	Working bool `json:"working,omitzero"`
	// Unread says that an embedded document (object, embed), which nobody can read, shows on a quarter of its
	// page's viewport or more.
	Unread bool `json:"unread,omitzero"`
	// Answered counts the same-site requests of any method that the last action caused and that were answered
	// well (2xx or 3xx), the document included.
	Answered int `json:"answered,omitzero"`
	// Pickers are where the browser's own pickers may show that are open: the list of a select, the
	// calendar of a date. They are no part of the page; above or below the control is not known.
	Pickers []Box `json:"pickers,omitzero"`
	// Dialog is the open JavaScript dialog; nil when none is. While one is open the
	// page can be neither read nor captured, and every other field is the last one known.
	Dialog *Dialog `json:"dialog,omitzero"`
	// Tabs is the number of open tabs, Tab the 1-based active one.
	Tabs int `json:"tabs,omitzero"`
	Tab  int `json:"tab,omitzero"`
	// Downloads counts downloads started in the episode (also those that were denied).
	Downloads int `json:"downloads,omitzero"`
	// Alerts are the texts of alerts that were accepted since the last observation.
	Alerts []string `json:"alerts,omitzero"`
	// PartialLoad says that the document never finished loading and was stopped.
	PartialLoad bool `json:"partial_load,omitzero"`
	// Status is the HTTP status of the top document; 0 where it has none or it is not known.
	Status int `json:"status,omitzero"`
	// NavError is the net:: error of the shown error page; "" is none.
	NavError string `json:"nav_error,omitzero"`
	// FrameSHA is the SHA-256 of the encoded frame in hex and the name of its blob.
	FrameSHA string `json:"frame_sha,omitzero"`
	// Fingerprint is computed from the frame by package perceptual.
	Fingerprint *Fingerprint `json:"fingerprint,omitzero"`
	// NodeBy says which evidence decides the state node of the page: NodeByFrame, or "" for structure
	// (NodeBy).
	NodeBy string `json:"node_by,omitzero"`
	// Checkpoint is the name of the file under state/ that holds State; "" is none.
	Checkpoint string `json:"checkpoint,omitzero"`
	// State is what a rewind would give the page back; nil is not known. It is never part of a record and
	// goes to nobody but the file of that name.
	State *PageState `json:"-"`
	// Shot is the frame itself. It is never part of a record and policies may not read it.
	Shot *Shot `json:"-"`
}

// Shot is one encoded frame as the browser delivered it.
type Shot struct {
	Data []byte
	Mime string // image/png or image/jpeg
	// Raster is the frame unpacked, for whoever reads its pixels next; nil where nobody has unpacked it.
	Raster *Raster
}

// Field is one form control as the page shows it.
type Field struct {
	// ID is the target identity: role, name, structural path that survives
	// renumbered ids, and frame. Stable for one control over re-renders.
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	// Name is the accessible name, Label the text of the label element or
	// aria-label, Placeholder the placeholder: all the page's text, hostile.
	Name        string `json:"name,omitzero"`
	Label       string `json:"label,omitzero"`
	Placeholder string `json:"placeholder,omitzero"`
	// Group is the name of the group that a radio button belongs to: the legend of its fieldset, or what the
	// radiogroup around it is called; "" is none. Its label names its option alone. The page's text: hostile.
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
	// Frame is the path of its frame, "" is the top document. A segment is the frame's name, the
	// other host that it shows, or its number: it survives other frames and a frame made anew.
	Frame string `json:"frame,omitzero"`
	// Origin is that of its document, scheme://host[:port], where it is not the page's own; "" is the
	// page's. "null" is a document that has none: a sandboxed one, or one without an address.
	Origin string `json:"origin,omitzero"`
	Form   string `json:"form,omitzero"` // identity of its form, "" is none
	Box    Box    `json:"box,omitzero"`
	// Editable says that typed text would go into it.
	Editable bool `json:"editable,omitzero"`
	Empty    bool `json:"empty,omitzero"`
	// ValueDigest is Digest(value); "" when empty. For a select it is that of the value attribute.
	ValueDigest string `json:"value_digest,omitzero"`
	// Secret is the name of the secret that the value equals, but for spaces and hyphens between its digits;
	// "" is none.
	Secret string `json:"secret,omitzero"`
	// Selected is the visible label of the chosen option, Options the labels of
	// all (at most 100), for selects and radio groups.
	Selected string   `json:"selected,omitzero"`
	Options  []string `json:"options,omitzero"`
	Checked  bool     `json:"checked,omitzero"`
	Disabled bool     `json:"disabled,omitzero"`
	ReadOnly bool     `json:"read_only,omitzero"`
	Required bool     `json:"required,omitzero"`
	// Ring says, of the focused element only, that the page shows its focus (:focus-visible): a
	// press by keyboard turns the ring on where a press by mouse left it off.
	Ring bool `json:"ring,omitzero"`
	// Invalid is the message of a field that the page shows as invalid, by native validity after it was used,
	// by aria-invalid or by a visible aria-errormessage; "" is valid or not checked.
	Invalid string `json:"invalid,omitzero"`
	// Dialog is the identity of the dialog that holds it, modal or not; "" is none.
	Dialog string `json:"dialog,omitzero"`
	// Covered says that another element would receive a click at its centre; false where that is out of view.
	Covered bool `json:"covered,omitzero"`
}

// Mark is one interactive element inside the viewport.
type Mark struct {
	N    int    `json:"n"`  // its number, from 1
	ID   string `json:"id"` // target identity, as Field.ID
	Role string `json:"role,omitzero"`
	Name string `json:"name,omitzero"` // accessible name, the page's text: hostile
	// Text is the visible text, or the value that a button shows: the page's text, hostile. "" is an icon or
	// nothing.
	Text string `json:"text,omitzero"`
	Tag  string `json:"tag,omitzero"`
	Type string `json:"type,omitzero"`
	// Input says that a press changes local state only (Control).
	Input bool `json:"input,omitzero"`
	// Dialog is the identity of the dialog that holds it, modal or not; "" is none.
	Dialog string `json:"dialog,omitzero"`
	// Submit says that the element submits its form by the page's own markup.
	Submit   bool   `json:"submit,omitzero"`
	Form     string `json:"form,omitzero"`
	Frame    string `json:"frame,omitzero"`
	Box      Box    `json:"box,omitzero"`
	Disabled bool   `json:"disabled,omitzero"`
	// Covered says that another element would receive a click at its centre.
	Covered bool `json:"covered,omitzero"`
}

// Scrolled is how far things are scrolled, CSS pixels.
type Scrolled struct {
	X float64 `json:"x,omitzero"`
	Y float64 `json:"y,omitzero"`
	// MaxY is the furthest Y that the document allows.
	MaxY float64 `json:"max_y,omitzero"`
	// ContainerX, ContainerY are those of the scroll container that the action is in: at its point
	// (in a frame that has none, the frame's document), for an action without a point around the
	// focus or in the middle, else the last there was; 0 when there is none beside the document.
	ContainerX float64 `json:"container_x,omitzero"`
	ContainerY float64 `json:"container_y,omitzero"`
}

// Write is one request that may have changed the server: a form submission or a
// same-site request whose method is not GET, HEAD or OPTIONS. Beacons and the read
// endpoints that the task lists are no writes.
type Write struct {
	Method string `json:"method"`
	URL    string `json:"url"` // without userinfo, query and fragment
	// Status is the HTTP status of the answer; 0 while none has come.
	Status int `json:"status,omitzero"`
}

// OK says whether the write was answered well (2xx or 3xx).
func (w Write) OK() bool { return w.Status >= 200 && w.Status < 400 }

// Ambient is what moved by itself: by what runs since the load, or repeats since an earlier action.
// What has no known cause is not in it until it was seen twice while nobody acted.
type Ambient struct {
	// Parts are keys of Observation.DOMParts, or CanvasPart of a canvas, sorted.
	Parts []string `json:"parts,omitzero"`
	// Boxes are the places of elements that were changed by nothing the action set off, or
	// that run an endless animation.
	Boxes []Box `json:"boxes,omitzero"`
}

// Dialog is an open JavaScript dialog.
type Dialog struct {
	Type    string `json:"type"` // alert, confirm, prompt, beforeunload
	Message string `json:"message,omitzero"`
	Default string `json:"default,omitzero"`
}

// Target is what a proposed action is aimed at, asked of the page before the
// gates review it.
type Target struct {
	// ID is the identity of the element, or the 8-px bucket of the point
	// ("@12,40") where nothing is there to identify; "" is unknown.
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
	// Clickable says that the element reacts to presses: it is a control, belongs to one, or has a handler.
	Clickable bool `json:"clickable,omitzero"`
	// Point is where a press would land after marks were resolved; nil for
	// actions without a place.
	Point *Point `json:"point,omitzero"`
	// Editable says that the element takes typed text; Field is then its ID in
	// Observation.Fields (a click on a label belongs to its field).
	Editable bool   `json:"editable,omitzero"`
	Field    string `json:"field,omitzero"`
	Submit   bool   `json:"submit,omitzero"`
	Disabled bool   `json:"disabled,omitzero"`
	// Covering is what would receive the press instead; nil when nothing covers.
	Covering *Covering `json:"covering,omitzero"`
	// Idle is what changed since the turn while nobody acted.
	Idle Idle `json:"idle_changes,omitzero"`
}

// Identified says whether an element was found, and not just a place.
func (t Target) Identified() bool { return t.ID != "" && t.ID[0] != '@' }

// Covering is the element that lies over a target's point.
type Covering struct {
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	Name string `json:"name,omitzero"`
	Box  Box    `json:"box,omitzero"`
	// Controls are the IDs of the marks that belong to it, in document order.
	Controls []string `json:"controls,omitzero"`
}

// Idle is what changed between an observation and the next Locate.
type Idle struct {
	// Parts are keys of DOMParts that changed, appeared or went, sorted.
	Parts []string `json:"parts,omitzero"`
	// Caused are those of Parts that something the last action set off has changed: its late
	// effect, known by cause. What has no known cause counts as one the first time.
	Caused []string `json:"caused,omitzero"`
	// Tiles changed between the two frames; only known when a frame was taken.
	Tiles TileSet `json:"tiles,omitzero"`
	// Changes are the other classes of change (url, form, dialog, tab, …).
	Changes []Change `json:"changes,omitzero"`
	// Shot is the frame taken at Locate, nil when the page reported neither mutation nor animation.
	Shot *Shot `json:"-"`
	// Page is the page as Locate found it, nil when nothing had moved. An action's effect is
	// measured from it; it is never recorded.
	Page *Observation `json:"-"`
}

// Any says whether anything changed at all.
func (i Idle) Any() bool { return len(i.Parts)+len(i.Tiles)+len(i.Changes) > 0 }
