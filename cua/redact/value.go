package redact

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"sync"
)

// Value is v with every string in it as Text has it, the keys of maps and the text of bytes included. A
// number of decoded JSON, or of any other interface, becomes a string where its digits have a secret. It
// copies what it changes: v itself stays as it is. Left alone are fields with the tag `redact:"-"`, which is
// for digests, pictures and names that this program makes itself; strings of a named type, which are closed
// lists; numbers of a numeric type, which hold no mark; and single words without which a record says nothing,
// as the type of a field (reserved).
func Value[T any](s *Set, v T) T {
	f := s.now()
	if f == nil {
		return v
	}
	out, changed := f.value(reflect.ValueOf(&v).Elem())
	if !changed {
		return v
	}
	return out.Interface().(T)
}

// reserved are words that stand for themselves in records: the types of fields, roles and elements. A secret
// that is one of them tells nothing where it stands alone.
var reserved = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range []string{"alert", "article", "banner", "button", "cell", "checkbox", "code", "color",
		"combobox", "contenteditable", "current-password", "date", "datetime-local", "dialog", "document",
		"email", "fieldset", "figure", "file", "footer", "form", "generic", "grid", "gridcell", "group", "header",
		"heading", "hidden", "image", "input", "label", "legend", "link", "list", "listbox", "listitem", "main",
		"menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "month", "navigation",
		"new-password", "none", "number", "off", "one-time-code", "option", "output", "password", "presentation",
		"progressbar", "radio", "radiogroup", "range", "region", "reset", "row", "rowheader", "search",
		"searchbox", "section", "select", "separator", "slider", "span", "spinbutton", "status", "strong",
		"submit", "summary", "switch", "tab", "table", "tablist", "tabpanel", "text", "textarea", "textbox",
		"time", "toolbar", "tooltip", "tree", "treeitem", "username", "week", "whole"} {
		out[w] = true
	}
	return out
}()

var (
	stringType = reflect.TypeFor[string]()
	rawType    = reflect.TypeFor[json.RawMessage]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// value is v with its strings redacted, and whether that changed any.
func (f *finder) value(v reflect.Value) (reflect.Value, bool) {
	if !holdsText(v.Type()) {
		return v, false
	}
	switch v.Kind() {
	case reflect.String:
		text := v.String()
		if reserved[text] {
			return v, false
		}
		clean := f.clean(text)
		return reflect.ValueOf(clean), clean != text
	case reflect.Pointer, reflect.Interface:
		return f.pointed(v)
	case reflect.Struct:
		return f.fields(v)
	case reflect.Slice:
		switch v.Type() {
		case rawType:
			return f.raw(v)
		case bytesType:
			text := string(v.Bytes())
			clean := f.clean(text)
			return reflect.ValueOf([]byte(clean)), clean != text
		}
		return f.elements(v)
	case reflect.Array:
		return f.elements(v)
	case reflect.Map:
		return f.entries(v)
	}
	return v, false
}

func (f *finder) pointed(v reflect.Value) (reflect.Value, bool) {
	if v.IsNil() {
		return v, false
	}
	clean, changed := f.value(v.Elem())
	if v.Kind() == reflect.Interface && !changed && v.Type().NumMethod() == 0 {
		clean, changed = f.number(v.Elem())
	}
	if !changed {
		return v, false
	}
	if v.Kind() == reflect.Interface {
		out := reflect.New(v.Type()).Elem()
		out.Set(clean)
		return out, true
	}
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(clean)
	return out, true
}

// number is the text of a number with a secret redacted.
func (f *finder) number(v reflect.Value) (reflect.Value, bool) {
	var texts []string
	switch n := v.Interface().(type) {
	case json.Number:
		texts = []string{n.String()}
		if x, err := n.Float64(); err == nil { // 1.2e3 is 1200
			texts = append(texts, strconv.FormatFloat(x, 'f', -1, 64))
		}
	default:
		switch {
		case v.CanFloat():
			texts = []string{strconv.FormatFloat(v.Float(), 'f', -1, 64)}
		case v.CanInt():
			texts = []string{strconv.FormatInt(v.Int(), 10)}
		case v.CanUint():
			texts = []string{strconv.FormatUint(v.Uint(), 10)}
		}
	}
	for _, text := range texts {
		if clean := f.clean(text); clean != text {
			return reflect.ValueOf(clean), true
		}
	}
	return v, false
}

func (f *finder) fields(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value // v's copy, once one of its fields is another
	for _, i := range textFields(v.Type()) {
		clean, changed := f.value(v.Field(i))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(clean)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func (f *finder) elements(v reflect.Value) (reflect.Value, bool) {
	var out reflect.Value
	for i := range v.Len() {
		clean, changed := f.value(v.Index(i))
		if !changed {
			continue
		}
		if !out.IsValid() {
			out = reflect.New(v.Type()).Elem()
			if v.Kind() == reflect.Slice {
				out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			}
			reflect.Copy(out, v)
		}
		out.Index(i).Set(clean)
	}
	if !out.IsValid() {
		return v, false
	}
	return out, true
}

func (f *finder) entries(v reflect.Value) (reflect.Value, bool) {
	any := false
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for it := v.MapRange(); it.Next(); {
		key, changedKey := f.value(it.Key())
		value, changedValue := f.value(it.Value())
		out.SetMapIndex(key, value)
		any = any || changedKey || changedValue
	}
	if !any {
		return v, false
	}
	return out, true
}

// powers finds numbers whose digits are not all written: 1.2e3 is 1200.
var powers = regexp.MustCompile(`[0-9][eE][+-]?[0-9]`)

// raw is JSON text with its strings and numbers redacted. Text that is no JSON is redacted as text.
func (f *finder) raw(v reflect.Value) (reflect.Value, bool) {
	text := string(v.Bytes())
	clean := f.clean(text)
	if clean == text && !powers.MatchString(text) {
		return v, false
	}
	var doc any
	if !json.Valid(v.Bytes()) {
		return reflect.ValueOf(json.RawMessage(clean)), clean != text
	}
	in := json.NewDecoder(bytes.NewReader(v.Bytes()))
	in.UseNumber()
	if err := in.Decode(&doc); err != nil {
		return reflect.ValueOf(json.RawMessage(clean)), true
	}
	safe, changed := f.value(reflect.ValueOf(&doc).Elem())
	if !changed { // it was found across the JSON, in no string and no number of it
		return v, false
	}
	out, err := json.Marshal(safe.Interface())
	if err != nil {
		return reflect.ValueOf(json.RawMessage(clean)), true
	}
	return reflect.ValueOf(json.RawMessage(out)), true
}

// textKinds are what holdsText has found, by type.
var textKinds sync.Map

// holdsText reports whether a value of type t can hold a string that is looked at.
func holdsText(t reflect.Type) bool {
	if known, ok := textKinds.Load(t); ok {
		return known.(bool)
	}
	found := findsText(t, map[reflect.Type]bool{})
	textKinds.Store(t, found)
	return found
}

func findsText(t reflect.Type, within map[reflect.Type]bool) bool {
	if within[t] {
		return false
	}
	within[t] = true
	switch t.Kind() {
	case reflect.String:
		return t == stringType
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Array:
		return findsText(t.Elem(), within)
	case reflect.Slice:
		return t == rawType || t == bytesType || findsText(t.Elem(), within)
	case reflect.Map:
		return findsText(t.Key(), within) || findsText(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if looked(t.Field(i)) && findsText(t.Field(i).Type, within) {
				return true
			}
		}
	}
	return false
}

func looked(f reflect.StructField) bool { return f.IsExported() && f.Tag.Get("redact") != "-" }

// texts are the places of the fields of a struct that can hold text, by type.
var texts sync.Map

func textFields(t reflect.Type) []int {
	if known, ok := texts.Load(t); ok {
		return known.([]int)
	}
	out := []int{}
	for i := range t.NumField() {
		if f := t.Field(i); looked(f) && holdsText(f.Type) {
			out = append(out, i)
		}
	}
	texts.Store(t, out)
	return out
}
