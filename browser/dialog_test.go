package browser

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

const dialogPage = `<title>home</title>
	<button onclick="alert('one'); alert('two'); document.title='alerted'">alerts</button>
	<button onclick="document.title='confirm ' + confirm('sure?')">confirm</button>
	<button onclick="document.title='prompt ' + prompt('name?', 'nobody')">prompt</button>
	<button onclick="onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }; document.title='guarded'">guard</button>
	<button onclick="confirm('sure?'); document.title='twice ' + confirm('quite sure?')">twice</button>
	<button onclick="setTimeout(() => { document.title='late ' + confirm('late?') }, 100)">late</button>
	<button onclick="document.title='plain'">plain</button>`

func TestDialogs(t *testing.T) {
	ts := site(t, map[string]string{"/": dialogPage, "/next": "<title>next</title>",
		"/load": "<title>load</title><script>alert('while loading')</script>"})
	accept := cua.Action{Kind: cua.AnswerDlg, Accept: true}
	dismiss := cua.Action{Kind: cua.AnswerDlg}
	named := accept
	named.Text = "Ada"
	rows := []struct {
		name, button, dialog, message string
		answer                        cua.Action
		want                          string
	}{
		{"confirm accepted", "confirm", "confirm", "sure?", accept, "confirm true"},
		{"confirm dismissed", "confirm", "confirm", "sure?", dismiss, "confirm false"},
		{"prompt answered", "prompt", "prompt", "name?", named, "prompt Ada"},
		{"prompt dismissed", "prompt", "prompt", "name?", dismiss, "prompt null"},
		{"confirm after a while", "late", "confirm", "late?", accept, "late true"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			e := open(t, SessionOptions{SettleCap: patience}, ts.URL)
			plain := e.at(cua.Action{Kind: cua.Click}, "plain")
			o := e.click(r.button)
			if o.Dialog == nil || o.Dialog.Type != r.dialog || o.Dialog.Message != r.message ||
				o.Shot != nil {
				t.Fatalf("dialog is %+v, frame %v", o.Dialog, o.Shot != nil)
			}
			if len(o.Fields)+len(o.Marks) == 0 {
				t.Error("the last known page is not reported")
			}
			got, err := e.Locate(t.Context(), plain)
			if err != nil {
				t.Errorf("locating behind a dialog: %v, %v", got, err)
			}
			o = e.ok(r.answer)
			if o.Dialog != nil || o.Shot == nil {
				t.Errorf("after the answer: dialog %v, frame %v", o.Dialog, o.Shot != nil)
			}
			title(t, o, r.want)
		})
	}
	t.Run("dismissed when the brain does something else", func(t *testing.T) {
		e := open(t, SessionOptions{}, ts.URL)
		plain := e.at(cua.Action{Kind: cua.Click}, "plain")
		e.click("confirm")
		out := e.act(plain)
		if out.Failure != nil || !slices.Contains(out.Log, "the confirm was dismissed") {
			t.Errorf("failure %v, log %q", out.Failure, out.Log)
		}
		title(t, out.After, "plain")
	})
	for _, by := range []string{"identity", "mark"} {
		t.Run("a second one opens before what is clicked by its "+by+" is found", func(t *testing.T) {
			e := open(t, SessionOptions{}, ts.URL)
			click := cua.Action{Kind: cua.Click, Into: markIn(t, e.last, "plain").ID}
			if by == "mark" {
				click = cua.Action{Kind: cua.Click, Mark: markIn(t, e.last, "plain").N}
			}
			e.click("twice")
			out := e.act(click)
			if f := out.Failure; f == nil || f.Kind != cua.FailExec || out.After.Dialog == nil ||
				out.After.Dialog.Message != "quite sure?" {
				t.Errorf("failure %v, dialog %+v, log %q", f, out.After.Dialog, out.Log)
			}
			title(t, e.ok(accept), "twice true")
		})
	}
	t.Run("observing leaves it open", func(t *testing.T) {
		e := open(t, SessionOptions{}, ts.URL)
		e.click("confirm")
		if o := e.ok(cua.Action{Kind: cua.Observe}); o.Dialog == nil {
			t.Error("the dialog is gone")
		}
		title(t, e.ok(accept), "confirm true")
	})
	t.Run("no dialog to answer", func(t *testing.T) {
		e := open(t, SessionOptions{}, ts.URL)
		if out := e.act(accept); out.Failure == nil || out.Failure.Kind != cua.FailExec {
			t.Errorf("failure is %v", out.Failure)
		}
	})
	t.Run("alerts are accepted and reported", func(t *testing.T) {
		e := open(t, SessionOptions{}, ts.URL)
		o := e.click("alerts")
		title(t, o, "alerted")
		if !slices.Equal(o.Alerts, []string{"one", "two"}) || o.Dialog != nil || o.Shot == nil {
			t.Errorf("alerts %q, dialog %v, frame %v", o.Alerts, o.Dialog, o.Shot != nil)
		}
		if o := e.click("plain"); len(o.Alerts) > 0 {
			t.Errorf("alerts are reported twice: %q", o.Alerts)
		}
	})
	t.Run("alert before the load is over", func(t *testing.T) {
		e := openBlank(t, SessionOptions{})
		o := e.reset(cua.Task{URL: ts.URL + "/load"})
		title(t, o, "load")
		if !slices.Equal(o.Alerts, []string{"while loading"}) {
			t.Errorf("alerts %q", o.Alerts)
		}
	})
	t.Run("beforeunload is accepted", func(t *testing.T) {
		e := open(t, SessionOptions{}, ts.URL)
		e.click("guard")
		title(t, e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/next"}), "next")
	})
}

// TestDialogsMidAction plays actions at which the page opens a dialog before they are over.
func TestDialogsMidAction(t *testing.T) {
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "a.txt"), []byte("alpha"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Beside a frame of another origin each event is waited for.
	const frame = `<iframe sandbox=allow-scripts srcdoc="<p>frame" height=40></iframe>`
	click, text := cua.Action{Kind: cua.Click}, cua.Action{Kind: cua.Type, Text: "x"}
	line := cua.Action{Kind: cua.Type, Text: "x\n"}
	drag := cua.Action{Kind: cua.Drag, To: &cua.Point{X: 300, Y: 300}}
	upload := cua.Action{Kind: cua.Upload, Files: []string{"a.txt"}}
	for _, r := range []struct {
		name, html string
		do         cua.Action
		byName     bool   // and not by the point
		want       string // as told writes it
		then       string // the title once the dialog was accepted, "" is any
	}{
		{"a confirm when the file is there", `<input type=file aria-label=go onchange="confirm('sure?')">`,
			upload, false, "confirm open, shows home", ""},
		{"a confirm instead of the file chooser", `<input type=file aria-label=go onclick="confirm('sure?')">`,
			upload, false, "exec_error, confirm open, shows home", ""},
		{"a confirm as the mouse comes", `<button onmouseover="confirm('sure?')">go</button>`,
			click, true, "exec_error, confirm open, shows home", ""},
		{"a confirm as the mouse comes, beside a frame", frame +
			`<button onmouseover="confirm('sure?')" onclick="document.title='pressed'">go</button>`,
			click, false, "exec_error, confirm open, shows home", "home"},
		{"a confirm as the mouse comes, and the press after it",
			`<button onmouseover="confirm('sure?')" onclick="document.title='pressed'">go</button>`,
			click, false, "confirm open, shows home", "pressed"},
		{"an alert as the mouse comes",
			`<button onmouseover="alert('over')" onclick="document.title='pressed'">go</button>`,
			click, true, "alerts over, shows pressed", ""},
		{"an alert by the first press of two", `<button onclick="document.title += 1; alert('one')">go</button>`,
			cua.Action{Kind: cua.DoubleClick}, true, "alerts one one, shows home11", ""},
		{"an alert by the first press of two, beside a frame",
			frame + `<button onclick="document.title += 1; alert('one')">go</button>`,
			cua.Action{Kind: cua.DoubleClick}, false, "alerts one one, shows home11", ""},
		{"an alert by the text, before Return",
			`<form action=javascript:0><input aria-label=go oninput="alert('typed')" onkeydown="document.title=event.key"></form>`,
			line, false, "alerts typed, shows Enter", ""},
		{"a confirm by the press", `<button onmousedown="confirm('sure?')">go</button>`,
			click, true, "confirm open, shows home", ""},
		{"a confirm by the press, beside a frame", frame + `<button onmousedown="confirm('sure?')">go</button>`,
			click, false, "confirm open, shows home", ""},
		{"a confirm by the first press of two", frame + `<button onclick="confirm('sure?')">go</button>`,
			cua.Action{Kind: cua.DoubleClick}, false, "exec_error, confirm open, shows home", ""},
		{"a confirm by the press that is to focus a field", `<input aria-label=go onmousedown="confirm('sure?')">`,
			text, false, "exec_error, confirm open, shows home", ""},
		{"a confirm by the text", `<input aria-label=go oninput="confirm('sure?')">`,
			text, false, "confirm open, shows home", ""},
		{"a confirm by the text, before Return", `<input aria-label=go oninput="confirm('sure?')">`,
			line, false, "exec_error, confirm open, shows home", ""},
		{"a confirm by the last key", frame + `<input aria-label=go onkeydown="confirm('sure?')">`,
			cua.Action{Kind: cua.Key, Keys: "a"}, false, "confirm open, shows home", ""},
		{"a confirm by the first key of two", frame + `<input aria-label=go onkeydown="confirm('sure?')">`,
			cua.Action{Kind: cua.Key, Keys: "a b"}, false, "exec_error, confirm open, shows home", ""},
		{"beforeunload by a press, beside a frame", frame + `<script>
			onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }</script><a href="/next">go</a>`,
			click, false, "shows next", ""},
		{"beforeunload by Return, beside a frame", frame + `<script>
			onbeforeunload = e => { e.preventDefault(); e.returnValue = 'x' }</script>
			<form action="/next"><input aria-label=go></form>`,
			line, false, "shows next", ""},
		{"an alert in the middle of a drag", `<button>go</button><script>
			onmousemove = e => { if (e.buttons) { onmousemove = null; alert('moved') } }
			onmouseup = e => { document.title = 'up ' + e.clientX }</script>`,
			drag, false, "alerts moved, shows up 300", ""},
		{"a confirm in the middle of a drag", `<button>go</button><script>
			onmousemove = e => { if (e.buttons) { onmousemove = null; confirm('sure?') } }
			onmouseup = e => { document.title = 'up ' + e.clientX }</script>`,
			drag, false, "exec_error, confirm open, shows home", "home"},
		{"a confirm by what ends a drag", `<button>go</button><script>onmouseup = () => confirm('sure?')</script>`,
			drag, false, "confirm open, shows home", ""},
		{"a confirm by a drop", `<body style="height:600px"><div draggable=true role=button aria-label=go>drag</div>
			<script>ondragstart = e => e.dataTransfer.setData('text/plain', 'x')
			ondragover = e => e.preventDefault(); ondrop = e => { e.preventDefault(); confirm('sure?') }</script>`,
			drag, false, "confirm open, shows home", ""},
	} {
		t.Run(r.name, func(t *testing.T) {
			e := open(t, SessionOptions{Fixtures: files},
				site(t, map[string]string{"/": "<title>home</title>" + r.html,
					"/next": "<title>next</title>"}).URL)
			a := e.at(r.do, "go")
			if r.byName {
				a.Point, a.Into = nil, markIn(t, e.last, "go").ID
			}
			if out := e.act(a); told(out) != r.want {
				t.Errorf("%s, want %s; failure %v, log %q", told(out), r.want, out.Failure, out.Log)
			}
			if r.then != "" {
				title(t, e.ok(cua.Action{Kind: cua.AnswerDlg, Accept: true}), r.then)
			}
		})
	}
}
