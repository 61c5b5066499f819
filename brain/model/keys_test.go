package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
)

func TestChords(t *testing.T) {
	for _, row := range []struct {
		dialect string
		names   []string
		want    string // "" is refused
	}{
		{"xdotool", []string{"ctrl+s"}, "Control+s"},
		{"xdotool", []string{"Page_Down"}, "Page_Down"},
		{"xdotool", []string{"BackSpace"}, "BackSpace"},
		{"xdotool", []string{"KP_Enter"}, "Return"},
		{"xdotool", []string{"super+l"}, "Meta+l"},
		{"OpenAI", []string{"CTRL", "A"}, "Control+a"},
		{"OpenAI", []string{"ENTER"}, "Return"},
		{"OpenAI", []string{"SHIFT", "CTRL", "TAB"}, "Control+Shift+Tab"},
		{"OpenAI", []string{"ARROWDOWN"}, "Down"},
		{"OpenAI", []string{"ESC"}, "Escape"},
		{"OpenAI", []string{"PAGEUP"}, "Page_Up"},
		{"OpenAI", []string{"SPACE"}, "space"},
		{"OpenAI", []string{"CMD", "C"}, "Meta+c"},
		{"OpenAI", []string{"ALT", "F4"}, "Alt+F4"},
		{"Gemini", []string{"Control+A"}, "Control+a"},
		{"Gemini", []string{"control+shift+t"}, "Control+Shift+t"},
		{"Gemini", []string{"Control", "L"}, "Control+l"},
		{"UI-TARS", []string{"ctrl c"}, "Control+c"},
		{"UI-TARS", []string{"ctrl shift p"}, "Control+Shift+p"},
		{"UI-TARS", []string{"pagedown"}, "Page_Down"},
		{"Playwright", []string{"ControlOrMeta+KeyA"}, "Control+a"},
		{"Playwright", []string{"ArrowLeft"}, "Left"},
		{"Playwright", []string{"Digit5"}, "5"},
		{"Playwright", []string{"Shift+Tab"}, "Shift+Tab"},
		{"dashes", []string{"ctrl-a"}, "Control+a"},
		{"a dash of its own", []string{"-"}, "-"},
		{"a plus of its own", []string{"+"}, "+"},
		{"a plus in a chord", []string{"ctrl++"}, "Control++"},
		{"a letter", []string{"x"}, "x"},
		{"an upper-case letter alone", []string{"X"}, "X"},
		{"a modifier alone", []string{"SHIFT"}, "Shift"},
		{"a modifier twice", []string{"CTRL", "CTRL", "A"}, "Control+a"},
		{"space as itself", []string{" "}, "space"},
		{"no key", []string{""}, ""},
		{"nothing", nil, ""},
		{"an unknown key", []string{"Hyper"}, ""},
		{"a key that is too far", []string{"F13"}, ""},
		{"two keys that are no modifiers", []string{"a", "b"}, ""},
		{"a hostile name", []string{"<script>"}, ""},
	} {
		t.Run(row.dialect+" "+strings.Join(row.names, ","), func(t *testing.T) {
			got, err := chord(row.names...)
			if got != row.want || (err != nil) != (row.want == "") {
				t.Errorf("%q %v, want %q", got, err, row.want)
			}
		})
	}
}

func TestSequences(t *testing.T) {
	for _, row := range []struct {
		text   string
		repeat int
		want   string
	}{
		{"Tab Tab Return", 0, "Tab Tab Return"}, {"Down", 3, "Down Down Down"}, {"ctrl+a Delete", 1, "Control+a Delete"}, {" ", 2, "space space"},
		{"Down", 33, ""}, {"", 1, ""}, {"Tab nonsense", 1, ""},
	} {
		got, err := sequence(row.text, row.repeat)
		if got != row.want || (err != nil) != (row.want == "") {
			t.Errorf("%q × %d: %q %v, want %q", row.text, row.repeat, got, err, row.want)
		}
	}
}

// TestTheKeyTableIsTheBrowsers: what comes out here has to be a key there.
func TestTheKeyTableIsTheBrowsers(t *testing.T) {
	known := browser.KeyNames()
	for name, canonical := range keyNames() {
		if len(canonical) > 1 && !slices.Contains(known, canonical) {
			t.Errorf("%s is %s, which the browser does not have", name, canonical)
		}
	}
	for _, name := range known {
		if k, ok := keyName(name); !ok || k != name {
			t.Errorf("the browser's %s is %q here", name, k)
		}
	}
}

func FuzzKeys(f *testing.F) {
	for _, s := range []string{"ctrl+a", "Tab Tab", "CTRL", "++", "-", "ctrl-shift-a", "a+b", "\x00", "é",
		"Control++", "   "} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, text string, repeat int) {
		if keys, err := sequence(text, repeat); err == nil {
			again, err := sequence(keys, 1)
			if err != nil || again != keys {
				t.Errorf("%q is %q, which is %q %v", text, keys, again, err)
			}
			if n := len(strings.Fields(keys)); n < 1 || n > maxSequence {
				t.Errorf("%d chords", n)
			}
		}
		if keys, err := chord(text); err == nil {
			if again, err := chord(keys); err != nil || again != keys {
				t.Errorf("%q is %q, which is %q %v", text, keys, again, err)
			}
		}
	})
}
