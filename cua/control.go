package cua

// Control is an element that can be pressed.
type Control struct {
	// ID is the target identity, as in Mark.ID.
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	// Name is the accessible name, Text the visible text. Both are written by the page and untrusted.
	Name string `json:"name,omitzero"`
	Text string `json:"text,omitzero"`
	Tag  string `json:"tag,omitzero"`
	Type string `json:"type,omitzero"`
	// Form and Frame are as in Field; Dialog is as in Mark.
	Form   string `json:"form,omitzero"`
	Frame  string `json:"frame,omitzero"`
	Dialog string `json:"dialog,omitzero"`
	// Input says that a press changes local state only: it ticks, selects, focuses or expands. Every other
	// control is an actor (docs/recovery.md#safe-activation).
	Input bool `json:"input,omitzero"`
	// Submit says that by the page's markup a press submits the form.
	Submit   bool `json:"submit,omitzero"`
	Disabled bool `json:"disabled,omitzero"`
}

// Control is m without its position.
func (m Mark) Control() Control {
	return Control{ID: m.ID, Role: m.Role, Name: m.Name, Text: m.Text, Tag: m.Tag, Type: m.Type, Form: m.Form,
		Frame: m.Frame, Dialog: m.Dialog, Input: m.Input, Submit: m.Submit, Disabled: m.Disabled}
}

// Control is t without its position.
func (t Target) Control() Control {
	return Control{ID: t.ID, Role: t.Role, Name: t.Name, Text: t.Text, Tag: t.Tag, Type: t.Type, Form: t.Form,
		Frame: t.Frame, Dialog: t.Dialog, Input: t.Input, Submit: t.Submit, Disabled: t.Disabled}
}

// Form is a form, or the controls of one frame that are in no form.
type Form struct {
	// ID is Field.Form of its fields; "" for those that are in no form.
	ID    string `json:"id,omitzero"`
	Frame string `json:"frame,omitzero"`
	// Dialog is the dialog that contains it, as in Mark.
	Dialog string `json:"dialog,omitzero"`
	// Default is the control that Return in a single-line field activates: the first submit control in tree
	// order, in view or not. Nil is none; it is always nil if ID is "".
	Default *Control `json:"default,omitzero"`
	// Texts are digests of the visible texts in the form and next to it (in its parent element), without the
	// values of its controls. They are sorted, at most 60.
	Texts []string `json:"texts,omitzero"`
}

// FormOf is the form with that identity in that frame; nil if there is none.
func (o *Observation) FormOf(id, frame string) *Form {
	for i := range o.Forms {
		if f := &o.Forms[i]; f.ID == id && f.Frame == frame {
			return f
		}
	}
	return nil
}

// FieldByID is the visible field with that identity; nil if there is none.
func (o *Observation) FieldByID(id string) *Field {
	for i := range o.Fields {
		if id != "" && o.Fields[i].ID == id {
			return &o.Fields[i]
		}
	}
	return nil
}

// MarkByID is the mark with that identity; nil if there is none.
func (o *Observation) MarkByID(id string) *Mark {
	for i := range o.Marks {
		if id != "" && o.Marks[i].ID == id {
			return &o.Marks[i]
		}
	}
	return nil
}

// Reachable reports whether the keyboard reaches a control in that dialog: no JavaScript dialog is open,
// and no other modal dialog.
func (o *Observation) Reachable(dialog string) bool {
	return o.Dialog == nil && (o.Modal == "" || o.Modal == dialog)
}
