package lessons

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// PageTexts are the texts of pages that a journal holds: titles, names, labels, placeholders, options,
// messages of dialogs and alerts, and what was read of a page. Sorted, each once. Words of the task itself
// are left out: a person wrote them.
func PageTexts(t *trajectories.Trajectory) []string {
	seen := texts{}
	seen.page(&t.Start)
	for i := range t.Steps {
		s := &t.Steps[i]
		seen.page(&s.After)
		seen.add(s.Target.Name)
		if s.Target.Covering != nil {
			seen.add(s.Target.Covering.Name)
		}
		if s.Proposed.Kind.ReadOnly() { // what it found
			seen.add(s.Feedback)
		}
	}
	for _, e := range t.Events {
		if e.After != nil {
			seen.page(e.After)
		}
	}
	out := make([]string, 0, len(seen))
	for s := range seen {
		if !inGoal(s, t.Header.Task.Goal) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// placesIn are the paths that a composed lesson may name.
var placesIn = regexp.MustCompile(` on (/[a-z]{2,16}){1,2}\b`)

// texts is a set of texts that are not blank.
type texts map[string]bool

func (seen texts) add(all ...string) {
	for _, s := range all {
		if s = strings.TrimSpace(s); s != "" {
			seen[s] = true
		}
	}
}

func (seen texts) page(o *cua.Observation) {
	seen.add(o.Title)
	seen.add(o.Alerts...)
	if o.Focus != nil {
		seen.field(o.Focus)
	}
	for i := range o.Fields {
		seen.field(&o.Fields[i])
	}
	for i := range o.Marks {
		seen.add(o.Marks[i].Name)
	}
	if o.Dialog != nil {
		seen.add(o.Dialog.Message, o.Dialog.Default)
	}
}

func (seen texts) field(f *cua.Field) {
	seen.add(f.Name, f.Label, f.Placeholder, f.NameAttr, f.IDAttr, f.Selected, f.Invalid)
	seen.add(f.Options...)
}

// quoted is how many words in a row of a long text of a page make a quotation.
const quoted = 4

// ownWords are words that a page may say and that are ours all the same: kinds of action and of elements,
// keys, and what one calls the parts of a page.
var ownWords = strings.Fields(`click press type select choose tick check uncheck drag scroll wait open close go back forward next previous reload
	key keys return enter tab escape space home end page pages tabs link links button buttons field fields form forms box boxes checkbox radio textbox
	combobox list lists option options menu menus dialog dialogs banner overlay cookie cookies search submit send save cancel continue confirm ok yes no
	login log sign in out up down top bottom left right first last twice again new old date time day month year name email password user address number
	error errors title titles text value values label labels row rows column columns table item items element elements`)

// QuotesPage says by an error which text of the pages a sentence carries: a text of two words or more as a
// whole, four words in a row of a longer one, or a single word that is no ordinary one for controls.
func QuotesPage(text string, pages []string) error {
	said := wordsOf(placesIn.ReplaceAllString(text, " "))
	for _, p := range pages {
		words := wordsOf(p)
		n := len(words)
		switch {
		case n == 0, n == 1 && (len(words[0]) < 4 || slices.Contains(ownWords, words[0])),
			cua.HarmlessName(p):
			continue
		}
		for i := 0; i+min(n, quoted) <= n; i++ {
			if part := words[i : i+min(n, quoted)]; runs(said, part) {
				return refuse("page_text",
					"%q is a text of the page; say it in words of your own, as \"the second button\"",
					cua.ClipBytes(strings.Join(part, " "), 60))
			}
		}
	}
	return nil
}

// wordsOf are the words of a text in lower case.
func wordsOf(text string) []string {
	return anyWord.FindAllString(strings.ToLower(text), -1)
}

// runs reports whether part stands in words, in a row.
func runs(words, part []string) bool {
	for i := 0; i+len(part) <= len(words); i++ {
		if slices.Equal(words[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
