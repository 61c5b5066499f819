package study

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestLessonsOfTheSuites(t *testing.T) {
	for _, row := range []struct{ name, origin, want string }{
		{"learned on another port", "http://127.0.0.1:4711", "http://127.0.0.1:9000"},
		{"learned on the other loopback", "http://[::1]:4711", "http://127.0.0.1:9000"},
		{"learned elsewhere", "https://shop.test", "https://shop.test"},
		{"learned on the local network", "http://192.168.0.1", "http://192.168.0.1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			given := []cua.Lesson{{ID: "a", Origin: row.origin, Text: "Typing worked."}}
			if got := here(given, "127.0.0.1:9000"); len(got) != 1 || got[0].Origin != row.want ||
				given[0].Origin != row.origin {
				t.Errorf("got %+v of %+v", got, given)
			}
		})
	}
}
