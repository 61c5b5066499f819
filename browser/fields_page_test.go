package browser

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

const everyControl = `<form name=join><label for=n>Full name</label><input id=n name=fullname placeholder="as in your passport" autocomplete="Name" required value=Ann>
<input type=email aria-label=Mail value="not a mail" id=m><input type=date aria-label=Born value=2020-02-03><input type=range aria-label=Loud min=0 max=9 value=4>
<fieldset><legend>Size</legend><label><input type=radio name=s value=1>Small</label><label><input type=radio name=s value=2 checked>Large</label></fieldset>
<label><input type=checkbox checked value=yes>Agree</label><input type=checkbox style="display:none" id=drawn><label for=drawn>Drawn</label>
<select aria-label=Colours multiple><option selected value=r>red<option value=g>green<option selected value=b>blue</select>
<textarea aria-label=Text readonly>two
lines</textarea><fieldset disabled><input aria-label=Off value=x></fieldset>
<div role=switch tabindex=0 aria-checked=true aria-label=Light>on</div><div role=combobox tabindex=0 aria-label=Town>Rome</div>
<input aria-label=Zip aria-invalid=true aria-errormessage=why value=12><p id=why>five digits, please</p>
<input type=password aria-label=Word value=hunter2><input type=file aria-label=Scan><input type=hidden name=token value=t><button>Send</button></form><input aria-label=Loose>
`

// TestFieldsSayEverything: each control with its role, labels, state and form, and none with its value.
func TestFieldsSayEverything(t *testing.T) {
	st := newStage(t, map[string]string{"/": everyControl}, nil)
	byName := map[string]cua.Field{}
	var names []string
	for _, f := range st.now.Fields {
		if f.Box.Empty() {
			t.Errorf("%s has no box", f.ID)
		}
		f.ID, f.Box, f.Label = "", cua.Box{}, ""
		byName[f.Name] = f
		names = append(names, f.Name)
	}
	if got, want := strings.Join(names, ", "),
		"Full name, Mail, Born, Loud, Small, Large, Agree, Drawn, Colours, Text, Off, Light, Town, Zip, "+
			"Word, Scan, Loose"; got != want {
		t.Errorf("fields %s\nwant   %s", got, want)
	}
	form := byName["Full name"].Form
	sizes := []string{"Small", "Large"}
	for name, want := range map[string]cua.Field{
		"Full name": {Role: "textbox", Tag: "input", Type: "text", Placeholder: "as in your passport", NameAttr: "fullname", IDAttr: "n", Autocomplete: "name", Required: true, Editable: true, ValueDigest: cua.Digest("Ann")},
		"Mail":      {Role: "textbox", Tag: "input", Type: "email", IDAttr: "m", Editable: true, ValueDigest: cua.Digest("not a mail")},
		"Born":      {Role: "textbox", Tag: "input", Type: "date", Editable: true, ValueDigest: cua.Digest("2020-02-03")},
		"Loud":      {Role: "slider", Tag: "input", Type: "range", ValueDigest: cua.Digest("4")},
		"Small":     {Role: "radio", Group: "Size", Tag: "input", Type: "radio", NameAttr: "s", Empty: true, Selected: "Large", Options: sizes},
		"Large":     {Role: "radio", Group: "Size", Tag: "input", Type: "radio", NameAttr: "s", Checked: true, ValueDigest: cua.Digest("2"), Selected: "Large", Options: sizes},
		"Agree":     {Role: "checkbox", Tag: "input", Type: "checkbox", Checked: true, ValueDigest: cua.Digest("yes")},
		"Drawn":     {Role: "checkbox", Tag: "input", Type: "checkbox", IDAttr: "drawn", Empty: true},
		"Colours":   {Role: "listbox", Tag: "select", Type: "select", Selected: "red, blue", Options: []string{"red", "green", "blue"}, ValueDigest: cua.Digest("r\nb")},
		"Text":      {Role: "textbox", Tag: "textarea", Type: "text", ReadOnly: true, ValueDigest: cua.Digest("two\nlines")},
		"Off":       {Role: "textbox", Tag: "input", Type: "text", Disabled: true, ValueDigest: cua.Digest("x")},
		"Light":     {Role: "switch", Tag: "div", Type: "checkbox", Checked: true, ValueDigest: cua.Digest("on")},
		"Zip":       {Role: "textbox", Tag: "input", Type: "text", Editable: true, Invalid: "five digits, please", ValueDigest: cua.Digest("12")},
		"Word":      {Role: "textbox", Tag: "input", Type: "password", Editable: true, ValueDigest: cua.Digest("hunter2")},
	} {
		want.Name, want.Form = name, form
		if got := byName[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", name, got, want)
		}
	}
	if form == "" || byName["Loose"].Form != "" {
		t.Errorf("forms %q and %q", form, byName["Loose"].Form)
	}
	st.click("Send")
	if f := st.field("Mail"); f.Invalid == "" || st.now.Focus == nil || st.now.Focus.ID != f.ID {
		t.Errorf("after it was sent: %+v, focus %+v", f, st.now.Focus)
	}
}

// TestGroupsOfRadioButtons: the question is the legend's or the group's, and an option's own label is none.
func TestGroupsOfRadioButtons(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<fieldset><legend>Your order</legend>
<fieldset><legend>Cup <b>size</b></legend><label><input type=radio name=s>a</label><label><input type=radio name=s>b</label></fieldset>
<label><input type=radio name=m>c</label><label><input type=radio name=m>d</label></fieldset>
<fieldset><legend>Nobody's</legend><form><label><input type=radio name=n>e</label></form></fieldset>
<div role=radiogroup aria-label=Milk><p><label><input type=radio name=k>f</label></div>
<h4 id=h>Sugar</h4><div role=radiogroup aria-labelledby=h><span role=radio tabindex=0 aria-checked=true>g</span><span role=radio tabindex=0>h</span></div>
<p id=host></p><script>host.attachShadow({mode:'open'}).innerHTML='<fieldset><legend>Spoon</legend><label><input type=radio name=p>i</label></fieldset>'</script>
<fieldset><legend>Box</legend><label><input type=checkbox>j</label><input aria-label=k></fieldset>`}, nil)
	want := map[string]string{"a": "Cup size", "b": "Cup size", "c": "", "d": "", "e": "", "f": "Milk",
		"g": "Sugar", "h": "Sugar", "i": "Spoon", "j": "", "k": ""}
	for _, f := range st.now.Fields {
		if group, ok := want[f.Name]; !ok || f.Group != group {
			t.Errorf("%q is of the group %q, want %q", f.Name, f.Group, group)
		}
		delete(want, f.Name)
	}
	if len(want) > 0 {
		t.Errorf("no fields %v", want)
	}
}

// TestFocusIsTheCurrentOne: it never survives a press elsewhere, in frames neither.
func TestFocusIsTheCurrentOne(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<input aria-label=top><iframe src=/in style="width:300px;height:90px"></iframe>`, "/in": `<input aria-label=inner>`}, nil)
	for _, name := range []string{"top", "inner", "top"} {
		st.click(name)
		if f := st.now.Focus; f == nil || f.Name != name {
			t.Errorf("the focus is %+v, want %s", f, name)
		}
	}
	for _, name := range []string{"top", "inner"} {
		st.click(name)
		st.act(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1000, Y: 700}})
		if st.now.Focus != nil {
			t.Errorf("%s keeps the focus after a press elsewhere: %+v", name, st.now.Focus)
		}
	}
}

// TestDigestSees: what a person sees of text and state is in the dom digest, and what only a
// machine sees is not.
func TestDigestSees(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<main id=m class=c><h1 id=h>Head</h1><p id=p data-n=1>text</p><a id=a href="/x?token=1">link</a><img id=i alt=pic width=9 height=9>
<div id=d aria-expanded=false>d</div><div id=s></div><details id=e><summary>more</summary>text</details><button id=b>b</button><progress id=g max=9 value=1></progress>
<p id=hid hidden>hidden</p><p id=out style="position:absolute;top:5000px">far down</p><select id=sel><option>1<option>2</select><svg id=v width=9 height=9><text>1</text></svg></main>`}, nil)
	for _, tt := range []struct {
		js   string
		sees bool
	}{
		{"p.textContent='other'", true}, {"p.append('more')", true}, {"h.innerText='Head2'", true}, {"d.ariaExpanded='true'", true}, {"b.disabled=true", true},
		{"b.setAttribute('aria-pressed','true')", true}, {"b.title='tip'", true}, {"i.alt='other'", true}, {"e.open=true", true}, {"g.value=2", true},
		{"hid.hidden=false", true}, {"p.style.display='none'", true}, {"p.style.visibility='hidden'", true}, {"p.style.opacity=0", true}, {"out.textContent='moved on'", true},
		{"s.attachShadow({mode:'open'}).innerHTML='<p>shadow</p>'", true}, {"m.append(document.createElement('canvas'))", true}, {"m.append(document.createElement('iframe'))", true},
		{"m.id='x9'+Math.random()", false}, {"p.id='qwerty'", false}, {"m.className='c'+Math.random()", false}, {"p.dataset.n=2", false}, {"a.href='/x?token=2'", false},
		{"hid.textContent='other'", false}, {"p.style.color='red'", false}, {"p.after(document.createComment('x'))", false}, {"m.append(document.createElement('script'))", false},
		{"p.innerHTML='<span>te</span><b>xt</b>'", true}, {"p.innerHTML='text'", false}, {"m.innerHTML=m.innerHTML", false}, {"document.title='t2'", false},
		{"p.setAttribute('aria-describedby','x'+Math.random())", false}, {"b.setAttribute('data-reactid','.1.'+Math.random())", false}, {"p.scrollIntoView()", false},
	} {
		st.act(cua.Action{Kind: cua.Navigate, URL: st.url + "/"})
		before := st.now
		st.eval(fmt.Sprintf("void(%s)", tt.js))
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		if got := st.now.DOMDigest != before.DOMDigest; got != tt.sees {
			t.Errorf("%s: the dom digest changes: %t, want %t; parts %v", tt.js, got, tt.sees,
				changedParts(before.DOMParts, st.now.DOMParts))
		}
	}
}
