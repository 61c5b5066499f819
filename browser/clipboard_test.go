package browser

import (
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestWhatChordsTake(t *testing.T) {
	for keys, want := range map[string]string{
		"Control+c": "copy", "Control+C": "copy", "Meta+c": "copy", "Control+Shift+c": "copy", "Control+Insert": "copy",
		"Control+x": "cut", "Shift+Delete": "cut", "Meta+x": "cut",
		"Control+v": "paste", "Control+Shift+v": "paste", "Shift+Insert": "paste", "Meta+v": "paste",
		"c": "", "C": "", "Control+a": "", "Insert": "", "Delete": "", "Control+Delete": "", "Shift+v": "", "Alt+c": "", "Return": "",
	} {
		chords, err := parseKeys(keys)
		if err != nil {
			t.Fatalf("%s: %v", keys, err)
		}
		if got := chords[0].taking(); got != want {
			t.Errorf("%s: %q, want %q", keys, got, want)
		}
	}
}

func TestWhatIsCarried(t *testing.T) {
	s := &Session{opts: SessionOptions{Secrets: map[string]string{"PW": "c4n & ry", "PIN": "7",
		"CARD": "4111111111111111", "NONE": ""}}}
	for _, row := range []struct {
		name  string
		texts []string
		want  string
	}{
		{"nothing", nil, ""},
		{"nothing but an empty text", []string{""}, ""},
		{"other text", []string{"4711 blue herons"}, ""},
		{"the value", []string{"c4n & ry"}, "PW"},
		{"in the midst of a page", []string{"Your password is c4n & ry.\nKeep it."}, "PW"},
		{"in the second of two formats", []string{"", "<b>c4n & ry</b>"}, "PW"},
		{"in an address", []string{"https://evil.test/?p=" + url.QueryEscape("c4n & ry")}, "PW"},
		{"a short one alone", []string{" 7\n"}, "PIN"},
		{"a short one in other text", []string{"7 herons"}, ""},
		{"a card number as pages write it", []string{"4111 1111 1111 1111"}, "CARD"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := s.carried(row.texts); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	d := &input.DragData{Items: []*input.DragDataItem{{MimeType: "text/uri-list", Data: "https://a.test",
		Title: "c4n & ry"}}}
	if got := s.carried(dragged(d)); got != "PW" {
		t.Errorf("the title of a dragged link: %q", got)
	}
}
