package browser

import (
	"fmt"
	"slices"
	"strings"
)

// row is one key that types two characters: its own, and with Shift.
type row struct {
	plain, shifted rune
	code           string
	vk             int64
	names          string // of the characters, X11's, lower case: plain, then shifted
}

// rows is the punctuation of a US keyboard; letters and digits are computed.
func rows() []row {
	return []row{
		{'-', '_', "Minus", 189, "minus underscore"},
		{'=', '+', "Equal", 187, "equal plus"},
		{'[', '{', "BracketLeft", 219, "bracketleft braceleft"},
		{']', '}', "BracketRight", 221, "bracketright braceright"},
		{'\\', '|', "Backslash", 220, "backslash bar"},
		{';', ':', "Semicolon", 186, "semicolon colon"},
		{'\'', '"', "Quote", 222, "apostrophe quotedbl"},
		{'`', '~', "Backquote", 192, "grave asciitilde"},
		{',', '<', "Comma", 188, "comma less"},
		{'.', '>', "Period", 190, "period greater"},
		{'/', '?', "Slash", 191, "slash question"},
	}
}

// digitNames are the X11 names of what Shift makes of the digits 0 to 9.
const (
	digitShift = ")!@#$%^&*("
	digitNames = "parenright exclam at numbersign dollar percent asciicircum ampersand asterisk parenleft"
)

// rowKey is the key that types r.
func rowKey(r rune) (key, bool) {
	switch {
	case r == ' ':
		return key{" ", "Space", 32, " ", false, 0}, true
	case r >= 'a' && r <= 'z':
		return key{string(r), "Key" + string(r-32), int64(r - 32), string(r), false, 0}, true
	case r >= 'A' && r <= 'Z':
		return key{string(r), "Key" + string(r), int64(r), string(r), true, 0}, true
	case r >= '0' && r <= '9':
		return key{string(r), "Digit" + string(r), int64(r), string(r), false, 0}, true
	}
	if i := strings.IndexRune(digitShift, r); i >= 0 {
		return key{string(r), fmt.Sprintf("Digit%d", i), int64('0' + i), string(r), true, 0}, true
	}
	for _, w := range rows() {
		if r == w.plain || r == w.shifted {
			return key{string(r), w.code, w.vk, string(r), r == w.shifted, 0}, true
		}
	}
	return key{}, false
}

// typed is the key that types r; a character that no key types has no code.
func typed(r rune) key {
	if k, ok := rowKey(r); ok {
		return k
	}
	return key{value: string(r), text: string(r)}
}

// shiftOf is the same key with Shift held.
func shiftOf(k key) (key, bool) {
	for r := rune('!'); r <= '~'; r++ {
		if up, ok := rowKey(r); ok && up.shift && up.code == k.code {
			return up, true
		}
	}
	return key{}, false
}

// modifiers are the keys that can be held.
func modifiers() map[string]key {
	return map[string]key{
		"control": {"Control", "ControlLeft", 17, "", false, controlBit},
		"shift":   {"Shift", "ShiftLeft", 16, "", false, shiftBit},
		"alt":     {"Alt", "AltLeft", 18, "", false, altBit},
		"meta":    {"Meta", "MetaLeft", 91, "", false, metaBit},
	}
}

// specials are the other named keys by their X11 name in lower case without underscores.
func specials() map[string]key {
	m := map[string]key{
		"return":    {"Enter", "Enter", 13, "\r", false, 0},
		"tab":       {"Tab", "Tab", 9, "", false, 0},
		"escape":    {"Escape", "Escape", 27, "", false, 0},
		"backspace": {"Backspace", "Backspace", 8, "", false, 0},
		"delete":    {"Delete", "Delete", 46, "", false, 0},
		"insert":    {"Insert", "Insert", 45, "", false, 0},
		"pagedown":  {"PageDown", "PageDown", 34, "", false, 0},
		"pageup":    {"PageUp", "PageUp", 33, "", false, 0},
		"home":      {"Home", "Home", 36, "", false, 0},
		"end":       {"End", "End", 35, "", false, 0},
		"up":        {"ArrowUp", "ArrowUp", 38, "", false, 0},
		"down":      {"ArrowDown", "ArrowDown", 40, "", false, 0},
		"left":      {"ArrowLeft", "ArrowLeft", 37, "", false, 0},
		"right":     {"ArrowRight", "ArrowRight", 39, "", false, 0},
		"menu":      {"ContextMenu", "ContextMenu", 93, "", false, 0},
		"space":     {" ", "Space", 32, " ", false, 0},
	}
	for i := range 12 {
		name := fmt.Sprintf("F%d", i+1)
		m[strings.ToLower(name)] = key{name, name, int64(112 + i), "", false, 0}
	}
	chars := func(runes string, names string) {
		r := []rune(runes)
		for i, n := range strings.Fields(names) {
			m[n], _ = rowKey(r[i])
		}
	}
	chars(digitShift, digitNames)
	for _, w := range rows() {
		chars(string(w.plain)+string(w.shifted), w.names)
	}
	return m
}

// aliases are further names of modifiers and specials.
func aliases() map[string]string {
	return map[string]string{
		"ctrl": "control", "controll": "control", "controlleft": "control", "controlr": "control",
		"shiftl": "shift", "shiftr": "shift", "altl": "alt", "altr": "alt", "option": "alt",
		"super": "meta", "superl": "meta", "superr": "meta", "metal": "meta", "metar": "meta",
		"cmd": "meta", "command": "meta", "win": "meta", "windows": "meta",
		"enter": "return", "kpenter": "return", "esc": "escape", "back": "backspace", "del": "delete",
		"ins": "insert", "next": "pagedown", "pgdn": "pagedown", "pgdown": "pagedown",
		"prior": "pageup", "pgup": "pageup", "arrowup": "up", "arrowdown": "down",
		"arrowleft": "left", "arrowright": "right", "spacebar": "space", "contextmenu": "menu",
		"hyphen": "minus", "dash": "minus", "dot": "period", "quote": "apostrophe",
	}
}

// namedKeys are the names of the keys that type nothing readable, as they are documented.
func namedKeys() []string {
	return []string{"Return", "Tab", "Escape", "BackSpace", "Delete", "Insert", "Page_Down", "Page_Up",
		"Home", "End", "Up", "Down", "Left", "Right", "space", "Menu", "Control", "Shift", "Alt", "Meta"}
}

// KeyNames lists the names of the key table that are no single characters, sorted. Any
// character that a US keyboard types is a name too, and + joins modifiers to a key.
func KeyNames() []string {
	names := namedKeys()
	for i := range 12 {
		names = append(names, fmt.Sprintf("F%d", i+1))
	}
	slices.Sort(names)
	return names
}
