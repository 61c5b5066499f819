package guard

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Page is a page as an answer of playwright-mcp or chrome-devtools-mcp shows it.
type Page struct {
	URL, Title string
	// Focus is the focused element, as role:name; "" is unknown.
	Focus string
	// Parts are the lines of the snapshot by the element that they belong to, without refs, focus and values;
	// nil if there is no snapshot.
	Parts map[string]string
	// Form is a digest of the values of all fields; "" if there is no snapshot.
	Form string
	// Refs are the elements by their refs, as "role=button name=Save".
	Refs map[string]string
}

var (
	snapshotLine = regexp.MustCompile(`^ *- (?:'|")?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?(.*)$`)
	refMark      = regexp.MustCompile(` ?\[ref=([^\]]+)\]`)
	stateMark    = regexp.MustCompile(` ?\[(checked|selected)(?:=[a-z]+)?\]`)
	otherMark    = regexp.MustCompile(` ?\[(?:active|cursor=[a-z]+)\]`)
	uidLine      = regexp.MustCompile(`^ *uid=(\S+) (?:([A-Za-z]+) ?)?(?:"([^"]*)")?(.*)$`)
	uidState     = regexp.MustCompile(` (?:checked|selected|value(?:text)?="[^"]*")`)
	focusWord    = regexp.MustCompile(` focus(?:able|ed)\b`)
	address      = regexp.MustCompile(` url="([^"]*)"`)
	linked       = regexp.MustCompile(`(?m)^- \[Snapshot\]\(([^)]+)\)`)
)

// valued are the roles whose text is a value that a person can enter.
var valued = []string{"textbox", "searchbox", "combobox", "spinbutton", "slider"}

// ReadPage reads the page from the text of an answer. open reads a snapshot that the answer links; nil reads
// none. It is false if the answer shows no page.
func ReadPage(text string, open func(path string) (string, error)) (Page, bool) {
	var p Page
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if v, ok := strings.CutPrefix(line, "- Page URL: "); ok {
			p.URL = v
		} else if v, ok := strings.CutPrefix(line, "- Page Title: "); ok {
			p.Title = v
		}
	}
	_, rest, ok := strings.Cut(text, "### Snapshot\n")
	if block, found := strings.CutPrefix(rest, "```yaml\n"); ok && found {
		rest, _, _ = strings.Cut(block, "\n```")
		p.read(rest, playwrightLine)
	} else if m := linked.FindStringSubmatch(rest); ok && m != nil && open != nil {
		if text, err := open(m[1]); err == nil {
			p.read(text, playwrightLine)
		}
	} else if _, rest, ok := strings.Cut(text, "## Latest page snapshot\n"); ok {
		p.read(rest, devtoolsLine)
	}
	return p, p.URL != "" || p.Parts != nil
}

// node is what a line of a snapshot shows.
type node struct {
	ref, role, name string
	values          []string // what a person can change: ticks, and contents of fields
	text            string   // the line without ref, focus and values
	focused         bool
}

// read reads a snapshot. line reads one line; it is false for one that is not understood.
func (p *Page) read(snapshot string, line func(string) (node, bool)) {
	p.Parts, p.Refs = map[string]string{}, map[string]string{}
	var values strings.Builder
	var owners []string       // the refs of the elements around a line, by its depth; "" has none
	texts := map[string]int{} // how many texts without a role an element has so far
	for text := range strings.Lines(snapshot) {
		text = strings.TrimRight(text, "\r\n")
		l, ok := line(text)
		if !ok {
			continue
		}
		depth := (len(text) - len(strings.TrimLeft(text, " "))) / 2
		owner, element := "", l.role+":"+l.name
		if depth > 0 && depth <= len(owners) {
			owner = owners[depth-1]
		}
		if l.ref != "" {
			owner = l.ref
			p.Refs[owner] = "role=" + l.role + " name=" + l.name
		}
		owners = append(owners[:min(depth, len(owners))], owner)
		if l.focused {
			p.Focus = element
		}
		if m := address.FindStringSubmatch(text); m != nil && l.role == "RootWebArea" {
			p.URL, p.Title = m[1], l.name
		}
		for _, v := range l.values {
			values.WriteString(element + v + "\n")
		}
		if l.role == "" {
			texts[owner]++
			owner += fmt.Sprint("#", texts[owner])
		}
		p.Parts[owner] += l.text + "\n"
	}
	p.Form = cua.Digest("values\n" + values.String())
}

// playwrightLine reads a line as `- button "Save" [active] [ref=e3]`.
func playwrightLine(line string) (node, bool) {
	m := snapshotLine.FindStringSubmatch(line)
	if m == nil {
		return node{}, false
	}
	l := node{role: m[1], name: m[2], focused: strings.Contains(m[3], "[active]"),
		values: stateMark.FindAllString(m[3], -1)}
	if ref := refMark.FindStringSubmatch(line); ref != nil {
		l.ref = ref[1]
	}
	if _, value, ok := strings.Cut(m[3], ": "); ok && slices.Contains(valued, m[1]) {
		l.values = append(l.values, "="+value)
		line = strings.TrimSuffix(line, ": "+value)
	}
	l.text = strings.TrimSuffix(without(line, refMark, stateMark, otherMark), ":")
	return l, true
}

// devtoolsLine reads a line as `uid=1_3 button "Save" focusable focused`. A text has a uid of its own, which
// is another one after each change: it is known by its place in the element around it.
func devtoolsLine(line string) (node, bool) {
	m := uidLine.FindStringSubmatch(line)
	if m == nil {
		return node{}, false
	}
	l := node{role: m[2], name: m[3], focused: strings.Contains(m[4], " focused"),
		values: uidState.FindAllString(m[4], -1)}
	if l.role != "" {
		l.ref = m[1]
	}
	l.text = l.role + " " + l.name + without(m[4], focusWord, uidState)
	return l, true
}

func without(text string, marks ...*regexp.Regexp) string {
	for _, mark := range marks {
		text = mark.ReplaceAllString(text, "")
	}
	return text
}

// Digest is a digest of the structure and text of the page without the parts of the mask; "" if they are
// unknown.
func (p *Page) Digest(mask map[string]bool) string {
	if p.Parts == nil {
		return ""
	}
	var refs []string
	for ref := range p.Parts {
		if !mask[ref] {
			refs = append(refs, ref)
		}
	}
	slices.Sort(refs)
	var b strings.Builder
	for _, ref := range refs {
		b.WriteString(ref + "\n" + p.Parts[ref])
	}
	return cua.Digest(b.String())
}

// Changed are the parts in which p and q differ, with those that one of them lacks.
func (p *Page) Changed(q *Page) []string {
	var out []string
	for ref, text := range p.Parts {
		if q.Parts[ref] != text {
			out = append(out, ref)
		}
	}
	for ref := range q.Parts {
		if _, ok := p.Parts[ref]; !ok {
			out = append(out, ref)
		}
	}
	slices.Sort(out)
	return out
}

// Same says whether p and q are one state without the parts of the mask; known is false if a side has no
// snapshot.
func (p *Page) Same(q *Page, mask map[string]bool) (same, known bool) {
	if p.Parts == nil || q.Parts == nil {
		return false, false
	}
	same = cua.PageURL(p.URL) == cua.PageURL(q.URL) && p.Form == q.Form && p.Digest(mask) == q.Digest(mask)
	return same, true
}
