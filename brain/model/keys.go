package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// maxSequence is the maximum number of chords in one action, which is the limit of the key table.
const maxSequence = 32

// chord is one chord of keys in the canonical spelling. It accepts the spellings of all vendors: [CTRL,
// A], [Control, Shift, t], [ctrl c] become Control+a, Control+Shift+t, Control+c. All names but the last
// must be modifiers. A name may itself be a chord, or names separated by spaces.
func chord(names ...string) (string, error) {
	var parts []string
	for _, n := range names {
		if n == " " {
			parts = append(parts, n)
			continue
		}
		for _, word := range strings.Fields(n) {
			parts = append(parts, split(word)...)
		}
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("no key is named")
	}
	for i, p := range parts {
		k, ok := keyName(p)
		if !ok {
			return "", fmt.Errorf("unknown key %q", cua.ClipBytes(p, 40))
		}
		if i < len(parts)-1 && !slices.Contains(modifiers(), k) {
			return "", fmt.Errorf("only modifiers can be held, not %q", cua.ClipBytes(p, 40))
		}
		parts[i] = k
	}
	last := parts[len(parts)-1]
	if len(parts) > 1 && utf8.RuneCountInString(last) == 1 {
		last = strings.ToLower(last) // the case of a letter in a shortcut is irrelevant
	}
	held := slices.Clone(parts[:len(parts)-1])
	slices.SortFunc(held, func(a, b string) int {
		return slices.Index(modifiers(),
			a) - slices.Index(modifiers(), b)
	})
	held = slices.DeleteFunc(slices.Compact(held), func(m string) bool { return m == last })
	return strings.Join(append(held, last), "+"), nil
}

// sequence is a list of chords separated by spaces, as in xdotool and Playwright, pressed one after the
// other. The whole list is repeated repeat times (0 means once).
func sequence(text string, repeat int) (string, error) {
	words := strings.Fields(text)
	if text == " " {
		words = []string{"space"}
	}
	repeat = max(repeat, 1)
	if len(words) == 0 {
		return "", fmt.Errorf("no key is named")
	}
	if repeat > maxSequence || len(words)*repeat > maxSequence {
		return "", fmt.Errorf("%d chords are too many: at most %d in one action", len(words)*repeat,
			maxSequence)
	}
	var once []string
	for _, w := range words {
		c, err := chord(w)
		if err != nil {
			return "", err
		}
		once = append(once, c)
	}
	return strings.Join(slices.Repeat(once, repeat), " "), nil
}

// split returns the parts of a chord. A + at the end, or alone, is the key itself; so is a - in chords
// such as ctrl-a.
func split(word string) []string {
	if word == "+" || word == "-" {
		return []string{word}
	}
	sep := "+"
	if !strings.Contains(word, "+") && strings.Contains(word, "-") && known(strings.Split(word, "-")) {
		sep = "-"
	}
	body, same := strings.CutSuffix(word, sep+sep)
	if !same || body == "" {
		return strings.Split(word, sep)
	}
	return append(strings.Split(body, sep), sep)
}

// known reports whether every part names a key, and all but the last a modifier.
func known(parts []string) bool {
	for i, p := range parts {
		k, ok := keyName(p)
		if !ok || i < len(parts)-1 && !slices.Contains(modifiers(), k) {
			return false
		}
	}
	return true
}

// modifiers are the keys that can be held, in their order in a chord.
func modifiers() []string { return []string{"Control", "Alt", "Shift", "Meta"} }

// keyName is the canonical name of one key; a single character is itself.
func keyName(name string) (string, bool) {
	if name == " " {
		return "space", true
	}
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		return name, r > ' ' && r <= '~'
	}
	n := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	if len(n) == 4 && strings.HasPrefix(n, "key") { // Playwright: KeyA
		return n[3:], n[3] >= 'a' && n[3] <= 'z'
	}
	if rest, ok := strings.CutPrefix(n, "digit"); ok && len(rest) == 1 {
		return rest, rest[0] >= '0' && rest[0] <= '9'
	}
	for i := range 12 {
		if n == fmt.Sprintf("f%d", i+1) {
			return strings.ToUpper(n), true
		}
	}
	k, ok := keyNames()[n]
	return k, ok
}

// keyNames maps the names of all dialects, in lower case without _ and -, to the names of the browser's
// key table.
func keyNames() map[string]string {
	out := map[string]string{}
	for canonical, names := range map[string]string{
		"Control":   "control ctrl controll controlr controlleft controlright lctrl rctrl controlormeta",
		"Shift":     "shift shiftl shiftr shiftleft shiftright",
		"Alt":       "alt altl altr altleft altright option altgr",
		"Meta":      "meta metal metar metaleft metaright super superl superr cmd command win windows",
		"Return":    "return enter kpenter numpadenter",
		"Tab":       "tab",
		"Escape":    "escape esc",
		"BackSpace": "backspace back",
		"Delete":    "delete del kpdelete",
		"Insert":    "insert ins",
		"Page_Down": "pagedown next pgdn pgdown",
		"Page_Up":   "pageup prior pgup",
		"Home":      "home kphome",
		"End":       "end kpend",
		"Up":        "up arrowup uparrow kpup",
		"Down":      "down arrowdown downarrow kpdown",
		"Left":      "left arrowleft leftarrow kpleft",
		"Right":     "right arrowright rightarrow kpright",
		"space":     "space spacebar",
		"Menu":      "menu contextmenu apps",
		"-":         "minus hyphen dash subtract", "=": "equal equals", "+": "plus add",
		",": "comma", ".": "period dot", "/": "slash", "\\": "backslash", ";": "semicolon", "'": "apostrophe quote",
		"`": "grave backquote", "[": "bracketleft", "]": "bracketright", "_": "underscore", "*": "asterisk multiply",
	} {
		for n := range strings.FieldsSeq(names) {
			out[n] = canonical
		}
	}
	return out
}
