package cua

// Control is something that can be pressed, as the page shows it.
type Control struct {
	// ID is the target identity, as Mark.ID.
	ID   string `json:"id"`
	Role string `json:"role,omitzero"`
	// Name is the accessible name, Text the visible text; both are the page's text: hostile.
	Name string `json:"name,omitzero"`
	Text string `json:"text,omitzero"`
	Tag  string `json:"tag,omitzero"`
	Type string `json:"type,omitzero"`
	// Form and Frame are as in Field; Dialog is as in Mark.
	Form   string `json:"form,omitzero"`
	Frame  string `json:"frame,omitzero"`
	Dialog string `json:"dialog,omitzero"`
	// Input says that a press changes local state only: it ticks, chooses, focuses or unfolds.
	// Every other control is an actor (spec: recovery, safe activation).
	Input bool `json:"input,omitzero"`
	// Submit says that a press submits its form by the page's own markup.
	Submit   bool `json:"submit,omitzero"`
	Disabled bool `json:"disabled,omitzero"`
}

// Control is the mark without its place.
func (m Mark) Control() Control {
	return Control{ID: m.ID, Role: m.Role, Name: m.Name, Text: m.Text, Tag: m.Tag, Type: m.Type, Form: m.Form,
		Frame: m.Frame, Dialog: m.Dialog, Input: m.Input, Submit: m.Submit, Disabled: m.Disabled}
}

// Control is what was aimed at without its place.
func (t Target) Control() Control {
	return Control{ID: t.ID, Role: t.Role, Name: t.Name, Text: t.Text, Tag: t.Tag, Type: t.Type, Form: t.Form,
		Frame: t.Frame, Dialog: t.Dialog, Input: t.Input, Submit: t.Submit, Disabled: t.Disabled}
}

// Form is a form, or the controls of one frame that are in no form.
type Form struct {
	// ID is Field.Form of its fields; "" stands for the fields of the frame that are in no form.
	ID    string `json:"id,omitzero"`
	Frame string `json:"frame,omitzero"`
	// Dialog is the dialog that holds it, as in Mark.
	Dialog string `json:"dialog,omitzero"`
	// Default is the control that Return in one of its one-line fields activates: the first submit control in
	// tree order, in view or not. Nil is none; it is always nil where ID is "".
	Default *Control `json:"default,omitzero"`
	// Texts are digests of the pieces of visible text in and beside it, without what its controls hold;
	// sorted, at most 60. Beside means: in the parent of the form, next to it.
	Texts []string `json:"texts,omitzero"`
}

// FormOf is the form with that identity in that frame; nil when the page has none.
func (o *Observation) FormOf(id, frame string) *Form {
	for i := range o.Forms {
		if f := &o.Forms[i]; f.ID == id && f.Frame == frame {
			return f
		}
	}
	return nil
}

// FieldByID is the visible field with that identity; nil when there is none.
func (o *Observation) FieldByID(id string) *Field {
	for i := range o.Fields {
		if id != "" && o.Fields[i].ID == id {
			return &o.Fields[i]
		}
	}
	return nil
}

// MarkByID is the mark with that identity; nil when there is none.
func (o *Observation) MarkByID(id string) *Mark {
	for i := range o.Marks {
		if id != "" && o.Marks[i].ID == id {
			return &o.Marks[i]
		}
	}
	return nil
}

// Reachable says whether the keyboard may be used in a control of that dialog: no JavaScript dialog is open,
// and no modal dialog but the one that holds the control.
func (o *Observation) Reachable(dialog string) bool {
	return o.Dialog == nil && (o.Modal == "" || o.Modal == dialog)
}
