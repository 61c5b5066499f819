package guard

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Page is a page as an answer of playwright-mcp shows it.
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
		p.read(rest)
	} else if m := linked.FindStringSubmatch(rest); ok && m != nil && open != nil {
		if text, err := open(m[1]); err == nil {
			p.read(text)
		}
	}
	return p, p.URL != "" || p.Parts != nil
}

// read reads a snapshot.
func (p *Page) read(snapshot string) {
	p.Parts, p.Refs = map[string]string{}, map[string]string{}
	var values strings.Builder
	var owners []string // the refs of the elements around a line, by its depth; "" has none
	for line := range strings.Lines(snapshot) {
		line = strings.TrimRight(line, "\r\n")
		m := snapshotLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		owner, element := "", m[1]+":"+m[2]
		if depth > 0 && depth <= len(owners) {
			owner = owners[depth-1]
		}
		if ref := refMark.FindStringSubmatch(line); ref != nil {
			owner = ref[1]
			p.Refs[owner] = "role=" + m[1] + " name=" + m[2]
		}
		owners = append(owners[:min(depth, len(owners))], owner)
		if strings.Contains(m[3], "[active]") {
			p.Focus = element
		}
		for _, s := range stateMark.FindAllString(m[3], -1) {
			values.WriteString(element + s + "\n")
		}
		if _, value, ok := strings.Cut(m[3], ": "); ok && slices.Contains(valued, m[1]) {
			values.WriteString(element + "=" + value + "\n")
			line = strings.TrimSuffix(line, ": "+value)
		}
		for _, mark := range []*regexp.Regexp{refMark, stateMark, otherMark} {
			line = mark.ReplaceAllString(line, "")
		}
		p.Parts[owner] += strings.TrimSuffix(line, ":") + "\n"
	}
	p.Form = cua.Digest("values\n" + values.String())
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
