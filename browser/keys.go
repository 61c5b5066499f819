package browser

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	// maxKeys caps the length of a key description in bytes.
	maxKeys = 256
	// maxChords caps how many chords one description holds.
	maxChords = 32
)

// KeyError says that a description of keys names a key that is not in the table, or is none.
type KeyError struct {
	// Name is the part that was not understood, cut to 40 bytes; the page or a model wrote it.
	Name string
	// Reason says what is wrong with it.
	Reason string
}

// Error satisfies error.
func (e *KeyError) Error() string {
	return fmt.Sprintf("browser: keys: %s %q; known are letters, digits, punctuation, F1 to F12, %s, and "+
		"chords such as Control+a",
		e.Reason, e.Name, strings.Join(namedKeys(), ", "))
}

func keyError(reason, name string) error {
	return &KeyError{Name: cua.ClipBytes(name, 40), Reason: reason}
}

// key is one key of a US keyboard.
type key struct {
	value string // KeyboardEvent.key
	code  string // KeyboardEvent.code
	vk    int64  // Windows virtual key code
	text  string // what it types; "" is nothing
	shift bool   // typing it takes Shift
	bit   int64  // of a modifier in the modifiers of an event; 0 is no modifier
}

// The bits of the protocol's modifiers.
const (
	altBit, controlBit, metaBit, shiftBit int64 = 1, 2, 4, 8
)

// chord is keys pressed together: modifiers held down while one key is pressed.
type chord struct {
	held []key
	main key
}

// bits are the modifiers of the events of c.
func (c chord) bits() int64 {
	var b int64
	for _, k := range c.held {
		b |= k.bit
	}
	return b
}

// commands are the editing commands that the chord stands for, so that a shortcut works
// whatever platform the browser thinks it is on.
func (c chord) commands() []string {
	b := c.bits()
	switch b &^ shiftBit {
	case controlBit, metaBit:
	default:
		return nil
	}
	switch {
	case c.main.code == "KeyZ" && b&shiftBit != 0, c.main.code == "KeyY" && b&shiftBit == 0:
		return []string{"redo"}
	case b&shiftBit != 0:
		return nil
	case c.main.code == "KeyA":
		return []string{"selectAll"}
	case c.main.code == "KeyC":
		return []string{"copy"}
	case c.main.code == "KeyV":
		return []string{"paste"}
	case c.main.code == "KeyX":
		return []string{"cut"}
	case c.main.code == "KeyZ":
		return []string{"undo"}
	}
	return nil
}

// event is the key event of k with the given modifiers.
func (k key) event(down bool, bits int64) input.DispatchKeyEventParams {
	p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyUp, Key: k.value, Code: k.code,
		WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk, Modifiers: bits}
	if k.bit != 0 {
		p.Location = 1
	}
	if !down {
		return p
	}
	p.Type = input.DispatchKeyEventTypeRawKeyDown
	if k.text != "" && bits&^shiftBit == 0 {
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, k.text, k.text
	}
	return p
}

// parseKeys reads one or more chords, separated by spaces: Return, Control+a, Tab Tab. A name is
// that of X11 or of the DOM, in any case and with or without underscores; a single character is
// the key that types it. In a chord with Control, Alt or Meta the case of a letter does not count.
// A name that is not in the table is a *KeyError.
func parseKeys(s string) ([]chord, error) {
	if len(s) > maxKeys {
		return nil, keyError("description too long:", s)
	}
	if s == " " {
		return []chord{{main: typed(' ')}}, nil
	}
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > maxChords {
		return nil, keyError(fmt.Sprintf("need 1 to %d chords in", maxChords), s)
	}
	out := make([]chord, 0, len(words))
	for _, w := range words {
		c, err := parseChord(w)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// parseChord reads one chord. A + at the end, or alone, is the key itself.
func parseChord(word string) (chord, error) {
	parts := []string{word}
	if body, plus := strings.CutSuffix(word, "++"); plus && body != "" {
		parts = append(strings.Split(body, "+"), "+")
	} else if word != "+" {
		parts = strings.Split(word, "+")
	}
	var c chord
	for i, name := range parts {
		k, ok := keyNamed(name)
		if !ok {
			return chord{}, keyError("unknown key", name)
		}
		switch {
		case i == len(parts)-1:
			c.main = k
		case k.bit == 0:
			return chord{}, keyError("only modifiers can be held, not", name)
		case !slices.ContainsFunc(c.held, func(h key) bool { return h.bit == k.bit }):
			c.held = append(c.held, k)
		}
	}
	c.shifted()
	return c, nil
}

// shifted makes the main key agree with Shift: an upper-case letter alone takes it, a letter in
// a shortcut does not, and with Shift held a letter or digit types its other character.
func (c *chord) shifted() {
	b := c.bits()
	switch {
	case b&shiftBit == 0 && c.main.shift && b != 0 && unicode.IsUpper(first(c.main.value)):
		c.main = typed(unicode.ToLower(first(c.main.value)))
	case b&shiftBit == 0 && c.main.shift:
		c.held = append(c.held, modifiers()["shift"])
	case b&shiftBit != 0 && !c.main.shift && c.main.text != "":
		if up, ok := shiftOf(c.main); ok {
			c.main = up
		}
	}
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// keyNamed looks a single key up by its name or its character.
func keyNamed(name string) (key, bool) {
	if utf8.RuneCountInString(name) == 1 {
		k, ok := rowKey(first(name))
		return k, ok
	}
	n := strings.ReplaceAll(strings.ToLower(name), "_", "")
	if to, ok := aliases()[n]; ok {
		n = to
	}
	if k, ok := modifiers()[n]; ok {
		return k, true
	}
	k, ok := specials()[n]
	return k, ok
}
