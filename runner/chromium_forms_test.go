package runner_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// formSite serves pages and keeps what their forms send to /send.
type formSite struct {
	*httptest.Server
	mu   sync.Mutex
	sent []map[string]string
}

func formPages(t testing.TB, html map[string]string) *formSite {
	t.Helper()
	s := &formSite{}
	s.Server = serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/send" {
			got := map[string]string{}
			if err := r.ParseForm(); err == nil {
				for k := range r.PostForm {
					got[k] = r.PostForm.Get(k)
				}
			}
			s.mu.Lock()
			s.sent = append(s.sent, got)
			s.mu.Unlock()
			fmt.Fprint(w, `<!doctype html><title>Thank you</title><h1>Thank you, it was sent.</h1>`)
			return
		}
		body, ok := html[r.URL.Path]
		if strings.HasPrefix(r.URL.Path, "/data/") { // what scripts ask for
			fmt.Fprint(w, body)
			return
		}
		if !ok {
			http.NotFound(w, r)
			return
		}
		elsewhere := strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)
		fmt.Fprint(w, "<!doctype html><style>*{caret-color:transparent}p{margin:4px}</style>",
			strings.ReplaceAll(body, "ELSEWHERE", elsewhere))
	})
	return s
}

// received checks the forms that were sent, one after the other.
func (s *formSite) received(t *testing.T, want ...map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) != len(want) {
		t.Fatalf("%d forms were sent, want %d: %v", len(s.sent), len(want), s.sent)
	}
	for i := range want {
		for k, v := range want[i] {
			if s.sent[i][k] != v {
				t.Errorf("%s arrived as %q, want %q", k, s.sent[i][k], v)
			}
		}
	}
}

func values(pairs ...string) []cua.PlanValue {
	var out []cua.PlanValue
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, cua.PlanValue{Label: pairs[i], Value: pairs[i+1]})
	}
	return out
}

// landed checks that every value was read back, and that no text was typed twice into one field
// or by the brain itself.
func landed(t *testing.T, tr *trajectories.Trajectory) {
	t.Helper()
	state := formctl.State(tr.Header.Task, tr.History(), formctl.DefaultConfig())
	for _, v := range state.Pending() {
		t.Errorf("%q has not landed", v.Label)
	}
	typed := map[string]int{}
	for i := range tr.Steps {
		s := &tr.Steps[i]
		if s.Proposed.Kind == cua.Type || s.Proposed.Kind == cua.Select {
			t.Errorf("step %d: the brain was to click only, and asked for %+v", s.N, s.Proposed)
		}
		if s.Action != nil && s.Action.Kind == cua.Type {
			if typed[s.Action.Into+" "+s.Action.Text]++; typed[s.Action.Into+" "+s.Action.Text] > 1 {
				t.Errorf("step %d types into %s once more", s.N, s.Action.Into)
			}
		}
	}
	if t.Failed() {
		for i := range tr.Steps {
			t.Log(show.StepLine(&tr.Steps[i]))
		}
	}
}

// clicks is a script that clicks one name after the other.
func clicks(names ...string) (out []cua.Scripted) {
	for _, n := range names {
		out = append(out, click(n))
	}
	return out
}

const twelve = `<title>Register</title><form method=post action=/send>
<p><label>Company name <input name=company></label> <label>First name <input name=first></label>
<p><label>Surname <input name=last></label> <label>E-mail address <input name=email type=email></label>
<p><label>Telephone <input name=phone type=tel oninput="const d=this.value.replace(/\D/g,'');if(d.length===10)this.value='('+d.slice(0,3)+') '+d.slice(3,6)+'-'+d.slice(6)"></label>
<p><label>Postcode <input name=zip oninput="this.value=this.value.toUpperCase()"></label> <label>Guests <input name=guests type=number></label>
<p><label>Arrival date <input name=arrival type=date></label>
<p><label>Country <select name=country><option value="">Choose</option><option value=AT>Austria</option><option value=NO>Norway</option></select></label>
<p><label><input type=checkbox name=news value=yes checked> Newsletter</label>
<p>Room: <label><input type=radio name=room value=s> Single</label> <label><input type=radio name=room value=d> Double</label>
<p><label>Comments <textarea name=message></textarea></label>
<p><button>Send</button></form>`

var twelveValues = values("Message", "Two lines,\nno more.", "Room", "Double", "First name", "Ada", "Company",
	"Acme", "Last name", "Lovelace", "Email", "ada@x.example", "Phone", "555-123-4567", "Zip code",
	"sw1a 1aa", "Guests", "3", "Arrival date", "5 March 2026", "Country", "norway", "Newsletter", "no")

var twelveSent = map[string]string{"company": "Acme", "first": "Ada", "last": "Lovelace",
	"email": "ada@x.example", "phone": "(555) 123-4567", "zip": "SW1A 1AA", "guests": "3",
	"arrival": "2026-03-05", "country": "NO", "news": "", "room": "d", "message": "Two lines,\r\nno more."}

// A form of twelve fields of every kind is filled by a brain that only clicks.
func TestTwelveFieldsAreFilledByClicks(t *testing.T) {
	site := formPages(t, map[string]string{"/": twelve})
	task := cua.Task{ID: "twelve", URL: site.URL, Fields: twelveValues}
	tr := play(t, "default", task, clicks("Company name", "First name", "Surname", "E-mail address",
		"Telephone", "Postcode", "Guests", "Arrival date", "Country", "Newsletter", "Single", "Comments",
		"First name", "Country", "Send")...)
	succeeded(t, tr, 15)
	landed(t, tr)
	site.received(t, twelveSent)
	for i := range tr.Steps[:15] {
		// the box is clicked as proposed, what is in is left alone
		if want := i != 9 && i < 12; tr.Steps[i].Substituted() != want {
			t.Errorf("step %d was substituted: %v, want %v", i+1, !want, want)
		}
	}
}

// The same by the built-in brain with its fault: it clicks the field again wherever it would type.
func TestTwelveFieldsByAFixatedBrain(t *testing.T) {
	site := formPages(t, map[string]string{"/": strings.Replace(twelve, "<select name=country>",
		"<select name=country tabindex=0>", 1)})
	b, err := brain.WithFaults(brain.Heuristic{}, brain.Faults{Seed: 1,
		Rates: []brain.FaultRate{{Name: "click_fixation", Rate: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	task := cua.Task{ID: "twelve", URL: site.URL, Goal: `Fill in the form and press "Send".`, MaxSteps: 40, Fields: twelveValues}
	tr := playWith(t, "default", task, b)
	for _, v := range formctl.State(task, tr.History(), formctl.DefaultConfig()).Pending() {
		t.Errorf("%q has not landed", v.Label)
	}
	site.received(t, twelveSent)
}

// A sign-up: the confirmation is queued first, and the user id is called otherwise.
func TestSignUpIsFilledByClicks(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Sign up</title><form method=post action=/send>
		<p><label>Repeat password <input type=password name=again></label><p><label>Password <input type=password name=pw></label>
		<p><label>User ID <input name=user></label><p><label>Login e-mail <input name=email></label>
		<p><label>Street address <input name=a1></label><p><label>Address line 2 <input name=a2></label>
		<p><label>Card number <input name=card autocomplete=cc-number></label><p><label>Phone number <input name=phone></label>
		<p><button>Create account</button></form><form><p><label>Email <input></label><button type=button>Subscribe</button></form>`})
	task := cua.Task{ID: "signup", URL: site.URL, Fields: values("Confirm password", "tr0ub4dor", "Password",
		"tr0ub4dor", "Username", "ada", "Email", "ada@x.example", "Address", "12 Mill Lane", "Address line 2",
		"Flat 4", "Card number", "4111111111111111", "Phone", "5551234567")}
	tr := play(t, "default", task, clicks("Repeat password", "Password", "User ID", "Street address",
		"Address line 2", "Card number", "Phone number", "Login e-mail", "Create account")...)
	succeeded(t, tr, 9)
	for _, s := range tr.Steps[:7] {
		if !s.Substituted() {
			t.Errorf("step %d was not substituted: %s", s.N, show.StepLine(&s))
		}
	}
	site.received(t, map[string]string{"again": "tr0ub4dor", "pw": "tr0ub4dor", "user": "ada",
		"a1": "12 Mill Lane", "a2": "Flat 4", "card": "4111111111111111", "phone": "5551234567"})
}

// Selects that depend on one another and whose options the server has, a list of our own, a calendar of our
// own whose days are cells, a combobox that takes nothing but what is picked.
func TestOwnControlsAreFilledByClicks(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Trip</title><form method=post action=/send>
		<p><label>Country <select name=country onchange="fetch('/data/'+this.value).then(r=>r.text()).then(t=>region.innerHTML=t)"><option value="">–</option><option value=AT>Austria</option><option value=NO>Norway</option></select></label>
		<p><label>Region <select name=region id=region><option value="">choose a country</option></select></label>
		<p><span id=cl>Class</span> <div role=combobox tabindex=0 aria-labelledby=cl aria-expanded=false id=cb style="width:120px;border:1px solid" onclick="lb.hidden=!lb.hidden">choose</div>
		<ul role=listbox id=lb hidden><li role=option tabindex=-1>Economy</li><li role=option tabindex=-1>First class</li></ul><input type=hidden name=class id=cv>
		<p><label>Day <input name=day id=day readonly onclick="cal.hidden=false"></label>
		<div id=cal hidden role=grid><div role=row><span role=gridcell tabindex=-1>4 March 2026</span> <span role=gridcell tabindex=-1>5 March 2026</span></div></div>
		<p><label>Airport <input role=combobox aria-expanded=false id=ap autocomplete=off oninput="sug.hidden=false" onblur="setTimeout(()=>{if(!picked){this.value=''}sug.hidden=true},50)"></label>
		<ul role=listbox id=sug hidden><li role=option tabindex=-1>Bergen</li><li role=option tabindex=-1>Oslo</li></ul><input type=hidden name=airport id=av>
		<p><label>Nights <input name=nights></label><p><button>Book</button></form><script>
		let picked=false;
		for(const o of lb.children)o.onclick=()=>{cb.textContent=o.textContent;cv.value=o.textContent;lb.hidden=true};
		for(const b of cal.querySelectorAll('span'))b.onclick=()=>{day.value='2026-03-0'+b.textContent[0];cal.hidden=true};
		for(const o of sug.children)o.onmousedown=()=>{picked=true;ap.value=o.textContent;av.value=o.textContent;sug.hidden=true};</script>`,
		"/data/NO": "<option>Agder<option>Vestland", "/data/AT": "<option>Tyrol"})
	task := cua.Task{ID: "own", URL: site.URL, Fields: values("Region", "Vestland", "Country", "Norway",
		"Class", "First class", "Day", "5 March 2026", "Airport", "Oslo", "Nights", "2")}
	tr := play(t, "default", task, clicks("Region", "Country", "Region", "Class", "Class", "Day", "Day",
		"Airport", "Nights", "Nights", "Book")...)
	landed(t, tr)
	site.received(t, map[string]string{"country": "NO", "region": "Vestland", "class": "First class",
		"day": "2026-03-05", "airport": "Oslo", "nights": "2"})
}

// Fields of one form each in the page, in a shadow root, in a frame and in an editor.
func TestScatteredFieldsAreFilledByClicks(t *testing.T) {
	site := formPages(t, map[string]string{
		"/": `<title>Scattered</title><p><label>Name <input></label><p id=host></p><script>host.attachShadow({mode:'open'}).innerHTML='<label>Town <input></label> <label><input type=checkbox> I agree</label>'</script>
			<p><iframe src=/inner width=500 height=160></iframe><p id=l>Message</p><div contenteditable role=textbox aria-labelledby=l style="border:1px solid;width:300px;height:60px"></div>`,
		"/inner": `<label>Phone <input type=tel></label> <label>Size <select><option>–<option>Small<option>Large</select></label>`})
	task := cua.Task{ID: "scattered", URL: site.URL, Fields: values("City", "Oslo", "Phone",
		"+47 22 33 44 55", "Size", "Large", "Comment", "Hello there", "Name", "Ada", "I agree", "yes")}
	tr := play(t, "default", task, clicks("Name", "Town", "I agree", "Phone", "Size", "Message", "Town")...)
	succeeded(t, tr, 7)
	landed(t, tr)
}
