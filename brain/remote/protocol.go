package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Version is the only supported version of the protocol. It increases if a brain or a runner of the
// previous version would misread a changed message.
const Version = 1

// The methods.
const (
	initialize = "initialize"
	next       = "next"
	shutdown   = "shutdown"
)

// Coordinate spaces of a brain.
const (
	pixels       = "pixels"
	relative1000 = "relative1000"
)

// Ways to deliver a screenshot.
const (
	byPath   = "path"
	byBase64 = "base64"
	byNone   = "none"
)

// request is a JSON-RPC 2.0 request.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// hello are the params of initialize.
type hello struct {
	ProtocolVersion int          `json:"protocol_version"`
	RunID           string       `json:"run_id"`
	Capabilities    capabilities `json:"capabilities"`
}

// capabilities are the choices of a brain.
type capabilities struct {
	Actions     []cua.Kind `json:"actions"`
	Coordinates []string   `json:"coordinates"`
	Screenshots []string   `json:"screenshots"`
	Batch       bool       `json:"batch"`
}

// manner is the result of initialize: the preferences of the brain.
type manner struct {
	ProtocolVersion int         `json:"protocol_version"`
	Name            string      `json:"name"`
	Coordinates     string      `json:"coordinates"`
	Image           imageManner `json:"image"`
	Batch           bool        `json:"batch"`
}

type imageManner struct {
	MaxW     int    `json:"max_w"`
	MaxH     int    `json:"max_h"`
	Delivery string `json:"delivery"`
}

// check returns an error for a preference that is not supported.
func (m manner) check() error {
	switch {
	case m.ProtocolVersion != Version:
		return fmt.Errorf("the brain has protocol version %d, and this runner version %d",
			m.ProtocolVersion, Version)
	case m.Coordinates != "" && m.Coordinates != pixels && m.Coordinates != relative1000:
		return fmt.Errorf("coordinates must be %s or %s, not %s", pixels, relative1000,
			brain.Quoted(m.Coordinates, 40))
	case m.Image.MaxW < 0 || m.Image.MaxH < 0:
		return errors.New("image: max_w and max_h must be 0 or more")
	case m.Image.Delivery != "" && m.Image.Delivery != byPath && m.Image.Delivery != byBase64 &&
		m.Image.Delivery != byNone:
		return fmt.Errorf("image: delivery must be %s, %s or %s, not %s", byPath, byBase64, byNone,
			brain.Quoted(m.Image.Delivery, 40))
	}
	return nil
}

// turn are the params of next.
type turn struct {
	RunID       string      `json:"run_id"`
	Step        int         `json:"step"`
	Fresh       bool        `json:"fresh"`
	Task        task        `json:"task"`
	Observation observation `json:"observation"`
	LastResults []outcome   `json:"last_results"`
	Notes       []string    `json:"notes"`
	Text        string      `json:"text"`
}

type task struct {
	Goal   string  `json:"goal"`
	Fields []value `json:"fields"`
}

// value is a planned value. Landed says that it is in its field.
type value struct {
	Label  string `json:"label"`
	Value  string `json:"value"`
	Landed bool   `json:"landed"`
}

// observation is the page. Its points are in the coordinate space of the brain.
type observation struct {
	Screenshot *screenshot `json:"screenshot"`
	URL        string      `json:"url"`
	Title      string      `json:"title"`
	Tab        int         `json:"tab"`
	Tabs       int         `json:"tabs"`
	ScrollY    float64     `json:"scroll_y"`
	MaxScrollY float64     `json:"max_scroll_y"`
	Dialog     *dialog     `json:"dialog"`
	Fields     []field     `json:"fields"`
	Marks      []mark      `json:"marks"`
}

// screenshot is a PNG: the path of a file that exists until the answer, or its bytes.
type screenshot struct {
	Mime   string `json:"mime"`
	W      int    `json:"w"`
	H      int    `json:"h"`
	Path   string `json:"path,omitzero"`
	Base64 []byte `json:"base64,omitzero"`
}

type dialog struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// field is a form control: its state, not its content.
type field struct {
	Label    string   `json:"label"`
	Type     string   `json:"type"`
	X        int      `json:"x"`
	Y        int      `json:"y"`
	Editable bool     `json:"editable"`
	Empty    bool     `json:"empty"`
	Focused  bool     `json:"focused"`
	Checked  bool     `json:"checked"`
	Disabled bool     `json:"disabled"`
	Required bool     `json:"required"`
	Selected string   `json:"selected,omitzero"`
	Options  []string `json:"options,omitzero"`
	Invalid  string   `json:"invalid,omitzero"`
}

type mark struct {
	N        int    `json:"n"`
	Role     string `json:"role"`
	Name     string `json:"name"`
	X        int    `json:"x"`
	Y        int    `json:"y"`
	Submit   bool   `json:"submit"`
	Disabled bool   `json:"disabled"`
	Covered  bool   `json:"covered"`
}

// outcome is the fate of one action of the last answer.
type outcome struct {
	Kind string `json:"kind"`
	Fate string `json:"fate"`
	Text string `json:"text"`
}

// maxMessage is the limit of one message of a brain, bytes. Answers are far smaller.
const maxMessage = 1 << 20

// maxShown is how much of a message an error quotes, bytes.
const maxShown = 300

// resultOf is the result of the response to call id. A message that is not a response, or a response to
// another call, is an error, because the answers can no longer be matched to calls. An error response of
// the brain is an error, too.
func resultOf(message []byte, id int) (json.RawMessage, error) {
	var r struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      *int            `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	shown := brain.Quoted(string(message[:min(len(message), 2*maxShown)]), maxShown)
	switch err := strictly(message, &r); {
	case err != nil:
		return nil, fmt.Errorf("%s is not a JSON-RPC response (%v)", shown, err)
	case r.JSONRPC != "2.0":
		return nil, fmt.Errorf(`%s is not a JSON-RPC response ("jsonrpc" is not "2.0")`, shown)
	case r.Error != nil && (r.ID == nil || *r.ID == id):
		return nil, fmt.Errorf("the brain answered with error %d: %s", r.Error.Code,
			brain.Quoted(r.Error.Message, maxShown))
	case r.ID == nil:
		return nil, fmt.Errorf("%s is not a JSON-RPC response (it has no id)", shown)
	case *r.ID != id:
		return nil, fmt.Errorf("expected the answer to call %[2]d, got the answer to call %[1]d", *r.ID, id)
	case len(r.Result) == 0 || string(r.Result) == "null":
		return nil, fmt.Errorf("%s is not a JSON-RPC response (it has no result)", shown)
	}
	return r.Result, nil
}

// strictly parses one JSON value into v. An unknown name is an error, because a misspelt one would be
// ignored silently.
func strictly(raw []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("the JSON ends too early")
		}
		return err
	}
	if len(bytes.TrimSpace(raw[dec.InputOffset():])) > 0 {
		return errors.New("something follows the JSON value")
	}
	return nil
}
