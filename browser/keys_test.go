package browser

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// chordShown is a chord as the page sees it: the held modifiers, the key and its code.
func chordShown(c chord) string {
	var parts []string
	for _, k := range c.held {
		parts = append(parts, k.value)
	}
	s := strings.Join(append(parts, c.main.value), "+") + " " + c.main.code
	if p := c.main.event(true, c.bits()); p.Text != "" {
		s += " types " + strings.ReplaceAll(p.Text, "\r", "CR")
	}
	if cmd := c.commands(); len(cmd) > 0 {
		s += " does " + strings.Join(cmd, ",")
	}
	return s
}

func TestParseKeys(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"X11 name", "Return", "Enter Enter types CR"},
		{"alias", "Enter", "Enter Enter types CR"},
		{"case does not count", "RETURN", "Enter Enter types CR"},
		{"escape", "Esc", "Escape Escape"},
		{"underscore", "Page_Down", "PageDown PageDown"},
		{"no underscore", "pagedown", "PageDown PageDown"},
		{"old X11 name", "Prior", "PageUp PageUp"},
		{"DOM name of an arrow", "ArrowLeft", "ArrowLeft ArrowLeft"},
		{"arrow", "Up", "ArrowUp ArrowUp"},
		{"space by name", "space", "  Space types  "},
		{"space itself", " ", "  Space types  "},
		{"function key", "F12", "F12 F12"},
		{"letter", "a", "a KeyA types a"},
		{"upper-case letter takes shift", "A", "Shift+A KeyA types A"},
		{"digit", "7", "7 Digit7 types 7"},
		{"shifted digit", "&", "Shift+& Digit7 types &"},
		{"shifted digit by name", "ampersand", "Shift+& Digit7 types &"},
		{"punctuation by name", "slash", "/ Slash types /"},
		{"backslash", `\`, `\ Backslash types \`},
		{"shortcut", "Control+a", "Control+a KeyA does selectAll"},
		{"the case of a shortcut's letter does not count", "ctrl+A", "Control+a KeyA does selectAll"},
		{"copy with the Mac's key", "cmd+c", "Meta+c KeyC does copy"},
		{"paste", "Control+v", "Control+v KeyV does paste"},
		{"paste with shift is another shortcut", "Control+Shift+v", "Control+Shift+V KeyV"},
		{"redo", "ctrl+shift+z", "Control+Shift+Z KeyZ does redo"},
		{"undo", "ctrl+z", "Control+z KeyZ does undo"},
		{"alt is no shortcut of ours", "alt+a", "Alt+a KeyA"},
		{"shift and tab", "Shift+Tab", "Shift+Tab Tab"},
		{"shift and letter", "shift+b", "Shift+B KeyB types B"},
		{"shift and digit", "shift+1", "Shift+! Digit1 types !"},
		{"side of a modifier", "Control_L+Home", "Control+Home Home"},
		{"modifier twice", "ctrl+Control+End", "Control+End End"},
		{"modifier alone", "Shift", "Shift ShiftLeft"},
		{"plus itself", "+", "Shift++ Equal types +"},
		{"plus by name", "plus", "Shift++ Equal types +"},
		{"zoom in", "Control++", "Control+Shift++ Equal"},
		{"minus itself", "-", "- Minus types -"},
		{"several", "Tab  Tab\tReturn", "Tab Tab|Tab Tab|Enter Enter types CR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chords, err := parseKeys(tt.keys)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range chords {
				got = append(got, chordShown(c))
			}
			if s := strings.Join(got, "|"); s != tt.want {
				t.Errorf("%q is %q, want %q", tt.keys, s, tt.want)
			}
		})
	}
}

func TestParseKeysRefuses(t *testing.T) {
	for _, tt := range []struct{ name, keys, part string }{
		{"nothing", "", ""},
		{"blanks", "  \t ", "  \t "},
		{"unknown name", "Hyper", "Hyper"},
		{"unknown in a chord", "Control+Foo", "Foo"},
		{"a key held that is no modifier", "a+b", "a"},
		{"trailing plus", "Control+", ""},
		{"leading plus", "+a", ""},
		{"only pluses", "+++", ""},
		{"character no key types", "é", "é"},
		{"control character", "\x00", "\x00"},
		{"function key too far", "F13", "F13"},
		{"a sentence", "press the button", "press"},
		{"too many chords", strings.Repeat("a ", 33), strings.Repeat("a ", 20) + "…"},
		{"too long", strings.Repeat("x", 300), strings.Repeat("x", 40) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseKeys(tt.keys)
			var e *KeyError
			if !errors.As(err, &e) {
				t.Fatalf("%q gives %v, want a *KeyError", tt.keys, err)
			}
			if e.Name != tt.part {
				t.Errorf("%q blames %q, want %q", tt.keys, e.Name, tt.part)
			}
		})
	}
}

// TestKeyNames says that each documented name is in the table, in any case.
func TestKeyNames(t *testing.T) {
	for _, name := range KeyNames() {
		for _, n := range []string{name, strings.ToUpper(name), strings.ToLower(name)} {
			if _, err := parseKeys(n); err != nil {
				t.Errorf("%q: %v", n, err)
			}
		}
	}
	for r := rune(' '); r <= '~'; r++ {
		chords, err := parseKeys(string(r))
		if err != nil {
			t.Errorf("%q: %v", r, err)
		} else if p := chords[0].main.event(true, chords[0].bits()); p.Text != string(r) {
			t.Errorf("%q types %q", r, p.Text)
		}
	}
	for name, to := range aliases() {
		if _, ok := keyNamed(to); !ok {
			t.Errorf("alias %q is of %q, which is no key", name, to)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	for _, s := range []string{"Return", "Control+a", "ctrl+shift+T", "Tab Tab", "+", "Control++", "+++", "é",
		"F1 F12", " ", "\xff+a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		chords, err := parseKeys(s)
		var e *KeyError
		if err != nil {
			if !errors.As(err, &e) || len(chords) > 0 || len(e.Name) > 50 {
				t.Fatalf("%q: %v with %d chords", s, err, len(chords))
			}
			return
		}
		if len(chords) == 0 || len(chords) > maxChords {
			t.Fatalf("%q: %d chords", s, len(chords))
		}
		for _, c := range chords {
			if c.main.value == "" || c.main.code == "" || c.main.vk == 0 || !utf8.ValidString(c.main.text) {
				t.Fatalf("%q: bad key %+v", s, c.main)
			}
			var bits int64
			for _, h := range c.held {
				if h.bit == 0 || bits&h.bit != 0 {
					t.Fatalf("%q: holds %+v", s, c.held)
				}
				bits |= h.bit
			}
			if text := c.main.event(true, bits).Text; text != "" && bits&^shiftBit != 0 {
				t.Fatalf("%q: a shortcut types %q", s, text)
			}
		}
	})
}
