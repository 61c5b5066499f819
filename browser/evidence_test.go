package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func rawField(id, value string) fieldRaw {
	return fieldRaw{ID: id, Role: "textbox", Name: id, Tag: "input", Type: "text", Edit: true, Value: value,
		Box: rawBox{10, 10, 100, 20}}
}

func rawMark(id string, x, y float64) markRaw {
	return markRaw{ID: id, Role: "button", Name: id, Box: rawBox{x, y, 50, 20}}
}

func rawTop() probeRaw {
	return probeRaw{Doc: "d1", URL: "http://a.test/p", Title: "T", View: [2]float64{800, 600},
		Fields: []fieldRaw{rawField("one", "1"), rawField("two", "")},
		Marks:  []markRaw{rawMark("one", 10, 10), rawMark("two", 10, 400)},
		Parts:  map[string]string{"main": "aa"}}
}

func TestMergeProbes(t *testing.T) {
	view := cua.Size{W: 800, H: 600}
	child := probeRaw{Path: "0", Fields: []fieldRaw{rawField("inner @0", "x")},
		Marks: []markRaw{rawMark("inner @0", 5, 5), rawMark("below @0", 5, 500)},
		Parts: map[string]string{"body": "bb"}, Focus: &fieldRaw{ID: "inner @0", Value: "x"}}
	framed := rawTop()
	framed.Frames = []frameRaw{{Path: "0", Box: rawBox{100, 200, 300, 100}, Fields: 1, Marks: 1}}
	framed.FocusInto = new("0")
	nested := framed
	nested.Children = []probeRaw{child}
	tests := []struct {
		name    string
		answers []probeRaw
		in      mergeInput
		want    func(o cua.Observation) any // what is looked at
		is      any
	}{
		{"document order goes through frames", []probeRaw{framed, child}, mergeInput{Viewport: view}, fieldIDs, "one inner @0 two"},
		{"a child that answers within its parent", []probeRaw{nested}, mergeInput{Viewport: view}, fieldIDs, "one inner @0 two"},
		{"answers in any order", []probeRaw{child, framed}, mergeInput{Viewport: view}, fieldIDs, "one inner @0 two"},
		{"a frame that nobody shows is left out", []probeRaw{rawTop(), child}, mergeInput{Viewport: view}, fieldIDs, "one two"},
		{"marks outside of the frame's window are none", []probeRaw{framed, child}, mergeInput{Viewport: view}, markIDs, "1 one, 2 inner @0, 3 two"},
		{"boxes are the top viewport's", []probeRaw{framed, child}, mergeInput{Viewport: view}, func(o cua.Observation) any { return o.Marks[1].Box }, cua.Box{X: 105, Y: 205, W: 50, H: 20}},
		{"the focus is followed into frames", []probeRaw{framed, child}, mergeInput{Viewport: view}, func(o cua.Observation) any { return o.Focus.ID + o.Focus.Frame }, "inner @00"},
		{"parts of frames have their path", []probeRaw{framed, child}, mergeInput{Viewport: view}, func(o cua.Observation) any { return o.DOMParts["@0 body"] }, "bb"},
		{"values are digests", []probeRaw{rawTop()}, mergeInput{}, func(o cua.Observation) any { return o.Fields[0].ValueDigest }, cua.Digest("1")},
		{"an empty value", []probeRaw{rawTop()}, mergeInput{}, func(o cua.Observation) any { return fmt.Sprint(o.Fields[1].Empty, o.Fields[1].ValueDigest) }, "true"},
		{"a secret is its name", []probeRaw{rawTop()}, mergeInput{Secrets: map[string]string{"PIN": "1", "NONE": ""}},
			func(o cua.Observation) any {
				return o.Fields[0].Secret + o.Fields[0].ValueDigest +
					o.Fields[1].Secret
			}, "PIN" + cua.Digest("<secret:PIN>")},
		{"the viewport of the page where none is given", []probeRaw{rawTop()}, mergeInput{}, func(o cua.Observation) any { return o.Viewport }, view},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := mergeProbes(tt.answers, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.want(o); !reflect.DeepEqual(got, tt.is) {
				t.Errorf("got %v, want %v", got, tt.is)
			}
		})
	}
	if _, err := mergeProbes([]probeRaw{child}, mergeInput{}); err == nil {
		t.Error("an observation without the top document")
	}
}

func fieldIDs(o cua.Observation) any {
	var out []string
	for _, f := range o.Fields {
		out = append(out, f.ID)
	}
	return strings.Join(out, " ")
}

func markIDs(o cua.Observation) any {
	var out []string
	for _, m := range o.Marks {
		out = append(out, fmt.Sprint(m.N, " ", m.ID))
	}
	return strings.Join(out, ", ")
}

func TestWritesOf(t *testing.T) {
	page := []cua.Write{{Method: "POST", URL: "http://u:p@a.test/save?q=1#f", Status: 200},
		{Method: "POST", URL: "http://a.test/search/x", Status: 200},
		{Method: "POST", URL: "javascript:alert(1)"}}
	got := writesOf(page, mergeInput{ReadEndpoints: []string{"/search", ""},
		NetWrites: []cua.Write{{Method: "POST", URL: "http://a.test/form", Status: 303}}})
	want := []cua.Write{{Method: "POST", URL: "http://a.test/save", Status: 200},
		{Method: "POST", URL: "http://a.test/form", Status: 303}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestFormDigest: each thing that a person does to a field moves the digest, and nothing else does.
func TestFormDigest(t *testing.T) {
	base := func() []cua.Field {
		return []cua.Field{{ID: "a", ValueDigest: "1"}, {ID: "b", Options: []string{"x", "y"}}}
	}
	tests := []struct {
		name string
		do   func(f *cua.Field)
		same bool
	}{
		{"value", func(f *cua.Field) { f.ValueDigest = "2" }, false},
		{"tick", func(f *cua.Field) { f.Checked = true }, false},
		{"option", func(f *cua.Field) { f.Selected = "y" }, false},
		{"validity", func(f *cua.Field) { f.Invalid = "wrong" }, false},
		{"enabled", func(f *cua.Field) { f.Disabled = true }, false},
		{"another field", func(f *cua.Field) { f.ID = "c" }, false},
		{"moved by layout", func(f *cua.Field) { f.Box.Y = 99 }, true},
		{"renumbered id", func(f *cua.Field) { f.IDAttr = "i7" }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fields := base()
			tt.do(&fields[0])
			if got := formDigest(fields) == formDigest(base()); got != tt.same {
				t.Errorf("the digest is the same: %t, want %t", got, tt.same)
			}
		})
	}
}

func TestIdleBetween(t *testing.T) {
	before := cua.Observation{URL: "u", FormDigest: "f", DOMParts: map[string]string{"a": "1", "b": "1",
		"@0 c": "1"}}
	now := cua.Observation{URL: "u", FormDigest: "g", DOMParts: map[string]string{"a": "2", "@0 c": "2",
		"new": "1"}}
	idle := idleBetween(before, now, []probeRaw{{Caused: []string{"a", "unchanged"},
		Children: []probeRaw{{Path: "0", Caused: []string{"c"}}}}})
	want := cua.Idle{Parts: []string{"@0 c", "a", "b", "new"}, Caused: []string{"@0 c", "a"},
		Changes: []cua.Change{cua.ChangeForm}}
	if !reflect.DeepEqual(idle, want) {
		t.Errorf("got %+v, want %+v", idle, want)
	}
	if idle := idleBetween(now, now, nil); idle.Any() {
		t.Errorf("the same page changed: %+v", idle)
	}
	if idle := idleBetween(cua.Observation{}, now, nil); idle.Any() {
		t.Errorf("changed since nothing: %+v", idle)
	}
}

func TestFrameOf(t *testing.T) {
	for id, want := range map[string]string{`button "Save" form`: "", `button "Save" form 2 @0/1`: "0/1", `button "mail @3"`: "", `link "x" @ 2`: "", "": ""} {
		if got := frameOf(id); got != want {
			t.Errorf("frame of %s is %q, want %q", id, got, want)
		}
	}
}

// TestOneChangedPart: changing one part of any page changes exactly that key and the digest.
func TestOneChangedPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.MapOfN(rapid.String(), rapid.StringMatching(`[0-9a-f]{4}`), 1, 20).Draw(t, "parts")
		other := map[string]string{}
		var keys []string
		for k, v := range parts {
			other[k] = v
			keys = append(keys, k)
		}
		key := rapid.SampledFrom(keys).Draw(t, "key")
		other[key] += "x"
		if got := changedParts(parts, other); len(got) != 1 || got[0] != key {
			t.Fatalf("changed %q, want %q", got, key)
		}
		if again := maps.Clone(parts); partsDigest(parts) == partsDigest(other) ||
			partsDigest(parts) != partsDigest(again) {
			t.Fatal("the digest does not follow the parts")
		}
	})
}

// FuzzMerge: whatever a page makes the scripts answer, joining neither fails nor grows beyond its
// caps, and no value gets out.
func FuzzMerge(f *testing.F) {
	framed := rawTop()
	framed.Frames = []frameRaw{{Path: "0", Box: rawBox{1, 2, 3, 4}, Fields: 9, Marks: -1},
		{Path: "", Box: rawBox{math.MaxFloat64}}}
	framed.Children = []probeRaw{{Path: "0", FocusInto: new("0")}, {Path: ""}}
	framed.FocusInto = new("0")
	for _, v := range []probeRaw{rawTop(), framed} {
		b, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(`{"path":"","fields":[{"value":"canary-7261"}],"focus":{"value":"canary-7261"},"marks":[{}],"title":"\ud800"}`)
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := decode[probeRaw](raw)
		if err != nil {
			return
		}
		o, err := mergeProbes([]probeRaw{p}, mergeInput{Viewport: cua.Size{W: 800, H: 600}})
		if err != nil {
			return
		}
		if len(o.Fields) > maxFields || len(o.Marks) > maxMarks || len(o.DOMParts) > maxParts {
			t.Errorf("%d fields, %d marks, %d parts", len(o.Fields), len(o.Marks), len(o.DOMParts))
		}
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(raw, "canary-7261") == strings.Count(raw, `"value":"canary-7261"`) && strings.Contains(string(b), "canary-7261") {
			t.Error("a value got out")
		}
		idleBetween(o, o, []probeRaw{p})
	})
}

// FuzzDecodeLocated: the other answers are read with the same care.
func FuzzDecodeLocated(f *testing.F) {
	f.Add(`{"target":{"ask":"0","x":1e300,"point":[1,2],"covering":{"box":[1,2,3,4]}},"probe":{}}`)
	f.Add(`{"missing":true,"field":{"options":["a"]},"ms":1,"nav":[{}]}`)
	f.Fuzz(func(t *testing.T, raw string) {
		if l, err := decode[located](raw); err == nil {
			_ = l.Target.target(cua.Point{})
			_, _, _, _ = l.frameAt()
			_ = l.busy()
		}
		if s, err := decode[settled](raw); err == nil {
			joinSettled([]settled{s, s})
		}
		_, _ = decode[elementRaw](raw)
	})
}

func TestUnpolled(t *testing.T) {
	w := func(url string, status int) cua.Write { return cua.Write{Method: "POST", URL: url, Status: status} }
	got := unpolled([]cua.Write{w("poll", 200), w("both", 200), w("both", 201), w("form", 302)},
		[]cua.Write{w("poll", 0), w("both", 0)}, []cua.Write{w("both", 0)})
	if want := []cua.Write{w("both", 200), w("form", 302)}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A secret of digits is known in the page's mask too, and what is recorded of it is the same.
func TestSecretsInMasks(t *testing.T) {
	secrets := map[string]string{"CARD": "4111111111111111", "OTP": "123456", "PIN": "1234",
		"PW": "opensesame1"}
	for _, row := range []struct{ name, typ, value, want string }{
		{"as it is", "text", "4111111111111111", "CARD"},
		{"in groups of four", "text", "4111 1111 1111 1111", "CARD"},
		{"with hyphens", "tel", "4111-1111-1111-1111", "CARD"},
		{"with spaces that do not break", "text", "4111\u00a01111\u00a01111\u00a01111", "CARD"},
		{"another card", "text", "4111 1111 1111 1112", ""},
		{"one digit short", "text", "4111 1111 1111 111", ""},
		{"hidden by the page", "text", "•••• •••• •••• 1111", ""},
		{"a code in two halves", "text", "123-456", "OTP"},
		{"a short one has no mask", "text", "12 34", ""},
		{"letters are a password", "text", "opensesame 1", ""},
		{"in a password field each character counts", "password", "123 456", ""},
		{"nothing but separators", "text", " - ", ""},
	} {
		f := rawField("x", row.value)
		f.Type = row.typ
		got := f.field(mergeInput{Secrets: secrets})
		if got.Secret != row.want {
			t.Errorf("%s: the field holds the secret %q, want %q", row.name, got.Secret, row.want)
		}
		if sealed := got.ValueDigest == cua.Digest("<secret:"+row.want+">"); (row.want != "") != sealed {
			t.Errorf("%s: the digest is sealed: %t", row.name, sealed)
		}
	}
}
