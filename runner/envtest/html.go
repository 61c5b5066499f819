package envtest

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
)

// Handler serves the site as real pages that mean the same as the script: the page named x at
// /x. A press that takes one wait to lead on takes two seconds here.
func (s Site) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := s.Pages[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		doc, err := p.html()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(doc) // nobody is there to hear of an error
	})
}

// html is p as a document.
func (p Page) html() ([]byte, error) {
	type row struct {
		Control
		Field bool
		Spec  string // the control as the page's own script reads it
	}
	var rows []row
	for _, c := range p.Controls {
		spec, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{c, c.field(), string(spec)})
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		Page
		Rows []row
	}{p, rows})
	return b.Bytes(), err
}

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html><title>{{.Title}}</title>
<style>.hidden{position:absolute;left:-9999px}.hidden:focus-within{position:static}</style>
<p>{{.Text}}</p>
<form>
{{range .Rows}}<p class="{{if .Hidden}}hidden{{end}}">
{{- if eq .Type "select"}}<label>{{.Label}} <select name="{{.Name}}">{{range .Options}}<option>{{.}}</option>{{end}}</select></label>
{{- else if .Field}}<label>{{.Label}} <input type="{{.Type}}" name="{{.Name}}" placeholder="{{.Placeholder}}"></label>
{{- else if eq .Type "link"}}<a href="#" data-control="{{.Spec}}">{{.Name}}</a>
{{- else}}<button type="{{.Type}}" data-control="{{.Spec}}">{{.Name}}</button>{{end}}</p>
{{end}}</form>
<p id=error></p><p id=counts></p>{{if .Clock}}<p id=clock>0</p>{{end}}
<script>
const counts = {}, byID = (id) => document.getElementById(id);
function activate(c) {
  if (c.dead) return;
  for (const n of c.needs || []) {
    const f = document.forms[0].elements[n];
    if (!(f.type === 'checkbox' ? f.checked : f.value)) { byID('error').textContent = c.error || ''; return; }
  }
  if (c.counts) { counts[c.name] = (counts[c.name] || 0) + 1; byID('counts').textContent = JSON.stringify(counts); }
  if (c.writes) fetch(location.pathname, { method: 'POST' });
  if (c.to) { const go = () => { location.href = '/' + c.to; }; if (c.after) setTimeout(go, 4000 * c.after); else go(); }
}
document.forms[0].addEventListener('submit', (e) => e.preventDefault());
for (const el of document.querySelectorAll('[data-control]')) {
  const c = JSON.parse(el.dataset.control);
  el.addEventListener('click', (e) => {
    e.preventDefault();
    if (c.blurs) document.activeElement.blur();
    if (!(c.keyboard_only && e.detail > 0)) activate(c);
  });
}
if (byID('clock')) setInterval(() => { byID('clock').textContent = String(1 + Number(byID('clock').textContent)); }, 50);
</script>
`))
