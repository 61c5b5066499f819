package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// What is recorded of a value that was cut, or that has a secret in it, is the digest of no text: neither can
// the secret be guessed from it, nor does it equal what a plan wants. Another value gives another digest.
func TestMarkedDigests(t *testing.T) {
	secrets := map[string]string{"PW": "opensesame1", "PIN": "7261"}
	in := mergeInput{Secrets: secrets, Spelled: redact.New(secrets)}
	plain := func(f fieldRaw) string { return cua.Digest(f.Value) }
	marked := func(begin string) func(fieldRaw) string {
		return func(fieldRaw) string { return begin }
	}
	for _, row := range []struct {
		name  string
		f     fieldRaw
		other fieldRaw // differs from f
		want  func(fieldRaw) string
	}{
		{"a text", fieldRaw{Value: "open"}, fieldRaw{Value: "opens"}, plain},
		{"a cut value", fieldRaw{Value: "aaa", Rest: "5 1"}, fieldRaw{Value: "aaa", Rest: "5 2"}, marked(cua.DigestCut)},
		{"a secret, cut", fieldRaw{Value: "opensesame1", Rest: "12 1"}, fieldRaw{Value: "opensesame1", Rest: "13 1"}, marked(cua.DigestCut)},
		{"a secret in other text", fieldRaw{Value: "pin=7261"}, fieldRaw{Value: "PIN=7261"}, marked(cua.DigestSecret)},
		{"in letters of another case", fieldRaw{Value: "OPENSESAME1"}, fieldRaw{Value: "Opensesame1"}, marked(cua.DigestSecret)},
		{"reversed", fieldRaw{Value: "1emasesnepo"}, fieldRaw{Value: "1EMASESNEPO"}, marked(cua.DigestSecret)},
		{"a field that took a part of what it was given", fieldRaw{Value: "72", Given: "PIN"}, fieldRaw{Value: "726", Given: "PIN"}, marked(cua.DigestSecret)},
		{"a field that was given a secret and holds another text", fieldRaw{Value: "blue heron", Given: "PIN"}, fieldRaw{Value: "blue", Given: "PIN"}, plain},
		{"a part of a secret in another field", fieldRaw{Value: "72"}, fieldRaw{Value: "726"}, plain},
		{"the secret", fieldRaw{Value: "7261"}, fieldRaw{Value: "72611"}, func(fieldRaw) string { return cua.Digest("<secret:PIN>") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, want := row.f.field(in), row.want(row.f)
			digest, ok := strings.CutPrefix(got.ValueDigest, want)
			ok = ok && len(digest) == 16 && digest != cua.Digest(row.f.Value)
			switch {
			case strings.HasSuffix(want, ":") && !ok:
				t.Errorf("the digest %q, want one that begins with %q", got.ValueDigest, want)
			case !strings.HasSuffix(want, ":") && got.ValueDigest != want:
				t.Errorf("the digest %q, want %q", got.ValueDigest, want)
			}
			if again := row.f.field(in); again.ValueDigest != got.ValueDigest {
				t.Error("the digest is another each time")
			}
			if other := row.other.field(in); other.ValueDigest == got.ValueDigest {
				t.Errorf("%q and %q have one digest", row.f.Value, row.other.Value)
			}
			if got.Secret != "" && got.ValueDigest != cua.Digest("<secret:"+got.Secret+">") {
				t.Errorf("the field is the secret %q", got.Secret)
			}
		})
	}
}

// A value that is longer than what leaves the page is marked, in each kind of field, and a change at its very
// end shows. One that is just as long is a value like others.
func TestLongValuesAreMarked(t *testing.T) {
	st := newStage(t, map[string]string{"/": `<textarea id=a aria-label=Area></textarea><input id=i aria-label=Line><div id=c contenteditable aria-label=Rich></div>
<div id=b role=combobox tabindex=0 aria-label=Box></div><div id=s role=slider tabindex=0 aria-label=Slide>x</div><button onclick="n++;put()">More</button>
<script>let n = 100000; function put() { const v = 'x'.repeat(n); a.value = v; i.value = v; c.textContent = v; b.textContent = v; s.setAttribute('aria-valuetext', v); } put()</script>
<style>div{width:200px;height:20px;overflow:hidden}</style>`}, nil)
	whole := strings.Repeat("x", 100000)
	names := []string{"Area", "Line", "Rich", "Box", "Slide"}
	for _, name := range names {
		if f := st.field(name); f.ValueDigest != cua.Digest(whole) {
			t.Errorf("%s: the digest of a whole value is %q, want %q", name, f.ValueDigest, cua.Digest(whole))
		}
	}
	st.click("More")
	before := map[string]string{}
	for _, name := range names {
		f := st.field(name)
		if !strings.HasPrefix(f.ValueDigest, cua.DigestCut) {
			t.Errorf("%s: the digest of a value that was cut is %q, want a mark", name, f.ValueDigest)
		}
		before[name] = f.ValueDigest
	}
	st.click("More")
	for _, name := range names {
		if f := st.field(name); f.ValueDigest == before[name] {
			t.Errorf("%s: what was added at the end is not seen", name)
		}
	}
}

// The digest of a part of the page that shows a secret is another in each episode, so that nobody guesses a
// short one from it. It is the same whenever the page shows the same; parts without a secret are as ever.
func TestDigestsOfPartsTellNoSecret(t *testing.T) {
	const page = `<title>t</title><section><h2>Hello</h2><p>Your code is <span id=s>none</span></p></section>
<section><h2>Other</h2><p>Nothing here</p></section><section><button id=b aria-label=none>Go</button></section>
<button onclick="s.textContent='7261';b.setAttribute('aria-label','code 7261')">Show</button>
<button onclick="s.textContent='none';b.setAttribute('aria-label','none')">Hide</button>`
	shown := func(secrets map[string]string) (before, during map[string]string) {
		st := newStageWith(t, SessionOptions{SettleCap: patience, Secrets: secrets},
			map[string]string{"/": page}, nil)
		before = st.now.DOMParts
		st.click("Show")
		during = st.now.DOMParts
		st.click("Hide")
		if left := changedParts(before, st.now.DOMParts); len(left) > 0 {
			t.Errorf("the page is as before, and the parts %q are others", left)
		}
		st.click("Show")
		if left := changedParts(during, st.now.DOMParts); len(left) > 0 {
			t.Errorf("the page shows the secret again, and the parts %q are others", left)
		}
		return before, during
	}
	plainBefore, plain := shown(nil)
	if again, same := shown(nil); len(changedParts(plainBefore, again))+len(changedParts(plain, same)) > 0 {
		t.Error("without secrets, digests of two episodes differ")
	}
	changed := changedParts(plainBefore, plain)
	if len(changed) < 2 {
		t.Fatalf("the secret shows in the parts %q, want the text and the label", changed)
	}
	secrets := map[string]string{"PIN": "7261"}
	before, during := shown(secrets)
	_, other := shown(secrets)
	if left := changedParts(plainBefore, before); len(left) > 0 {
		t.Errorf("no secret shows, and the digests of %q are others than without secrets", left)
	}
	for name, parts := range map[string]map[string]string{"without secrets": plain,
		"of another episode": other} {
		if left := changedParts(during, parts); !slices.Equal(left, changed) {
			t.Errorf("digests other than those %s: %q, want those of %q", name, left, changed)
		}
	}
}
