package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// rerendered is a page as frameworks make it: each render gives out new ids, classes and wrappers.
const rerendered = `<div id=app></div><script>let n=0,rows=['Alice','Bob','Carol'];const rid=()=>Math.random().toString(36).slice(2,8);
function render(){n++;app.innerHTML='<div id='+rid()+' class=c'+n+'><ul id='+rid()+'>'+rows.map((r,i)=>'<li id='+rid()+' class=r'+n+i+'><span>'+r+
'</span> <button id=b'+n+i+' aria-describedby=d'+n+'>Delete</button><label for=i'+n+i+'>Note</label><input id=i'+n+i+'></li>').join('')+
'</ul><table><tr><td>1<td>Order 17<td><a href=/o17>Open</a><tr><td>2<td>Order 18<td><a href=/o18>Open</a></table>'+
'<section><h2>Billing</h2><button>Edit</button></section><section><h2>Shipping</h2><button>Edit</button></section><button id='+rid()+'>Save</button></div>'}render();
addEventListener('message',e=>change(e.data));
window.change=(what)=>{switch(what){case'append':rows.push('Dave');break;case'insert':rows.unshift('Zed');break;case'sort':rows.reverse();break;
case'banner':document.body.insertAdjacentHTML('afterbegin','<div><button>Accept</button><p>cookies</p></div>');break;
case'section':document.body.insertAdjacentHTML('afterbegin','<section><h2>News</h2><ul><li>one <button>Read</button></li></ul></section>')}render()}</script>`

// framed shows another page in a frame, and changes what is around it.
func framed(src string) string {
	return `<div id=ads></div><div id=at></div><script>const show=()=>{at.innerHTML='<iframe id=f'+Math.random()+' src="` + src + `" style="width:900px;height:500px"></iframe>'};show();
window.change=(what)=>{switch(what){case'ad':ads.innerHTML='<iframe src=/ad style="width:99px;height:50px"></iframe>';break;case'no ad':ads.innerHTML='';break;
case'new frame':show();break;default:at.firstChild.contentWindow.postMessage(what,'*')}}</script>`
}

// TestIdentitySurvives: who is who is the same after renders that give out new ids, and after what
// comes, goes and moves around it, in the document and in frames of the same and of another site.
func TestIdentitySurvives(t *testing.T) {
	t.Parallel()
	site := farSite(t, rerendered)
	st := newStage(t, map[string]string{"/": "start", "/top": rerendered, "/frame": framed("/top"),
		"/far": framed(site), "/ad": "<p>an ad"}, nil)
	ids := func() (out []string) {
		for _, m := range st.now.Marks {
			out = append(out, m.ID)
		}
		for _, f := range st.now.Fields {
			out = append(out, f.ID)
		}
		return out
	}
	around := []string{"ad", "no ad", "new frame"}
	for _, page := range []string{"top", "frame", "far"} {
		for _, what := range append([]string{"", "append", "insert", "sort", "banner", "section"},
			around...) {
			if page == "top" && slices.Contains(around, what) {
				continue
			}
			t.Run(page+" "+what, func(t *testing.T) {
				st.t = t
				st.open("/" + page)
				if what == "no ad" {
					st.eval("change('ad')")
					st.act(cua.Action{Kind: cua.Wait, MS: 100})
				}
				first, dom := ids(), st.now.DOMDigest
				st.eval("change('" + what + "')")
				var now []string
				poll(func() bool { // another document may take its time
					st.act(cua.Action{Kind: cua.Wait, MS: 20})
					now = ids()
					return len(now) >= len(first)
				})
				if len(first) < 10 {
					t.Fatalf("only %q", first)
				}
				for _, id := range first {
					if !slices.Contains(now, id) {
						t.Errorf("%s is lost among\n%s", id, strings.Join(now, "\n"))
					}
				}
				if what == "" && st.now.DOMDigest != dom {
					t.Error("new ids are in the dom digest")
				}
			})
		}
	}
}

// TestIdentityTellsApart: rows are known by what they say, equal controls by the section around
// them, and what is drawn by the place alone.
func TestIdentityTellsApart(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<style>body{margin:0}#board{position:absolute;left:600px;top:0;width:600px;height:600px;background:#eee}</style>` + rerendered +
		`<canvas width=200 height=100 onclick="0" tabindex=0 style="position:absolute;left:0;top:600px"></canvas><div id=board onclick="0" style="cursor:pointer"></div>`}, nil)
	for _, want := range []string{`button "Delete" ul/li "Bob"`, `link "Open" table/tbody/tr "Order 18"/td`, `button "Edit" section "Shipping"`} {
		if !slices.ContainsFunc(st.now.Marks, func(m cua.Mark) bool { return m.ID == want }) {
			t.Errorf("no %s among %+v", want, st.now.Marks)
		}
	}
	for _, tt := range []struct {
		name string
		x, y float64
		want string
	}{{"a canvas", 50, 652, "@6,81"}, {"a canvas elsewhere", 150, 652, "@18,81"},
		{"a board", 700, 300, "@87,37"}} {
		got := st.locate(cua.Action{Kind: cua.Click, Point: &cua.Point{X: tt.x, Y: tt.y}})
		if got.ID != tt.want || got.Identified() {
			t.Errorf("%s: %q, want the place %s", tt.name, got.ID, tt.want)
		}
	}
}

// TestRowsAreNotKnownByWhatCounts: a row whose text is a count or a time keeps its identity while that
// runs on.
func TestRowsAreNotKnownByWhatCounts(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<ul><li>3 in cart <button>+</button></li><li>Quantity 5 <button>+</button></li><li>2 min ago <button>Read</button></li></ul>
<button onclick="for(const l of document.querySelectorAll('li'))l.firstChild.data=l.firstChild.data.replace(/\d/,d=>+d+1)">go</button>`}, nil)
	before := st.now.Marks
	st.click("go")
	for i, m := range st.now.Marks {
		if m.ID != before[i].ID {
			t.Errorf("%s became %s", before[i].ID, m.ID)
		}
	}
}
