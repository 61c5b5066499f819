package browser

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestCanvases: each canvas has a digest of its own, in the document, in a shadow tree and in a frame;
// what is drawn on one changes its digest alone, and not the text of the page.
func TestCanvases(t *testing.T) {
	const draw = `onclick="this.getContext('2d').fillRect(event.offsetX,event.offsetY,3,3)"`
	st := newStage(t, map[string]string{"/": `<canvas aria-label=one width=90 height=60 ` + draw + `></canvas><canvas aria-label=two width=90 height=60 ` + draw + `></canvas>
<div id=h></div><iframe src=/in style="width:200px;height:90px"></iframe><script>h.attachShadow({mode:'open'}).innerHTML='<canvas aria-label=three width=90 height=60 onclick="this.getContext(\'2d\').fillRect(9,9,3,3)"></canvas>'</script>
<canvas aria-label=far style="position:absolute;top:5000px" width=9 height=9></canvas>`,
		"/in": `<body style="margin:0"><canvas aria-label=four width=90 height=60 ` + draw + `></canvas>`}, nil)
	if n := len(st.now.Canvases); n != 4 {
		t.Fatalf("%d canvases: %v", n, st.now.Canvases)
	}
	for _, name := range []string{"one", "two", "three", "four"} {
		before := st.now
		i := slices.IndexFunc(st.now.Marks, func(m cua.Mark) bool { return m.Name == name })
		if i < 0 {
			t.Fatalf("no canvas %s among %+v", name, st.now.Marks)
		}
		st.act(cua.Action{Kind: cua.Click, Point: at(st.now.Marks[i].Box)})
		var changed []string
		for _, id := range slices.Sorted(maps.Keys(st.now.Canvases)) {
			if st.now.Canvases[id] != before.Canvases[id] {
				changed = append(changed, id)
			}
		}
		if len(changed) != 1 || !strings.Contains(changed[0], `"`+name+`"`) {
			t.Errorf("drawing on %s changed %q of %v", name, changed, st.now.Canvases)
		}
		if st.now.DOMDigest != before.DOMDigest {
			t.Error("a drawing is in the dom digest")
		}
	}
}
