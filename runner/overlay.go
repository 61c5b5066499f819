package runner

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Overlay is c with the fields that doc, a partial JSON document, contains. An unknown field is an error that
// lists the known ones. c is not changed.
func (c Config) Overlay(doc []byte) (Config, error) {
	if err := known("", doc, reflect.TypeFor[Config]()); err != nil {
		return c, err
	}
	out := c.clone()
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return c, fmt.Errorf("config: %w", inWords(err))
	}
	return out, nil
}

// inWords rewrites an error about a JSON value without Go types: it names what the field takes.
func inWords(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	takes := map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Float64: "a number",
		reflect.String: "a text", reflect.Slice: "a list"}
	want := cmp.Or(takes[wrong.Type.Kind()], "a whole number")
	return fmt.Errorf("%s must be %s, not a %s", wrong.Field, want, wrong.Value)
}

// Recorded is the config of a journal. A mechanism that the header does not name did not exist when it was
// recorded, and is off. A threshold that it does not name has its default. A field that this program does not
// know is an error, because it would be lost.
func Recorded(h trajectories.Header) (Config, error) {
	base := DefaultConfig()
	base.Toggles = cua.Toggles{}
	c, err := base.Overlay(h.Config)
	if err != nil {
		return c, fmt.Errorf("the config of %s: %w", h.Episode, err)
	}
	return c, nil
}

// Set is c with one field changed: "detector.drift.tol_px=12". The value is JSON; anything else is taken as a
// string.
func (c Config) Set(assignment string) (Config, error) {
	path, raw, ok := strings.Cut(assignment, "=")
	if !ok || path == "" {
		return c, fmt.Errorf("%q: want path=value, as detector.soft=4", assignment)
	}
	value := []byte(raw)
	if !json.Valid(value) {
		value, _ = json.Marshal(raw)
	}
	keys := strings.Split(path, ".")
	for _, k := range slices.Backward(keys) {
		name, _ := json.Marshal(k)
		value = slices.Concat([]byte("{"), name, []byte(":"), value, []byte("}"))
	}
	out, err := c.Overlay(value)
	if err != nil {
		return c, fmt.Errorf("%q: %w", assignment, err)
	}
	return out, nil
}

// Ablate is c with the named mechanisms off.
func (c Config) Ablate(names ...string) (Config, error) {
	out := c.clone()
	for _, n := range names {
		if err := out.Toggles.Set(n, false); err != nil {
			return c, err
		}
	}
	return out, nil
}

// Only is c with all mechanisms off except the named ones and those that they require.
func (c Config) Only(names ...string) (Config, error) {
	out := c.clone()
	out.Toggles = cua.Toggles{}
	for len(names) > 0 {
		n := names[0]
		names = names[1:]
		if on, err := out.Toggles.Get(n); err != nil {
			return c, err
		} else if on {
			continue
		}
		if err := out.Toggles.Set(n, true); err != nil {
			return c, err
		}
		names = append(names, cua.Requires(n)...)
	}
	return out, nil
}

// clone shares no memory with c.
func (c Config) clone() Config {
	raw, err := json.Marshal(c)
	var out Config
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic("runner: config does not survive JSON: " + err.Error())
	}
	return out
}

// known checks that every object key of doc is a field of typ. path is that of doc in the config.
func known(path string, doc []byte, typ reflect.Type) error {
	if typ.Kind() != reflect.Struct {
		return nil
	}
	var obj map[string]json.RawMessage
	if err := json.Unmarshal(doc, &obj); err != nil {
		at := strings.TrimPrefix(path, ".")
		if at == "" {
			return fmt.Errorf("config: no JSON object: %w", err)
		}
		return fmt.Errorf("config: %s is an object with fields %s", at, strings.Join(fieldNames(typ), ", "))
	}
	fields := map[string]reflect.Type{}
	for i := range typ.NumField() {
		fields[jsonName(typ.Field(i))] = typ.Field(i).Type
	}
	for _, k := range sortedKeys(obj) {
		ft, ok := fields[k]
		if !ok {
			return fmt.Errorf("config: unknown field %q; known: %s",
				strings.TrimPrefix(path+"."+k, "."), strings.Join(fieldNames(typ), ", "))
		}
		if err := known(path+"."+k, obj[k], ft); err != nil {
			return err
		}
	}
	return nil
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func fieldNames(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		out = append(out, jsonName(typ.Field(i)))
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
