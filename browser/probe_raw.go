package browser

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Caps on what one answer of a page may hold. The scripts keep well below them; a page
// cannot reach the scripts, but what it writes into its own text is in the answer.
const (
	maxAnswer = 8 << 20
	maxFields = 1000
	maxParts  = 2000
	maxMarks  = 300
	maxFrames = 50
	maxDepth  = 6
)

type rawBox [4]float64

func (b rawBox) box() cua.Box { return cua.Box{X: b[0], Y: b[1], W: b[2], H: b[3]} }
func (b rawBox) finite() bool {
	for _, v := range b {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	return true
}

// fieldRaw is one control with its value, which never leaves this package.
type fieldRaw struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Name     string   `json:"name"`
	Tag      string   `json:"tag"`
	Type     string   `json:"type"`
	Box      rawBox   `json:"box"`
	Label    string   `json:"label"`
	Group    string   `json:"group"`
	Place    string   `json:"place"`
	NameAttr string   `json:"nameAttr"`
	IDAttr   string   `json:"idAttr"`
	Auto     string   `json:"auto"`
	Form     string   `json:"form"`
	Edit     bool     `json:"edit"`
	Value    string   `json:"value"`
	Rest     string   `json:"rest"`  // what tells the value apart where only its beginning is in Value
	Given    string   `json:"given"` // the name of the secret that it was given at some time
	Checked  bool     `json:"checked"`
	Disabled bool     `json:"disabled"`
	ReadOnly bool     `json:"readonly"`
	Required bool     `json:"required"`
	Selected string   `json:"selected"`
	Options  []string `json:"options"`
	Invalid  string   `json:"invalid"`
	Ring     bool     `json:"ring"`
	Dialog   string   `json:"dialog"`
	Covered  bool     `json:"covered"`
}

type markRaw struct {
	ID       string `json:"id"`
	Role     string `json:"role"`
	Name     string `json:"name"`
	Text     string `json:"text"`
	Input    bool   `json:"input"`
	Dialog   string `json:"dialog"`
	Tag      string `json:"tag"`
	Type     string `json:"type"`
	Submit   bool   `json:"submit"`
	Form     string `json:"form"`
	Box      rawBox `json:"box"`
	Disabled bool   `json:"disabled"`
	Covered  bool   `json:"covered"`
}

// frameRaw is a child frame as its parent sees it. Fields and Marks count what comes before it.
type frameRaw struct {
	Path   string `json:"path"`
	Box    rawBox `json:"box"`
	Fields int    `json:"fields"`
	Marks  int    `json:"marks"`
	Dialog string `json:"dialog"` // that holds the frame
	Shown  rawBox `json:"shown"`  // with its border
	Warped bool   `json:"warped"` // it is not shown as large as it is
}

// formRaw is one form of a document.
type formRaw struct {
	ID      string       `json:"id"`
	Dialog  string       `json:"dialog"`
	Default *cua.Control `json:"default"`
	Texts   []string     `json:"texts"`
}

// probeRaw is one frame's answer; Children are those of same-origin frames in it.
type probeRaw struct {
	Covered bool       `json:"covered"` // its parent answers for it
	Path    string     `json:"path"`
	Doc     string     `json:"doc"`
	View    [2]float64 `json:"view"`
	Scroll  struct {
		X    float64 `json:"x"`
		Y    float64 `json:"y"`
		MaxY float64 `json:"maxY"`
		// CX, CY are of the container that the action is in; Into is the frame that it is in instead.
		CX    float64 `json:"cx"`
		CY    float64 `json:"cy"`
		Found bool    `json:"found"`
		Into  *string `json:"into"`
	} `json:"scroll"`
	Answered int         `json:"answered"`
	Writes   []cua.Write `json:"writes"`
	Polls    []cua.Write `json:"polls"` // where the page writes to by itself
	Ambient  struct {
		Parts    []string `json:"parts"`
		Canvases []string `json:"canvases"`
		Boxes    []rawBox `json:"boxes"`
	} `json:"ambient"`
	Caused   []string   `json:"caused"`
	Recut    []string   `json:"recut"`
	Hover    []rawBox   `json:"hover"`
	Restyled []rawBox   `json:"restyled"`
	Busy     bool       `json:"busy"`
	Kept     *keptRaw   `json:"kept"`
	Secret   []rawBox   `json:"secret"`
	Frames   []frameRaw `json:"frames"`
	Children []probeRaw `json:"children"`

	// Same says that nothing that Locate reports has changed since the look probeArgs.Since. The fields below
	// are left out then.
	Same      bool              `json:"same"`
	URL       string            `json:"url"`
	Origin    string            `json:"origin"` // of the document, "null" where it has none
	Title     string            `json:"title"`
	Focus     *fieldRaw         `json:"focus"`
	FocusInto *string           `json:"focusInto"`
	Fields    []fieldRaw        `json:"fields"`
	Marks     []markRaw         `json:"marks"`
	Parts     map[string]string `json:"parts"`
	Canvases  map[string]string `json:"canvases"`
	Forms     []formRaw         `json:"forms"`
	Modal     string            `json:"modal"`
	Notices   []string          `json:"notices"`
	Working   bool              `json:"working"`
	Unread    bool              `json:"unread"`
	Selected  []rawBox          `json:"selected"`
	Pickers   []rawBox          `json:"pickers"`
}

// later is something that the action set off and that is due after the cap.
type later struct {
	Kind string  `json:"kind"`
	MS   float64 `json:"ms"`
}

// leaving is a navigation that the action started.
type leaving struct {
	URL  string `json:"url"`
	Form bool   `json:"form"`
}

// settled is what a frame waited for.
type settled struct {
	Covered    bool      `json:"covered"`
	Unheard    bool      `json:"unheard"` // the page has not handled the input yet: nothing was waited for
	MS         float64   `json:"ms"`
	For        []string  `json:"for"`
	Capped     bool      `json:"capped"`
	Later      []later   `json:"later"` // not waited for
	Nav        []leaving `json:"nav"`
	Navigating bool      `json:"navigating"`
	// Tag is the number that a frame shows which is not older than the end of the wait; 0 is none, and Why
	// says why.
	Tag int    `json:"tag"`
	Why string `json:"why"`
	// Writes and Polls as in probeRaw: a document that is left takes its own record along.
	Writes []cua.Write `json:"writes"`
	Polls  []cua.Write `json:"polls"`
}

// coveringRaw lies over a target.
type coveringRaw struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Name     string   `json:"name"`
	Box      rawBox   `json:"box"`
	Controls []string `json:"controls"`
}

type targetRaw struct {
	Missing  bool         `json:"missing"`
	Ask      *string      `json:"ask"` // the frame that has to be asked, with X, Y
	X        float64      `json:"x"`
	Y        float64      `json:"y"`
	ID       string       `json:"id"`
	Role     string       `json:"role"`
	Name     string       `json:"name"`
	Tag      string       `json:"tag"`
	Type     string       `json:"type"`
	Form     string       `json:"form"`
	Frame    string       `json:"frame"`
	Text     string       `json:"text"`
	Input    bool         `json:"input"`
	Dialog   string       `json:"dialog"`
	Clicks   bool         `json:"clickable"`
	Box      rawBox       `json:"box"`
	Edit     bool         `json:"edit"`
	Field    string       `json:"field"`
	Submit   bool         `json:"submit"`
	Disabled bool         `json:"disabled"`
	Point    *[2]float64  `json:"point"`
	Covering *coveringRaw `json:"covering"`
}

// located is a frame's answer to where an action is aimed.
type located struct {
	Covered bool      `json:"covered"`
	Target  targetRaw `json:"target"`
	Probe   probeRaw  `json:"probe"`
}

// elementRaw is a control after something was done with it.
type elementRaw struct {
	Covered bool        `json:"covered"`
	Missing bool        `json:"missing"`
	Ask     *string     `json:"ask"`
	X       float64     `json:"x"`
	Y       float64     `json:"y"`
	Refused string      `json:"refused"`
	Options []string    `json:"options"`
	Path    string      `json:"path"`
	Origin  string      `json:"origin"`
	Box     rawBox      `json:"box"`
	Point   *[2]float64 `json:"point"`
	Field   fieldRaw    `json:"field"`
	local   string      // path of the frame that answered
}

// stirred are the places of what moved by itself since the last read.
type stirred struct {
	Covered bool   `json:"covered"`
	Path    string `json:"path"`
	// Late says that the action, or something that nobody knows, has changed the page since.
	Late   bool        `json:"late"`
	Boxes  []rawBox    `json:"boxes"`
	Secret []secretRaw `json:"secret"`
}

type textRaw struct {
	Covered bool   `json:"covered"`
	Text    string `json:"text"`
}

// decode reads one answer; fields it does not know are ignored.
func decode[T any](raw string) (T, error) {
	var v T
	if len(raw) > maxAnswer {
		return v, fmt.Errorf("browser: reading the page: the answer has %d bytes, more than %d",
			len(raw), maxAnswer)
	}
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return v, fmt.Errorf("browser: reading the page: %w", err)
	}
	return v, nil
}

// flatten lists p and the frames that it answers for, parents first, at most maxFrames.
func (p *probeRaw) flatten() []*probeRaw {
	var out []*probeRaw
	var add func(q *probeRaw, depth int)
	add = func(q *probeRaw, depth int) {
		if q.Covered || depth > maxDepth || len(out) >= maxFrames {
			return
		}
		out = append(out, q)
		for i := range q.Children {
			add(&q.Children[i], depth+1)
		}
	}
	add(p, 0)
	return out
}

// frameOf is the frame path in an identity; "" is the top document.
func frameOf(id string) string {
	i := strings.LastIndex(id, " @")
	if i < 0 || !framePath.MatchString(id[i+2:]) {
		return ""
	}
	return id[i+2:]
}

// framePath are segments as the page's script makes them: a number, a host, or a word of the page's own.
var framePath = regexp.MustCompile(`^[\w.:/\[\]-]+$`)
