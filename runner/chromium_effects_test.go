package runner_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// calm is a page whose style makes no difference that a test does not ask for.
const calm = `<title>Page</title><style>body{font:16px sans-serif} p{margin:40px 0}</style>`

// clock ticks ten times a second, far from everything else.
const ticking = `<p id=clock style="position:absolute;left:700px;top:440px">0</p>
<script>let n=0;setInterval(()=>{document.getElementById('clock').textContent=String(++n)},100)</script>`

// What a person would call a result is progress, on a real page and by the record.
func TestProgressOnRealPages(t *testing.T) {
	for _, row := range []struct {
		name   string
		body   string
		script []cua.Scripted
		want   cua.Change
		target bool // seen at the target itself
	}{
		{"seventeen typed characters", `<p><label>Name <input></label>`,
			[]cua.Scripted{typed("Name", "seventeen letters")}, cua.ChangeForm, true},
		{"one typed character", `<p><label>Name <input></label>`,
			[]cua.Scripted{click("Name"), typed("", "x")}, cua.ChangeForm, true},
		{"one more typed character", `<p><label>Name <input value=abc></label>`,
			[]cua.Scripted{click("Name"), typed("", "x")}, cua.ChangeForm, true},
		{"a character typed into a password", `<p><label>Code <input type=password></label>`,
			[]cua.Scripted{typed("Code", "x")}, cua.ChangeForm, true},
		{"a ticked box", `<p><label><input type=checkbox>I agree</label>`,
			[]cua.Scripted{click("I agree")}, cua.ChangeForm, true},
		{"a radio button", `<p><label><input type=radio name=r value=1>One</label> <label><input type=radio name=r value=2>Two</label>`,
			[]cua.Scripted{click("Two")}, cua.ChangeForm, false},
		{"an error line under a field", `<p><label>Name <input></label><div id=e></div>
			<p><button type=button onclick="document.getElementById('e').textContent='Please fill in the name'">Save</button>`,
			[]cua.Scripted{click("Save")}, cua.ChangeDOM, false},
		{"a field that turns red", `<style>.bad{outline:3px solid red}</style><p><label>Name <input id=n></label>
			<p style="margin-top:200px"><button type=button onclick="document.getElementById('n').className='bad'">Save</button>`,
			[]cua.Scripted{click("Save")}, cua.ChangePixels, false},
		{"another option", `<p><label>Size <select><option>Small<option>Large</select></label>`,
			[]cua.Scripted{on("Size", cua.Action{Kind: cua.Select, Text: "Large"})}, cua.ChangeForm, true},
		{"a scroll by 100 px", `<p>Top<p style="margin-top:3000px">Bottom`,
			[]cua.Scripted{{Action: cua.Action{Kind: cua.Scroll, Point: &cua.Point{X: 400, Y: 400},
				DY: 100}}}, cua.ChangeScroll, false},
		{"a dialog", `<p><button onclick="setTimeout(()=>confirm('Sure?'))">Delete</button>`,
			[]cua.Scripted{click("Delete")}, cua.ChangeDialog, false},
		{"a drawing", `<p><canvas id=c width=300 height=200 style="border:1px solid"></canvas>
			<script>c.onclick=e=>c.getContext('2d').fillRect(e.offsetX,e.offsetY,20,20)</script>`,
			[]cua.Scripted{{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 100, Y: 150}}}},
			cua.ChangePixels, true},
		{"a write", `<p><button type=button onclick="fetch('/',{method:'POST'})">Write</button>`,
			[]cua.Scripted{click("Write")}, cua.ChangeWrite, false},
		{"a counter beside a ticking clock", `<p><button onclick="this.textContent=1+(+this.textContent)">0</button>` + ticking,
			[]cua.Scripted{click("role=button name=0")}, cua.ChangeDOM, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": calm + row.body}).URL
			tr := play(t, "off", cua.Task{ID: "effect", URL: url}, row.script...)
			succeeded(t, tr, len(row.script))
			e := tr.Steps[len(row.script)-1].Effect
			if e == nil || !slices.Contains(e.Progress, row.want) {
				t.Fatalf("the effect is %+v, tiles %+v, want progress %q", e, tiles(e), row.want)
			}
			if row.target && len(e.AtTarget) == 0 {
				t.Errorf("nothing was seen at the target: %+v", e)
			}
		})
	}
}

// Focus, hover and content that moves by itself are no progress.
func TestNoProgressOnRealPages(t *testing.T) {
	t.Parallel() // most of it is waiting
	const dead = `<p><button type=button>Dead</button>`
	button := func(css string) string { return `<style>` + css + `</style>` + dead }
	for _, row := range []struct {
		name   string
		body   string
		script []cua.Scripted
		// from is the first step (number) that must not be progress.
		from int
		// shown is presentation that the last step must have; "" is any.
		shown cua.Change
		// think is how long the brain takes: what draws in each frame has to move before an action.
		think time.Duration
	}{
		{"a dead button", dead, []cua.Scripted{click("Dead"), click("Dead")}, 1, "", 0},
		{"a blinking caret", `<p><label>Name <input autofocus></label>`,
			[]cua.Scripted{click("Name"), wait(400), wait(700), wait(900)}, 1, "", 0},
		{"a focused field", `<p><label>Name <input></label>`, []cua.Scripted{click("Name")}, 1, cua.ChangeFocus, 0},
		{"a hovered button", button(`button:hover{background:orange;border:4px solid red}`),
			[]cua.Scripted{on("Dead", cua.Action{Kind: cua.Hover})}, 1, cua.ChangeHover, 0},
		{"a hovered button pressed", button(`button:hover{background:orange}`),
			[]cua.Scripted{click("Dead"), click("Dead")}, 1, "", 0},
		{"a focus ring by click", button(`button:focus{outline:4px solid red}`),
			[]cua.Scripted{click("Dead")}, 1, cua.ChangeFocus, 0},
		{"a focus ring by Tab", `<p><label>Name <input></label>` + dead,
			[]cua.Scripted{key("Tab"), key("Tab")}, 1, cua.ChangeFocus, 0},
		{"a ring that the keyboard turns on", button(`button:focus-visible{outline:4px solid red}`),
			[]cua.Scripted{click("Dead"), key("Down")}, 1, "", 0},
		{"Tab to a field below the fold", `<p><label>Name <input></label><p style="margin-top:2000px"><label>Far <input></label>`,
			[]cua.Scripted{click("Name"), key("Tab")}, 1, cua.ChangeFocus, 0},
		{"a dead button beside a ticking clock", dead + ticking,
			[]cua.Scripted{click("Dead"), click("Dead"), click("Dead"), click("Dead"), click("Dead")}, 4, "",
			0},
		{"a wait beside a ticking clock", dead + ticking,
			[]cua.Scripted{wait(300), wait(300), wait(300), wait(300)}, 3, "", 0},
		{"a dead button beside a spinner", `<style>@keyframes s{to{transform:rotate(1turn)}}
			#s{position:absolute;left:700px;top:300px;width:24px;height:24px;border:4px solid #ccc;border-top-color:#333;border-radius:50%;animation:s 1s linear infinite}
			</style><div id=s></div>` + dead,
			[]cua.Scripted{click("Dead"), click("Dead"), click("Dead")}, 1, "", 0},
		{"a dead button beside an endless animation", `<style>@keyframes m{to{left:700px}}
			#m{position:absolute;left:500px;top:400px;width:60px;height:60px;background:teal;animation:m 2s ease-in-out infinite alternate}
			</style><div id=m></div>` + dead,
			[]cua.Scripted{click("Dead"), click("Dead"), click("Dead")}, 1, "", 0},
		{"a dead button beside a canvas that draws itself", `<canvas id=c width=200 height=200 style="position:absolute;left:560px;top:300px"></canvas>
			<script>let x=0;(function d(){c.getContext('2d').fillStyle='hsl('+(x+=7)+',90%,50%)';c.getContext('2d').fillRect(0,0,200,200);requestAnimationFrame(d)})()</script>` + dead,
			[]cua.Scripted{click("Dead"), click("Dead"), click("Dead")}, 2, "", 2 * time.Second / 60},
		{"a wait after a write", `<p><button type=button onclick="fetch('/',{method:'POST'})">Write</button>`,
			[]cua.Scripted{click("Write"), wait(50), wait(50)}, 2, "", 0},
		{"a reload of the same page", dead, []cua.Scripted{click("Dead"), {Action: cua.Action{Kind: cua.Reload}}}, 1, "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			url := pages(t, map[string]string{"/": calm + row.body}).URL
			b := thinkingBrain{brain.Scripted{Script: row.script}, row.think}
			tr := playWith(t, "off", cua.Task{ID: "effect", URL: url}, b)
			succeeded(t, tr, len(row.script))
			for _, s := range tr.Steps[row.from-1 : len(row.script)] {
				if s.Effect == nil || s.Effect.Any() {
					t.Errorf("step %d: the effect is %+v, tiles %+v, want no progress", s.N, s.Effect,
						tiles(s.Effect))
				}
			}
			last := tr.Steps[len(row.script)-1].Effect
			if row.shown != "" && last != nil && !slices.Contains(last.Presentation, row.shown) {
				t.Errorf("presentation is %v, want %q in it", last.Presentation, row.shown)
			}
			for i, s := range tr.History().Samples()[:len(row.script)] {
				if i+1 >= row.from && !s.Idle() {
					t.Errorf("step %d counts as progress in hindsight", i+1)
				}
			}
		})
	}
}

func tiles(e *cua.Effect) any {
	if e == nil || e.Tiles == nil {
		return nil
	}
	return *e.Tiles
}
