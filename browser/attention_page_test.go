package browser

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestSelected: text that is selected has boxes, in the document, in a field and in a frame.
func TestSelected(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<p style="font-size:30px">Some words</p><input aria-label=field value="some text"><iframe src=/in style="width:300px;height:90px"></iframe>`,
		"/in": `<p style="font-size:30px;margin:0">Framed words</p>`}, nil)
	frame := st.eval("(r=>(r.x+20)+' '+(r.y+20))(document.querySelector('iframe').getBoundingClientRect())")
	var p cua.Point
	if _, err := fmt.Sscan(frame, &p.X, &p.Y); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		a    cua.Action
		want bool
	}{
		{"nothing", cua.Action{Kind: cua.Click, Point: &cua.Point{X: 900, Y: 600}}, false},
		{"a word", cua.Action{Kind: cua.DoubleClick, Point: &cua.Point{X: 30, Y: 50}}, true},
		{"a field", cua.Action{Kind: cua.TripleClick, Point: at(st.field("field").Box)}, true},
		{"a caret", cua.Action{Kind: cua.Key, Keys: "Right"}, false},
		{"a word in a frame", cua.Action{Kind: cua.DoubleClick, Point: &p}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st.t = t
			before := facts(st.now)
			st.act(tt.a)
			if got := st.now.Selected; len(got) > 0 != tt.want {
				t.Errorf("selected %v, want some: %t", got, tt.want)
			}
			if tt.a.Point != nil && tt.want && !anyContains(st.now.Selected, *tt.a.Point) {
				t.Errorf("selected %v, want it at %v", st.now.Selected, *tt.a.Point)
			}
			if facts(st.now) != before {
				t.Error("a selection is evidence of progress")
			}
		})
	}
}

func anyContains(boxes []cua.Box, p cua.Point) bool {
	for _, b := range boxes {
		if b.Grow(2).Overlaps(cua.Box{X: p.X, Y: p.Y, W: 1, H: 1}) {
			return true
		}
	}
	return false
}

// TestRestyled: what a press gives another class or style is told from what the way of pointer and
// focus does, and from what changes by itself.
func TestRestyled(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<style>i{display:inline-block;width:40px;height:40px;background:#ddd;cursor:pointer}</style>
<i aria-label=click onclick="this.className='on'"></i><i aria-label=later onclick="setTimeout(()=>{this.className='on'},30)"></i><i aria-label=style onclick="this.style.background='red'"></i>
<button onfocus="this.className='f'" onmouseover="this.className='h'" onmousedown="this.className='a'">attention</button><button onclick="document.body.className='x'">page</button>
<p id=q>t</p><script>let n=0;setInterval(()=>{q.className='t'+ n++},20)</script>`}, nil)
	for name, want := range map[string]int{"click": 1, "later": 1, "style": 1, "attention": 0, "page": 0} {
		t.Run(name, func(t *testing.T) {
			st.t = t
			st.open("/")
			m := st.mark(name)
			st.click(name)
			if got := st.now.Restyled; len(got) != want || want == 1 && got[0] != m.Box {
				t.Errorf("restyled %v, want %d: %v", got, want, m.Box)
			}
			st.act(cua.Action{Kind: cua.Key, Keys: "Tab"})
			if len(st.now.Restyled) > 0 {
				t.Errorf("the next action restyled %v", st.now.Restyled)
			}
		})
	}
}

// TestStatus: the status is that of the document that is shown.
func TestStatus(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<a href=/gone>gone</a> <a href=/broken>broken</a> <a href=#there>there</a> <button onclick="fetch('/broken')">ask</button>`}, func(m *http.ServeMux) {
		m.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusInternalServerError)
		})
	})
	if st.now.Status != 200 {
		t.Errorf("the start page has status %d", st.now.Status)
	}
	for _, tt := range []struct {
		name string
		want int
	}{{"ask", 200}, {"there", 200}, {"gone", 404}, {"broken", 500}} {
		st.open("/")
		if st.click(tt.name); st.now.Status != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, st.now.Status, tt.want)
		}
	}
}
