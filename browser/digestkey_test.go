package browser

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// What a process recorded of a page that shows a secret is comparable with what the next one sees: a form
// that is the same looks the same, so it is not sent twice, and a loop goes on. Without the checkpoint it
// differs.
func TestDigestsOutliveTheProcess(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title>shows</title><p>Welcome, hunter2 of Ada</p>
		<form><input aria-label=Note value="from hunter2 of Ada"><button type=button>b</button></form>`})
	o := SessionOptions{Secrets: map[string]string{"PW": "hunter2 of Ada"}}
	first, second := open(t, o, ts.URL), open(t, o, ts.URL) // each has its key, as another process has
	then := first.last
	same := func(now cua.Observation) bool {
		was, is := then.Fields[0].ValueDigest, now.Fields[0].ValueDigest
		if !strings.HasPrefix(was, cua.DigestSecret) || !strings.HasPrefix(is, cua.DigestSecret) {
			t.Fatalf("%q, %q", was, is)
		}
		return was == is && then.FormDigest == now.FormDigest && then.DOMDigest == now.DOMDigest
	}
	if same(second.last) {
		t.Error("without the key it is the same, too")
	}
	out := second.back(then.State, cua.Facets())
	if !same(out.After) {
		t.Errorf("%q and %q, %s and %s", then.Fields[0].ValueDigest, out.After.Fields[0].ValueDigest,
			then.DOMDigest, out.After.DOMDigest)
	}
	second.digests.adopt([]byte("short"))
	if !bytes.Equal(second.digests.now(), first.digests.now()) {
		t.Error("what is no key was adopted")
	}
}
