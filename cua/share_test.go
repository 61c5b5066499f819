package cua

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// sharedPage is a page of few words, so that two of them have much in common.
func sharedPage(rt *rapid.T, name string) Observation {
	few := func(what string) int { return rapid.IntRange(0, 2).Draw(rt, name+" "+what) }
	o := Observation{URL: fmt.Sprint("https://a.test/", few("url")),
		Title: fmt.Sprint("title ", few("title"))}
	for i := range few("marks") {
		o.Marks = append(o.Marks, Mark{N: i + 1, ID: fmt.Sprint("m", i),
			Name: fmt.Sprint("name ", few("name"))})
	}
	for i := range few("fields") {
		f := Field{ID: fmt.Sprint("f", i), ValueDigest: fmt.Sprint(few("value"))}
		for range few("options") {
			f.Options = append(f.Options, fmt.Sprint(few("option")))
		}
		o.Fields = append(o.Fields, f)
	}
	switch few("parts") {
	case 1:
		o.DOMParts = map[string]string{}
	case 2:
		o.DOMParts = map[string]string{"main": fmt.Sprint(few("part"))}
	}
	if len(o.Fields) > 0 && few("focus") > 0 {
		f := o.Fields[0]
		o.Focus = &f
	}
	if few("print") > 0 {
		o.Fingerprint = &Fingerprint{}
	}
	return o
}

// A value that shares memory is unchanged, and so is the value that it shares it with.
func TestSharing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		old, now := sharedPage(rt, "old"), sharedPage(rt, "now")
		wasOld, wasNow := fmt.Sprintf("%#v", old), fmt.Sprintf("%#v", now)
		got := now.Sharing(&old)
		if !reflect.DeepEqual(got, now) {
			rt.Fatalf("%+v\nof %+v", got, now)
		}
		if fmt.Sprintf("%#v", old) != wasOld || fmt.Sprintf("%#v", now) != wasNow {
			rt.Fatal("a page was changed")
		}
	})
	page := func() Observation {
		f := Field{ID: "f", Options: []string{"a"}}
		return Observation{Marks: []Mark{{ID: "m"}}, Fields: []Field{f},
			DOMParts: map[string]string{"main": "x"}, Canvases: map[string]string{"c": "y"}, Focus: &f,
			Fingerprint: &Fingerprint{}}
	}
	old, now := page(), page()
	got := now.Sharing(&old)
	if &got.Marks[0] != &old.Marks[0] || &got.Fields[0] != &old.Fields[0] || got.Focus != old.Focus ||
		got.Fingerprint != old.Fingerprint ||
		reflect.ValueOf(got.DOMParts).Pointer() != reflect.ValueOf(old.DOMParts).Pointer() ||
		reflect.ValueOf(got.Canvases).Pointer() != reflect.ValueOf(old.Canvases).Pointer() {
		t.Error("a page that stayed as it was has memory of its own")
	}
	now.Fields = append(now.Fields, Field{ID: "g"})
	if got = now.Sharing(&old); &got.Fields[0].Options[0] != &old.Fields[0].Options[0] {
		t.Error("a field that stayed as it was has memory of its own")
	}
}
