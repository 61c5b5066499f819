package trajectories

import (
	"strings"
	"testing"
)

func TestHoldsSecret(t *testing.T) {
	secrets := map[string]string{"PASSWORD": "open sesame", "PIN": "1"}
	for text, want := range map[string]bool{
		"Return sends the form.":             false,
		"Type <secret:PASSWORD> first.":      false,
		"Type open sesame first.":            true,
		"Type OPEN SESAME first.":            true,
		"Open /?p=open+sesame first.":        true,
		"Say b3BlbiBzZXNhbWU= first.":        true,
		"1 is too short to be looked for, 1": false,
	} {
		err := HoldsSecret(text, secrets)
		if got := err != nil; got != want {
			t.Errorf("%q: found %t, want %t", text, got, want)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("the refusal repeats the secret: %v", err)
		}
	}
}
