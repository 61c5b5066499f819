package runner_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// One form each in a frame of the same site, in a frame of another site, in an open shadow root and in the
// page, all sent to a real server. The values come in an order that is none of theirs.
func TestFormsInFramesAndShadowRootsAreFilledByClicks(t *testing.T) {
	site := formPages(t, map[string]string{
		"/": `<title>Four forms</title><iframe src=/inner width=600 height=90></iframe><iframe src="ELSEWHERE/other" width=600 height=90></iframe>
			<p id=host></p><script>host.attachShadow({mode:'open'}).innerHTML='<form method=post action=/send target=sink><label>Town <input name=town></label> <label><input type=checkbox name=agree value=yes> I agree</label> <button>Send town</button></form>'</script>
			<iframe name=sink src=about:blank width=300 height=40></iframe>
			<form method=post action=/send onsubmit="message.value=editor.innerText"><p id=l>Message</p><input type=hidden name=message id=message>
			<div contenteditable role=textbox aria-labelledby=l id=editor style="border:1px solid;width:300px;height:40px"></div><p><label>Name <input name=name></label> <label>Day <input type=date name=day></label><p><button>Send message</button></form>`,
		"/inner": `<form method=post action=/send><label>Phone <input type=tel name=phone></label> <label>Size <select name=size><option value="">–<option value=s>Small<option value=l>Large</select></label> <button>Send phone</button></form>`,
		"/other": `<form method=post action=/send><label>Postcode <input name=zip></label> <label>Company name <input name=company></label> <button>Send postcode</button></form>`})
	task := cua.Task{ID: "four", URL: site.URL, Allow: []string{strings.Replace(site.URL, "http://127.0.0.1",
		"localhost", 1)}, Fields: values("Comment", "Hello there", "City", "Oslo", "Zip code", "0150", "Size",
		"Large", "Name", "Ada", "Company", "Acme", "Phone", "+47 22 33 44 55", "I agree", "yes", "Day",
		"5 March 2026")}
	tr := play(t, "default", task, clicks("Town", "I agree", "Phone", "Postcode", "Size", "Company name",
		"Message", "Name", "Day", "Send town", "Send phone", "Send postcode", "Send message")...)
	succeeded(t, tr, 13)
	landed(t, tr)
	site.received(t, map[string]string{"town": "Oslo", "agree": "yes"},
		map[string]string{"phone": "+47 22 33 44 55", "size": "l"},
		map[string]string{"zip": "0150", "company": "Acme"}, map[string]string{"message": "Hello there",
			"name": "Ada", "day": "2026-03-05"})
	frames := map[string]bool{}
	for _, f := range tr.Start.Fields {
		frames[f.Frame] = true
	}
	if len(frames) != 3 { // the page with its shadow root, and the two frames
		t.Errorf("the fields are in the frames %v", frames)
	}
}

// The question of a radio group is its legend, or the name of the group: names and ids of the buttons say
// nothing.
func TestRadioGroupsAreChosenByTheirLegend(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Order</title><form method=post action=/send>
		<fieldset><legend>Size</legend><label><input type=radio name=x1 value=s> Small (30 cm)</label> <label><input type=radio name=x1 value=l> Large (42 cm)</label></fieldset>
		<div role=radiogroup aria-label="Gift wrapping"><label><input type=radio name=x2 value=1> Yes</label> <label><input type=radio name=x2 value=0> No</label></div>
		<p id=q>Delivery</p><div role=radiogroup aria-labelledby=q><span role=radio tabindex=0 aria-checked=false>Standard</span> <span role=radio tabindex=0 aria-checked=false>Express</span></div><input type=hidden name=x3 id=x3>
		<p><button>Order</button></form><script>
		for(const r of document.querySelectorAll('span'))r.onclick=()=>{for(const o of document.querySelectorAll('span'))o.ariaChecked=o===r;x3.value=r.textContent}</script>`})
	task := cua.Task{ID: "order", URL: site.URL, Fields: values("Delivery", "Express", "Gift wrapping", "no",
		"Size", "large")}
	// Always the wrong one of the group; then one that is right already.
	tr := play(t, "default", task, clicks("Small", "Yes", "Standard", "Express", "Order")...)
	for i, want := range []bool{true, true, true, false, false} {
		if tr.Steps[i].Substituted() != want {
			t.Errorf("step %d was substituted: %v, want %v", i+1, !want, want)
		}
	}
	landed(t, tr)
	site.received(t, map[string]string{"x1": "l", "x2": "0", "x3": "Express"})
}

// A card number that the page parts into groups, and a code with a hyphen, are known for what they are; no
// byte of them is on record, nor a digest that one could try them against.
func TestMaskedSecretsLand(t *testing.T) {
	const card, code = "4111111111111111", "123456"
	site := formPages(t, map[string]string{"/": `<title>Pay</title><form method=post action=/send>
		<p><label>Card number <input name=card autocomplete=cc-number oninput="this.value=this.value.replace(/\D/g,'').replace(/(.{4})(?=.)/g,'$1 ')"></label>
		<p><label>Verification code <input name=code oninput="const d=this.value.replace(/\D/g,'');this.value=d.length>3?d.slice(0,3)+'-'+d.slice(3):d"></label>
		<p><button>Pay</button></form>`})
	task := cua.Task{ID: "pay", URL: site.URL, Fields: values("Card number", card, "Verification code", code)}
	tr, journal := playSecretly(t, task, map[string]string{}, append(clicks("Card number",
		"Verification code", "Card number"), typed("Card number", "<secret:CARD_NUMBER>"), click("Pay"))...)
	if got := secretsOf(tr.Steps[1].After.Fields); !maps.Equal(got,
		map[string]string{"Card number": "CARD_NUMBER", "Verification code": "VERIFICATION_CODE"}) {
		t.Errorf("the fields hold %v", got)
	}
	for i, want := range []string{"fill_pending_value", "fill_pending_value", "", "field_holds_value", ""} {
		if r, _ := tr.Steps[i].Ruled(); r.Reason != want {
			t.Errorf("step %d: ruled %q, want %q", i+1, r.Reason, want)
		}
	}
	site.received(t, map[string]string{"card": "4111 1111 1111 1111", "code": "123-456"})
	for _, shown := range []string{card, "4111 1111 1111 1111", code, "123-456"} {
		for _, trace := range []string{shown, cua.Digest(shown)} {
			if strings.Contains(journal, `"`+trace) || strings.Contains(journal, trace+`"`) {
				t.Errorf("%q is on record as %q", shown, trace)
			}
		}
	}
}

// secretsOf are the secrets that fields hold, by label.
func secretsOf(fields []cua.Field) map[string]string {
	out := map[string]string{}
	for _, f := range fields {
		out[f.Label] = f.Secret
	}
	return out
}

// playSecretly is play with secrets; the journal's own bytes are the second answer.
func playSecretly(t *testing.T, task cua.Task, secrets map[string]string,
	script ...cua.Scripted) (*trajectories.Trajectory, string) {
	t.Helper()
	s, err := chromium.Get(t).NewSession(t.Context(), browser.SessionOptions{Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseenWith(t, brain.Scripted{Script: script}, secrets), Env: s,
		Config: runner.DefaultConfig(), Dir: dir, Secrets: secrets}
	if _, err := r.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return tr, string(journal)
}
