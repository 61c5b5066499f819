package browser

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestLabelsOfReplacedControls: a hidden native control hands its label on to what is shown in its place, and
// what a field shows is never taken for its name.
func TestLabelsOfReplacedControls(t *testing.T) {
	const options = `<option>Choose</option><option selected>Germany</option></select>`
	const clipped = `style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"`
	for _, tt := range []struct {
		name, html string
		fields     string // the names of all fields
		selected   string
	}{
		{"beside a clipped select", `<label for=n>Country</label><select id=n tabindex=-1 aria-hidden=true ` + clipped + `>` + options +
			`<span><span role=combobox tabindex=0 aria-labelledby=v><span id=v role=textbox title=Germany>Germany</span></span></span>`, "Country", "Germany"},
		{"around a select that is not displayed", `<label for=n>Country</label><div role=combobox tabindex=0><select id=n hidden>` + options + `<div>Germany</div></div>`, "Country", "Germany"},
		{"beside a wrapper of its own", `<label for=n>Country</label><div><select id=n hidden>` + options + `</div><div role=combobox tabindex=0>Germany</div>`, "Country", "Germany"},
		{"a label around both", `<label>Country <select hidden>` + options + `<span role=combobox tabindex=0>Germany</span></label>`, "Country", "Germany"},
		{"a label by attribute", `<select hidden aria-label=Country>` + options + `<div role=combobox tabindex=0>Germany</div>`, "Country", "Germany"},
		{"an input in its place", `<label for=n>Country</label><select id=n hidden>` + options + `<div><input role=combobox></div>`, "Country", ""},
		{"a name of its own wins", `<label for=n>Country</label><select id=n hidden>` + options + `<div role=combobox tabindex=0 aria-label=Land>Germany</div>`, "Land", "Germany"},
		{"two pairs in a row", `<label for=n>Country</label><label for=m>Town</label><select id=n hidden>` + options + `<div role=combobox tabindex=0>Germany</div><select id=m hidden>` + options +
			`<div role=combobox tabindex=0>Germany</div>`, "Country Town", "Germany"},
		{"its own value in its name", `<p id=l>Country</p><div role=combobox tabindex=0 id=c aria-labelledby="l c">Germany</div>`, "Country", "Germany"},
		{"its own value as its title", `<div role=combobox tabindex=0 title=Germany>Germany</div>`, "", "Germany"},
		{"a visible select keeps its label", `<label for=n>Country</label><select id=n>` + options + `<div role=combobox tabindex=0>x</div>`, "Country ", "Germany"},
		{"a hidden field beside a visible one", `<label for=n>Other</label><input id=n hidden><input>`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			names := ""
			for i, f := range st.now.Fields {
				if i > 0 {
					names += " "
				}
				names += f.Name
			}
			if names != tt.fields || len(st.now.Fields) == 0 || st.now.Fields[0].Selected != tt.selected {
				t.Errorf("fields %+v\nwant %q, selected %q", st.now.Fields, tt.fields, tt.selected)
			}
			for _, f := range st.now.Fields {
				if m := st.now.MarkByID(f.ID); m == nil || m.Name != f.Name || f.Covered || m.Covered {
					t.Errorf("the mark of %q is %+v", f.Name, m)
				}
			}
		})
	}
}

// TestTransparentInput: an input that is transparent over what is drawn for it is not covered by that, and
// can be used.
func TestTransparentInput(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<label for=n>Country</label><div style="cursor:pointer;width:200px;position:relative"><span><input id=n role=combobox readonly style="opacity:0;width:190px"></span>
<span style="position:absolute;inset:0;background:#eee" onclick="document.title='open'">Germany</span></div>`}, nil)
	f := st.field("Country")
	if i := slices.IndexFunc(st.now.Marks, func(m cua.Mark) bool { return m.ID == f.ID }); i < 0 ||
		st.now.Marks[i].Covered || f.Covered {
		t.Errorf("field %+v, marks %+v", f, st.now.Marks)
	}
	st.act(cua.Action{Kind: cua.Click, Into: f.ID})
	title(t, st.now, "open")
}
