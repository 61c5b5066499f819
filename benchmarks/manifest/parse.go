package manifest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	maxBytes   = 16 << 20
	maxTasks   = 10_000
	maxText    = 20_000 // of one value, in bytes
	maxCap     = 1000
	maxTimeout = 10_000
	minSide    = 64
	maxSide    = 4096
)

var idForm = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}$`)

// Parse reads a manifest. The error is of type Faults: every fault with its line and JSON pointer, file being
// the name that it gives the text.
func Parse(file string, text []byte) (*Manifest, error) {
	return parse(&reader{file: file, text: text, scripts: map[string]string{}})
}

// parse reads the text of r.
func parse(r *reader) (*Manifest, error) {
	text := r.text
	if len(text) > maxBytes {
		r.fault(0, "", "it has %d bytes; a manifest may have %d", len(text), maxBytes)
		return nil, r.faults
	}
	var m Manifest
	if n := r.document(); n != nil {
		m = r.manifest(n)
	}
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	return &m, nil
}

// fields are the members of an object by name.
type fields struct {
	r  *reader
	n  *node
	by map[string]*node
}

// fields reads an object with these names and no others; with any where none is given.
func (r *reader) fields(n *node, known ...string) fields {
	f := fields{r, n, map[string]*node{}}
	object, ok := n.value.(members)
	if !ok {
		r.wrong(n, "an object")
		return f
	}
	for _, m := range object {
		if len(known) > 0 && !slices.Contains(known, m.key) {
			r.fault(m.value.line, m.value.path, "unknown; known here: %s", strings.Join(known, ", "))
			continue
		}
		f.by[m.key] = m.value
	}
	return f
}

// wrong is the fault of a value of another kind.
func (r *reader) wrong(n *node, want string) {
	is := "an object"
	switch n.value.(type) {
	case string:
		is = "a text"
	case json.Number:
		is = "a number"
	case bool:
		is = "true or false"
	case nil:
		is = "null"
	case []*node:
		is = "a list"
	}
	r.fault(n.line, n.path, "it is %s and must be %s", is, want)
}

// need is a member that must be there; nil where it is not.
func (f fields) need(key string) *node {
	n := f.by[key]
	if _, object := f.n.value.(members); n == nil && object {
		f.r.fault(f.n.line, f.n.path+"/"+key, "it is missing")
	}
	return n
}

// text is a member that is a text with something in it; "" where it is not there.
func (f fields) text(key string, needed bool) string {
	n := f.by[key]
	if needed {
		n = f.need(key)
	}
	if n == nil {
		return ""
	}
	return f.r.str(n)
}

func (r *reader) str(n *node) string {
	s, ok := n.value.(string)
	switch {
	case !ok:
		r.wrong(n, "a text")
	case strings.TrimSpace(s) == "":
		r.fault(n.line, n.path, "it is empty")
	case len(s) > maxText:
		r.fault(n.line, n.path, "it has %d bytes; %d are possible", len(s), maxText)
	}
	return s
}

// number is a member that is a whole number; 0 where it is not there.
func (f fields) number(key string, least, most int) int {
	n := f.by[key]
	if n == nil {
		return 0
	}
	text, ok := n.value.(json.Number)
	if !ok {
		f.r.wrong(n, "a number")
		return 0
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v != math.Trunc(v) || v < float64(least) || v > float64(most) {
		f.r.fault(n.line, n.path, "%s is no whole number from %d to %d", text, least, most)
		return 0
	}
	return int(v)
}

// truth is a member that is true or false; false where it is not there.
func (f fields) truth(key string) bool {
	n := f.by[key]
	if n == nil {
		return false
	}
	v, ok := n.value.(bool)
	if !ok {
		f.r.wrong(n, "true or false")
	}
	return v
}

// list are the elements of a member that is a list.
func (r *reader) list(n *node) []*node {
	if n == nil {
		return nil
	}
	list, ok := n.value.([]*node)
	if !ok {
		r.wrong(n, "a list")
	}
	return list
}

// script is a member that is an expression of JavaScript; "" where it is not there.
func (f fields) script(key string) string {
	s, n := f.text(key, false), f.by[key]
	if strings.TrimSpace(s) == "" || len(s) > maxText || f.r.scripts == nil {
		return s
	}
	bad, known := f.r.scripts[s]
	if !known {
		bad = badScript(s)
		f.r.scripts[s] = bad
	}
	if bad != "" {
		f.r.fault(n.line, n.path, "%s", bad)
	}
	return s
}

func (f fields) texts(key string) []string {
	var out []string
	for _, n := range f.r.list(f.by[key]) {
		out = append(out, f.r.str(n))
	}
	return out
}

func (r *reader) manifest(n *node) Manifest {
	f := r.fields(n, "version", "viewport", "site", "tasks")
	m := Manifest{}
	if f.need("version") != nil {
		m.Version = f.number("version", Version, Version)
	}
	if v := f.by["viewport"]; v != nil {
		size := r.fields(v, "w", "h")
		size.need("w")
		size.need("h")
		m.Viewport = cua.Size{W: size.number("w", minSide, maxSide), H: size.number("h", minSide, maxSide)}
	}
	if s := f.by["site"]; s != nil {
		m.Site = r.site(s)
	}
	tasks := f.need("tasks")
	list := r.list(tasks)
	if tasks != nil && len(list) == 0 && len(r.faults) == 0 {
		r.fault(tasks.line, tasks.path, "there is no task")
	}
	if len(list) > maxTasks {
		r.fault(tasks.line, tasks.path, "there are %d tasks; %d are possible", len(list), maxTasks)
		return m
	}
	first := map[string]*node{}
	for _, n := range list {
		t, id := r.task(n, m.Site != nil)
		if id != nil && t.ID != "" {
			if before := first[t.ID]; before != nil {
				r.fault(id.line, id.path, "%q is the id of %s too", t.ID, before.path)
			} else {
				first[t.ID] = n
			}
		}
		m.Tasks = append(m.Tasks, t)
	}
	return m
}

func (r *reader) site(n *node) *Site {
	f := r.fields(n, "dir", "index_sha256", "seeded", "posts", "mounts", "libraries", "install")
	return &Site{Dir: f.text("dir", true), Index: f.text("index_sha256", false), Seeded: f.truth("seeded"),
		Posts: f.texts("posts"), Mounts: r.mounts(f.by["mounts"]), Libraries: f.text("libraries", false),
		Install: f.text("install", false)}
}

// task reads one and returns the node of its id.
func (r *reader) task(n *node, site bool) (Task, *node) {
	f := r.fields(n, "id", "goal", "url", "fields", "cap", "tags", "ready", "allow", "idempotent", "success",
		"harm", "script")
	t := Task{ID: f.text("id", true), Goal: f.text("goal", true), URL: f.text("url", true),
		Cap: f.number("cap", 1, maxCap), Tags: f.texts("tags"), Ready: f.script("ready"),
		Allow: f.texts("allow"), Harm: f.script("harm"), Idempotent: f.truth("idempotent"),
		Script: r.actions(f.by["script"])}
	if id := f.by["id"]; t.ID != "" && !idForm.MatchString(t.ID) {
		r.fault(id.line, id.path,
			"%q must be 1 to 60 letters, digits, dots, lines and underscores, and begin with no dot", t.ID)
	}
	f.address("url", t.URL, site)
	for _, n := range r.list(f.by["fields"]) {
		v := r.fields(n, "label", "value")
		p := cua.PlanValue{Label: v.text("label", true), Value: v.text("value", true)}
		if strings.Contains(p.Value, "<secret:") {
			r.fault(n.line, n.path+"/value", "a benchmark has no secrets")
		}
		t.Fields = append(t.Fields, p)
	}
	if s := f.need("success"); s != nil {
		t.Success = r.success(s)
	}
	return t, f.by["id"]
}

// address holds a member against what an address must be.
func (f fields) address(key, value string, site bool) {
	n := f.by[key]
	if n == nil || strings.TrimSpace(value) == "" {
		return
	}
	if bad := badURL(value, site); bad != "" {
		f.r.fault(n.line, n.path, "%s", bad)
	}
}

func (r *reader) success(n *node) Success {
	ways := []string{"predicate", "text", "url", "answer", "http"}
	f := r.fields(n, append(slices.Clone(ways), "at_end")...)
	if _, object := n.value.(members); !object {
		return Success{}
	}
	var given []string
	for _, w := range ways {
		if f.by[w] != nil {
			given = append(given, w)
		}
	}
	if len(given) != 1 {
		said := "none is there"
		if len(given) > 1 {
			said = fmt.Sprintf("%s are there", strings.Join(given, " and "))
		}
		r.fault(n.line, n.path, "exactly one of %s must be there; %s", strings.Join(ways, ", "), said)
	}
	s := Success{Predicate: f.script("predicate"), Text: f.text("text", false), URL: f.text("url", false),
		Answer: f.text("answer", false), AtEnd: f.truth("at_end")}
	if f.by["http"] != nil {
		s.HTTP = r.oracle(f.by["http"])
	}
	if e := f.by["at_end"]; e != nil && (f.by["answer"] != nil || f.by["http"] != nil) {
		r.fault(e.line, e.path, "it is for predicate, text and url: the others are asked at the end anyway")
	}
	return s
}

func (r *reader) oracle(n *node) *Oracle {
	f := r.fields(n, "reset", "state", "verdict", "timeout_ms")
	o := &Oracle{Reset: f.text("reset", false), State: f.text("state", false),
		Verdict: f.text("verdict", true), TimeoutMS: f.number("timeout_ms", 1, maxTimeout)}
	f.address("reset", o.Reset, false)
	f.address("state", o.State, false)
	f.address("verdict", o.Verdict, false)
	return o
}
