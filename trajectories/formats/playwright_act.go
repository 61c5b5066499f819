package formats

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// act writes what step i dispatched.
func (x *testWriter) act(i int, s *cua.Step) {
	a := *s.Action
	at := x.place(i)
	switch a.Kind {
	case cua.Click, cua.DoubleClick, cua.TripleClick, cua.RightClick, cua.MiddleClick, cua.Hover:
		x.press(a.Kind, at)
	case cua.Drag:
		x.point(at)
		x.say("await page.mouse.move(%s);\n  await page.mouse.down();", xy(at.point))
		x.say("await page.mouse.move(%s, { steps: 8 });\n  await page.mouse.up();", xy(a.To))
	case cua.Type:
		x.fill(&a, at)
	case cua.Key:
		x.keys(&a, at)
	case cua.Scroll:
		if at.point != nil {
			x.say("await page.mouse.move(%s);", xy(at.point))
		}
		x.say("await page.mouse.wheel(%g, %g);", a.DX, a.DY)
	case cua.Select:
		x.choose(&a, at)
	case cua.Upload:
		x.upload(&a, at)
	case cua.Wait:
		x.say("await page.waitForTimeout(%d);", a.MS)
	default:
		x.travel(&a)
	}
}

// travel writes the actions on tabs and addresses.
func (x *testWriter) travel(a *cua.Action) {
	switch a.Kind {
	case cua.Navigate:
		x.say("await page.goto(%s);", quoted(a.URL))
	case cua.Back:
		x.say("await page.goBack();")
	case cua.Forward:
		x.say("await page.goForward();")
	case cua.Reload:
		x.say("await page.reload();")
	case cua.NewTab:
		x.tabs = true
		x.say("page = await context.newPage();")
		if a.URL != "" {
			x.say("await page.goto(%s);", quoted(a.URL))
		}
	case cua.CloseTab:
		if a.Tab > 0 {
			x.tabs = true
			x.say("await context.pages()[%d].close();", a.Tab-1)
		} else {
			x.say("await page.close();")
		}
	}
}

// point says that a point is used, on the page as it was scrolled.
func (x *testWriter) point(at place) {
	x.note("No role and name or label is known to be the only one: the point is used.")
	x.say("await page.waitForLoadState();")
	if at.scroll != nil {
		x.say("await page.evaluate(() => window.scrollTo(%g, %g));", at.scroll.X, at.scroll.Y)
	}
}

// press writes a press or a hover.
func (x *testWriter) press(kind cua.Kind, at place) {
	method, options := "click", ""
	switch kind {
	case cua.DoubleClick:
		method = "dblclick"
	case cua.TripleClick:
		options = "{ clickCount: 3 }"
	case cua.RightClick:
		options = "{ button: 'right' }"
	case cua.MiddleClick:
		options = "{ button: 'middle' }"
	case cua.Hover:
		method = "hover"
	}
	switch {
	case at.locator != "":
		x.say("await %s.%s(%s);", at.locator, method, options)
	case at.point == nil:
		x.note("Where it was done is not recorded.")
	default:
		x.point(at)
		if kind == cua.Hover {
			method = "move"
		}
		x.say("await page.mouse.%s(%s%s);", method, xy(at.point), given(options != "", ", "+options))
	}
}

// isoTime is how a test fills a field of a date or a time.
var isoTime = regexp.MustCompile(`^(\d{4}-(\d\d(-\d\d)?|W\d\d))?T?(\d\d:\d\d(:\d\d)?)?$`)

// fill writes a type. Where the field was empty or is overwritten it is the test's own way to fill a field.
func (x *testWriter) fill(a *cua.Action, at place) {
	whole := at.locator != "" && (at.empty || a.Clear) && !strings.ContainsAny(a.Text, "\r\n\t") &&
		(at.kind == "password" || !slices.Contains(roleless, at.kind) || isoTime.MatchString(a.Text))
	if whole {
		x.say("await %s.fill(%s);", at.locator, x.text(a.Text))
		return
	}
	if at.locator != "" || at.point != nil {
		x.press(cua.Click, at)
	}
	if a.Clear {
		x.say("await page.keyboard.press('ControlOrMeta+a');")
	}
	x.say("await page.keyboard.type(%s);", x.text(a.Text))
}

// choose writes a select: of an option of a list, of a radio button, or of what a control opens.
func (x *testWriter) choose(a *cua.Action, at place) {
	label := x.text(a.Text)
	switch {
	case at.kind == "radio":
		x.say("await page.getByRole('radio', { name: %s, exact: true }).check();", label)
	case at.locator != "" && (at.tag == "select" || at.kind == "select"):
		x.say("await %s.selectOption({ label: %s });", at.locator, label)
	default:
		x.press(cua.Click, at)
		x.say("await page.getByRole('option', { name: %s, exact: true }).click();", label)
	}
}

// upload gives files to a control. They lie beside the test.
func (x *testWriter) upload(a *cua.Action, at place) {
	var files []string
	for _, f := range a.Files {
		files = append(files, quoted(path.Base(f)))
	}
	if at.locator != "" {
		x.say("await %s.setInputFiles([%s]);", at.locator, strings.Join(files, ", "))
		return
	}
	if at.point == nil {
		x.note("Which control took the files is not recorded.")
		return
	}
	x.say("{\n    const chooser = page.waitForEvent('filechooser');")
	x.press(cua.Click, at)
	x.say("  await (await chooser).setFiles([%s]);\n  }", strings.Join(files, ", "))
}

// keys writes chords, one call each.
func (x *testWriter) keys(a *cua.Action, at place) {
	if a.Into != "" && at.locator != "" {
		x.say("await %s.focus();", at.locator)
	}
	chords := strings.Fields(a.Keys)
	if a.Keys == " " {
		chords = []string{"space"}
	}
	for _, c := range chords {
		x.say("await page.keyboard.press(%s);", quoted(chord(c)))
	}
}

// pressNames are what the test calls keys, by their X11 name or an alias, lower case without underscores.
var pressNames = map[string]string{
	"return": "Enter", "enter": "Enter", "kpenter": "Enter", "esc": "Escape", "escape": "Escape",
	"tab": "Tab", "backspace": "Backspace", "back": "Backspace", "delete": "Delete", "del": "Delete",
	"insert": "Insert", "ins": "Insert", "home": "Home", "end": "End", "space": "Space", "spacebar": "Space",
	"pagedown": "PageDown", "next": "PageDown", "pgdn": "PageDown", "pgdown": "PageDown",
	"pageup": "PageUp", "prior": "PageUp", "pgup": "PageUp", "menu": "ContextMenu",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"control": "Control", "ctrl": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt", "meta": "Meta",
	"super": "Meta", "cmd": "Meta", "command": "Meta", "win": "Meta", "plus": "+", "minus": "-",
	"period": ".", "comma": ",", "slash": "/",
}

// chord is a chord as the test names it.
func chord(word string) string {
	parts := strings.Split(word, "+")
	if body, plus := strings.CutSuffix(word, "++"); plus && body != "" {
		parts = append(strings.Split(body, "+"), "+")
	} else if word == "+" {
		parts = []string{"+"}
	}
	for i, p := range parts {
		if name, ok := pressNames[strings.ReplaceAll(strings.ToLower(p), "_", "")]; ok {
			parts[i] = name
		}
	}
	return strings.Join(parts, "+")
}

// secretMark is how a journal names a secret.
var secretMark = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)

// unasserted is where a text that a journal has is not that of the page any more.
var unasserted = regexp.MustCompile(`…|` + secretMark.String())

// text is the expression of a text that was typed: a secret comes from the environment, as the run has
// filled it in where a text is its name and nothing else. Elsewhere such a name is text that a page or a
// brain wrote, which must not tell what the environment holds.
func (x *testWriter) text(s string) string {
	if name := cua.SecretName(s); name != "" {
		return x.env(name)
	}
	return quoted(s)
}

// start is the expression of the task's own address, in which secrets were redacted.
func (x *testWriter) start(s string) string {
	var parts []string
	from := 0
	for _, m := range secretMark.FindAllStringSubmatchIndex(s, -1) {
		if m[0] > from {
			parts = append(parts, quoted(s[from:m[0]]))
		}
		parts, from = append(parts, x.env(s[m[2]:m[3]])), m[1]
	}
	if from < len(s) || len(parts) == 0 {
		parts = append(parts, quoted(s[from:]))
	}
	return strings.Join(parts, " + ")
}

// env is env of a secret that the test needs.
func (x *testWriter) env(name string) string {
	if !slices.Contains(x.secrets, name) {
		x.secrets = append(x.secrets, name)
	}
	return env(name)
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// env is the expression of a variable of the environment.
func env(name string) string {
	if identifier.MatchString(name) {
		return "process.env." + name
	}
	return "process.env[" + quoted(name) + "]"
}

// quoted is a string of JavaScript, in which nothing is unseen.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string is always JSON
		return `""`
	}
	text := strings.TrimSuffix(b.String(), "\n")
	b.Reset()
	for _, r := range text {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// single is a word in single quotes.
func single(word string) string { return "'" + word + "'" }

func xy(p *cua.Point) string {
	if p == nil {
		return "0, 0"
	}
	return fmt.Sprintf("%g, %g", p.X, p.Y)
}
