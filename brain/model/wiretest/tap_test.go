package wiretest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
)

// TestATapFindsWhatIsWrong: each request that nobody may send, once.
func TestATapFindsWhatIsWrong(t *testing.T) {
	const key, secret = "planted-key-0123456789", "tangerine-4711"
	for _, row := range []struct{ name, header, address, body, want string }{
		{"nothing", key, "https://a.test/v1", `{"text":"<secret:PW>"}`, ""},
		{"no key in a header", "", "https://a.test/v1", `{}`, "in 0 headers"},
		{"the key in the address", key, "https://a.test/v1?key=" + key, `{}`, "address or its body"},
		{"the key in the body", key, "https://a.test/v1", `{"text":"` + key + `"}`, "address or its body"},
		{"a secret", key, "https://a.test/v1", `{"a":[{"text":"it is tangerine-4711"}]}`, "not fit to be sent"},
		{"a secret, escaped", key, "https://a.test/v1", `{"a":"it is t\u0061ngerine-4711"}`, "not fit to be sent"},
		{"a secret in an address", key, "https://a.test/v1?q=tangerine-4711", `{}`, "not fit to be sent"},
		{"a sentinel", key, "https://a.test/v1", `{"a":"so it was: \"` + string(trajectories.LoopNudge) + `\""}`, "sentinel"},
		{"no JSON", key, "https://a.test/v1", `{`, "no JSON"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodPost, row.address, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Key", row.header)
			got := strings.Join((&Tap{Key: key, Secrets: map[string]string{"PW": secret}}).wrong(r,
				[]byte(row.body)), "; ")
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
