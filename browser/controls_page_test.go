package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

const srOnly = `style="position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)"`

// TestShownText: a control's text is what a person sees on it, whatever its accessible name says.
func TestShownText(t *testing.T) {
	for _, tt := range []struct{ name, html, accessible, text string }{
		{"plain", `<button>Save <b>all</b></button>`, "Save all", "Save all"},
		{"another accessible name", `<button aria-label="Close">Konto endgültig löschen</button>`, "Close", "Konto endgültig löschen"},
		{"a sign that is hidden from screen readers", `<button aria-label=Close><span aria-hidden=true>×</span></button>`, "Close", "×"},
		{"text for screen readers alone", `<button><svg width=9 height=9></svg><span ` + srOnly + `>Close</span></button>`, "Close", ""},
		{"text that is not displayed", `<button aria-label=Next><span style="display:none">Next</span>→</button>`, "Next", "→"},
		{"text that is transparent", `<button aria-label=Next><span style="opacity:0">Next</span>→</button>`, "Next", "→"},
		{"text that is indented away", `<button style="text-indent:-9999px;overflow:hidden;width:30px">Close</button>`, "Close", ""},
		{"text without a size", `<button style="font-size:0;width:30px;height:30px">Close</button>`, "Close", ""},
		{"a picture", `<button><img alt=Buy width=9 height=9></button>`, "Buy", ""},
		{"an image button", `<form><input type=image alt=Send width=9 height=9></form>`, "Send", ""},
		{"the value that shows", `<form><input type=submit value="Jetzt kaufen" aria-label=Close></form>`, "Close", "Jetzt kaufen"},
		{"the value that the browser shows", `<form><input type=submit></form>`, "Submit", "Submit"},
		{"a label elsewhere", `<p id=l>Cancel</p><button aria-labelledby=l>Order</button>`, "Cancel", "Order"},
		{"in a slot", `<my-b>Pay</my-b><script>document.querySelector('my-b').attachShadow({mode:'open'}).innerHTML='<button aria-label=Close><slot></slot></button>'</script>`, "Close", "Pay"},
		{"in a slot without a box", `<button aria-label=Close><span style="display:contents"><em>Pay</em></span></button>`, "Close", "Pay"},
		{"text of a style sheet", `<style>b::before{content:"Buy "}button::after{content:" and pay"}</style><button><b>more</b></button>`, "more", "Buy more and pay"},
		{"a sign of an icon font", `<style>i::before{content:"\f00d"}</style><button aria-label=Close><i></i>Close</button>`, "Close", "Close"},
		{"text in a drawing", `<button aria-label=Next>Next <svg width=90 height=20><title>arrow</title><text y=15>and pay</text></svg></button>`, "Next", "Next and pay"},
		{"a field is not what it holds", `<input aria-label=Code value=abc>`, "Code", ""},
		{"a combobox is not what was chosen", `<div role=combobox tabindex=0 aria-label=Town>Rome</div>`, "Town", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			if len(st.now.Marks) != 1 {
				t.Fatalf("marks %+v", st.now.Marks)
			}
			m := st.now.Marks[0]
			if m.Name != tt.accessible || m.Text != tt.text {
				t.Errorf("name %q, text %q; want %q, %q", m.Name, m.Text, tt.accessible, tt.text)
			}
			if got := st.locate(cua.Action{Kind: cua.Click, Mark: 1}); got.Control() != m.Control() {
				t.Errorf("located  %+v\nobserved %+v", got.Control(), m.Control())
			}
		})
	}
}

// calendar is a month as cells that cell writes, without a role.
func calendar(cell string) string {
	var b strings.Builder
	b.WriteString(`<table>`)
	for i := range 35 {
		if i%7 == 0 {
			b.WriteString(`<tr>`)
		}
		day := ""
		if i > 1 && i < 33 {
			day = fmt.Sprint(i - 1)
		}
		b.WriteString(strings.ReplaceAll(cell, "DAY", day))
	}
	return b.String() + `</table>`
}

// TestInputsAndActors: an input changes local state only, by its role and markup; all else is an actor.
func TestInputsAndActors(t *testing.T) {
	const yes, no = true, false
	for _, tt := range []struct {
		name, html, mark string
		input            bool
	}{
		{"text field", `<input aria-label=it>`, "it", yes},
		{"text area", `<textarea aria-label=it></textarea>`, "it", yes},
		{"editor", `<div contenteditable aria-label=it>x</div>`, "it", yes},
		{"date", `<input type=date aria-label=it>`, "it", yes},
		{"checkbox", `<input type=checkbox aria-label=it>`, "it", yes},
		{"drawn checkbox", `<label for=c>it</label><input id=c type=checkbox hidden>`, "it", yes},
		{"radio", `<input type=radio aria-label=it>`, "it", yes},
		{"switch", `<button type=button role=switch aria-checked=false>it</button>`, "it", yes},
		{"slider", `<input type=range aria-label=it>`, "it", yes},
		{"select", `<select aria-label=it><option>a</select>`, "it", yes},
		{"combobox", `<div role=combobox tabindex=0 aria-label=it>a</div>`, "it", yes},
		{"option", `<ul role=listbox aria-label=list><li role=option>it</ul>`, "it", yes},
		{"tab", `<div role=tab tabindex=0>it</div>`, "it", yes},
		{"tab that is a link to a place on the page", `<a role=tab href="#p">it</a>`, "it", yes},
		{"summary", `<details><summary>it</summary>x</details>`, "it", yes},
		{"summary with a button in it", `<details><summary aria-label=it>x <button>Delete</button></summary>x</details>`, "it", no},
		{"box that sends when it loses the focus", `<form><input type=checkbox aria-label=it onblur="this.form.requestSubmit()"></form>`, "it", no},
		{"disclosure", `<button aria-expanded=false>it</button>`, "it", yes},
		{"day without a role", calendar(`<td style="cursor:pointer">DAY`), "15", yes},
		{"day that is a button", calendar(`<td><button type=button>DAY</button>`), "15", yes},
		{"day that is a link to nowhere", calendar(`<td><a href="#">DAY</a>`), "15", yes},
		{"cell of a grid", `<table role=grid><tr><td role=gridcell tabindex=0>it</table>`, "it", yes},

		{"button", `<button>it</button>`, "it", no},
		{"link", `<a href=/x>it</a>`, "it", no},
		{"link to a place on the page", `<a href="#x">it</a>`, "it", no},
		{"menu item", `<div role=menuitem tabindex=0>it</div>`, "it", no},
		{"menu item that is ticked", `<div role=menuitemcheckbox tabindex=0>it</div>`, "it", no},
		{"image input", `<form><input type=image alt=it></form>`, "it", no},
		{"file", `<input type=file aria-label=it>`, "it", no},
		{"reset", `<form><input type=reset value=it></form>`, "it", no},
		{"menu button", `<button aria-haspopup=menu aria-expanded=false>it</button>`, "it", no},
		{"submit button that unfolds", `<form><button aria-expanded=false>it</button></form>`, "it", no},
		{"submit button with the role of a box", `<form><button role=checkbox aria-checked=false>it</button></form>`, "it", no},
		{"submit button with the role of an option", `<form><button role=option>it</button></form>`, "it", no},
		{"box that sends its form", `<form><input type=checkbox aria-label=it onclick="this.form.submit()"></form>`, "it", no},
		{"option that is a link", `<a role=option href=/x>it</a>`, "it", no},
		{"option that holds a link", `<div role=option>it <a href=/x>go</a></div>`, "it go", no},
		{"box with the role of a button", `<input type=checkbox role=button aria-label=it>`, "it", no},
		{"cell of a grid with a button", `<table role=grid><tr><td role=gridcell tabindex=0>it <button>Delete</button></table>`, "it Delete", no},
		{"number that is no day", `<p><button>15</button> <button>16</button></p>`, "15", no},
		{"page numbers", `<ul>` + strings.Repeat(`<li style="cursor:pointer">5`, 7) + `</ul>`, "5", no},
		{"no day among days", strings.Replace(calendar(`<td style="cursor:pointer">DAY`), ">15", ">Delete", 1), "16", no},
		{"something with a handler", `<div onclick="0">it</div>`, "it", no},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			m := st.mark(tt.mark)
			if m.Input != tt.input {
				t.Errorf("input %t, want %t: %+v", m.Input, tt.input, m)
			}
			if got := st.locate(cua.Action{Kind: cua.Click, Mark: m.N}); got.Input != m.Input ||
				!got.Clickable {
				t.Errorf("located as %+v", got)
			}
		})
	}
}

// TestMarksWithoutARole: what reacts to presses without a role is a mark, by cursor or by a listener, and
// what only wraps marks is none.
func TestMarksWithoutARole(t *testing.T) {
	listen := func(what string) string {
		return `<script>for(const e of document.querySelectorAll('` + what + `'))e.addEventListener('click',()=>{})</script>`
	}
	for _, tt := range []struct{ name, html, want string }{
		{"cells by cursor", `<style>td{cursor:pointer}</style><table><tr><td>a<td>b</table>`, "a b"},
		{"cells by listener", `<table><tr><td>a<td>b<td>c</table>` + listen("td:not(:last-child)"), "a b"},
		{"cells by property", `<table><tr><td>a<td>b</table><script>for(const e of document.querySelectorAll('td'))e.onclick=()=>{}</script>`, "a b"},
		{"cells made and listened to before they are in the page", `<div id=d></div><script>for(const s of 'ab'){const e=document.createElement('div');e.textContent=s;e.addEventListener('mousedown',()=>{});d.append(e)}</script>`, "a b"},
		{"cells of a table with a hand", `<table style="cursor:pointer"><tr><td>a<td>b</table>`, "a b"},
		{"rows with a hand", `<table><tr style="cursor:pointer"><td>a<td>b<tr style="cursor:pointer"><td>c<td>d</table>`, "a b,c d"},
		{"entries of a list", `<style>li{cursor:pointer}</style><ul><li>a<li>b</ul>`, "a b"},
		{"a card with buttons", `<div onclick="0" style="cursor:pointer">card <button>a</button> <button>b</button></div>`, "a b"},
		{"a card with one button", `<div style="cursor:pointer">card <button>a</button></div>`, "a"},
		{"a button drawn by hand with a listener on its icon", `<div onclick="0" style="cursor:pointer">a <i>b</i></div>` + listen("i"), "a b,"},
		{"a page that listens for everything", `<div id=app><p>text</p><p>more</p></div>` + listen("#app,body,html") + `<style>#app{height:900px}</style>`, ""},
		{"a wrapper that listens for its buttons", `<div><button>a</button><p>text</p></div>` + listen("div"), "a"},
		{"a button with a listener on its text", `<button><span>a</span></button>` + listen("span"), "a"},
		{"no listener for presses", `<p>text</p><script>document.querySelector('p').addEventListener('mouseover',()=>{})</script>`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			var names []string
			for _, m := range st.now.Marks {
				names = append(names, m.Name)
			}
			got, want := strings.Join(names, ","), tt.want
			if !strings.Contains(want, ",") {
				want = strings.ReplaceAll(want, " ", ",")
			}
			if got != strings.TrimSuffix(want, ",") {
				t.Errorf("marks %q, want %q", got, want)
			}
		})
	}
}

// TestClickable: a point is clickable where a press is for something, and bare text is not.
func TestClickable(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<p id=text>text</p><button id=b><b id=in>b</b></button><label id=l>L <input type=checkbox></label>
<p id=hand style="cursor:pointer">hand</p><p id=ear>ear</p><div id=card onclick="0"><p id=words>words</p><button>x</button></div><script>ear.addEventListener('pointerdown',()=>{})</script>`}, nil)
	for id, want := range map[string]bool{"text": false, "b": true, "in": true, "l": true, "hand": true,
		"ear": true, "words": true} {
		var x, y float64
		box := "document.getElementById('" + id + "').getBoundingClientRect()"
		place := st.eval("(()=>{const r=" + box + ";return (r.x+5)+' '+(r.y+r.height/2)})()")
		if _, err := fmt.Sscan(place, &x, &y); err != nil {
			t.Fatal(err)
		}
		if got := st.locate(cua.Action{Kind: cua.Click, Point: &cua.Point{X: x,
			Y: y}}); got.Clickable != want {
			t.Errorf("%s is clickable: %t, want %t (%+v)", id, got.Clickable, want, got)
		}
	}
}
