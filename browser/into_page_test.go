package browser

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// heard counts what reaches the page as input: keys, presses, text.
const heard = `<script>window.heard='';for(const t of ['keydown','mousedown','beforeinput'])addEventListener(t,e=>{heard+=t+' '},true)</script>`

// TestIntoReachesItOrNothing: an action into a named control reaches that control, or is refused and sends
// nothing.
func TestIntoReachesItOrNothing(t *testing.T) {
	t.Parallel()
	const field = `<input aria-label=it id=it>`
	const cover = `<div style="position:fixed;inset:0;background:#eee"><h2>Cookies</h2></div>`
	for _, tt := range []struct {
		name, html string
		kinds      string // t type, k key, c click
		refused    string // a part of why; "" is done
		cond       string // that holds after it was done
	}{
		{"a field", field, "tkc", "", "document.activeElement===it"},
		{"a field that is focused in its own way", `<p id=it tabindex=0 role=combobox aria-label=it><input id=inner></p><script>it.addEventListener('focus',()=>inner.focus())</script>`, "tk", "", "document.activeElement===inner"},
		{"a field in a shadow root", `<p id=h></p><script>h.attachShadow({mode:'open'}).innerHTML='<input aria-label=it>'</script>`, "tkc", "", "h.shadowRoot.activeElement!==null"},
		{"a field in a frame", `<input autofocus><iframe src=/in></iframe>`, "tkc", "", "document.activeElement.localName==='iframe'"},
		{"a field far down", `<p style="height:3000px">` + field, "tkc", "", "document.activeElement===it"},
		{"a drawn box", `<label for=it>it</label><input type=checkbox hidden id=it>`, "c", "", "it.checked"},
		{"a link over two lines", `<p style="width:9em">some words here <a id=it href="#x" aria-label=it>and then there is</a>`, "c", "", "location.hash==='#x'"},
		{"a drawn box whose label is filled by a button", `<label style="position:relative;display:block;width:200px;height:40px"><input type=checkbox hidden aria-label=it><button type=button style="position:absolute;inset:0">Delete</button></label>`, "c", "covered by button", ""},
		{"an editor that is filled by a button", `<div contenteditable aria-label=it style="position:relative;width:200px;height:40px">x<button contenteditable=false style="position:absolute;inset:0">Delete</button></div>`, "c", "covered by button", ""},
		{"a field under a layer", field + cover, "tkc", "covered by", ""},
		{"a field in a frame under a layer", `<iframe src=/in></iframe>` + cover, "tkc", "covered by", ""},
		{"a field in a frame outside the dialog", `<iframe src=/in></iframe><dialog id=d style="position:fixed;top:400px">hello</dialog><script>d.showModal()</script>`, "tk", "outside the open dialog", ""},
		{"a field behind a modal dialog", field + `<dialog id=d style="position:fixed;top:400px">hello<input></dialog><script>d.showModal()</script>`, "tk", "outside the open dialog", ""},
		{"a field beside a dialog that is called modal", field + `<div role=dialog aria-modal=true aria-label=D style="position:fixed;top:400px">hello<input></div>`, "tk", "outside the open dialog", ""},
		{"a field of the dialog", `<dialog id=d>` + field + `</dialog><script>d.showModal()</script>`, "tkc", "", "document.activeElement===it"},
		{"a field that gives the focus away", field + `<input id=promo><script>it.onfocus=()=>promo.focus()</script>`, "tk", "does not take the focus", ""},
		{"a field that gives it away later", field + `<input id=promo><script>it.onfocus=()=>queueMicrotask(()=>promo.focus())</script>`, "tk", "the focus", ""},
		{"what cannot have the focus", `<div id=it onclick="0">it</div>`, "tk", "does not take the focus", ""},
		{"a button is no place for text", `<button id=it>it</button>`, "t", "takes no text", ""},
		{"one that moves away from the mouse", `<style>#it{position:fixed;top:90px;left:90px}</style><button id=it onmouseover="it.style.top='300px'">it</button><button style="position:fixed;top:90px;left:90px;z-index:-1">Delete</button>`, "c", "covered by", ""},
	} {
		for _, kind := range tt.kinds {
			t.Run(tt.name+" "+string(kind), func(t *testing.T) {
				st := newStage(t, map[string]string{"/": tt.html + heard, "/in": `<input aria-label=it>`}, nil)
				id := st.mark("it").ID
				a := map[rune]cua.Action{'t': {Kind: cua.Type, Text: "x", Into: id},
					'k': {Kind: cua.Key, Keys: "F2", Into: id}, 'c': {Kind: cua.Click, Into: id}}[kind]
				out, err := st.s.Act(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				if tt.refused == "" {
					if out.Failure != nil || st.eval(tt.cond) != "true" {
						t.Errorf("%v %v, %s is false", out.Failure, out.Log, tt.cond)
					}
					return
				}
				if out.Failure == nil || out.Failure.Kind != cua.FailNotInteractable ||
					!strings.Contains(out.Failure.Detail, tt.refused) {
					t.Errorf("failure %v, want %q", out.Failure, tt.refused)
				}
				if got := st.eval("heard"); got != "" {
					t.Errorf("the page heard %s", got)
				}
			})
		}
	}
}

// TestIntoAtAPoint: a press into a control at a point of another one is refused; its label and what it holds
// are it.
func TestIntoAtAPoint(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<button>it <b>bold</b></button> <button>Delete</button> <label for=c>box label</label><input type=checkbox id=c><p><a href="#p">text of a link</a> beside</p>` + heard}, nil)
	spot := func(sel string, dx float64) *cua.Point {
		b := cua.Box{}
		for i, p := range []*float64{&b.X, &b.Y, &b.W, &b.H} {
			*p = number(t, st.eval("document.querySelector('"+sel+"').getBoundingClientRect()."+[]string{"x",
				"y", "width", "height"}[i]))
		}
		c := b.Center()
		c.X += dx
		return &c
	}
	for _, tt := range []struct {
		name, into, at string
		dx             float64
		ok             bool
	}{
		{"itself", "it bold", "button", 0, true},
		{"what it holds", "it bold", "b", 0, true},
		{"its label", "box label", "label", 0, true},
		{"another control", "it bold", "button:nth-of-type(2)", 0, false},
		{"what holds it", "text of a link", "p", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st.eval("heard=''")
			out, err := st.s.Act(t.Context(), cua.Action{Kind: cua.Click, Into: st.mark(tt.into).ID,
				Point: spot(tt.at, tt.dx)})
			if err != nil {
				t.Fatal(err)
			}
			if ok := out.Failure == nil; ok != tt.ok || (st.eval("heard") != "") != tt.ok {
				t.Errorf("failure %v, heard %s; done %t, want %t", out.Failure, st.eval("heard"), ok, tt.ok)
			}
		})
	}
}

// TestIntoNeverPressesReturn: a value for a named control does not end in a press of Return, and without a
// name it does.
func TestIntoNeverPressesReturn(t *testing.T) {
	page := `<form onsubmit="document.title='sent';return false"><input aria-label=it><textarea aria-label=long></textarea><button>Send</button></form>
<form onsubmit="document.title='sent';return false"><input aria-label=keys onbeforeinput="if(!window.key)event.preventDefault()" onkeydown="window.key=1"><button>Send</button></form>`
	st := newStage(t, map[string]string{"/": page}, nil)
	for _, name := range []string{"it", "long", "keys"} {
		st.open("/")
		st.act(cua.Action{Kind: cua.Type, Into: st.field(name).ID, Text: "abc\n"})
		if f := st.field(name); st.now.Title != "" || f.ValueDigest != cua.Digest("abc") {
			t.Errorf("%s: title %q, field %+v", name, st.now.Title, f)
		}
	}
	st.act(cua.Action{Kind: cua.Type, Point: at(st.field("it").Box), Text: "abc\n"})
	title(t, st.now, "sent")
}

// TestSelectInto: an option is chosen by script, and all the same not behind a dialog.
func TestSelectInto(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<select aria-label=it id=it><option>a<option>b</select><dialog id=d>hello</dialog>`}, nil)
	a := cua.Action{Kind: cua.Select, Into: st.field("it").ID, Text: "b"}
	st.eval("d.showModal()")
	out, err := st.s.Act(t.Context(), a)
	if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailNotInteractable ||
		st.eval("it.value") != "a" {
		t.Errorf("behind a dialog: %v %v", out.Failure, err)
	}
	st.eval("d.close()")
	st.act(a)
	if st.eval("it.value") != "b" {
		t.Error("the option was not chosen")
	}
}

// TestIntoStaysOnIt: what follows the first press or key of an action goes to the control that the action
// names, or nowhere, although the page answers to the first with another control in the place.
func TestIntoStaysOnIt(t *testing.T) {
	for _, tt := range []struct {
		name, html string
		do         cua.Action
		cond       string
	}{
		{"a double click on what the first click replaces", `<button id=it onclick="it.outerHTML='<button onclick=ordered=true>Order</button>'">it</button><script>ordered=false</script>`,
			cua.Action{Kind: cua.DoubleClick}, "!ordered"},
		{"a double click on what stays", `<button id=it onclick="n++">it</button><script>n=0</script>`, cua.Action{Kind: cua.DoubleClick}, "n===2"},
		{"keys of which the first moves the focus", `<input id=it aria-label=it><input id=promo><script>it.onbeforeinput=e=>{if(e.data.length>1)e.preventDefault()};it.oninput=()=>promo.focus()</script>`,
			cua.Action{Kind: cua.Type, Text: "Oslo"}, "it.value==='O'&&promo.value===''"},
		{"keys that stay", `<input id=it aria-label=it><script>it.onbeforeinput=e=>{if(e.data.length>1)e.preventDefault()}</script>`,
			cua.Action{Kind: cua.Type, Text: "Oslo"}, "it.value==='Oslo'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st := newStage(t, map[string]string{"/": tt.html}, nil)
			tt.do.Into = st.mark("it").ID
			if _, err := st.s.Act(t.Context(), tt.do); err != nil {
				t.Fatal(err)
			}
			if st.eval(tt.cond) != "true" {
				t.Errorf("%s is false", tt.cond)
			}
		})
	}
}
