package runner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// changed describes for the brain how now differs from was: address, title and the content of fields.
// Observations have no values, so it reports none. It quotes the names that the page gives its fields.
func changed(was, now cua.Observation) string {
	var says []string
	if was.URL != now.URL {
		says = append(says, "The page is now "+strconv.Quote(now.URL)+".")
	} else if was.Document != now.Document {
		says = append(says, "The page was reloaded.")
	}
	if was.Tabs != now.Tabs || was.Tab != now.Tab {
		says = append(says, fmt.Sprintf("Tab %d of %d is open.", now.Tab, now.Tabs))
	}
	if list := changedFields(was.Fields, now.Fields); len(list) > 0 {
		says = append(says, "Fields: "+strings.Join(list, "; ")+".")
	}
	switch {
	case len(says) > 0:
	case was.DOMDigest != now.DOMDigest:
		says = append(says, "The text of the page has changed.")
	default:
		says = append(says, "Nothing that can be seen has changed.")
	}
	return strings.Join(says, " ")
}

// mostFields bounds the fields that are listed.
const mostFields = 20

// changedFields are the fields with another content than before, and those with any content on a new page.
func changedFields(was, now []cua.Field) []string {
	var out []string
	for _, f := range now {
		i := slices.IndexFunc(was, func(o cua.Field) bool { return o.ID == f.ID })
		old := cua.Field{Empty: true}
		if i >= 0 {
			old = was[i]
		}
		if how := changedField(old, f); how != "" {
			out = append(out, fieldName(f)+" "+how)
		}
		if len(out) == mostFields {
			break
		}
	}
	return out
}

// changedField is how the content of a field changed; "" if it did not.
func changedField(old, f cua.Field) string {
	switch {
	case old.Checked != f.Checked && f.Checked:
		return "is ticked now"
	case old.Checked != f.Checked:
		return "is not ticked any more"
	case old.ValueDigest == f.ValueDigest && old.Secret == f.Secret:
		return ""
	case f.ValueDigest == "" && f.Secret == "":
		return "is empty now"
	case f.Selected != "":
		return "is now " + cua.Quoted(f.Selected)
	case old.ValueDigest == "" && old.Secret == "":
		return "is filled in now"
	}
	return "holds another value"
}

// fieldName is the page's name for the field, quoted.
func fieldName(f cua.Field) string {
	for _, n := range []string{f.Label, f.Name, f.Placeholder, f.NameAttr} {
		if strings.TrimSpace(n) != "" {
			return cua.Quoted(n)
		}
	}
	return "one without a name"
}
