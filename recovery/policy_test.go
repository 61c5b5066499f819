package recovery

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func visit(t tb, c PolicyConfig, task cua.Task, url string) cua.Ruling {
	t.Helper()
	turn := begin(page("")).turn()
	turn.Task = task
	return review(t, Policy{Config: c}, turn, cua.Proposal{Action: cua.Action{Kind: cua.Navigate, URL: url}})
}

func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		name  string
		allow []string
		url   string
		want  string // "" passes, else the reason
	}{
		{"the start page's host", nil, "http://start.example:8080/x", ""},
		{"its scheme may change between default ports", []string{"*"}, "http://start.example:443/", cua.ReasonHost},
		{"another port of the start page's host", nil, "http://start.example:8081/", cua.ReasonHost},
		{"a name below the start page's host", nil, "http://a.start.example:8080/", cua.ReasonHost},
		{"an exact host", []string{"shop.example"}, "https://shop.example/a?b#c", ""},
		{"a name below it", []string{"shop.example"}, "https://www.shop.example/", ""},
		{"mixed case and a trailing dot", []string{"Shop.Example."}, "https://SHOP.example./", ""},
		{"any port of a host without one", []string{"shop.example"}, "https://shop.example:8443/", ""},
		{"a listed port", []string{"shop.example:8443"}, "https://shop.example:8443/", ""},
		{"the scheme's port is the listed one", []string{"shop.example:443"}, "https://shop.example/", ""},
		{"another port than the listed", []string{"shop.example:8443"}, "https://shop.example/", cua.ReasonHost},
		{"a prefix is no match", []string{"shop.example"}, "https://shop.example.evil.test/", cua.ReasonHost},
		{"a substring is no match", []string{"shop.example"}, "https://notshop.example/", cua.ReasonHost},
		{"a host above the listed one", []string{"www.shop.example"}, "https://shop.example/", cua.ReasonHost},
		{"nothing is listed", nil, "https://shop.example/", cua.ReasonHost},
		{"the host hides behind userinfo", []string{"shop.example"}, "https://shop.example@evil.test/", cua.ReasonBadURL},
		{"userinfo with a password", []string{"shop.example"}, "https://shop.example:443@evil.test/", cua.ReasonBadURL},
		{"a backslash parts the host in browsers", []string{"shop.example"}, `https://evil.test\.shop.example/`, cua.ReasonBadURL},
		{"a backslash behind userinfo", []string{"shop.example"}, `https://evil.test\@shop.example/`, cua.ReasonBadURL},
		{"slashes that browsers supply", []string{"shop.example"}, "https:shop.example", cua.ReasonBadURL},
		{"no host", []string{"shop.example"}, "https:///shop.example", cua.ReasonBadURL},
		{"a control character", []string{"shop.example"}, "https://shop\t.example/", cua.ReasonBadURL},
		{"a percent sign in the host", []string{"shop.example"}, "https://evil.test%2f.shop.example/", cua.ReasonBadURL},
		{"a port that is none", []string{"shop.example"}, "https://shop.example:0/", cua.ReasonBadURL},
		{"a script", []string{"shop.example"}, "javascript:location='https://shop.example'", cua.ReasonScheme},
		{"a file", nil, "file:///etc/passwd", cua.ReasonScheme},
		{"a source view", []string{"shop.example"}, "view-source:https://shop.example/", cua.ReasonScheme},
		{"a data page", nil, "data:text/html,x", cua.ReasonScheme},
		{"no scheme", []string{"shop.example"}, "//shop.example/", cua.ReasonScheme},
		{"punycode and letters are one host", []string{"bücher.example"}, "https://xn--bcher-kva.example/", ""},
		{"letters of mixed case", []string{"xn--bcher-kva.example"}, "https://BÜCHER.example/", ""},
		{"a look-alike in other letters", []string{"shop.example"}, "https://ѕhop.example/", cua.ReasonHost},
		{"full-width letters are no match", []string{"shop.example"}, "https://ｓhop.example/", cua.ReasonHost},
		{"a letter whose lower case would be ASCII", []string{"info.example"}, "https://İnfo.example/", cua.ReasonBadURL},
		{"the Kelvin sign", []string{"kelvin.example"}, "https://\u212aelvin.example/", cua.ReasonBadURL},
		{"an ideographic full stop", []string{"shop.example"}, "https://evil.test。shop.example/", cua.ReasonBadURL},
		{"loopback", []string{"127.0.0.1"}, "http://127.0.0.1/", cua.ReasonPrivate},
		{"loopback with its port listed", []string{"127.0.0.1:80"}, "http://127.0.0.1/", ""},
		{"localhost is no public name", []string{"localhost"}, "http://localhost:3000/", cua.ReasonPrivate},
		{"localhost with its port listed", []string{"localhost:3000"}, "http://localhost:3000/", ""},
		{"loopback as one number", []string{"127.0.0.1:80"}, "http://2130706433/", cua.ReasonBadURL},
		{"loopback in hex", []string{"127.0.0.1:80"}, "http://0x7f.1/", cua.ReasonBadURL},
		{"loopback in short", []string{"127.0.0.1:80"}, "http://127.1/", cua.ReasonBadURL},
		{"the metadata service", []string{"169.254.169.254"}, "http://169.254.169.254/latest", cua.ReasonPrivate},
		{"a private range", []string{"10.0.0.5"}, "http://10.0.0.5/", cua.ReasonPrivate},
		{"carrier-grade NAT", []string{"100.64.0.1"}, "http://100.64.0.1/", cua.ReasonPrivate},
		{"IPv6 loopback", []string{"[::1]"}, "http://[::1]/", cua.ReasonPrivate},
		{"IPv6 with its port listed, in another spelling", []string{"[0:0:0:0:0:0:0:1]:8080"}, "http://[::1]:8080/", ""},
		{"an IPv4 address inside an IPv6 one", []string{"[::ffff:127.0.0.1]"}, "http://[::ffff:127.0.0.1]/", cua.ReasonPrivate},
		{"a carrier's address inside an IPv6 one", []string{"[::ffff:100.64.0.1]"}, "http://[::ffff:100.64.0.1]/", cua.ReasonPrivate},
		{"a unique local address", []string{"[fd00::1]"}, "http://[fd00::1]/", cua.ReasonPrivate},
		{"a zone", []string{"[fe80::1]:80"}, "http://[fe80::1%25eth0]/", cua.ReasonBadURL},
		{"a public address", []string{"93.184.216.34"}, "http://93.184.216.34/", ""},
		{"an address is no suffix", []string{"184.216.34"}, "http://93.184.216.34/", cua.ReasonHost},
		{"a bad entry admits nothing", []string{"https://shop.example"}, "https://shop.example/", cua.ReasonHost},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := visit(t, PolicyConfig{}, cua.Task{URL: "http://start.example:8080/login",
				Allow: c.allow}, c.url)
			if got := r.Reason; got != c.want {
				t.Errorf("%s with %v: %q (%s), want %q", c.url, c.allow, got, r.Detail, c.want)
			}
			if (r.Verdict == cua.Refuse) != (c.want != "") {
				t.Errorf("verdict %s", r.Verdict)
			}
		})
	}
}

func TestPolicyMisc(t *testing.T) {
	task := cua.Task{URL: "http://start.example/"}
	if r := visit(t, PolicyConfig{}, task, "https://start.example/"); r.Verdict != cua.Pass {
		t.Errorf("a start page on http covers https: %+v", r)
	}
	if r := visit(t, PolicyConfig{Allow: []string{"other.example"}}, task,
		"https://other.example/"); r.Verdict != cua.Pass {
		t.Errorf("the config's own list counts: %+v", r)
	}
	if r := visit(t, PolicyConfig{Open: true}, task, "https://any.example/"); r.Verdict != cua.Pass {
		t.Errorf("open admits public hosts while nothing is listed: %+v", r)
	}
	if r := visit(t, PolicyConfig{Open: true}, task, "http://192.168.1.1/"); r.Reason != cua.ReasonPrivate {
		t.Errorf("open admits no private address: %+v", r)
	}
	task.Allow = []string{"shop.example"}
	if r := visit(t, PolicyConfig{Open: true}, task, "https://any.example/"); r.Reason != cua.ReasonHost {
		t.Errorf("open does not widen a list: %+v", r)
	}
	turn := begin(page("")).turn()
	for name, p := range map[string]cua.Proposal{
		"a blank tab":               {Action: cua.Action{Kind: cua.NewTab}},
		"an action without address": proposal(button()),
		"a failed proposal":         {Action: cua.Action{Kind: cua.Navigate, URL: "file:///"}, Failure: &cua.Failure{Kind: cua.FailNotFound}},
	} {
		if r := review(t, Policy{}, turn, p); r.Verdict != cua.Pass {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := review(t, Policy{}, turn, cua.Proposal{Action: cua.Action{Kind: cua.NewTab,
		URL: "https://evil.test/"}}); r.Verdict != cua.Refuse {
		t.Errorf("a new tab goes where navigate goes: %+v", r)
	}
}

// TestPolicyPropertyClosed: whatever is asked for, what passes is a listed host or one below it.
func TestPolicyPropertyClosed(t *testing.T) {
	label := rapid.StringMatching(`[a-zA-Z0-9üжİ_-]{1,6}`)
	rapid.Check(t, func(t *rapid.T) {
		allow := rapid.SliceOfN(rapid.SampledFrom([]string{"shop.example", "a.b.example:8080",
			"bücher.example", "10.0.0.1:80", "93.184.216.34"}), 0, 3).Draw(t, "allow")
		host := strings.Join(rapid.SliceOfN(rapid.OneOf(label, rapid.SampledFrom([]string{"shop", "example",
			"a", "b", "10", "1"})), 1, 4).Draw(t, "host"), ".")
		url := rapid.SampledFrom([]string{"http://", "https://", "http://shop.example@", "http:",
			"//"}).Draw(t, "scheme") + host +
			rapid.SampledFrom([]string{"", ":8080", ":80", "/shop.example", "?shop.example", "#.shop.example",
				"."}).Draw(t, "rest")
		r := visit(t, PolicyConfig{}, cua.Task{URL: "https://start.example/", Allow: allow}, url)
		if r.Verdict != cua.Pass {
			return
		}
		to, _, err := cua.ParseAddress(url)
		if err != nil {
			t.Fatalf("%q passed and cannot be read: %v", url, err)
		}
		for _, e := range allow {
			name, _, _ := strings.Cut(strings.Replace(e, "bücher", "xn--bcher-kva", 1), ":")
			if to.Name == name || strings.HasSuffix(to.Name, "."+name) {
				return
			}
		}
		t.Fatalf("%q passed with %v", url, allow)
	})
}

func TestPolicyOnSecrets(t *testing.T) {
	password := textField("pw", "Password")
	password.Type = "password"
	city := textField("city", "City")
	again := textField("pw2", "Another password")
	again.Type = "password"
	inside := func(id, origin string) cua.Field {
		f := textField(id, "Code")
		f.Type, f.Frame, f.Origin = "password", "0", origin
		return f
	}
	framed := inside("framed", "https://pay.example")
	mine := []cua.FormValue{value("Password", "<secret:PW>", "pw", false)}
	into := func(id string) cua.Proposal {
		return cua.Proposal{Action: cua.Action{Kind: cua.Type, Into: id, Text: "<secret:PW>"}}
	}
	pressed := cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: at(1, 1), Text: "<secret:PW>"},
		Target: cua.Target{ID: "label", Field: "pw"}}
	for _, c := range []struct {
		name   string
		values []cua.FormValue
		start  string
		allow  []string
		here   string // the page; "" is the usual one
		focus  *cua.Field
		bound  string // the secret's own origin
		p      cua.Proposal
		want   string
	}{
		{name: "its own field", values: mine, p: into("pw")},
		{name: "pressed by its label", values: mine, p: pressed},
		{name: "its own field has the focus", values: mine, focus: &password, p: into("")},
		{name: "another field", values: mine, p: into("city"), want: ReasonSecretField},
		{name: "another field has the focus", values: mine, focus: &city, p: into(""), want: ReasonSecretField},
		{name: "another password field", values: mine, p: into("pw2"), want: ReasonSecretField},
		{name: "its confirmation", values: append(slices.Clone(mine), value("Confirm password", "<secret:PW>", "pw2", false)), p: into("pw2")},
		{name: "nothing has the focus", values: mine, p: into(""), want: ReasonSecretField},
		{name: "a place where no field is", values: mine, p: cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: at(1, 1), Text: "<secret:PW>"}, Target: cua.Target{ID: "@0,0"}}, want: ReasonSecretField},
		{name: "the plan does not name it: a field for secrets", p: into("pw")},
		{name: "the plan does not name it: any other field", p: into("city"), want: ReasonSecretField},
		{name: "no visible field is its own: a field for secrets", values: []cua.FormValue{value("Login code", "<secret:PW>", "", false)}, p: into("pw")},
		{name: "another site", values: mine, start: "https://start.example/", p: into("pw"), want: ReasonSecretOrigin},
		{name: "another site's document in the page", values: []cua.FormValue{value("Password", "<secret:PW>", "framed", false)}, p: into("framed"), want: ReasonSecretOrigin},
		{name: "another site's document that has the focus", focus: &framed, p: into(""), want: ReasonSecretOrigin},
		{name: "another site's document, pressed", p: cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: at(1, 1), Text: "<secret:PW>"}, Target: cua.Target{ID: "framed", Field: "framed"}}, want: ReasonSecretOrigin},
		{name: "another site's document is pressed and the own field named", values: mine, p: cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: at(1, 1), Into: "pw", Text: "<secret:PW>"}, Target: cua.Target{ID: "framed", Field: "framed"}}, want: ReasonSecretOrigin},
		{name: "a place of which nothing is known, the own field named and focused", values: mine, focus: &password, p: cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: at(1, 1), Into: "pw", Text: "<secret:PW>"}}, want: ReasonSecretField},
		{name: "another site's document that the task lists", allow: []string{"pay.example"}, p: into("framed")},
		{name: "a document without an origin", p: into("sandboxed"), want: ReasonSecretOrigin},
		{name: "a document that is not encrypted", allow: []string{"pay.example"}, p: into("plain"), want: ReasonSecretPlain},
		{name: "the page is not encrypted, and the start page was", values: mine, start: "https://start.example/", allow: []string{"shop.example"}, here: "http://shop.example/in", p: into("pw"), want: ReasonSecretPlain},
		{name: "neither was the start page", values: mine, start: "http://shop.example/", here: "http://shop.example/in", p: into("pw")},
		{name: "this machine", values: mine, start: "http://127.0.0.1:81/", here: "http://127.0.0.1:81/in", p: into("pw")},
		{name: "another site that the task lists", values: mine, start: "https://start.example/", allow: []string{"shop.example"}, p: into("pw")},
		{name: "its own origin", values: mine, bound: "https://shop.example", p: into("pw")},
		{name: "another site that the task lists, and the secret is not for it", allow: []string{"pay.example"}, bound: "https://shop.example", p: into("framed"), want: ReasonSecretOrigin},
		{name: "the start page, and the secret is for a document in it", values: mine, allow: []string{"pay.example"}, bound: "https://pay.example", p: into("pw"), want: ReasonSecretOrigin},
		{name: "that document", allow: []string{"pay.example"}, bound: "https://pay.example", p: into("framed")},
		{name: "a text about a secret is none", values: mine, p: cua.Proposal{Action: cua.Action{Kind: cua.Type, Into: "city", Text: "write <secret:PW> here"}}},
		{name: "an answer that names it", values: mine, p: cua.Proposal{Action: cua.Action{Kind: cua.Done, Text: "<secret:PW>"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := page("s")
			o.Fields, o.Focus = []cua.Field{password, city, again, framed, inside("sandboxed", "null"),
				inside("plain", "http://pay.example")}, c.focus
			if c.here != "" {
				o.URL = c.here
			}
			turn := begin(o).turn()
			turn.Task = cua.Task{URL: site, Allow: c.allow}
			if c.bound != "" {
				turn.Task.SecretOrigins = map[string]string{"PW": c.bound, "OTHER": "https://other.example"}
			}
			if c.start != "" {
				turn.Task.URL = c.start
			}
			if c.values != nil {
				turn.Form = &cua.FormState{Values: c.values}
			}
			r := review(t, Policy{Config: DefaultConfig().Policy}, turn, c.p)
			if r.Reason != c.want || (r.Verdict == cua.Refuse) != (c.want != "") {
				t.Errorf("%+v, want %q", r, c.want)
			}
		})
	}
}

// A form that an interrupted step may have sent is asked about before it is sent again. A person who is there
// decides; nobody else does, whatever the policy for unattended runs is.
func TestPolicyOnUncertainSends(t *testing.T) {
	send := cua.Target{ID: "send", Role: "button", Name: "Send", Submit: true, Form: "f", Point: at(10, 10)}
	press := cua.Proposal{Action: click(send), Target: send}
	for _, c := range []struct {
		name    string
		stuck   StopRule
		task    cua.Task
		verdict cua.Verdict
		end     cua.EndReason
	}{
		{"unattended", StopRule{}, cua.Task{}, cua.Halt, cua.EndAsked},
		{"unattended, where the policy is to go on", StopRule{Policy: SpiralContinue}, cua.Task{}, cua.Halt, cua.EndAsked},
		{"attended", StopRule{Attended: true}, cua.Task{}, cua.Pause, cua.EndPaused},
		{"sending twice is harmless", StopRule{}, cua.Task{Idempotent: true}, cua.Pass, ""},
	} {
		s := begin(page("s"))
		in := cua.IntentOf(&s.h, &cua.Step{N: 1, Action: &press.Action, Target: send})
		s.h.Resumed = []cua.Resumption{{Page: page("s"), Interrupted: &in}}
		turn := s.turn()
		turn.Task = c.task
		r := review(t, Policy{Config: DefaultConfig().Policy, Stop: c.stuck}, turn, press)
		if r.Verdict != c.verdict || r.End != c.end || c.verdict != cua.Pass &&
			r.Reason != cua.UncertainSend {
			t.Errorf("%s: %+v, want %s as %q", c.name, r, c.verdict, c.end)
		}
	}
}

// Rejections count in a row: who was let in between has other credentials, or another session.
func TestRejectionsInARow(t *testing.T) {
	box := textField("textbox/password", "Password")
	box.Type, box.Form, box.Empty = "password", "f", false
	asks := page("s")
	asks.Document, asks.Fields, asks.Forms = "d", []cua.Field{box}, []cua.Form{{ID: "f"}}
	send := cua.Target{ID: "send", Role: "button", Name: "Sign in", Submit: true, Form: "f",
		Point: at(10, 10)}
	sent := func(statuses ...int) *story {
		s := begin(asks)
		for _, status := range statuses {
			a, after := click(send), asks
			after.Writes = []cua.Write{{Method: "POST", Status: status}}
			if status == 303 { // it was let in, and signed out again
				after.Fields, after.Forms, after.URL = nil, nil, "https://shop.test/welcome"
			}
			s.add(cua.Step{Proposed: a, Action: &a, Target: send, After: after})
			if status == 303 {
				out := cua.Action{Kind: cua.Click, Point: at(50, 50)}
				s.add(cua.Step{Proposed: out, Action: &out, After: asks})
			}
		}
		return s
	}
	for _, c := range []struct {
		name string
		s    *story
		stop bool
	}{
		{"one", sent(401), false},
		{"two", sent(401, 401), true},
		{"let in between", sent(401, 303, 401), false},
		{"two after that", sent(401, 303, 401, 401), true},
	} {
		r := review(t, Policy{Config: DefaultConfig().Policy}, c.s.turn(), proposal(send))
		if (r.Reason == ReasonCredentials) != c.stop {
			t.Errorf("%s: ruled %+v", c.name, r)
		}
	}
}
