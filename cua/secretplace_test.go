package cua

import "testing"

func TestCheckSecret(t *testing.T) {
	for _, c := range []struct {
		name  string
		start string
		hosts []string
		of    string
		want  string // "" is permission
	}{
		{"the start page", "https://shop.example/in", nil, "https://shop.example/pay?x", ""},
		{"its origin", "https://shop.example/in", nil, "https://shop.example", ""},
		{"another site", "https://shop.example/in", nil, "https://pay.example", ReasonHost},
		{"a name below the start page's", "https://shop.example/in", nil, "https://evil.shop.example", ReasonHost},
		{"a site that is listed", "https://shop.example/in", []string{"pay.example"}, "https://www.pay.example", ""},
		{"another port than is listed", "https://shop.example/in", []string{"pay.example:443"}, "https://pay.example:8443", ReasonHost},
		{"no longer encrypted", "https://shop.example/in", nil, "http://shop.example", ReasonPlain},
		{"in capitals", "https://shop.example/in", nil, "HTTP://shop.example", ReasonPlain},
		{"listed, and not encrypted", "https://shop.example/in", []string{"pay.example"}, "http://pay.example", ReasonPlain},
		{"listed, and not encrypted, from a page in clear", "http://shop.example/in", []string{"pay.example"}, "http://pay.example", ReasonPlain},
		{"a start page in clear", "http://shop.example/in", nil, "http://shop.example", ""},
		{"another port of its host that is listed", "http://10.0.0.5:8080/", []string{"10.0.0.5:9090"}, "http://10.0.0.5:9090", ""},
		{"from clear to encrypted", "http://shop.example/in", nil, "https://shop.example", ""},
		{"this machine", "http://127.0.0.1:8080/", nil, "http://127.0.0.1:8080", ""},
		{"this machine, another port", "http://127.0.0.1:8080/", nil, "http://127.0.0.1:9090", ReasonPrivate},
		{"this machine by name, listed", "https://shop.example/", []string{"localhost:9090"}, "http://localhost:9090", ""},
		{"this machine by number, listed", "https://shop.example/", []string{"[::1]:9090"}, "http://[::1]:9090", ""},
		{"the network's machine, listed", "https://shop.example/", []string{"10.0.0.5:9090"}, "http://10.0.0.5:9090", ReasonPlain},
		{"a document without an origin", "https://shop.example/in", nil, "null", ReasonScheme},
		{"a file", "https://shop.example/in", nil, "file://", ReasonScheme},
		{"nothing", "https://shop.example/in", nil, "", ReasonScheme},
		{"no start page", "", nil, "https://shop.example", ReasonHost},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, open := range []bool{false, true} {
				reason, err := AllowList{Start: c.start, Hosts: c.hosts, Open: open}.checkSecret(c.of)
				if reason != c.want || (err != nil) != (c.want != "") {
					t.Errorf("open %t: %q (%v), want %q", open, reason, err, c.want)
				}
			}
		})
	}
}

// An origin of its own narrows where a secret may go, and widens nothing.
func TestCheckSecretWithAnOrigin(t *testing.T) {
	task := Task{URL: "https://shop.example/in", Allow: []string{"login.example", "pay.example"},
		SecretOrigins: map[string]string{"PW": "https://login.example", "FAR": "https://bank.example"}}
	for _, c := range []struct{ name, secret, of, want string }{
		{"its origin", "PW", "https://login.example/x?y", ""},
		{"its origin with the port that goes without saying", "PW", "https://login.example:443", ""},
		{"the start page", "PW", "https://shop.example", ReasonBound},
		{"another site that is listed", "PW", "https://pay.example", ReasonBound},
		{"a name below it", "PW", "https://www.login.example", ReasonBound},
		{"another port", "PW", "https://login.example:8443", ReasonBound},
		{"no longer encrypted", "PW", "http://login.example", ReasonPlain},
		{"an origin that is not listed", "FAR", "https://bank.example", ReasonHost},
		{"one without an origin", "PIN", "https://pay.example", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if reason, err := task.CheckSecret(c.secret, c.of); reason != c.want ||
				(err != nil) != (c.want != "") {
				t.Errorf("%q (%v), want %q", reason, err, c.want)
			}
		})
	}
}
