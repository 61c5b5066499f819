package browser

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

const workshop = `<title>shop</title><style>body{margin:8px} #far{margin-top:2000px}</style>
	<form onsubmit="event.preventDefault(); document.title='sent '+name_.value">
	<label>Name <input id=name_ name=name></label> <label>Mail <input id=mail type=email value=old@x></label>
	<label>Secret <input id=pw type=password></label> <label>Day <input id=day type=date></label>
	<label>Notes <textarea id=notes></textarea></label>
	<label>Size <select id=size onchange="document.title='size '+this.value"><option value=s>Small<option value=l>Large</select></label>
	<button>Go</button></form>
	<div id=box style="width:200px;height:40px;background:#ddd" role=button aria-label=box
		onclick="log('click'+event.detail)" ondblclick="log('dbl')" oncontextmenu="event.preventDefault();log('menu')"
		onauxclick="if(event.button==1)log('middle')" onmouseenter="log('enter')">box</div>
	<div id=slider role=slider aria-label=slider style="width:300px;height:20px;background:#abc" onpointerdown="d=event.clientX"
		onpointerup="log('dragged'+Math.round(event.clientX-d))">slide</div>
	<label>File <input type=file id=file multiple onchange="Promise.all([...files].map(f=>f.text())).then(x=>document.title='files '+x.join('|'))"></label>
	<label>Keyed <input id=keyed oninput="if(event.inputType==='insertText'&&event.data&&event.data.length>1)this.value=''" onkeydown="keys=(window.keys||'')+event.key"></label>
	<p id=far>far away text</p>
	<script>function log(s){document.title+=' '+s}</script>`

func TestPointerKinds(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop})
	rows := map[cua.Kind]string{
		cua.Click:       "shop enter click1",
		cua.DoubleClick: "shop enter click1 click2 dbl",
		cua.TripleClick: "shop enter click1 click2 dbl click3",
		cua.RightClick:  "shop enter menu",
		cua.MiddleClick: "shop enter middle",
		cua.Hover:       "shop enter",
	}
	for kind, want := range rows {
		t.Run(string(kind), func(t *testing.T) {
			e := open(t, SessionOptions{}, ts.URL)
			title(t, e.ok(e.at(cua.Action{Kind: kind}, "box")), want)
		})
	}
	e := open(t, SessionOptions{}, ts.URL)
	drag := e.at(cua.Action{Kind: cua.Drag}, "slider")
	drag.To = &cua.Point{X: drag.Point.X + 70, Y: drag.Point.Y}
	title(t, e.ok(drag), "shop dragged70")
	if o := e.ok(cua.Action{Kind: cua.Scroll, DY: 300}); o.Scroll.Y != 300 {
		t.Errorf("scrolled to %v", o.Scroll.Y)
	}
}

func TestMarksAndIdentities(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop +
		"<button id=low onclick=\"document.title='low'\">low</button>"})
	e := open(t, SessionOptions{}, ts.URL)
	n := 0
	for _, m := range e.last.Marks {
		if m.Name == "Go" {
			n = m.N
		}
	}
	title(t, e.ok(cua.Action{Kind: cua.Click, Mark: n}), "sent")
	i := slices.IndexFunc(e.last.Fields, func(f cua.Field) bool { return f.IDAttr == "name_" })
	if i < 0 {
		t.Fatal("no field")
	}
	id := e.last.Fields[i].ID
	o := e.ok(cua.Action{Kind: cua.Type, Into: id, Text: "Ada"})
	if o.Focus == nil || o.Focus.ID != id || o.Focus.ValueDigest != cua.Digest("Ada") {
		t.Errorf("focus is %+v", o.Focus)
	}
	title(t, e.ok(cua.Action{Kind: cua.Key, Into: id, Keys: "Return"}), "sent Ada")
	got, err := e.Locate(t.Context(), cua.Action{Kind: cua.Click, Mark: n})
	if err != nil || got.Name != "Go" || !got.Submit || got.Point == nil || got.Covering != nil {
		t.Errorf("target %+v, %v", got, err)
	}
	for name, a := range map[string]cua.Action{
		"no such mark":     {Kind: cua.Click, Mark: 299},
		"no such identity": {Kind: cua.Type, Into: "nowhere", Text: "x"},
	} {
		if out := e.act(a); out.Failure == nil || out.Failure.Kind != cua.FailNotFound {
			t.Errorf("%s: %v", name, out.Failure)
		}
		var f *cua.Failure
		if _, err := e.Locate(t.Context(), a); !errors.As(err, &f) || f.Kind != cua.FailNotFound {
			t.Errorf("locating %s: %v", name, err)
		}
	}
}

func TestTyping(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop})
	rows := []struct {
		name, field string
		a           cua.Action
		want        string // the field's value afterwards
	}{
		{"into an empty field", "name_", cua.Action{Text: "Ada Lovelace"}, "Ada Lovelace"},
		{"one character", "name_", cua.Action{Text: "A"}, "A"},
		{"replacing", "mail", cua.Action{Text: "ada@x", Clear: true}, "ada@x"},
		{"adding", "notes", cua.Action{Text: "a\nb"}, "a\nb"},
		{"emptying", "mail", cua.Action{Clear: true}, ""},
		{"other letters", "name_", cua.Action{Text: "Ünï 漢字 🙂"}, "Ünï 漢字 🙂"},
		{"a date", "day", cua.Action{Text: "2024-02-29"}, "2024-02-29"},
		{"a field that only takes keys", "keyed", cua.Action{Text: "abc"}, "abc"},
		{"an option", "size", cua.Action{Text: "Large"}, "l"},
		{"a secret", "pw", cua.Action{Text: "<secret:PW>"}, "<secret:PW>"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			e := open(t, SessionOptions{Secrets: map[string]string{"PW": "hunter2 of Ada"}}, ts.URL)
			i := slices.IndexFunc(e.last.Fields, func(f cua.Field) bool { return f.IDAttr == r.field })
			if i < 0 {
				t.Fatalf("no field %s", r.field)
			}
			a := r.a
			a.Kind = cua.Type
			if r.field == "day" || r.field == "size" {
				a.Into = e.last.Fields[i].ID
			} else {
				p := e.last.Fields[i].Box.Center()
				a.Point = &p
			}
			o := e.ok(a)
			i = slices.IndexFunc(o.Fields, func(f cua.Field) bool { return f.IDAttr == r.field })
			if f := o.Fields[i]; f.ValueDigest != cua.Digest(r.want) {
				t.Errorf("the field does not hold %q: %+v", r.want, f)
			} else if r.field == "pw" && f.Secret != "PW" {
				t.Errorf("the secret is not reported by name: %+v", f)
			}
			if value, err := held(t, e, r.field); err != nil || r.field == "pw" && value != "hunter2 of Ada" {
				t.Errorf("the field holds %q, %v", value, err)
			}
		})
	}
	e := open(t, SessionOptions{}, ts.URL)
	if out := e.act(e.at(cua.Action{Kind: cua.Type, Text: "<secret:NONE>"}, "Name")); out.Failure == nil ||
		out.Failure.Kind != cua.FailPolicy {
		t.Errorf("an unknown secret: %v", out.Failure)
	}
	title(t, e.ok(e.at(cua.Action{Kind: cua.Type, Text: "Bob\n"}, "Name")), "sent Bob")
	out := e.act(cua.Action{Kind: cua.Key, Keys: "NoSuchKey"})
	if out.Failure == nil || out.Failure.Kind != cua.FailUnknownAction {
		t.Errorf("an unknown key: %v", out.Failure)
	}
}

// held is the value of the element with that id, read past the probe.
func held(t *testing.T, e env, id string) (string, error) {
	tab, err := e.here()
	if err != nil {
		return "", err
	}
	r, err := cdp.Call(t.Context(), tab.s, runtime.Evaluate, runtime.EvaluateParams{Expression: id + ".value",
		ReturnByValue: new(true)})
	if err != nil {
		return "", err
	}
	return strings.Trim(string(r.Result.Value), `"`), nil
}

func TestSelect(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop})
	e := open(t, SessionOptions{}, ts.URL)
	title(t, e.ok(e.at(cua.Action{Kind: cua.Select, Text: "Large"}, "Size")), "size l")
	out := e.act(e.at(cua.Action{Kind: cua.Select, Text: "Huge"}, "Size"))
	if out.Failure == nil || out.Failure.Kind != cua.FailNotInteractable ||
		!strings.Contains(out.Failure.Detail, "Small") {
		t.Errorf("no such option: %v", out.Failure)
	}
}

func TestUpload(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop})
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "alpha", "b.txt": "beta"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(dir, "link.txt")),
		syscall.Mkfifo(filepath.Join(dir, "pipe.txt"), 0o600)); err != nil {
		t.Fatal(err)
	}
	e := open(t, SessionOptions{Fixtures: dir}, ts.URL)
	upload := func(files ...string) cua.Action {
		return e.at(cua.Action{Kind: cua.Upload, Files: files}, "File")
	}
	title(t, e.ok(upload("a.txt", "b.txt")), "files alpha|beta")
	for _, name := range []string{"none.txt", "../a.txt", "/etc/passwd", "link.txt", ".", "pipe.txt"} {
		if out := e.act(upload(name)); out.Failure == nil {
			t.Errorf("%q was uploaded", name)
		}
	}
	if out := e.act(e.at(cua.Action{Kind: cua.Upload, Files: []string{"a.txt"}}, "Go")); out.Failure == nil ||
		out.Failure.Kind != cua.FailNotInteractable {
		t.Errorf("a button that opens no chooser: %v", out.Failure)
	}
	none := open(t, SessionOptions{}, ts.URL)
	if out := none.act(upload("a.txt")); out.Failure == nil || out.Failure.Kind != cua.FailPolicy {
		t.Errorf("without fixtures: %v", out.Failure)
	}
}

func TestReadOnlyKinds(t *testing.T) {
	ts := site(t, map[string]string{"/": workshop})
	e := open(t, SessionOptions{}, ts.URL)
	before := e.last
	rows := []struct {
		a    cua.Action
		want string
	}{
		{cua.Action{Kind: cua.Observe}, ""},
		{cua.Action{Kind: cua.Extract}, "far away text"},
		{cua.Action{Kind: cua.Find, Text: "AWAY"}, "far away text"},
		{cua.Action{Kind: cua.Find, Text: "no such words"}, "not on the page"},
		{e.at(cua.Action{Kind: cua.Zoom}, "Go"), "button Go"},
	}
	for _, r := range rows {
		out := e.act(r.a)
		if out.Failure != nil || !strings.Contains(out.Text, r.want) {
			t.Errorf("%s %s: %q, %v", r.a.Kind, r.a.Text, out.Text, out.Failure)
		}
		if out.After.FormDigest != before.FormDigest || out.After.DOMDigest != before.DOMDigest ||
			out.After.FrameSHA != before.FrameSHA {
			t.Errorf("%s changed the page", r.a.Kind)
		}
	}
	if _, err := e.Act(t.Context(), cua.Action{Kind: cua.Done, Text: "x"}); err == nil {
		t.Error("a done was dispatched")
	}
	if _, err := e.Act(t.Context(), cua.Action{Kind: "dance"}); err == nil {
		t.Error("an unknown kind was dispatched")
	}
}

func TestTravel(t *testing.T) {
	ts := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=x.bin")
			io.WriteString(w, "data")
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		case "/private":
			w.Header().Set("WWW-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusUnauthorized)
		case "/form":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><title>got "+r.Method+" "+r.FormValue("q")+"</title>")
		case "/hop":
			http.Redirect(w, r, "/two", http.StatusFound)
		case "/race":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><title>race</title><script>location.href='/two'</script>")
		default:
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<!doctype html><title>`+r.URL.Path+`</title><a href=/file>file</a> <a href=/nothing>nothing</a> <a href=/two>two</a>
				<a href="#frag">frag</a> <a href=/file target=_blank>filetab</a> <a href=/race>race</a> <button onclick="history.pushState(0,'','/pushed')">push</button>
				<form action=/form method=post><input name=q value=7><button>post</button></form>`)
		}
	})
	e := open(t, SessionOptions{}, ts.URL+"/one")
	title(t, e.click("two"), "/two")
	title(t, e.ok(cua.Action{Kind: cua.Back}), "/one")
	title(t, e.ok(cua.Action{Kind: cua.Forward}), "/two")
	title(t, e.ok(cua.Action{Kind: cua.Reload}), "/two")
	title(t, e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/hop"}), "/two")
	title(t, e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/one"}), "/one")
	title(t, e.click("race"), "/two")
	if o := e.click("frag"); o.URL != ts.URL+"/two#frag" {
		t.Errorf("at %s", o.URL)
	}
	if o := e.click("push"); o.URL != ts.URL+"/pushed" {
		t.Errorf("at %s", o.URL)
	}
	o := e.click("post")
	title(t, o, "got POST 7")
	if len(o.Writes) != 1 || o.Writes[0].Method != "POST" || o.Writes[0].Status != 200 ||
		o.Writes[0].URL != ts.URL+"/form" {
		t.Errorf("writes %+v", o.Writes)
	}
	for range 2 { // a reload would send the form once more
		if out, err := e.Act(t.Context(), cua.Action{Kind: cua.Reload}); err != nil || out.Failure == nil ||
			out.Failure.Kind != cua.FailPolicy || len(out.After.Writes) > 0 {
			t.Errorf("reloading what answers a form: %+v, %v, %v", out.Failure, out.After.Writes, err)
		}
	}
	e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/form"})
	e.ok(cua.Action{Kind: cua.Reload}) // the same address, asked for by GET
	e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/one"})
	for i, name := range []string{"file", "filetab"} {
		if o := e.click(name); o.Downloads != i+1 || o.Title != "/one" || o.Tabs != 1 {
			t.Errorf("%s: %d downloads, title %q, %d tabs", name, o.Downloads, o.Title, o.Tabs)
		}
	}
	if o := e.click("nothing"); o.Title != "/one" || o.Downloads != 2 {
		t.Errorf("a link to nothing: title %q, %d downloads", o.Title, o.Downloads)
	}
	for path, says := range map[string]string{"/file": "download", "/nothing": "no document",
		"/private": "401"} {
		out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + path})
		if out.Failure == nil || out.Failure.Kind != cua.FailNav ||
			!strings.Contains(out.Failure.Detail, says) {
			t.Errorf("%s: %v", path, out.Failure)
		}
	}
	fresh := open(t, SessionOptions{}, ts.URL+"/one")
	for _, k := range []cua.Kind{cua.Back, cua.Forward} {
		if out := fresh.act(cua.Action{Kind: k}); out.Failure == nil || out.Failure.Kind != cua.FailNav {
			t.Errorf("%s without a page to go to: %v", k, out.Failure)
		}
	}
	private := openBlank(t, SessionOptions{})
	if _, err := private.Reset(t.Context(), cua.Task{URL: ts.URL + "/private"}); err != nil {
		t.Errorf("a start page that asks for a password: %v", err)
	}
}

func TestRestore(t *testing.T) {
	ts := site(t, map[string]string{"/": "<title>home</title>", "/deep": "<title>deep</title>"})
	e := open(t, SessionOptions{}, ts.URL+"/deep")
	e.ok(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/"})
	out, err := e.Restore(t.Context(), cua.Checkpoint{Step: 1, URL: ts.URL + "/deep"},
		[]string{"url", "cookies", "form"})
	if err != nil || out.Failure != nil {
		t.Fatal(err, out.Failure)
	}
	title(t, out.After, "deep")
	for facet, want := range map[string]string{"url": "restored", "cookies": "unsupported",
		"form": "unsupported"} {
		if out.Facets[facet] != want {
			t.Errorf("facet %s is %q, want %q", facet, out.Facets[facet], want)
		}
	}
}
