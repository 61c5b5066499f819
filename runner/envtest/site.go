package envtest

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Site is a script: pages by name and where it starts.
type Site struct {
	Start string          `json:"start"`
	Pages map[string]Page `json:"pages"`
}

// Page is one page. Its controls stand below each other in their order.
type Page struct {
	Title    string    `json:"title,omitzero"`
	Text     string    `json:"text,omitzero"`
	Controls []Control `json:"controls,omitzero"`
	// Clock makes a part of the page change before each Locate.
	Clock bool `json:"clock,omitzero"`
}

// Control is a field (Type is an input type or "select"), a button or a link.
type Control struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"` // text, password, email, checkbox, select, button, submit, link
	Label       string   `json:"label,omitzero"`
	Placeholder string   `json:"placeholder,omitzero"`
	Options     []string `json:"options,omitzero"`
	// To is the page that a press leads to; "" stays.
	To string `json:"to,omitzero"`
	// Needs are names of fields that must hold something, else the press shows Error.
	Needs []string `json:"needs,omitzero"`
	Error string   `json:"error,omitzero"`
	// Counts makes each press change the page's text: a pager, a stepper.
	Counts bool `json:"counts,omitzero"`
	// KeyboardOnly ignores the pointer: Return in a field presses it.
	KeyboardOnly bool `json:"keyboard_only,omitzero"`
	// Dead ignores everything; Blurs takes the focus away when it is pressed.
	Dead  bool `json:"dead,omitzero"`
	Blurs bool `json:"blurs,omitzero"`
	// Hidden is not shown and cannot be clicked, but Tab reaches it; it shows while it has focus.
	Hidden bool `json:"hidden,omitzero"`
	// Writes says that a press posts to the server.
	Writes bool `json:"writes,omitzero"`
	// After is how many later waits a press takes to lead to To; 0 is at once.
	After int `json:"after,omitzero"`
}

// ParseSite reads a script; unknown fields and pages that are not there are errors.
func ParseSite(doc []byte) (Site, error) {
	var s Site
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return Site{}, fmt.Errorf("envtest: reading site: %w", err)
	}
	if _, ok := s.Pages[s.Start]; !ok {
		return Site{}, fmt.Errorf("envtest: reading site: no start page %q", s.Start)
	}
	for name, p := range s.Pages {
		for _, c := range p.Controls {
			if _, ok := s.Pages[c.To]; c.To != "" && !ok {
				return Site{},
					fmt.Errorf("envtest: reading site: page %s: control %s leads to unknown page %q", name,
						c.Name, c.To)
			}
		}
	}
	return s, nil
}

// field reports whether c takes a value.
func (c Control) field() bool { return c.Type != "button" && c.Type != "submit" && c.Type != "link" }

// text is what a button or link shows; a field shows nothing of its own.
func (c Control) text() string {
	if c.field() {
		return ""
	}
	return name(c)
}

// tag is the element that a field is.
func (c Control) tag() string {
	if c.Type == "select" {
		return "select"
	}
	return "input"
}

// role is the ARIA role of c.
func (c Control) role() string {
	switch c.Type {
	case "submit", "button":
		return "button"
	case "link":
		return "link"
	case "checkbox":
		return "checkbox"
	case "select":
		return "combobox"
	}
	return "textbox"
}
