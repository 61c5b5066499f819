package browser

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// took is what the thief was sent, where four characters in a row of the secret are in it; "" is nothing of
// it.
func (th *thief) took() string {
	th.mu.Lock()
	defer th.mu.Unlock()
	got := th.got.String()
	for i := 0; i+4 <= len(canary); i++ {
		if strings.Contains(got, canary[i:i+4]) {
			return got
		}
	}
	return ""
}

// A page that says how can be obeyed to the letter: no text of a field that was given a secret comes into a
// document of another site, by clipboard or by mouse. The other site's frame lies at y=300, the page's own
// field at the top.
func TestSecretsAreNotCarriedAway(t *testing.T) {
	t.Parallel()
	mine, theirs, own := cua.Point{X: 60, Y: 20}, cua.Point{X: 100, Y: 340}, cua.Point{X: 60, Y: 220}
	keys := func(k string) cua.Action { return cua.Action{Kind: cua.Key, Keys: k} }
	at := func(kind cua.Kind, p cua.Point) cua.Action { return cua.Action{Kind: kind, Point: &p} }
	drag := func(from, to cua.Point) cua.Action { return cua.Action{Kind: cua.Drag, Point: &from, To: &to} }
	const plain = `<input id=m aria-label=Mine>`
	for _, tt := range []struct {
		name, own string
		do        []cua.Action
		refused   int // index of the action that is refused as policy; -1 is none
	}{
		{"copied", plain, []cua.Action{keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"copied in part", plain, []cua.Action{keys("Home Shift+Right Shift+Right Shift+Right Shift+Right Shift+Right Control+c"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"copied after more was typed", plain, []cua.Action{{Kind: cua.Type, Text: "more"}, keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 1},
		{"copied with Meta", plain, []cua.Action{keys("Meta+a Meta+c"), at(cua.Click, theirs), keys("Meta+v")}, 0},
		{"copied by the keys of other keyboards", plain, []cua.Action{keys("Control+a Control+Insert"), at(cua.Click, theirs), keys("Shift+Insert")}, 0},
		{"cut", plain, []cua.Action{keys("Control+a Control+x"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"cut by the keys of other keyboards", plain, []cua.Action{keys("Control+a Shift+Delete"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"copied out of a text of several lines", `<textarea id=m aria-label=Mine></textarea>`, []cua.Action{keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"copied out of a shadow root", `<p id=h></p><script>h.attachShadow({mode:'open'}).innerHTML='<input aria-label=Mine>'</script>`,
			[]cua.Action{keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"the password is shown and copied", `<input id=m type=password aria-label=Mine onkeydown="m.type='text'">`,
			[]cua.Action{keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 0},
		{"what the page echoes is copied", `<input id=m aria-label=Mine oninput="o.textContent='You typed '+m.value"><p id=o style="position:absolute;left:8px;top:200px">x`,
			[]cua.Action{at(cua.TripleClick, own), keys("Control+c"), at(cua.Click, theirs),
				keys("Control+v")}, 3},
		{"the page copies it itself", `<input id=m aria-label=Mine><button style="position:absolute;left:8px;top:200px;width:200px;height:40px" onclick="m.select();document.execCommand('copy')">Copy</button>`,
			[]cua.Action{at(cua.Click, own), at(cua.Click, theirs), keys("Control+v")}, 2},
		{"all of the page is copied", plain, []cua.Action{at(cua.Click, cua.Point{X: 600, Y: 600}), keys("Control+a Control+c"), at(cua.Click, theirs), keys("Control+v")}, 3},
		{"pasted by the middle button", plain, []cua.Action{at(cua.TripleClick, mine), at(cua.MiddleClick, theirs)}, -1},
		{"dragged", plain, []cua.Action{at(cua.TripleClick, mine), drag(mine, theirs)}, 1},
		{"dragged by a page that gives it along", `<input id=m aria-label=Mine><p draggable=true style="position:absolute;left:8px;top:200px;width:200px;height:40px;background:#ccc" ondragstart="event.dataTransfer.setData('text/plain',m.value)">Drag me`,
			[]cua.Action{drag(own, theirs)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := newThief(t)
			srv := site(t, map[string]string{"/": `<title>t</title><style>[aria-label=Mine]{position:absolute;left:0;top:0;width:280px;height:40px;font-size:20px}</style>
				<iframe id=thief src="` + th.host + `/" width=300 height=100 style="position:absolute;left:0;top:300px;border:0"></iframe>` + tt.own})
			e := openBlank(t, SessionOptions{Secrets: map[string]string{"PW": canary}})
			o := e.reset(cua.Task{URL: srv.URL})
			a := into("Mine")(o)
			a.Kind, a.Text = cua.Type, "<secret:PW>"
			if out := e.act(a); out.Failure != nil {
				t.Fatal(out.Failure)
			}
			for i, a := range tt.do {
				out := e.act(a)
				if (kindOf(out) == cua.FailPolicy) != (i == tt.refused) {
					t.Errorf("action %d (%s %s): failure %v", i, a.Kind, a.Keys, out.Failure)
				}
				if f := out.Failure; f != nil && (strings.Contains(f.Detail, canary) ||
					!strings.Contains(f.Detail, "the secret PW")) {
					t.Errorf("the failure says %q", f.Detail)
				}
			}
			if got := th.took(); got != "" {
				t.Errorf("the other server was sent\n%s", got)
			}
		})
	}
}

// Text that is no secret may be copied, cut, pasted and dragged, also near secrets; and after a refusal
// all goes on.
func TestOtherTextIsCarried(t *testing.T) {
	srv := site(t, map[string]string{"/": `<title>t</title><style>input{position:absolute;left:0;width:280px;height:40px;font-size:20px}</style>
		<input aria-label=From value="blue heron" style="top:0"><input aria-label=To style="top:100px"><input aria-label=Secret style="top:200px">`})
	e := openBlank(t, SessionOptions{Secrets: map[string]string{"PW": canary, "PIN": "7"}})
	o := e.reset(cua.Task{URL: srv.URL})
	secret := into("Secret")(o)
	secret.Kind, secret.Text = cua.Type, "<secret:PW>"
	from, to, hidden := cua.Point{X: 30, Y: 22}, cua.Point{X: 200, Y: 122}, cua.Point{X: 60, Y: 222}
	holds := func(out cua.Outcome, label, want string) {
		t.Helper()
		for _, f := range out.After.Fields {
			if f.Label == label && f.ValueDigest != cua.Digest(want) && (want != "" || !f.Empty) {
				t.Errorf("%s does not hold %q after %v", label, want, out.Failure)
			}
		}
	}
	do := func(as ...cua.Action) (out cua.Outcome) {
		t.Helper()
		for _, a := range as {
			if out = e.act(a); out.Failure != nil {
				t.Errorf("%s %s: %v", a.Kind, a.Keys, out.Failure)
			}
		}
		return out
	}
	do(secret)
	holds(do(cua.Action{Kind: cua.TripleClick, Point: &from}, cua.Action{Kind: cua.Key, Keys: "Control+c"},
		cua.Action{Kind: cua.Click, Point: &to},
		cua.Action{Kind: cua.Key, Keys: "Control+v"}), "To", "blue heron")
	// it selects, and drags nothing
	if out := e.act(cua.Action{Kind: cua.Drag, Point: &hidden, To: &to}); out.Failure != nil {
		t.Errorf("selecting: %v", out.Failure)
	}
	if out := e.act(cua.Action{Kind: cua.Drag, Point: &hidden, To: &to}); kindOf(out) != "" &&
		kindOf(out) != cua.FailPolicy {
		t.Errorf("dragging the selection: %v", out.Failure)
	}
	holds(do(cua.Action{Kind: cua.TripleClick, Point: &to}, cua.Action{Kind: cua.Key,
		Keys: "Control+x"}), "To", "")
	holds(do(cua.Action{Kind: cua.Key, Keys: "Control+v Control+v"}), "To", "blue heronblue heron")
	// A field that was given a secret and was emptied holds none.
	do(cua.Action{Kind: cua.TripleClick, Point: &hidden}, cua.Action{Kind: cua.Key, Keys: "Delete"},
		cua.Action{Kind: cua.Key, Keys: "Control+c"})
}
