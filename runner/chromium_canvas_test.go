package runner_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
)

// corner is a part of a canvas that moves by itself, as games have it.
const corner = `let n=0;setInterval(()=>{n++;g.fillStyle='#eee';g.fillRect(560,360,40,40);g.fillStyle='#333';g.fillRect(565+n%20,370,8,8)},80);`

func canvasPage(script string) string {
	return calm + `<p><canvas id=c width=600 height=400 style="border:1px solid"></canvas><script>
		const c=document.getElementById('c'),g=c.getContext('2d');` + script + `</script>`
}

// On a canvas that moves by itself frames tell the states apart. That it does is seen while nobody acts, so
// the brain thinks for as long as a corner rests.
func TestLoopsOnACanvasThatMoves(t *testing.T) {
	t.Parallel() // most of it is waiting
	three := `let at=0;const draw=()=>{g.fillStyle=['#fff','#246','#a40'][at];g.fillRect(0,0,550,400);g.fillStyle='#888';
		g.fillRect(40+150*at,60+90*at,160,120);g.fillRect(380-120*at,200,90,60)};draw();c.onclick=()=>{at=(at+1)%3;draw()};`
	dead := `g.fillStyle='#39c';g.fillRect(200,150,160,60);`
	strokes := `c.onclick=e=>{g.fillStyle='#000';g.fillRect(e.offsetX-10,e.offsetY-10,60,20)};`
	at := func(x, y float64) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: x, Y: y}}}
	}
	many := func(n int, step func(i int) cua.Scripted) (out []cua.Scripted) {
		for i := range n {
			out = append(out, step(i))
		}
		return out
	}
	for _, row := range []struct {
		name, page string
		script     []cua.Scripted
		soft       bool
		shape      cua.Shape
	}{
		{"a game with three screens in a circle", canvasPage(three), many(18, func(int) cua.Scripted { return at(250, 250) }), true, ""},
		{"the same beside a corner that moves", canvasPage(three + corner), many(18, func(int) cua.Scripted { return at(250, 250) }), true, ""},
		{"a dead button beside a corner that moves", canvasPage(dead + corner), many(14, func(int) cua.Scripted { return at(280, 230) }), true, ""},
		{"a drawing", canvasPage(strokes), many(10, func(i int) cua.Scripted { return at(60+45*float64(i), 120+20*float64(i)) }), false, ""},
		{"a drawing beside a corner that moves", canvasPage(strokes + corner),
			many(10, func(i int) cua.Scripted { return at(60+45*float64(i), 120+20*float64(i)) }), false, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": row.page}).URL
			tr := playWith(t, "off", cua.Task{ID: "canvas", URL: url},
				thinkingBrain{brain.Scripted{Script: row.script}, 100 * time.Millisecond})
			h := tr.History()
			score := detector.Shapes(detector.DefaultConfig()).Score(h, tr.End.Reason)
			if (score.FirstSoft > 0) != row.soft {
				for i, s := range h.Samples() {
					t.Logf("%d progress %v new %v before %s after %s effect %+v idle %+v", i+1, s.Progress,
						s.New, tail8(s.Before), tail8(s.After), s.Step.Effect, s.Step.Target.Idle)
				}
				t.Errorf("soft after step %d, want %v: %+v", score.FirstSoft, row.soft, score.Onsets)
			}
		})
	}
}

// An embedded document cannot be read: frames tell its states apart, and nothing else is asked of a page
// without one.
func TestLoopsInAnEmbeddedDocument(t *testing.T) {
	inner := func(screens int) string {
		return calm + fmt.Sprintf(`<style>body{margin:0}</style><canvas id=c width=1000 height=600></canvas><script>
			const c=document.getElementById('c'),g=c.getContext('2d');let at=0;
			const draw=()=>{g.fillStyle='#fff';g.fillRect(0,0,1000,600);g.fillStyle='#246';for(let i=0;i<12;i++)if(((at*2654435761)>>>i)&1)g.fillRect(80*i,20+45*((at*7+i*5)%%12),75,75)};
			draw();c.onclick=()=>{at=(at+1)%%%d;draw()};</script>`, screens)
	}
	const object = calm + `<h1>Viewer</h1><object data="/inner" type="text/html" width=1000 height=600></object>`
	press := cua.Scripted{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 400, Y: 400}}}
	for _, row := range []struct {
		name, page, inner string
		soft              bool
		by                string
	}{
		{"three screens in a circle", object, inner(3), true, cua.NodeByFrame},
		{"always another screen", object, inner(1000), false, cua.NodeByFrame},
		{"a small one does not decide", calm + `<object data="/inner" type="text/html" width=200 height=100></object>`, inner(3), true, ""},
		{"a picture is none", calm + `<object data="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" type="image/svg+xml" width=1000 height=600></object>`, "", true, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": row.page, "/inner": row.inner}).URL
			tr := play(t, "off", cua.Task{ID: "embedded", URL: url},
				slices.Repeat([]cua.Scripted{press}, 18)...)
			h := tr.History()
			if score := detector.Shapes(detector.DefaultConfig()).Score(h,
				tr.End.Reason); (score.FirstSoft > 0) != row.soft || tr.Steps[0].After.NodeBy != row.by {
				t.Errorf("node by %q, want %q; soft after step %d, want %v: %+v", tr.Steps[0].After.NodeBy,
					row.by, score.FirstSoft, row.soft, score.Onsets)
			}
		})
	}
}

func tail8(s string) string { return fmt.Sprint(s[max(0, len(s)-18):]) }
