package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// armParts splits the name of an arm: "classic-loop_recovery+lessons{detector.soft=5}" is a built-in arm,
// mechanisms that are switched off and on, and settings. Without a base it is the default.
func armParts(name string) (base string, mechanisms, settings []string) {
	if at := strings.IndexByte(name, '{'); at >= 0 && strings.HasSuffix(name, "}") {
		settings = SplitArms(name[at+1:len(name)-1], ',')
		name = name[:at]
	}
	for {
		at := strings.LastIndexAny(name, "+-")
		if at < 0 {
			return name, mechanisms, settings
		}
		mechanisms = slices.Insert(mechanisms, 0, name[at:])
		name = name[:at]
	}
}

// SplitArms splits a list of arm names, or the settings of one, at sep, except inside braces, brackets and
// quoted texts. So it never splits a name that ArmName returns.
func SplitArms(text string, sep rune) (out []string) {
	depth, quoted, escaped, start := 0, false, false, 0
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = r == '\\', r != '"'
		case r == '"':
			quoted = true
		case r == '[' || r == '{':
			depth++
		case r == ']' || r == '}':
			depth--
		case r == sep && depth == 0:
			out, start = append(out, text[start:i]), i+len(string(sep))
		}
	}
	return append(out, text[start:])
}

// changed is c with the differences in an arm's name: -mechanism, +mechanism and field=value. It does not
// switch on what a mechanism requires: the name is complete.
func (c Config) changed(mechanisms, settings []string) (Config, error) {
	out := c.clone()
	for _, m := range mechanisms {
		if err := out.Toggles.Set(m[1:], m[0] == '+'); err != nil {
			return c, err
		}
	}
	for _, s := range settings {
		var err error
		if out, err = out.Set(s); err != nil {
			return c, err
		}
	}
	return out, nil
}

// ArmName is the name of c: the arm base of the default config and the differences from it, for example
// classic-loop_recovery+repeat_guard or default{detector.soft=5}. Config.Arm of that name is c. An unknown
// base is the default.
func ArmName(c Config, base string) string {
	of, err := DefaultConfig().Arm(base)
	if base == "" || err != nil {
		base, of = "default", DefaultConfig()
	}
	name := base + toggled(c.Toggles, of.Toggles)
	of.Toggles, c.Toggles = cua.Toggles{}, cua.Toggles{}
	var set []string
	was, is := map[string]string{}, map[string]string{}
	flatten("", of, was)
	flatten("", c, is)
	for path := range was {
		if _, ok := is[path]; !ok {
			is[path] = emptied(was[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if was[path] != is[path] {
			set = append(set, path+"="+is[path])
		}
	}
	if len(set) > 0 {
		name += "{" + strings.Join(set, ",") + "}"
	}
	return name
}

// toggled names the mechanisms that are off in t and on in from, and the reverse.
func toggled(t, from cua.Toggles) string {
	var off, on strings.Builder
	for _, m := range cua.Mechanisms() {
		is, _ := t.Get(m.Name)
		switch was, _ := from.Get(m.Name); {
		case was && !is:
			fmt.Fprintf(&off, "-%s", m.Name)
		case is && !was:
			fmt.Fprintf(&on, "+%s", m.Name)
		}
	}
	return off.String() + on.String()
}

// emptied is the JSON value of a field that a document leaves out; value is its JSON value in another
// document.
func emptied(value string) string {
	switch value[0] {
	case '[':
		return "[]"
	case 't':
		return "false"
	}
	return "0"
}

// flatten adds the fields of v to out, by their path in JSON.
func flatten(path string, v any, out map[string]string) {
	raw, err := json.Marshal(v)
	if err != nil {
		return // cannot happen: v is a config
	}
	var fields map[string]json.RawMessage
	if bytes.HasPrefix(raw, []byte("{")) && json.Unmarshal(raw, &fields) == nil {
		for k, f := range fields {
			flatten(strings.TrimPrefix(path+"."+k, "."), f, out)
		}
		return
	}
	out[path] = strings.Trim(string(raw), `"`)
}
