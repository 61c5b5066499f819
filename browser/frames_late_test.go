package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

// number is the number of an animation frame that the page shows, as it is drawn.
func (st *stage) number() string {
	st.t.Helper()
	return st.eval("getComputedStyle(document.documentElement,'::after').backgroundImage")
}

// paint waits until the page has painted what it is now.
func (st *stage) paint() {
	st.t.Helper()
	st.eval("new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(()=>r(''))))")
}

// Chromium handles input before what is evaluated. A press that the page has painted before it was told of
// the action needs no further animation frame.
func TestPressBeforeItsBeginning(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<button onclick="out.textContent+='x'">go</button><p id=out>-</p>`}, nil)
	st.click("go") // from here on animation frames have numbers
	tab, at := st.s.active, st.mark("go").Box.Center()
	first := st.number()
	tab.begin()
	tab.frames.BeginAction()
	if err := tab.input.click(t.Context(), at, input.MouseButtonLeft, 1, nil); err != nil {
		t.Fatal(err)
	}
	st.paint()
	painted := st.number()
	if painted == first {
		t.Fatal("the press has no number")
	}
	if err := tab.probe.arm(cua.Click, tab.frames.FirstTag, false); err != nil {
		t.Fatal(err)
	}
	s, err := tab.probe.step(t.Context(), settleCap, stepInput{from: tab.frames.FirstTag})
	if err != nil || s.Tag == 0 {
		t.Fatalf("tag %d (%s), %v", s.Tag, s.Why, err)
	}
	if got := st.number(); got != painted {
		t.Errorf("another frame was numbered: %s, and before %s", got, painted)
	}
}
