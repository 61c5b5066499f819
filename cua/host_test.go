package cua

import (
	"strings"
	"testing"
)

func TestPunycode(t *testing.T) {
	// The samples of RFC 3492, section 7.1, that are lower case.
	for in, want := range map[string]string{
		"ليهمابتكلموشعربي؟":            "egbpdaj6bu4bxfgehfvwxn",
		"他们为什么不说中文":                    "ihqwcrb4cv8a8dqg056pqjye",
		"למההםפשוטלאמדבריםעברית":       "4dbcagdahymbxekheh6e0a7fei0b",
		"почемужеонинеговорятпорусски": "b1abfaaepdrnnbgefbadotcwatmq2g4l",
		"bücher":   "bcher-kva",
		"3年b組金八先生": "3b-ww4c5e180e575a65lsy2b",
	} {
		if got := punycode([]rune(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"https://shop.example/", "http://[::1]:80/", "http://a@b/", "http://BÜCHER.example.:1/", "http://0x7f.1", "http://\xff/"} {
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
		if strings.ToLower(h.Name) != h.Name || strings.ContainsAny(h.Name, "@/\\ %") || h.Port < 1 || h.Port > 65535 {
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
