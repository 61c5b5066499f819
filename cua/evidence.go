package cua

// Evidence is what the gates need to know about the moment, computed once a turn and never changed after.
// What depends on the proposal is in its Target.
type Evidence struct {
	// Samples are those of all steps, Acting those of the acting steps since the counters were fresh.
	Samples, Acting []Sample
	// Churn is the mask of the newest document, Node the state node of the page as it is now; "" is unknown.
	Churn ChurnMask
	Node  string
	// Focus is the focused field that takes text; nil when none has the focus.
	Focus *Field
	// Value is the pending plan value that belongs in Focus; nil when none does.
	Value *FormValue
	// DefaultButton is the control that Return in Focus activates, in view or not; nil when there is none.
	DefaultButton *Control
	// Tried are the steps that were dispatched in the state that the page is in now, by whomever, and had no
	// effect.
	Tried []Sample
	// Sends are the forms that were sent.
	Sends []Send
}

// EvidenceOf is the evidence after h with the plan values as form says.
func EvidenceOf(h History, form *FormState) *Evidence {
	e := &Evidence{Samples: h.Samples(), Churn: h.Churn(), Sends: sendsOf(h)}
	now := h.Now()
	e.Node = Node(now, e.Churn)
	if n := len(e.Samples); n > 0 {
		e.Node = e.Samples[n-1].After // under the masks that the samples share
	}
	for i := range e.Samples {
		s := &e.Samples[i]
		if i >= h.Fresh() && s.Acting {
			e.Acting = append(e.Acting, *s)
		}
		if s.Step.Dispatched() && s.Idle() && s.Before == e.Node && e.Node != "" {
			e.Tried = append(e.Tried, *s)
		}
	}
	if f := now.Focus; f != nil && f.TakesText() {
		e.Focus = f
		e.Value = form.PendingFor(f.ID)
		if form := now.FormOf(f.Form, f.Frame); form != nil && f.Form != "" && f.SingleLine() {
			e.DefaultButton = form.Default
		}
	}
	return e
}

// PendingFor is the pending value that belongs in the field; nil when none does.
func (f *FormState) PendingFor(field string) *FormValue {
	for _, v := range f.Pending() {
		if v.Field != "" && v.Field == field {
			return &v
		}
	}
	return nil
}
