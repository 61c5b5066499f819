package runner

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/detector"
)

// leaf is one field of a config document.
type leaf struct {
	path string
	at   []int // its place in the type
}

func leaves(path string, at []int, typ reflect.Type) []leaf {
	var out []leaf
	for i := range typ.NumField() {
		f := typ.Field(i)
		l := leaf{path + "." + strings.Split(f.Tag.Get("json"), ",")[0], append(at[:len(at):len(at)], i)}
		if f.Type.Kind() == reflect.Struct {
			out = append(out, leaves(l.path, l.at, f.Type)...)
			continue
		}
		out = append(out, l)
	}
	return out
}

// TestOverlayReachesEachThreshold of the detectors: as a document, as an assignment, and back from a header.
func TestOverlayReachesEachThreshold(t *testing.T) {
	all := leaves("detector", nil, reflect.TypeFor[detector.Config]())
	if len(all) < 30 {
		t.Fatalf("only %d fields", len(all))
	}
	for _, l := range all {
		t.Run(l.path, func(t *testing.T) {
			want := DefaultConfig()
			text := ""
			switch f := reflect.ValueOf(&want.Detector).Elem().FieldByIndex(l.at); f.Kind() {
			case reflect.Int:
				f.SetInt(f.Int() + 1)
				text = fmt.Sprint(f.Int())
			case reflect.Float64:
				f.SetFloat(f.Float() + 0.25)
				text = fmt.Sprint(f.Float())
			case reflect.Bool:
				f.SetBool(!f.Bool())
				text = fmt.Sprint(f.Bool())
			default:
				t.Fatalf("a field of kind %s", f.Kind())
			}
			parts := strings.Split(l.path, ".")
			doc := text
			for i := len(parts) - 1; i >= 0; i-- {
				doc = fmt.Sprintf("{%q:%s}", parts[i], doc)
			}
			if got, err := DefaultConfig().Overlay([]byte(doc)); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("overlay %s: %+v (%v)", doc, got.Detector, err)
			}
			if got, err := DefaultConfig().Set(l.path + "=" + text); err != nil ||
				!reflect.DeepEqual(got, want) {
				t.Errorf("set: %+v (%v)", got.Detector, err)
			}
			raw, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var back Config
			if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, want) {
				t.Errorf("back from a header: %+v (%v)", back.Detector, err)
			}
		})
	}
}
