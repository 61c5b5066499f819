package browser

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/cdp/cdptest"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// board is a page that writes down every mouse, key, wheel and drag event that it trusts.
const board = `<body style="margin:0;height:3000px">
<style>#hot:hover{background:red}</style>
<button id=b style="position:absolute;left:100px;top:100px;width:100px;height:40px">press</button>
<div id=hot style="position:absolute;left:300px;top:100px;width:100px;height:40px">hover</div>
<input id=i style="position:absolute;left:100px;top:200px;width:300px" >
<textarea id=a style="position:absolute;left:100px;top:250px;width:300px;height:60px"></textarea>
<div id=card draggable=true style="position:absolute;left:100px;top:400px;width:80px;height:40px">card</div>
<div id=zone style="position:absolute;left:400px;top:400px;width:200px;height:100px;border:1px solid">zone</div>
<input id=r type=range min=0 max=100 value=0 style="position:absolute;left:100px;top:600px;width:200px;margin:0">
<div id=box style="position:absolute;left:700px;top:100px;width:200px;height:200px;overflow:auto"><p style="height:2000px">tall</div>
<script>
let log = [];
for (const k of ['mousedown','mouseup','click','dblclick','contextmenu','auxclick'])
  addEventListener(k, e => { if (e.isTrusted) log.push(k + e.button + 'x' + e.detail); if (k == 'contextmenu') e.preventDefault(); }, true);
for (const k of ['keydown','keypress','keyup'])
  addEventListener(k, e => { if (e.isTrusted) log.push(k + ' ' + [e.ctrlKey&&'C',e.shiftKey&&'S',e.altKey&&'A',e.metaKey&&'M'].filter(x=>x).join('') + ' ' + e.key + ' ' + e.code + ' ' + e.keyCode); }, true);
card.ondragstart = e => { e.dataTransfer.setData('text/plain', 'ace'); log.push('dragstart'); };
zone.ondragover = e => e.preventDefault();
zone.ondrop = e => { e.preventDefault(); log.push('drop ' + e.dataTransfer.getData('text/plain')); };
card.ondragend = () => log.push('dragend');
</script>`

// openBoard is a tab with html and its mouse and keyboard.
func openBoard(t *testing.T, root *wire.Session, html string) (*bare, *pointer) {
	t.Helper()
	b := openTab(t, root)
	b.load(html)
	in := newPointer(b.s)
	t.Cleanup(in.close)
	return b, in
}

func TestInputEvents(t *testing.T) {
	left, right, middle := input.MouseButtonLeft, input.MouseButtonRight, input.MouseButtonMiddle
	button, field, area := cua.Point{X: 150, Y: 120}, cua.Point{X: 200, Y: 210}, cua.Point{X: 200, Y: 280}
	type act func(context.Context, *pointer) error
	rows := []struct {
		name string
		do   []act
		look string // an expression on the page
		want string // its JSON
	}{
		{"click", []act{func(c context.Context, in *pointer) error { return in.click(c, button, left, 1, nil) }},
			"log", `["mousedown0x1","mouseup0x1","click0x1"]`},
		{"double click", []act{func(c context.Context, in *pointer) error { return in.click(c, button, left, 2, nil) }},
			"log", `["mousedown0x1","mouseup0x1","click0x1","mousedown0x2","mouseup0x2","click0x2","dblclick0x2"]`},
		{"triple click selects the line", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.insert(c, "one two") },
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 3, nil) }},
			"[log.at(-1), i.selectionEnd - i.selectionStart]", `["click0x3",7]`},
		{"right click", []act{func(c context.Context, in *pointer) error { return in.click(c, button, right, 1, nil) }},
			"log", `["mousedown2x1","contextmenu2x0","mouseup2x1","auxclick2x1"]`},
		{"middle click", []act{func(c context.Context, in *pointer) error { return in.click(c, button, middle, 1, nil) }},
			"log", `["mousedown1x1","mouseup1x1","auxclick1x1"]`},
		{"hover", []act{func(c context.Context, in *pointer) error { return in.hover(c, cua.Point{X: 350, Y: 120}) }},
			"[hot.matches(':hover'), getComputedStyle(hot).backgroundColor, log.length]", `[true,"rgb(255, 0, 0)",0]`},
		{"insert text in one go", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.insert(c, "grün 漢字 🙂") }},
			"[i.value, log.length]", `["grün 漢字 🙂",3]`},
		{"type key by key", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.typeText(c, "a B?é", false, nil) }},
			"[i.value, log.filter(x => x.startsWith('keydown')).join()]",
			`["a B?é","keydown  a KeyA 65,keydown    Space 32,keydown S Shift ShiftLeft 16,keydown S B KeyB 66,keydown S Shift ShiftLeft 16,keydown S ? Slash 191"]`},
		{"lines into a textarea", []act{
			func(c context.Context, in *pointer) error { return in.click(c, area, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.typeText(c, "x\r\ny", false, nil) }},
			"a.value", `"x\ny"`},
		{"a key has all three events", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.press(c, "q") }},
			"log.slice(3)", `["keydown  q KeyQ 81","keypress  q KeyQ 113","keyup  q KeyQ 81"]`},
		{"select all and delete", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.insert(c, "old value") },
			func(c context.Context, in *pointer) error { return in.press(c, "Control+a BackSpace x") }},
			"i.value", `"x"`},
		{"copy, end and paste, once each", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.insert(c, "ab") },
			func(c context.Context, in *pointer) error { return in.press(c, "ctrl+a ctrl+c End ctrl+v") }},
			"i.value", `"abab"`},
		{"cut and undo", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.insert(c, "ab") },
			func(c context.Context, in *pointer) error { return in.press(c, "ctrl+a ctrl+x ctrl+z") }},
			"i.value", `"ab"`},
		{"tab moves the focus, shift and tab back", []act{
			func(c context.Context, in *pointer) error { return in.click(c, field, left, 1, nil) },
			func(c context.Context, in *pointer) error { return in.press(c, "Tab Tab Shift+Tab") }},
			"document.activeElement.id", `"a"`},
		{"no modifier stays down", []act{
			func(c context.Context, in *pointer) error { return in.press(c, "Control+Shift+Alt+Right") },
			func(c context.Context, in *pointer) error { return in.press(c, "Left") }},
			"log.at(-2)", `"keydown  ArrowLeft ArrowLeft 37"`},
		{"wheel on the page", []act{func(c context.Context, in *pointer) error { return in.scroll(c, cua.Point{X: 640, Y: 700}, 0, 300) }},
			"new Promise(r => (function look() { scrollY >= 300 ? r(scrollY) : setTimeout(look, 5) })())", `300`},
		{"wheel in a box", []act{func(c context.Context, in *pointer) error { return in.scroll(c, cua.Point{X: 800, Y: 200}, 0, 120) }},
			"new Promise(r => (function look() { box.scrollTop >= 120 ? r([box.scrollTop, scrollY]) : setTimeout(look, 5) })())", `[120,0]`},
		{"drag a slider", []act{func(c context.Context, in *pointer) error {
			return in.dragTo(c, cua.Point{X: 108, Y: 608}, cua.Point{X: 200, Y: 608}, nil)
		}}, "[+r.value > 40 && +r.value < 60, log.filter(x => x.startsWith('mouse')).join()]", `[true,"mousedown0x1,mouseup0x1"]`},
		{"drag of HTML", []act{func(c context.Context, in *pointer) error {
			return in.dragTo(c, cua.Point{X: 140, Y: 420}, cua.Point{X: 500, Y: 450}, nil)
		}}, "log.filter(x => x.startsWith('d'))", `["dragstart","drop ace","dragend"]`},
		{"a click works after a drag", []act{
			func(c context.Context, in *pointer) error {
				return in.dragTo(c, cua.Point{X: 140, Y: 420}, cua.Point{X: 500, Y: 450}, nil)
			},
			func(c context.Context, in *pointer) error { return in.click(c, button, left, 1, nil) }},
			"log.at(-1)", `"click0x1"`},
	}
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, in := openBoard(t, bareBrowser(t, path), board)
			for _, tt := range rows {
				t.Run(tt.name, func(t *testing.T) {
					b.load(board)
					for _, do := range tt.do {
						if err := do(t.Context(), in); err != nil {
							t.Fatal(err)
						}
					}
					if got := b.eval(tt.look); !sameJSON(t, got, tt.want) {
						t.Errorf("%s is %s, want %s", tt.look, got, tt.want)
					}
				})
			}
		})
	}
}

// sameJSON says whether two texts are the same JSON; Chromium escapes what need not be.
func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// TestInputDialog says that no input hangs on a dialog that it opened and that waits for an answer, and that
// none is dispatched while one is open.
func TestInputDialog(t *testing.T) {
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := bareBrowser(t, path)
			for _, tt := range []struct {
				name, on, call string
				cut            bool // presses are left that are not sent any more
				do             func(context.Context, *pointer) error
			}{
				{"confirm on click", "click", "confirm('sure?')", false, func(c context.Context, in *pointer) error {
					return in.click(c, cua.Point{X: 50, Y: 50}, input.MouseButtonLeft, 1, nil)
				}},
				{"confirm on the first press of two", "mousedown", "confirm('no')", true,
					func(c context.Context, in *pointer) error {
						return in.click(c, cua.Point{X: 50, Y: 50}, input.MouseButtonLeft, 2, nil)
					}},
				{"prompt on key", "keydown", "prompt('name?')", true, func(c context.Context, in *pointer) error {
					return in.press(c, "Control+b")
				}},
				{"confirm on move", "mousemove", "confirm('hover')", false, func(c context.Context, in *pointer) error {
					return in.hover(c, cua.Point{X: 60, Y: 60})
				}},
			} {
				t.Run(tt.name, func(t *testing.T) {
					b, in := openBoard(t, root, `<body style="height:900px"><script>let n = 0; addEventListener('`+tt.on+`', () => { if (window.ready && !n++) `+tt.call+` })</script>`)
					b.eval("void (window.ready = true)")
					f := frames.New(b.s, b.view, 1, true)
					defer f.Close()
					f.Start(func(err error) { t.Error(err) })
					opened, cancel := b.s.Subscribe(page.JavascriptDialogOpening.Method)
					defer cancel()
					// Input that hung until its deadline would say so.
					err := tt.do(t.Context(), in)
					var failed *cua.Failure
					if errors.As(err, &failed) != tt.cut || !tt.cut && err != nil &&
						!errors.Is(err, errDialogOpened) {
						t.Fatal(err)
					}
					select {
					case <-opened:
					case <-time.After(patience):
						t.Fatal("no dialog opened")
					}
					err = in.hover(t.Context(), cua.Point{X: 5, Y: 5})
					if !errors.Is(err, frames.ErrDialogOpen) {
						t.Errorf("input while the dialog is open gives %v", err)
					}
					if _, err := f.Take(t.Context(), frames.Want{}); !errors.Is(err, frames.ErrDialogOpen) {
						t.Errorf("a frame while the dialog is open gives %v", err)
					}
					bareCall(b, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
					b.eval("1")
					if err := in.click(t.Context(), cua.Point{X: 90, Y: 90}, input.MouseButtonLeft, 1,
						nil); err != nil {
						t.Errorf("the click after the dialog: %v", err)
					}
					if _, err := f.Take(t.Context(), frames.Want{}); err != nil {
						t.Errorf("the frame after the dialog: %v", err)
					}
				})
			}
		})
	}
}

// TestInputHung says that a page that never answers costs the deadline and gives a clear error.
func TestInputHung(t *testing.T) {
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, in := openBoard(t, bareBrowser(t, path), `<body><script>addEventListener('mousedown', () => { for (;;); })</script>`)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			err := in.click(ctx, cua.Point{X: 50, Y: 50}, input.MouseButtonLeft, 1, nil)
			var e *InputError
			if !errors.As(err, &e) || !errors.Is(err, context.DeadlineExceeded) ||
				!strings.Contains(err.Error(), "did not answer") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestInputUnknownKey says that nothing is dispatched for keys that are not all known.
func TestInputUnknownKey(t *testing.T) {
	for name, path := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, in := openBoard(t, bareBrowser(t, path), board)
			var e *KeyError
			if err := in.press(t.Context(), "a Foo"); !errors.As(err, &e) || e.Name != "Foo" {
				t.Errorf("got %v", err)
			}
			if got := b.eval("log.length"); got != "0" {
				t.Errorf("the page saw %s events", got)
			}
		})
	}
}

// TestLetGo: of events that are not sent any more only the releases of what is held down are.
func TestLetGo(t *testing.T) {
	press := func(keys string) (out []event) {
		chords, err := parseKeys(keys)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range chords {
			out = append(out, c.events()...)
		}
		return out
	}
	click := []event{mouseEvent(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved}),
		mouseEvent(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed}),
		mouseEvent(input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased})}
	for _, row := range []struct {
		name   string
		events []event
		sent   int
		want   []string
	}{
		{"a click whose move was sent", click, 1, nil},
		{"a click whose press was sent", click, 2, []string{"mouseReleased"}},
		{"two keys, of which one is down", press("a b"), 1, []string{"keyUp a"}},
		{"two keys, of which one is up again", press("a b"), 2, nil},
		{"a modifier", press("Control+b"), 1, []string{"keyUp Control"}},
		{"a key and its modifier", press("Control+b"), 2, []string{"keyUp b", "keyUp Control"}},
		{"text without a key", []event{inserting("é")}, 0, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := cdptest.NewLine()
				c, root := wire.NewConn(l)
				defer c.Close()
				newPointer(root).letGo(row.events[row.sent:])
				synctest.Wait()
				var got []string
				for range len(l.Out) {
					var p struct{ Type, Key string }
					if err := json.Unmarshal((<-l.Out).Params, &p); err != nil {
						t.Fatal(err)
					}
					got = append(got, strings.TrimSpace(p.Type+" "+p.Key))
				}
				if !slices.Equal(got, row.want) {
					t.Errorf("released %q, want %q", got, row.want)
				}
			})
		})
	}
}
