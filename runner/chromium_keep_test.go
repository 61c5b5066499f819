package runner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// put is a script line: type text into the element with that name in place of what it holds.
func put(name, text string) cua.Scripted {
	return on(name, cua.Action{Kind: cua.Type, Text: text, Clear: true})
}

func choose(name, option string) cua.Scripted {
	return on(name, cua.Action{Kind: cua.Select, Text: option})
}

// kept checks which steps were refused because they would add a value to itself; the others must have been
// done.
func kept(t *testing.T, tr *trajectories.Trajectory, refused ...bool) {
	t.Helper()
	if len(tr.Steps) < len(refused) {
		t.Fatalf("%d steps, want %d; the end is %+v", len(tr.Steps), len(refused), tr.End)
	}
	for i, want := range refused {
		s := &tr.Steps[i]
		r, _ := s.Ruled()
		if got := r.Verdict == cua.Refuse && r.Reason == "field_holds_value"; got != want || !want &&
			s.Failure != nil {
			t.Errorf("step %d: refused %v, want %v: %s %v", s.N, got, want,
				show.StepLine(s), s.Failure)
		}
		if says := strings.Contains(s.Feedback, "already holds its planned value"); says != want {
			t.Errorf("step %d: the brain is told %q", s.N, s.Feedback)
		}
		if line := show.StepLine(s); want != strings.Contains(line, "field_holds_value") {
			t.Errorf("step %d is shown as %q", s.N, line)
		}
	}
}

// A value is not added to itself. To put it in anew in place of what is there, and to choose it again, is
// allowed.
func TestValuesAreNotDoubled(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Join</title><form method=post action=/send>
		<p><label>Name <input name=name></label> <label>Phone <input name=phone oninput="const d=this.value.replace(/\D/g,'');
			if(d.length===10)this.value='('+d.slice(0,3)+') '+d.slice(3,6)+'-'+d.slice(6)"></label>
		<p><label>Password <input type=password name=pw></label>
			<label>Country <select name=country><option value="">Choose…</option><option>Austria<option>Norway</select></label>
		<p><label>About you <textarea name=about></textarea></label><p><button>Join</button></form>`})
	task := cua.Task{ID: "join", URL: site.URL, Fields: values("Name", "Ada Wong", "Phone", "555-123-4567",
		"Password", "<secret:PW>", "Country", "Norway", "About you", "Two lines,\nno more.")}
	tr, _ := playSecretly(t, task, map[string]string{"PW": "tr0ub4dor"},
		typed("Name", "Ada Wong"), typed("Name", "Ada Wong"), put("Name", "Ada Wong"), // 3
		click("Phone"), typed("Phone", "555-123-4567"), // 5
		click("Password"), typed("Password", "<secret:PW>"), put("Password", "<secret:PW>"), // 8
		choose("Country", "Norway"), choose("Country", "Norway"), // 10
		click("About you"), typed("About you", "Two lines,\nno more."), click("Join"))
	kept(t, tr, false, true, false, false, true, false, true, false, false, false, false, true, false)
	site.received(t, map[string]string{"name": "Ada Wong", "phone": "(555) 123-4567", "pw": "tr0ub4dor",
		"country": "Norway",
		"about":   "Two lines,\r\nno more."})
}

// The brain may empty a field. Its value is pending again, and goes in before the form is sent.
func TestEmptiedValueIsPendingAgain(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Join</title><form method=post action=/send>
		<p><label>Name <input name=name></label><p><button>Join</button></form>`})
	task := cua.Task{ID: "join", URL: site.URL, Fields: values("Name", "Ada")}
	tr := play(t, "default", task, typed("Name", "Ada"), put("Name", ""), click("Join"), click("Join"))
	kept(t, tr, false, false, false, false)
	for i, want := range []bool{false, false, true, false} {
		if got := tr.Steps[i].Substituted(); got != want {
			t.Errorf("step %d: substituted %v, want %v: %s", i+1, got, want,
				show.StepLine(&tr.Steps[i]))
		}
	}
	site.received(t, map[string]string{"name": "Ada"})
}

// A page that did not notice the value, one that calls it invalid, a list that typing opens: the value may go
// in again.
func TestWhatMayBeTypedAgain(t *testing.T) {
	site := formPages(t, map[string]string{
		// The page begins to listen when its button is first pressed, which does nothing else.
		"/late": `<title>Late</title><form method=post action=/send><p><label>Code <input name=code></label><p><button type=button id=b>Send</button></form><script>
			let armed=false,seen=false;b.onclick=()=>{armed=true;if(seen)b.form.submit()};document.querySelector('input').oninput=()=>{if(armed)seen=true}</script>`,
		"/invalid": `<title>Strict</title><form method=post action=/send><p><label>Code <input name=code aria-invalid=false oninput="n=(window.n||0)+1;this.ariaInvalid=n<2"></label><p><button>Send</button></form>`,
		"/list": `<title>Town</title><form method=post action=/send><p><label>Town <input name=town role=combobox aria-expanded=false autocomplete=off oninput="lb.hidden=false" onkeydown="if(event.key==='Escape')lb.hidden=true"></label>
			<ul role=listbox id=lb hidden><li role=option onmousedown="c.value='1'">Oslo, Norway</li></ul><input type=hidden name=code id=c><p><button>Send</button></form>`})
	code, town := values("Code", "A-17"), values("Town", "Oslo")
	for _, row := range []struct {
		path   string
		fields []cua.PlanValue
		script []cua.Scripted
		want   []bool
		sent   map[string]string
	}{
		{"/late", code, []cua.Scripted{typed("Code", "A-17"), put("Code", "A-17"), click("Send"), put("Code", "A-17"), click("Send")},
			[]bool{false, false, false, false, false}, map[string]string{"code": "A-17"}},
		{"/invalid", code, []cua.Scripted{typed("Code", "A-17"), typed("Code", "A-17"), put("Code", "A-17"), click("Send")},
			[]bool{false, true, false, false}, map[string]string{"code": "A-17"}},
		{"/list", town, []cua.Scripted{typed("Town", "Oslo"), key("Escape"), typed("Town", "Oslo"), put("Town", "Oslo"), click("Oslo, Norway"), click("Send")},
			[]bool{false, false, true, false, false, false}, map[string]string{"town": "Oslo", "code": "1"}},
	} {
		t.Run(row.path[1:], func(t *testing.T) {
			site.sent = nil
			tr := play(t, "default", cua.Task{ID: "again", URL: site.URL + row.path, Fields: row.fields},
				row.script...)
			kept(t, tr, row.want...)
			site.received(t, row.sent)
		})
	}
}

// A form that comes filled, gone through field by field: nothing is refused, and no note of mistakes comes
// for what did no harm.
func TestGoingThroughAFormOnceMore(t *testing.T) {
	html, script := `<title>Profile</title><form method=post action=/send>`, []cua.Scripted(nil)
	var pairs []string
	for _, label := range []string{"Name", "City", "Company", "Street"} {
		value := "value " + label
		html += `<label>` + label + ` <input name=` + label + ` value="` + value + `"></label> `
		pairs, script = append(pairs, label, value), append(script, click(label), put(label, value))
	}
	site := formPages(t, map[string]string{"/": html + `<button>Save</button></form>`})
	tr := play(t, "default", cua.Task{ID: "profile", URL: site.URL, Fields: values(pairs...)},
		append(script, click("Save"))...)
	kept(t, tr, make([]bool, len(script)+1)...)
	site.received(t, map[string]string{"Name": "value Name", "Street": "value Street"})
	for _, s := range tr.Steps {
		if slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == "mistakes" }) {
			t.Errorf("step %d was told of mistakes: %v", s.N, s.Notes)
		}
	}
}
