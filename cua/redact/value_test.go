package redact

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

type kind string

type record struct {
	Text   string
	Kind   kind
	Digest string `redact:"-"`
	Type   string
	N      int
	At     time.Time
	List   []string
	Pairs  [2]string
	Map    map[string]int
	Next   *record
	Any    any
	Raw    json.RawMessage
	Bytes  []byte
	Shot   []byte `redact:"-"`
	hidden string
}

// Every string of a value is redacted, and the value itself stays as it was.
func TestValue(t *testing.T) {
	set := New(map[string]string{"X": "hunter2", "Y": "text"})
	made := func() record {
		return record{Text: "is hunter2", Kind: "hunter2", Digest: "hunter2", Type: "text", N: 7,
			hidden: "hunter2", At: time.Unix(1, 2), List: []string{"a", "hunter2"},
			Pairs: [2]string{"hunter2", "b"},
			Map:   map[string]int{"hunter2": 1, "c": 2}, Next: &record{Text: "some text hunter2"},
			Any: map[string]any{"a": []any{"hunter2", 1.5}}, Raw: json.RawMessage(`{"a":["hunter2",2]}`),
			Bytes: []byte("is hunter2"), Shot: []byte("hunter2")}
	}
	in := made()
	got := Value(set, in)
	want := record{Text: "is <secret:X>", Kind: "hunter2", Digest: "hunter2", Type: "text", N: 7,
		hidden: "hunter2", At: time.Unix(1, 2), List: []string{"a", "<secret:X>"},
		Pairs: [2]string{"<secret:X>", "b"},
		Map:   map[string]int{"<secret:X>": 1, "c": 2}, Next: &record{Text: "some <secret:Y> <secret:X>"},
		Any:   map[string]any{"a": []any{"<secret:X>", 1.5}},
		Bytes: []byte("is <secret:X>"), Shot: []byte("hunter2")}
	if raw := string(got.Raw); raw != `{"a":["\u003csecret:X\u003e",2]}` {
		t.Errorf("raw %s", raw)
	}
	got.Raw = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
	if !reflect.DeepEqual(in, made()) {
		t.Errorf("the value was changed: %+v", in)
	}
	clean := record{Text: "clean", Next: &record{}}
	if got := Value(set, clean); got.Next != clean.Next {
		t.Error("what holds nothing was copied")
	}
}

// Digits of a secret are found in numbers too, however these are written. Numbers without them keep their
// type, and in JSON text all their digits.
func TestValueOfNumbers(t *testing.T) {
	set := New(map[string]string{"PIN": "482900", "CARD": "4111111111111111"})
	type code int
	for _, row := range []struct {
		name     string
		in, want any
	}{
		{"a decoded number", 482900.0, "<secret:PIN>"},
		{"within others", 1482900.5, "1<secret:PIN>.5"},
		{"a large one", 4111111111111111.0, "<secret:CARD>"},
		{"below zero", -482900.0, "-<secret:PIN>"},
		{"an integer", 482900, "<secret:PIN>"},
		{"one without a sign", uint32(482900), "<secret:PIN>"},
		{"one of a named type", code(482900), "<secret:PIN>"},
		{"a number as text", json.Number("482900"), "<secret:PIN>"},
		{"in powers of ten", json.Number("4.829e5"), "<secret:PIN>"},
		{"in lists and maps", map[string]any{"a": []any{482900.0, 7.0}},
			map[string]any{"a": []any{"<secret:PIN>", 7.0}}},
		{"bytes", []byte("pin 482900"), []byte("pin <secret:PIN>")},
		{"bytes that are no text", []byte("\xff\x00482900\xfe"), []byte("\xff\x00<secret:PIN>\xfe")},
		{"JSON", json.RawMessage(`{"a":[482900,12345678901234567890]}`),
			json.RawMessage(`{"a":["\u003csecret:PIN\u003e",12345678901234567890]}`)},
		{"JSON in powers of ten", json.RawMessage(`[4.829E+5]`), json.RawMessage(`["\u003csecret:PIN\u003e"]`)},
		{"a number", 48290.0, 48290.0},
		{"JSON without any", json.RawMessage(`{"a": 1.50e3}`), json.RawMessage(`{"a": 1.50e3}`)},
		{"bytes without any", []byte("\xffpin"), []byte("\xffpin")},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Value(set, row.in); !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %#v, want %#v", got, row.want)
			}
			if got := Value(set, struct{ V any }{row.in}); !reflect.DeepEqual(got.V, row.want) {
				t.Errorf("in a struct: got %#v, want %#v", got.V, row.want)
			}
		})
	}
	if got := Value(set, struct{ N int }{482900}); got.N != 482900 {
		t.Errorf("a field of a numeric type became %d", got.N)
	}
}

// A value across the JSON, in no string of it, leaves it JSON.
func TestValueLeavesJSONWhole(t *testing.T) {
	set := New(map[string]string{"X": "1234", "Y": `":["`})
	for _, raw := range []string{`{"a":1234,"b":["c"]}`, `{"1234":"1234"}`, `[12345]`} {
		got := Value(set, json.RawMessage(raw))
		if !json.Valid(got) {
			t.Errorf("%s became %s", raw, got)
		}
	}
}
