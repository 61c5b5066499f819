package runner_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// wrongPassword is what the brains of these tests send to sign in.
const wrongPassword = "tr0ub4dor"

// loginSite serves a site by what answer says to a request, and counts the requests that carry the password
// under whatever name; n is that count. An answer that begins with / is a redirect to there.
func loginSite(t *testing.T, answer func(r *http.Request, n int) string) (*httptest.Server, *atomic.Int32) {
	sends := new(atomic.Int32)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		for _, v := range r.PostForm {
			if slices.Contains(v, wrongPassword) {
				sends.Add(1)
				break
			}
		}
		html := answer(r, int(sends.Load()))
		if strings.HasPrefix(html, "/") {
			http.Redirect(w, r, html, http.StatusSeeOther)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", calm, html)
	}), sends
}

// asking is a form that posts to action; fields are pairs of a label and what its input says beside.
func asking(action, button string, fields ...string) string {
	out := `<form method=post action="` + action + `">`
	for i := 0; i < len(fields); i += 2 {
		out += `<p><label>` + fields[i] + ` <input ` + fields[i+1] + `></label>`
	}
	return out + `<p><button>` + button + `</button></form>`
}

// The steps of a sign-in as forms, and a page of somebody who is in.
var (
	askUser     = asking("/user", "Next", "Username", "name=user")
	askPassword = asking("/login", "Log in", "Password", "type=password name=pw")
	askBoth     = asking("/login", "Log in", "Username", "name=user", "Password", "type=password name=pw")
)

const inside = `<h1>Your letters</h1><p>Three letters came today.</p><p><a href=/letter>Read</a> <a href=/out>Log out</a></p>`

// twoPages asks for the user and then for the password, and begins again after a wrong one.
func twoPages(r *http.Request, _ int) string {
	switch r.URL.Path {
	case "/user", "/password":
		return askPassword
	case "/login":
		return "/?failed"
	}
	return askUser
}

// twoSteps does so in one document.
const twoSteps = `<form id=a><p><label>Username <input name=user></label><p><button>Next</button></form>
<form id=b hidden><p><label>Password <input type=password name=pw></label><p><button>Log in</button></form><p id=o></p><script>
a.onsubmit=e=>{e.preventDefault();a.hidden=true;b.hidden=false};
b.onsubmit=e=>{e.preventDefault();fetch('/login',{method:'POST',body:new URLSearchParams(new FormData(b))}).then(()=>{b.reset();a.hidden=false;b.hidden=true;o.textContent='No luck'})}</script>`

// spelled are n scripts of one attempt, whose names end as the n-th answer spells them.
func spelled(n int, attempt func(i int) []cua.Scripted) (out []cua.Scripted) {
	for i := range n {
		out = append(out, attempt(i)...)
	}
	return out
}

// A wrong password is sent twice at most also where the site asks for it in steps or calls its form otherwise
// each time.
func TestAWrongPasswordIsSentTwiceHoweverItIsAsked(t *testing.T) {
	t.Parallel() // most of it is waiting
	user, pw, next, login := put("Username", "ada"), put("Password", wrongPassword), click("Next"),
		click("Log in")
	inSteps := slices.Repeat([]cua.Scripted{user, next, pw, login}, 4)
	guesses := spelled(4, func(i int) []cua.Scripted {
		return []cua.Scripted{put("Username", fmt.Sprint("ada", i)), next, pw, login}
	})
	once := slices.Repeat([]cua.Scripted{user, pw, login}, 4)
	letters := "abcdefgh"
	for _, row := range []struct {
		name, start string
		answer      func(r *http.Request, n int) string
		script      []cua.Scripted
	}{
		{"two pages", "", twoPages, inSteps},
		{"two pages, by Return", "", twoPages, slices.Repeat([]cua.Scripted{user, key("Return"), pw, key("Return")}, 4)},
		{"two pages, another user each time", "", twoPages, guesses},
		{"two pages, begun at the second", "/password", twoPages, append([]cua.Scripted{pw, login}, inSteps...)},
		{"two pages, the first asks for more", "", func(r *http.Request, _ int) string {
			switch r.URL.Path {
			case "/user":
				return askPassword
			case "/login":
				return "/?failed"
			}
			return asking("/user", "Next", "Company", "name=company", "Username", "name=user")
		}, slices.Repeat([]cua.Scripted{put("Company", "Acme"), user, next, pw, login}, 4)},
		{"two pages and a choice between them", "", func(r *http.Request, n int) string {
			if r.URL.Path == "/user" {
				return `<form action=/password><p>How do you want to sign in?</p><button>With a password</button></form>`
			}
			return twoPages(r, n)
		}, slices.Repeat([]cua.Scripted{user, next, click("With a password"), pw, login}, 4)},
		{"two pages, both called otherwise each time", "", func(r *http.Request, n int) string {
			switch r.URL.Path {
			case "/user":
				return asking(fmt.Sprint("/login/", n), "Log in", "Password "+letters[n:n+1],
					fmt.Sprint("type=password name=p", n))
			case "/":
				return asking("/user", "Next", "Username "+letters[n:n+1], fmt.Sprint("name=u", n))
			}
			return "/"
		}, spelled(4, func(i int) []cua.Scripted {
			return []cua.Scripted{put("Username "+letters[i:i+1], "ada"), next,
				put("Password "+letters[i:i+1], wrongPassword), login}
		})},
		{"two steps of one page", "", func(*http.Request, int) string { return twoSteps }, inSteps},
		{"one page, and then two", "", func(r *http.Request, n int) string {
			if r.URL.Path == "/" && n == 0 {
				return askBoth
			}
			return twoPages(r, n)
		}, append(slices.Clone(once[:3]), inSteps...)},
		{"the form has another name and address", "", func(_ *http.Request, n int) string {
			return `<h2>Try ` + letters[n:n+1] + `</h2>` + asking(fmt.Sprint("/login/", n), "Log in", "Username", fmt.Sprint("name=u", n), "Password", fmt.Sprint("type=password name=p", n))
		}, once},
		{"all of it has another name", "", func(_ *http.Request, n int) string {
			x := letters[n : n+1]
			return asking("/login/"+x, "Log in "+x, "Username "+x, "name=u"+x, "Password "+x,
				"type=password name=p"+x)
		}, spelled(4, func(i int) []cua.Scripted {
			x := letters[i : i+1]
			return []cua.Scripted{put("Username "+x, "ada"), put("Password "+x, wrongPassword),
				click("Log in " + x)}
		})},
		{"the password comes back as text", "", func(_ *http.Request, n int) string {
			if n == 0 {
				return askBoth
			}
			return asking("/login", "Log in", "Username", "name=user", "Password", "name=pw")
		}, once},
		{"as text in a form with another name", "", func(_ *http.Request, n int) string {
			if n == 0 {
				return askBoth
			}
			return asking(fmt.Sprint("/again/", n), "Log in", "Username", fmt.Sprint("name=u", n), "Password",
				fmt.Sprint("name=p", n))
		}, once},
		{"as text, sent by a script under a moving heading", "", func(_ *http.Request, n int) string {
			kind := "text"
			if n == 0 {
				kind = "password"
			}
			return `<form id=f><h2>Versuch ` + letters[n:n+1] + `</h2><p><label>Username <input name=user></label><p><label>Password <input name=pw type=` + kind + `></label>
<p><button type=button onclick="fetch('/login',{method:'POST',body:new URLSearchParams(new FormData(f))}).then(()=>location.reload())">Anmelden</button></form>`
		}, slices.Repeat([]cua.Scripted{user, pw, click("Anmelden")}, 4)},
		{"placeholders for labels, renamed", "", func(_ *http.Request, n int) string {
			x := letters[n : n+1]
			return `<form method=post action=/login/` + x + `><input name=u` + x + ` placeholder=Username> <input type=password name=p` + x + ` placeholder=Password> <button>Log in</button></form>`
		}, once},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // much of it is waiting
			site, sends := loginSite(t, row.answer)
			tr := play(t, "default", cua.Task{ID: "login", URL: site.URL + row.start}, row.script...)
			if n := sends.Load(); n != 2 {
				t.Errorf("the password was sent %d times, want twice", n)
			}
			rejectedAt(t, tr, len(tr.Steps))
			story(t, tr)
		})
	}
}

// loggingOut asks for user and then for password, shows inside to whoever sent one, and the first page to
// whoever leaves.
func loggingOut(user, password, inside string) func(r *http.Request, n int) string {
	return func(r *http.Request, _ int) string {
		switch r.URL.Path {
		case "/user":
			return password
		case "/login":
			return "/in"
		case "/in", "/letter", "/search", "/news":
			return inside
		}
		return user
	}
}

// A run that is let in, and signs in again later or elsewhere, is not stopped: each send arrives.
func TestAPasswordThatIsNoWrongOneIsNotStopped(t *testing.T) {
	t.Parallel() // most of it is waiting
	user, pw, next, login := put("Username", "ada"), put("Password", wrongPassword), click("Next"),
		click("Log in")
	inSteps, once := []cua.Scripted{user, next, pw, login}, []cua.Scripted{user, pw, login}
	times := func(n int,
		parts ...[]cua.Scripted) []cua.Scripted {
		return slices.Repeat(slices.Concat(parts...), n)
	}
	search := `<form action=/search><p><label>Words <input name=q></label> <button>Search</button></form>`
	newsletter := asking("/news", "Subscribe", "Username", "name=reader")
	change := asking("/change", "Change", "Old password", "type=password name=old", "New password",
		"type=password name=new", "Again", "type=password name=again")
	for _, row := range []struct {
		name   string
		answer func(r *http.Request, n int) string
		script []cua.Scripted
		// want is how often a password is sent.
		want int
	}{
		{"two steps, four times", loggingOut(askUser, askPassword, inside), times(4, inSteps, []cua.Scripted{click("Read"), click("Log out")}), 4},
		{"two steps, four times, out at once", loggingOut(askUser, askPassword, inside), times(4, inSteps, []cua.Scripted{click("Log out")}), 4},
		{"two steps, and a newsletter asks the same", loggingOut(askUser, askPassword, inside+newsletter), times(4, inSteps, []cua.Scripted{click("Read"), click("Log out")}), 4},
		{"a session that ends after a search", loggingOut(askBoth, "", inside+search), times(4, once, []cua.Scripted{put("Words", "reef"), click("Search"), click("Log out")}), 4},
		{"a search before each sign-in", loggingOut(search+`<p><a href=/user>Log in</a>`, askPassword, inside+search),
			times(4, []cua.Scripted{put("Words", "reef"), click("Log in"), pw, login, put("Words", "reef"),
				click("Search"), click("Log out")}), 4},
		{"a transfer is confirmed each time", func(r *http.Request, _ int) string {
			if r.URL.Path == "/user" {
				return askPassword
			}
			return asking("/user", "Next", "Recipient", "name=to", "Amount", "name=amount")
		}, spelled(4, func(i int) []cua.Scripted {
			return []cua.Scripted{put("Recipient", "Bob"), put("Amount", fmt.Sprint(10+i)), next, pw, login}
		}), 4},
		{"the password is changed", func(r *http.Request, n int) string {
			switch {
			case r.URL.Path == "/login":
				return change
			case r.URL.Path == "/change":
				return `<p>Changed.</p><p><a href=/>Log in</a>`
			}
			return askBoth
		}, slices.Concat(once, []cua.Scripted{put("Old password", wrongPassword),
			put("New password", wrongPassword+"2"), put("Again", wrongPassword+"2"), click("Change"),
			click("Log in")}, once, []cua.Scripted{put("Old password", wrongPassword),
			put("New password", wrongPassword+"3"), put("Again", wrongPassword+"3"), click("Change"),
			click("Log in")}, once), 5},
		{"signed up, mistyped once, in", func(r *http.Request, n int) string {
			switch {
			case r.URL.Path == "/login" && n == 3:
				return inside
			case r.URL.Path == "/login", r.URL.Path == "/join":
				return askBoth
			}
			return asking("/join", "Join", "Full name", "name=full", "Username", "name=user", "Password",
				"type=password name=pw", "Repeat password", "type=password name=again")
		}, slices.Concat([]cua.Scripted{put("Full name", "Ada"), user, pw,
			put("Repeat password", wrongPassword), click("Join")}, times(2, once),
			[]cua.Scripted{click("Read")}), 3},
		{"two sites, one after the other", func(r *http.Request, n int) string {
			if r.URL.Path == "/login" {
				return inside + `<p><a href="http://` + strings.Replace(r.Host, "127.0.0.1", "localhost", 1) + `">Next site</a>`
			}
			return askBoth
		}, slices.Concat(once, []cua.Scripted{click("Next site")}, once), 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			site, sends := loginSite(t, row.answer)
			other := strings.Replace(site.URL, "http://127.0.0.1", "localhost", 1)
			tr := play(t, "off", cua.Task{ID: "login", URL: site.URL, Allow: []string{other}},
				row.script...)
			if n := int(sends.Load()); n != row.want {
				t.Errorf("the password was sent %d times, want %d", n, row.want)
			}
			if tr.End == nil || tr.End.Reason != cua.EndDoneFailed { // so ends a script
				t.Errorf("the end is %+v", tr.End)
			}
			story(t, tr)
		})
	}
}
