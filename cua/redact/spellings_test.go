package redact

import "testing"

// Spellings that lie one over the other are replaced whole: what is left of one would tell the rest.
func TestOverlappingSpellings(t *testing.T) {
	set := New(map[string]string{"A": "hunter2pass", "B": "passw0rd-very-long"})
	for _, row := range []struct{ text, want string }{
		{"ssap2retnuhunter2pass", "<secret:A>"},
		{"x ssap2retnuhunter2pass2retnuh y", "x <secret:A>2retnuh y"},
		{"hunter2passw0rd-very-long", "<secret:A><secret:B>"},
		{"hunter2pass hunter2pass", "<secret:A> <secret:A>"},
		{"hunter2passhunter2pass", "<secret:A><secret:A>"},
		{"ssap2retnuhunter2p…", "<secret:A>…"},
	} {
		if got := set.Text(row.text); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}

// A page shows one space for several, and none at the ends.
func TestSpacesAsAPageShowsThem(t *testing.T) {
	set := New(map[string]string{"A": "two  spaces  x", "B": " lead-secret\t", "C": "a    b"})
	for _, row := range []struct{ text, want string }{
		{"two spaces x", "<secret:A>"},
		{"x secaps owt.", "<secret:A>."},
		{"two  spaces  x", "<secret:A>"},
		{"lead-secret", "<secret:B>"},
		{"a b", "a b"}, // too short
		{"two spaces", "two spaces"},
	} {
		if got := set.Text(row.text); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}
