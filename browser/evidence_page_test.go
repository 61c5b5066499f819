package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// facts are the parts of an observation that decide about progress on the page.
func facts(o cua.Observation) string {
	return fmt.Sprint(o.URL, o.FormDigest, o.DOMDigest, o.Canvases, o.Scroll, o.Writes)
}

const formPage = `<title>form</title><form id=f><label>Name <input id=name></label><label>Mail <input id=mail type=email required></label>
<label><input type=checkbox id=tick> agree</label><select id=sel aria-label=Colour><option>red<option value=b>blue</select>
<button type=button id=err onclick="msg.textContent='Mail is missing'">check</button><p id=msg></p></form>`

// TestEvidenceSees: what a person would call a result is in the evidence.
func TestEvidenceSees(t *testing.T) {
	st := newStage(t, map[string]string{"/": formPage}, nil)
	tests := []struct {
		name      string
		do        func()
		form, dom bool
	}{
		{"17 typed characters", func() {
			st.act(cua.Action{Kind: cua.Type, Into: st.field("name").ID, Text: "seventeen letters"})
		}, true, false},
		{"one character", func() { st.act(cua.Action{Kind: cua.Type, Into: st.field("name").ID, Text: "x"}) }, true, false},
		{"ticked box", func() { st.click("agree") }, true, false},
		{"chosen option", func() { st.act(cua.Action{Kind: cua.Select, Into: st.field("sel").ID, Text: "blue"}) }, true, false},
		{"error line", func() { st.click("check") }, false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			st.t = t
			before := st.now
			tt.do()
			if got := st.now.FormDigest != before.FormDigest; got != tt.form {
				t.Errorf("form digest changed: %t, want %t", got, tt.form)
			}
			if got := st.now.DOMDigest != before.DOMDigest; got != tt.dom {
				t.Errorf("dom digest changed: %t, want %t; %v", got, tt.dom,
					changedParts(before.DOMParts, st.now.DOMParts))
			}
		})
	}
	if f := st.field("sel"); f.Selected != "blue" || f.ValueDigest != cua.Digest("b") || len(f.Options) != 2 {
		t.Errorf("select: %+v", f)
	}
	if f := st.field("name"); f.ValueDigest != cua.Digest("seventeen lettersx") ||
		f.Label != "Name" || f.Empty {
		t.Errorf("name: %+v", f)
	}
}

// TestEvidenceIgnores: what shows where attention is, or moves by itself, is no result.
func TestEvidenceIgnores(t *testing.T) {
	page := formPage + `<style>button:hover{background:red}input:focus{outline:9px solid blue}</style><p id=clock>0</p>
<script>let n=0;setInterval(()=>{clock.textContent=++n},4)</script>`
	st := newStage(t, map[string]string{"/": page}, nil)
	clockless := func(o cua.Observation) string {
		delete(o.DOMParts, "p")
		return fmt.Sprint(o.URL, o.FormDigest, partsDigest(o.DOMParts), o.Scroll, o.Writes)
	}
	first := clockless(st.now)
	for _, tt := range []struct {
		name string
		a    func() cua.Action
	}{
		{"focus ring", func() cua.Action { return cua.Action{Kind: cua.Click, Mark: st.mark("Name").N} }},
		{"caret", func() cua.Action { return cua.Action{Kind: cua.Wait, MS: 1200} }},
		{"hovered button", func() cua.Action { return cua.Action{Kind: cua.Hover, Mark: st.mark("check").N} }},
		{"focus moved by a key", func() cua.Action { return cua.Action{Kind: cua.Key, Keys: "Tab"} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st.t = t
			st.act(tt.a())
			ambient := st.now.Ambient
			if got := clockless(st.now); got != first {
				t.Errorf("evidence of progress:\n%s\n%s", got, first)
			}
			if len(ambient.Parts) != 1 || ambient.Parts[0] != "p" || len(ambient.Boxes) == 0 {
				t.Errorf("the ticking clock is not ambient: %+v", ambient)
			}
			if tt.name == "hovered button" && len(st.now.Hover) == 0 {
				t.Error("no hover box")
			}
		})
	}
}

// TestCaretIsHidden: the caret, which blinks, is not seen, also in shadow trees and where a style sheet of
// the page gives it an important colour.
func TestCaretIsHidden(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<style>input{caret-color:red!important}</style><div id=h></div><div id=g></div><input id=a><script>
const r=h.attachShadow({mode:'closed'});r.innerHTML='<input>';window.inner=r.firstChild;
const s=g.attachShadow({mode:'open'});s.innerHTML='<style>input{caret-color:red!important}</style><input>';window.outer=s.lastChild;
document.adoptedStyleSheets=[]</script>`}, nil)
	st.act(cua.Action{Kind: cua.Click, Into: st.field("a").ID})
	for _, field := range []string{"a", "inner", "outer"} {
		if got := st.eval("getComputedStyle(" + field + ").caretColor"); got != "rgba(0, 0, 0, 0)" {
			t.Errorf("the caret of %s has the colour %q", field, got)
		}
	}
}

// TestAShadowTreeMovesToAnotherDocument: a page can be read whose shadow tree, once seen, is now in a frame.
func TestAShadowTreeMovesToAnotherDocument(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<div id=h></div><iframe srcdoc="<p>below</p>"></iframe>
		<button onclick="frames[0].document.body.append(h)">move</button><script>
		h.attachShadow({mode:'open'}).innerHTML='<input aria-label=inner>'</script>`}, nil)
	st.field("inner")
	st.click("move")
	st.click("move")
	if path := st.field("inner").Frame; path != "0" {
		t.Errorf("the field is in the frame %q, want 0", path)
	}
}

// TestFieldsAndFocusEverywhere: shadow trees, frames of the same origin, of another port and of
// another site all show their fields, and the focus is found in each.
func TestFieldsAndFocusEverywhere(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><input aria-label="far field"><button>far button</button>`)
	})
	site := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	pages := map[string]string{
		"/": `<input aria-label="top field"><div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<p>x</p><slot></slot><input aria-label="shadow field">'</script>
<iframe src="/inner" style="width:300px;height:90px;border:7px solid"></iframe><iframe src="` + other.URL + `" style="width:300px;height:90px"></iframe><iframe src="` + site + `" style="width:300px;height:90px"></iframe>`,
		"/inner": `<input aria-label="inner field"><iframe src="/innermost" style="width:200px;height:40px"></iframe>`, "/innermost": `<input aria-label="innermost field">`,
	}
	st := newStage(t, pages, nil)
	frames := map[string]string{"top field": "", "shadow field": "", "inner field": "0",
		"innermost field": "0/0"}
	far := 0
	for _, f := range st.now.Fields {
		if f.Name == "far field" {
			far++
			continue
		}
		if want, ok := frames[f.Name]; !ok || f.Frame != want {
			t.Errorf("unexpected field %q in frame %q", f.Name, f.Frame)
		}
		delete(frames, f.Name)
	}
	if far != 2 || len(frames) > 0 {
		t.Fatalf("missing: %v, far fields: %d, all: %+v", frames, far, st.now.Fields)
	}
	ids := map[string]bool{}
	for _, f := range st.now.Fields {
		t.Run(fmt.Sprintf("%s in frame %q", f.Name, f.Frame), func(t *testing.T) {
			st.t = t
			if ids[f.ID] {
				t.Errorf("two fields have the identity %s", f.ID)
			}
			ids[f.ID] = true
			p := f.Box.Center()
			if got := st.locate(cua.Action{Kind: cua.Click, Point: &p}); got.ID != f.ID ||
				got.Field != f.ID || !got.Editable || got.Frame != f.Frame {
				t.Errorf("located %+v, want %s", got, f.ID)
			}
			before := st.now
			st.act(cua.Action{Kind: cua.Click, Point: &p})
			if st.now.Focus == nil || st.now.Focus.ID != f.ID || !st.now.Focus.Editable ||
				st.now.Focus.Box != f.Box {
				t.Fatalf("focus is %+v, want %+v", st.now.Focus, f)
			}
			if facts(st.now) != facts(before) {
				t.Error("focus alone is evidence of progress")
			}
			out := st.act(cua.Action{Kind: cua.Type, Into: f.ID, Text: "hello"})
			if out.After.Focus == nil || out.After.Focus.ValueDigest != cua.Digest("hello") {
				t.Errorf("after typing: %+v", out.After.Focus)
			}
		})
	}
}

// TestIdentitySurvivesRenumbering: ids, classes and wrappers that a framework makes again at each
// render do not change who is who; equal siblings differ.
func TestIdentitySurvivesRenumbering(t *testing.T) {
	page := `<div id=app></div><script>let n=10;function render(){n++;app.innerHTML='<div id=w'+n+' class=c'+n+'><form id=form'+n+'><label for=i'+n+'>City</label><input id=i'+n+'>'+
'<button type=button id=b'+n+' onclick="render()">Save</button><button type=button id=c'+n+'>Row</button><button type=button id=d'+n+'>Row</button></form></div>'}render()</script>`
	st := newStage(t, map[string]string{"/": page}, nil)
	ids := func() (out []string) {
		for _, m := range st.now.Marks {
			out = append(out, m.ID)
		}
		for _, f := range st.now.Fields {
			out = append(out, f.ID, f.Form)
		}
		return out
	}
	first, parts := ids(), st.now.DOMDigest
	seen := map[string]int{}
	for _, m := range st.now.Marks {
		seen[m.ID]++
		if seen[m.ID] > 1 {
			t.Errorf("two marks are %s", m.ID)
		}
	}
	for range 3 {
		st.click("Save")
		if got := ids(); strings.Join(got, "\n") != strings.Join(first, "\n") {
			t.Fatalf("identities changed:\n%s\n%s", strings.Join(first, "\n"), strings.Join(got, "\n"))
		}
		if st.now.DOMDigest != parts {
			t.Error("renumbered ids are in the dom digest")
		}
	}
}

// TestHostilePage: a page that replaces what scripts rely on cannot break the probe, and fakes
// nothing but its own text.
func TestHostilePage(t *testing.T) {
	page := `<title>hostile</title><script>
const evil=()=>{throw new Error('evil')};
JSON.stringify=JSON.parse=evil;Array.prototype.push=Array.prototype.map=Array.prototype[Symbol.iterator]=evil;Array.prototype.toJSON=Object.prototype.toJSON=evil;
Element.prototype.getBoundingClientRect=()=>({x:1,y:1,width:1,height:1});Element.prototype.checkVisibility=evil;document.elementFromPoint=evil;
Map.prototype.set=Map.prototype.get=Set.prototype.add=WeakMap.prototype.set=evil;EventTarget.prototype.dispatchEvent=EventTarget.prototype.addEventListener=evil;
Function.prototype.call=Function.prototype.apply=evil;Reflect.apply=evil;String.prototype.toUpperCase=evil;
Object.defineProperty(Object.prototype,'get',{get:evil,set:evil,configurable:true});Object.defineProperty(Array.prototype,'0',{set:evil,configurable:true});
window.Promise=function(){evil()};window.MutationObserver=evil;window.requestAnimationFrame=evil;window.performance.now=evil;
Object.defineProperty(document,'activeElement',{get:()=>({localName:'input'})});window.__cua={probe:()=>'{"url":"faked"}'};
</script><button id=b>real button</button><input aria-label="real field" value="v"><p id=out>-</p>
<script>b.onclick=()=>{setTimeout(()=>{out.textContent='late';document.title='\ud83d'},100)}</script>`
	st := newStage(t, map[string]string{"/": page}, nil)
	if st.now.URL != st.url+"/" || len(st.now.Marks) != 2 || st.now.Marks[0].Box.W < 20 {
		t.Fatalf("faked: %+v", st.now)
	}
	before := st.now
	out := st.click("real button")
	if out.After.DOMDigest == before.DOMDigest {
		t.Errorf("the late change was missed: %+v", out.Settle)
	}
	if out.After.Focus == nil || out.After.Focus.Name != "real button" {
		t.Errorf("focus: %+v", out.After.Focus)
	}
	if out.Settle.Capped {
		t.Errorf("settle: %+v", out.Settle)
	}
}
