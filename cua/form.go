package cua

// FormState is what form control knows of the plan values. It is computed once per turn from the task and the
// live steps.
type FormState struct {
	Values []FormValue `json:"values,omitzero"`
}

// FormValue is one plan value and its state.
type FormValue struct {
	PlanValue
	// Field is the ID of the visible field that matches; "" when none does.
	Field string `json:"field,omitzero"`
	// Text is Value in the format of that field (a date as 2026-01-31); "" when no field matches.
	Text string `json:"text,omitzero"`
	// Score of the match, 0 to 1.
	Score float64 `json:"score,omitzero"`
	// Landed says that a live step read the value back from its field.
	Landed bool `json:"landed,omitzero"`
}

// Pending are the values that have not landed, in plan order. A nil FormState has none.
func (f *FormState) Pending() []FormValue {
	if f == nil {
		return nil
	}
	var out []FormValue
	for _, v := range f.Values {
		if !v.Landed {
			out = append(out, v)
		}
	}
	return out
}

// AllLanded says that there are values and that each has landed.
func (f *FormState) AllLanded() bool {
	return f != nil && len(f.Values) > 0 && len(f.Pending()) == 0
}
