package cua

import (
	"strings"
	"testing"
)

func TestAsciiName(t *testing.T) {
	// Among them the samples of RFC 3492, section 7.1, that are lower case. "" is an error.
	for in, want := range map[string]string{
		"他们为什么不说中文":                    "xn--ihqwcrb4cv8a8dqg056pqjye",
		"למההםפשוטלאמדבריםעברית":       "xn--4dbcagdahymbxekheh6e0a7fei0b",
		"почемужеонинеговорятпорусски": "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l",
		"3年b組金八先生":                     "xn--3b-ww4c5e180e575a65lsy2b",
		"BÜCHER.Shop.example.":         "xn--bcher-kva.shop.example",
		"xn--bcher-kva.example":        "xn--bcher-kva.example",
		"my_shop.example":              "my_shop.example",
		"127.0.0.1":                    "127.0.0.1",
		"-a-.xn--.example":             "-a-.xn--.example",
		"xn--bücher.example":           "",
		"xn--bücher-kva.example":       "",
		"ليهمابتكلموشعربي؟":            "",
		"a..example":                   "",
		"fuß.example":                  "xn--fu-hia.example",
		"FUẞ.example":                  "",
	} {
		if got, err := asciiName(in); got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %s, %v, want %s", in, got, err, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"https://shop.example/", "http://[::1]:80/", "http://a@b/",
		"http://BÜCHER.example.:1/", "http://0x7f.1", "http://\xff/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		h, reason, err := ParseAddress(raw)
		if err != nil {
			if reason == "" {
				t.Fatal("an error without a reason")
			}
			return
		}
		if strings.ToLower(h.Name) != h.Name || strings.ContainsAny(h.Name, "@/\\ %") || h.Port < 1 ||
			h.Port > 65535 {
			t.Fatalf("%q reads as %+v", raw, h)
		}
		for _, r := range h.Name {
			if r > 127 {
				t.Fatalf("%q is not ASCII: %q", raw, h.Name)
			}
		}
		again, err := ParseHost(h.String())
		if err != nil || again.Name != h.Name || again.Port != h.Port || !again.admits(h) {
			t.Fatalf("%q: %s reads back as %+v, %v", raw, h, again, err)
		}
	})
}
