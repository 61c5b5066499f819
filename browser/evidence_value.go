package browser

import (
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// field is f without its value.
func (f *fieldRaw) field(in mergeInput) cua.Field {
	out := cua.Field{
		ID: f.ID, Role: f.Role, Name: f.Name, Label: f.Label, Group: f.Group, Placeholder: f.Place,
		NameAttr: f.NameAttr, IDAttr: f.IDAttr,
		Autocomplete: strings.ToLower(strings.TrimSpace(f.Auto)), Tag: f.Tag, Type: f.Type, Form: f.Form,
		Box:      f.Box.box(),
		Editable: f.Edit, Empty: f.Value == "", Selected: f.Selected,
		Options: f.Options[:min(len(f.Options), 100)],
		Checked: f.Checked, Disabled: f.Disabled, ReadOnly: f.ReadOnly, Required: f.Required,
		Invalid: f.Invalid, Ring: f.Ring,
		Dialog: f.Dialog, Covered: f.Covered,
	}
	if len(out.Options) == 0 {
		out.Options = nil
	}
	out.ValueDigest, out.Secret = f.digest(in)
	return out
}

// digest is what is recorded of the value, and the name of the secret that it is; "" is none. A plain digest
// of a secret, or of a value that holds one, could be guessed.
func (f *fieldRaw) digest(in mergeInput) (digest, secret string) {
	for _, name := range slices.Sorted(maps.Keys(in.Secrets)) {
		if v := in.Secrets[name]; v != "" && f.Rest == "" &&
			(v == f.Value || f.Type != "password" && masked(f.Value, v)) {
			return cua.Digest("<secret:" + name + ">"), name
		}
	}
	switch {
	case f.Rest != "":
		return cua.DigestCut + in.Key.of(f.Value+f.Rest), ""
	case in.Spelled.Holds(f.Value), f.Given != "" && partOf(f.Value, in.Secrets[f.Given]):
		return cua.DigestSecret + in.Key.of(f.Value), ""
	}
	return cua.Digest(f.Value), ""
}

// partOf says whether value is some of secret, in any case of letters: a field that was given a secret may
// take only the beginning of it.
func partOf(value, secret string) bool {
	return value != "" && strings.Contains(strings.ToLower(secret), strings.ToLower(value))
}

// minMasked is the least number of digits of a secret that pages are taken to part: codes of six upwards, and
// cards.
const minMasked = 6

// masked says whether shown is secret with its digits parted by spaces or hyphens, as pages write card
// numbers and codes. Letters make it a password, in which every character counts.
func masked(shown, secret string) bool {
	a, b := digitsOf(shown), digitsOf(secret)
	return len(b) >= minMasked && a == b
}

// digitsOf are the digits of a text of digits, spaces and hyphens alone; "" of any other.
func digitsOf(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			out.WriteRune(r)
		case r != ' ' && r != '-' && r != '\u00a0':
			return ""
		}
	}
	return out.String()
}
