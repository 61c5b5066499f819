package envtest

import (
	"context"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

var startRows = []row{
	{"reset shows the start page", func(r *trial) {
		r.reset("form")
		r.titled("Form")
		r.evidence()
		if r.now.URL != r.url("form") || len(r.now.Fields) != 4 || len(r.now.Marks) != 8 ||
			r.now.Focus != nil {
			r.t.Errorf("URL %s, %d fields, %d marks, focus %+v", r.now.URL, len(r.now.Fields),
				len(r.now.Marks), r.now.Focus)
		}
		for label, want := range map[string]cua.Field{
			"Name": {Role: "textbox", Type: "text", NameAttr: "name", Empty: true, Editable: true},
			"Code": {Role: "textbox", Type: "password", NameAttr: "code", Empty: true, Editable: true},
		} {
			if f := r.field(label); f.Role != want.Role || f.Type != want.Type ||
				f.NameAttr != want.NameAttr || !f.Empty || !f.Editable || f.Name != label ||
				f.ValueDigest != "" {
				r.t.Errorf("field %s is %+v", label, f)
			}
		}
		if f := r.field("Size"); f.Role != "combobox" || f.Type != "select" || f.Selected != "Small" ||
			len(f.Options) != 2 {
			r.t.Errorf("the select is %+v", f)
		}
		if f := r.field("I agree"); f.Role != "checkbox" || f.Type != "checkbox" || f.Checked {
			r.t.Errorf("the box is %+v", f)
		}
		if m := r.mark("Save"); !m.Submit || m.Role != "button" || m.Form == "" {
			r.t.Errorf("the submit button is %+v", m)
		}
	}},
	{"reset forgets what was before", func(r *trial) {
		r.reset("form")
		first := r.now
		r.act(r.on("Name", cua.Action{Kind: cua.Type, Text: "ada"}))
		r.click("Next")
		r.reset("form")
		r.evidence()
		if r.now.FormDigest != first.FormDigest || r.now.URL != first.URL ||
			r.now.Document == first.Document {
			r.t.Errorf("after another reset the page is %+v, was %+v", r.now, first)
		}
	}},
	{"reset opens the page that the task names", func(r *trial) {
		r.reset("next")
		r.titled("Next")
		r.evidence()
	}},
}

var inputRows = []row{
	{"a click focuses", func(r *trial) {
		r.reset("form")
		r.click("Name")
		r.focused("Name")
		r.click("Code")
		r.focused("Code")
		r.evidence()
	}},
	{"a click beside everything takes the focus away", func(r *trial) {
		r.reset("form")
		r.click("Name")
		r.act(cua.Action{Kind: cua.Click, Point: &cua.Point{X: float64(r.now.Viewport.W) - 2,
			Y: float64(r.now.Viewport.H) - 2}})
		if r.now.Focus != nil {
			r.t.Errorf("the focus is on %+v", r.now.Focus)
		}
	}},
	{"typed text lands and reads back", func(r *trial) {
		r.reset("form")
		before := r.now
		r.act(r.on("Name", cua.Action{Kind: cua.Type, Text: "Ada Löve 王"}))
		r.holds("Name", "Ada Löve 王")
		r.focused("Name")
		if r.now.FormDigest == before.FormDigest || r.now.Document != before.Document {
			r.t.Error("the form digest did not change, or the document did")
		}
		r.holds("Code", "")
	}},
	{"without clear text is added, with clear it replaces", func(r *trial) {
		r.reset("form")
		r.click("Name")
		r.act(cua.Action{Kind: cua.Type, Text: "ab"})
		r.act(cua.Action{Kind: cua.Type, Text: "cd"})
		r.holds("Name", "abcd")
		r.act(cua.Action{Kind: cua.Type, Text: "ef", Clear: true})
		r.holds("Name", "ef")
		r.act(cua.Action{Kind: cua.Type, Clear: true, Into: r.field("Name").ID, Text: "g"})
		r.holds("Name", "g")
	}},
	{"mark, point and identity are one element", func(r *trial) {
		r.reset("form")
		for _, m := range r.now.Marks {
			c := m.Box.Center()
			byMark, byPoint, byID := r.locate(cua.Action{Kind: cua.Click, Mark: m.N}),
				r.locate(cua.Action{Kind: cua.Click, Point: &c}), r.locate(cua.Action{Kind: cua.Key,
					Keys: "Return", Into: m.ID})
			if byMark.ID != m.ID || byPoint.ID != m.ID || byID.ID != m.ID {
				r.t.Errorf("mark %d (%s) is %q, its centre %q, its identity %q", m.N, m.ID, byMark.ID,
					byPoint.ID, byID.ID)
			}
		}
		r.act(cua.Action{Kind: cua.Type, Mark: r.mark("Name").N, Text: "by mark"})
		r.holds("Name", "by mark")
		r.act(cua.Action{Kind: cua.Type, Into: r.field("Code").ID, Text: "by identity"})
		r.holds("Code", "by identity")
		r.focused("Code")
		r.act(cua.Action{Kind: cua.Click, Mark: r.mark("I agree").N})
		if !r.field("I agree").Checked {
			r.t.Error("the box was not ticked by its mark")
		}
	}},
	{"a box is ticked and cleared", func(r *trial) {
		r.reset("form")
		before := r.now
		r.click("I agree")
		if !r.field("I agree").Checked || r.now.FormDigest == before.FormDigest {
			r.t.Errorf("the box is %+v", r.field("I agree"))
		}
		r.click("I agree")
		if r.field("I agree").Checked || r.now.FormDigest != before.FormDigest {
			r.t.Errorf("the box is %+v", r.field("I agree"))
		}
	}},
	{"an option is chosen", func(r *trial) {
		r.reset("form")
		r.act(r.on("Size", cua.Action{Kind: cua.Select, Text: "Large"}))
		if f := r.field("Size"); f.Selected != "Large" || f.ValueDigest != cua.Digest("Large") {
			r.t.Errorf("the select is %+v", f)
		}
		out := r.try(r.on("Size", cua.Action{Kind: cua.Select, Text: "Huge"}))
		r.failed(out.Failure, cua.FailNotInteractable)
		if f := r.field("Size"); f.Selected != "Large" {
			r.t.Errorf("the select is %+v", f)
		}
	}},
	{"Tab goes on", func(r *trial) {
		r.reset("form")
		r.click("Name")
		before := r.now
		r.key("Tab")
		r.focused("Code")
		r.same(before)
	}},
	{"Return sends the form", func(r *trial) {
		r.reset("form")
		before := r.now
		r.click("Name")
		r.key("Return")
		if r.now.DOMDigest == before.DOMDigest || r.now.Title != "Form" {
			r.t.Errorf("no error for an empty name: %+v", r.now)
		}
		r.act(cua.Action{Kind: cua.Type, Text: "ada"})
		r.key("Return")
		r.titled("Next")
	}},
	{"a button that only the keyboard presses", func(r *trial) {
		r.reset("other")
		before := r.now
		r.click("Keys only")
		r.same(before)
		r.click("Word")
		r.key("Return")
		r.titled("Next")
	}},
	{"a dead button changes nothing", func(r *trial) {
		r.reset("form")
		before := r.now
		r.click("Dead")
		r.same(before)
		r.evidence()
	}},
	{"a press that counts changes the page", func(r *trial) {
		r.reset("form")
		last := r.now
		for range 3 {
			r.click("Plus")
			if r.now.DOMDigest == last.DOMDigest || r.now.Document != last.Document ||
				r.now.FormDigest != last.FormDigest {
				r.t.Errorf("the page is %+v, was %+v", r.now, last)
			}
			last = r.now
		}
	}},
	{"a write belongs to the press that caused it", func(r *trial) {
		r.reset("other")
		r.click("Post")
		if len(r.now.Writes) != 1 || r.now.Writes[0].Method != "POST" || !r.now.Writes[0].OK() {
			r.t.Errorf("the writes are %+v, want one POST", r.now.Writes)
		}
		wrote := r.now.Writes
		r.act(cua.Action{Kind: cua.Wait, MS: 1}) // which may still bring an answer
		if len(r.now.Writes) > 0 && !slices.Equal(r.now.Writes, wrote) {
			r.t.Errorf("a wait has the writes %+v", r.now.Writes)
		}
		r.click("Word")
		if len(r.now.Writes) > 0 {
			r.t.Errorf("a click into a field has the writes %+v", r.now.Writes)
		}
	}},
	{"what is not there cannot be acted on", func(r *trial) {
		r.reset("form")
		before := r.now
		for _, a := range []cua.Action{{Kind: cua.Click, Mark: 99},
			{Kind: cua.Type, Into: "textbox|nobody", Text: "x"}} {
			_, err := r.env.Locate(r.t.Context(), a)
			r.refused(err, cua.FailNotFound)
			r.failed(r.try(a).Failure, cua.FailNotFound)
			r.same(before)
		}
	}},
	{"text without a field goes nowhere", func(r *trial) {
		r.reset("form")
		before := r.now
		r.act(cua.Action{Kind: cua.Type, Text: "x"})
		r.same(before)
	}},
	{"locate says what is there and touches nothing", func(r *trial) {
		r.reset("form")
		r.click("Name")
		before := r.now
		for _, m := range r.now.Marks {
			c := m.Box.Center()
			got := r.locate(cua.Action{Kind: cua.Click, Point: &c})
			if got.Role != m.Role || got.Name != m.Name || got.Type != m.Type || got.Submit != m.Submit ||
				got.Box.Empty() || got.Point == nil || *got.Point != c || got.Covering != nil {
				r.t.Errorf("mark %+v is located as %+v", m, got)
			}
			if got.Idle.Any() {
				r.t.Errorf("something changed on a page that stands still: %+v", got.Idle)
			}
		}
		f := r.field("Code")
		c := f.Box.Center()
		if got := r.locate(cua.Action{Kind: cua.Click, Point: &c}); !got.Editable || got.Field != f.ID {
			r.t.Errorf("field %+v is located as %+v", f, got)
		}
		beside := r.locate(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1,
			Y: float64(r.now.Viewport.H) - 2}})
		if beside.Identified() || beside.ID == "" {
			r.t.Errorf("beside everything there is %+v", beside)
		}
		r.act(cua.Action{Kind: cua.Wait, MS: 1})
		r.same(before)
		r.focused("Name")
	}},
	{"locate sees what moved meanwhile", func(r *trial) {
		r.reset("clock")
		r.act(cua.Action{Kind: cua.Wait, MS: 200})
		r.soon("the clock", func(ctx context.Context) {
			for ctx.Err() == nil {
				got, err := r.env.Locate(ctx, r.on("Dead", cua.Action{Kind: cua.Click}))
				if err != nil {
					r.t.Errorf("locate: %v", err)
					return
				}
				if len(got.Idle.Parts) > 0 {
					return
				}
			}
		})
	}},
}
