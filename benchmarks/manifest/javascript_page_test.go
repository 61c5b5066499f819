package manifest

import (
	"fmt"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// blank is a page of a real browser.
func blank(t *testing.T) Page {
	t.Helper()
	b := browsertest.Launch(t, browser.Options{})
	s, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: cua.Size{W: 800, H: 600},
		NoState: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	site, err := (&Site{Dir: "testdata/uicube/dist"}).serve(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	if _, err := s.Reset(t.Context(), cua.Task{ID: "blank", URL: "http://" + site.Host + "/"}); err != nil {
		t.Fatal(err)
	}
	return s
}

// What a browser takes is no fault of a manifest, and what it does not take is one before anything is played.
func TestChromiumTakesWhatIsNoFault(t *testing.T) {
	page := blank(t)
	for _, row := range []struct {
		expr string
		// differs says that we do not agree with Chromium.
		differs bool
	}{
		{expr: "document.title === 'x'"}, {expr: "await fetch('/x').then(r => r.ok)"}, {expr: "new Promise(done => done(true))"},
		{expr: "true // so it is"}, {expr: "/* it */ true"}, {expr: "a, b"}, {expr: "{a: 1}"}, {expr: "a\n&&\nb"}, {expr: "a <!-- b"},
		{expr: "x?.y?.[0] ?? null"}, {expr: "x ||= 1"}, {expr: "1_000n ** 2n"}, {expr: "`${a}`"}, {expr: "String.raw`\\u`"}, {expr: "({a: 1, ...b})"},
		{expr: "class { #x = 1; static { this.y = 2 } has() { return #x in this } }"}, {expr: "/(?<=a)(?<n>b)/dv.test(x)"}, {expr: "import('/x.js')"},
		{expr: "async () => { for await (const x of y); }"}, {expr: "async function* () { yield* x }"}, {expr: "async () => { await using x = y }"},
		{expr: "(function () { with (document) return title === 'x' })()"}, {expr: "010 === 8"}, {expr: "delete x"}, {expr: "let"}, {expr: "yield"}, {expr: "arguments"},
		{expr: "eval('1')"}, {expr: "() => { if (a) function f() {} }"}, {expr: "async"}, {expr: "of => get"}, {expr: "a\\u{62}"}, {expr: "'\\8'"}, {expr: "x => { try {} catch {} }"},
		{expr: "a) + (b"}, {expr: "\u2028a"}, {expr: "(({a, b: [c] = []} = {}) => c)()"}, {expr: "new (class A { get [x]() { return new.target } })"}, {expr: "label => { a: for (;;) break a }"},
		{expr: "document.title ==="}, {expr: "a = = b"}, {expr: "a)"}, {expr: "(a"}, {expr: "return true"}, {expr: "const a = 1"}, {expr: "a; b"}, {expr: "a;"}, {expr: "if (a) b"},
		{expr: "'a"}, {expr: "/* a"}, {expr: "a b"}, {expr: "1 = 2"}, {expr: "a?.b = 1"}, {expr: "a ?? b || c"}, {expr: "<b/>"}, {expr: "a as any"}, {expr: "/a/z"}, {expr: "new.target"}, {expr: "super.x"},
		{expr: "...a"}, {expr: "()"}, {expr: "function () {"}, {expr: "#!a"}, {expr: "() => { let a; let a }"}, {expr: "() => { break }"}, {expr: "async () => { function await(await) {} ; await }"},
		{expr: "f() = 1", differs: true}, // it throws whenever it is evaluated
		{expr: "/(/.test(a)", differs: true},
		{expr: "import.meta", differs: true},
	} {
		t.Run(row.expr, func(t *testing.T) {
			for _, script := range []string{Success{Predicate: row.expr}.script(), awaited(row.expr)} {
				value, err := page.Ask(t.Context(),
					fmt.Sprintf("(() => { try { (0, eval)(%s); return true; } catch (e) { if (e instanceof "+
						"SyntaxError) return false; throw e; } })()", quoted("() => {"+script+"}")))
				if err != nil {
					t.Fatal(err)
				}
				bad := badScript(row.expr)
				if takes := string(value) == "true"; takes == (bad == "") == row.differs {
					t.Errorf("Chromium takes it: %v, the manifest says %q", takes, bad)
				}
			}
		})
	}
}
