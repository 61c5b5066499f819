package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// twelveFields is a form page as sites make them.
func twelveFields() string {
	var b strings.Builder
	b.WriteString(`<title>form</title><header><nav><a href=/a>Home</a> <a href=/b>Help</a></nav></header><main><h1>Your address</h1><form>`)
	for _, name := range []string{"First name", "Last name", "Street", "Number", "City", "Zip", "Country",
		"Phone", "Mail", "Company", "Tax id", "Remarks"} {
		fmt.Fprintf(&b, `<div class=row><label for="%[1]s">%[1]s</label><input id="%[1]s" placeholder="your %[1]s"><p class=hint>Some words about it.</p></div>`, name)
	}
	b.WriteString(`<label><input type=checkbox> I agree</label><button>Send</button></form></main><footer><p>About us</p></footer>`)
	return b.String()
}

// longPage has n rows with a link and a button each.
func longPage(n int) string {
	var b strings.Builder
	b.WriteString(`<title>long</title><main><h1>List</h1><table>`)
	for i := range n {
		fmt.Fprintf(&b, `<tr><td>Row %d<td><a href="/r%d">open row %d</a><td><span class=tag>tag</span> some text<td><button>Delete</button>`, i, i, i)
	}
	b.WriteString(`</table></main>`)
	return b.String()
}

// inPage is the time that expr takes in the isolated world, the median of n runs, ms.
func (st *stage) inPage(expr string, n int) float64 {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), patience)
	defer cancel()
	js := fmt.Sprintf(`(()=>{const t=[];for(let i=0;i<%d;i++){const a=performance.now();%s;t.push(performance.now()-a)}t.sort((a,b)=>a-b);return JSON.stringify(t[t.length>>1])})()`, n, expr)
	ms, err := eval[float64](ctx, st.s.active.probe.open()[0], js)
	if err != nil {
		st.t.Fatal(err)
	}
	return ms
}

// walkAgain is one look at a page that may have changed.
const walkAgain = "__cua.touch();__cua.probe({})"

// asked is how often expr asks the page for visibility, styles, boxes and what lies at a point: what a
// look costs, whatever else the machine does.
func (st *stage) asked(expr string) map[string]int {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), patience)
	defer cancel()
	js := `(()=>{const n={elements:document.querySelectorAll('*').length},undo=[];
for(const [o,k] of [[Element.prototype,'checkVisibility'],[Element.prototype,'getBoundingClientRect'],[Element.prototype,'getClientRects'],[globalThis,'getComputedStyle'],[Document.prototype,'elementFromPoint'],[Document.prototype,'elementsFromPoint']]){
const f=o[k];n[k]=0;o[k]=function(){n[k]++;return f.apply(this,arguments)};undo.push(()=>{o[k]=f})}
try{` + expr + `}finally{for(const u of undo)u()}
return JSON.stringify(n)})()`
	n, err := eval[map[string]int](ctx, st.s.active.probe.open()[0], js)
	if err != nil {
		st.t.Fatal(err)
	}
	return n
}

// TestProbeCost: a look asks each element once whether it shows, and little more; what lies below the
// fold is not asked for what covers it, and a page that has not changed is not walked again.
// (What it takes in ms: BenchmarkProbe.)
func TestProbeCost(t *testing.T) {
	st := newStage(t, map[string]string{"/": twelveFields(), "/long": longPage(1000)}, nil)
	for _, path := range []string{"/", "/long"} {
		st.open(path)
		walk, again := st.asked(walkAgain), st.asked("__cua.probe({})")
		t.Logf("%s: a walk %v, unchanged %v", path, walk, again)
		n := walk["elements"]
		if walk["checkVisibility"] > n+n/4 || walk["getComputedStyle"] > n/2 ||
			walk["getBoundingClientRect"] > n/2 {
			t.Errorf("%s: a look at %d elements asks the page %v", path, n, walk)
		}
		if seen := len(st.now.Marks); seen == 0 || walk["elementFromPoint"] > seen+3 {
			t.Errorf("%s: a look at %d marks asks the page %v", path, seen, walk)
		}
		if again["checkVisibility"]+again["getComputedStyle"] > 0 {
			t.Errorf("%s: an unchanged page is walked again: %v", path, again)
		}
	}
}

// TestParts: a page is cut into 20 to 200 regions where it has that many, and one changed row is
// one changed region.
func TestParts(t *testing.T) {
	st := newStage(t, map[string]string{"/": longPage(40), "/long": longPage(1000),
		"/form": twelveFields()}, nil)
	for path, row := range map[string]int{"/": 20, "/long": 700} {
		before := st.open(path)
		if n := len(before.DOMParts); n < 20 || n > 200 {
			t.Errorf("%s: %d parts", path, n)
		}
		st.eval(fmt.Sprintf("document.querySelectorAll('.tag')[%d].textContent='other'", row))
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		if got := changedParts(before.DOMParts, st.now.DOMParts); len(got) != 1 {
			t.Errorf("%s: changed parts %v", path, got)
		}
		st.eval(fmt.Sprintf("document.querySelectorAll('.tag')[%d].textContent='tag'", row))
		st.act(cua.Action{Kind: cua.Wait, MS: 1})
		if st.now.DOMDigest != before.DOMDigest {
			t.Errorf("%s: the digest did not come back", path)
		}
	}
	if n := len(st.open("/form").DOMParts); n < 20 || n > 200 {
		t.Errorf("form: %d parts", n)
	}
}

// TestRecut: a page that grows or shrinks past a limit is cut anew. What did not change there is no change of
// the page and does not move by itself, and what a press changed there is a change.
func TestRecut(t *testing.T) {
	t.Parallel() // most of it is waiting
	// The paragraph is two regions of a page with few entries, and one of a page with many.
	const few, many = 80, 120
	const speak, grow = `p.append('pressed')`, `while(q.children.length<120)add()`
	const shrink = `while(q.children.length>80)q.lastChild.remove()`
	for _, tt := range []struct {
		name         string
		from, to     int
		alone, press string // what the page does a little at a time by itself, and what a press does
	}{
		{"it grows by itself", few, many, `add()`, ``},
		{"it shrinks by itself", many, few, `q.lastChild.remove()`, ``},
		{"it grows by itself and a press says something", few, many, `add()`, speak},
		{"it shrinks by itself and a press says something", many, few, `q.lastChild.remove()`, speak},
		{"a press makes it grow", few, few, ``, grow},
		{"a press makes it shrink", many, many, ``, shrink},
		{"a press makes it very long", few, few, ``, `for(let i=0;i<3000;i++){add();q.firstChild.innerHTML='<p>a<p>b<p>c<p>d'}`},
	} {
		html := fmt.Sprintf(`<title>list</title><p id=p><button onclick="%s">b</button></p><ul id=q></ul><script>
			const add=()=>{const l=document.createElement('li');l.textContent='event '+q.children.length;q.prepend(l)}
			while(q.children.length<%d)add();
			// until it is told to go on, it turns round
			{const i=setInterval(()=>{if(q.children.length===%d)clearInterval(i);
				else if(!self.told)q.prepend(q.lastChild);else{%s}},10)}</script>`,
			tt.press, tt.from, tt.to, tt.alone)
		st := newStage(t, map[string]string{"/": html, "/framed": `<title>framed</title>
			<iframe src="/" width=600 height=600></iframe>`}, nil)
		for path, window := range map[string]string{"/": "self", "/framed": "frames[0]"} {
			t.Run(tt.name+" at "+path, func(t *testing.T) {
				before := st.open(path)
				st.await(fmt.Sprintf("%s.told=1,%[1]s.q.children.length===%d", window, tt.to))
				idle := st.locate(cua.Action{Kind: cua.Click, Mark: st.mark("b").N}).Idle
				anew := st.now.Recut
				if idle.Page != nil { // what a press does is measured against the page as locate found it
					before, anew = *idle.Page, idle.Page.Recut
				}
				st.click("b")
				moving := st.now.Ambient.Parts
				left := changedParts(before.DOMParts, st.now.DOMParts)
				left = slices.DeleteFunc(left, func(key string) bool {
					return slices.Contains(st.now.Recut, key) || slices.Contains(moving, key)
				})
				anew = append(anew, st.now.Recut...)
				if pressed := tt.press != ""; (len(left) > 0) != pressed {
					t.Errorf("changed by the press: %v, want some: %t; cut anew: %v", left, pressed, anew)
				}
				for _, key := range anew {
					if slices.Contains(moving, key) || slices.Contains(idle.Parts, key) {
						t.Errorf("%s was cut anew, and moves by itself", key)
					}
				}
				if tt.press != speak && !slices.ContainsFunc(anew, func(key string) bool {
					return strings.HasSuffix(key, "p") || strings.HasSuffix(key, "p/button")
				}) {
					t.Errorf("cut anew: %v, and not the paragraph; there are %v", anew, st.now.DOMParts)
				}
			})
		}
	}
}

// BenchmarkProbe is one reading from Go: the trip, the page's work, decoding and joining; and the
// page's work alone, of which a look at a static form page takes at most 2 ms.
func BenchmarkProbe(b *testing.B) {
	st := newStage(b, map[string]string{"/": twelveFields()}, nil)
	p := st.s.active.probe
	for b.Loop() {
		if _, err := p.read(b.Context(), readInput{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(st.inPage(walkAgain, 201), "page-ms/walk")
	b.ReportMetric(st.inPage("__cua.probe({})", 201), "page-ms/unchanged")
}

// BenchmarkLocate is what is asked before each action, of a page that has not changed since it was seen.
func BenchmarkLocate(b *testing.B) {
	st := newStage(b, map[string]string{"/": twelveFields()}, nil)
	st.open("/")
	a := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 60, Y: 120}}
	for b.Loop() {
		if _, err := st.s.Locate(b.Context(), a); err != nil {
			b.Fatal(err)
		}
	}
}
