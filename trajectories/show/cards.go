package show

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

//go:embed html
var files embed.FS

// CardOptions choose what Cards makes.
type CardOptions struct {
	// Only says which steps get a card; nil is all.
	Only func(s *cua.Step) bool
	// Anchor starts the ids of the cards, "#<anchor>4"; "" is "step-". Cards of several
	// trajectories on one page need different ones: letters, digits and lines.
	Anchor string
	// Embedded are the frames that the page holds already, by name; Cards adds those that it
	// embeds. Share one map among all calls for one page, with nil each call stands alone.
	Embedded map[string]bool
	// Link is the address of a frame, by its name, as the page reaches it; nil embeds the frames.
	Link func(sha string) string
	// NoFrames leaves all pictures out.
	NoFrames bool
	// Prompts shows, folded, what the brain was sent for each step.
	Prompts bool
}

// CardStyle is the style of the cards, light and dark, once for each page that holds some. All
// its rules are below .episode, the class of what Cards returns.
func CardStyle() (template.CSS, error) {
	text, err := asset("cards.css")
	return template.CSS(text), err
}

// CardScript is the script of the cards, once for each page that holds some, at its end: it puts each
// embedded frame into all its places, goes through the steps by arrow keys and shows a frame large. The
// source is what a Content-Security-Policy allows it by: "'sha256-…'".
func CardScript() (script template.JS, source string, err error) {
	text, err := asset("page.js")
	sum := sha256.Sum256([]byte(text))
	return template.JS(text), "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", err
}

func asset(name string) (string, error) {
	text, err := files.ReadFile("html/" + name)
	if err != nil {
		return "", fmt.Errorf("show: reading %s: %w", name, err)
	}
	return string(text), nil
}

// Cards makes a film strip and a card for each step: the page with the places that the brain
// proposed and the runner dispatched, and what was ruled, seen and changed. The bytes of each
// embedded frame are in it once, where it is first shown; CardScript puts it into its other places.
// Text of pages and brains stays text in it; nothing of that runs. A frame that cannot be read is
// said to be missing.
func Cards(t *trajectories.Trajectory, o CardOptions) (template.HTML, error) {
	return newDeck(t, o).html()
}

func newDeck(t *trajectories.Trajectory, o CardOptions) *deck {
	if o.Anchor == "" {
		o.Anchor = "step-"
	}
	if o.Embedded == nil {
		o.Embedded = map[string]bool{}
	}
	d := &deck{t: t, o: o}
	inShadow := wouldByStep(t)
	for i := range t.Steps {
		if o.Only == nil || o.Only(&t.Steps[i]) {
			c := d.card(i)
			for _, w := range inShadow[i] {
				c.Would = append(c.Would, would{shadowMark(w), shadowDetail(w), judgement(w)})
			}
			d.Cards = append(d.Cards, c)
		}
	}
	if n := len(t.Steps); len(d.Cards) > 0 && t.Steps[n-1].N == d.Cards[len(d.Cards)-1].N {
		d.Last = d.events(n)
	}
	d.line()
	return d
}

func (d *deck) html() (template.HTML, error) {
	page, err := template.ParseFS(files, "html/cards.tmpl")
	if err != nil {
		return "", fmt.Errorf("show: reading the card template: %w", err)
	}
	var html strings.Builder
	if err := page.Execute(&html, d); err != nil {
		return "", fmt.Errorf("show: making cards: %w", err)
	}
	return template.HTML(html.String()), nil
}

// deck is what the card template shows.
type deck struct {
	Cards []card
	Last  []string // events after the last step
	// Ticks are all steps of the trajectory in a line and Spans the incidents over it, Bands
	// those over the strip of cards. All are empty when there was no incident.
	Ticks []tick
	Spans []band
	Bands []band

	t *trajectories.Trajectory
	o CardOptions
}

// card is one step as the template shows it. All text in it is hostile.
type card struct {
	ID string
	N  int
	// Tags are the numbers of what the card can be filtered by; "" where nothing filters.
	Tags string
	// Class is replaced, refused, failed or plain; Label says it in words.
	Class, Label         string
	Proposed, Dispatched string
	Same                 bool
	By, Thought, Why     string
	Head                 string // the beginning of a long thought; "" of a short one
	Target, Covered      string
	Ruling, Detail       string
	Evidence             []int
	Signals              []chip
	Held                 []string // the signals in full
	Effect, Verified     chip
	Notes                []cua.Note
	Rulings              []string
	Would                []would // by gates in shadow mode
	Feedback             string
	Prompt               string // what the brain was sent; "" is not shown
	Failure, Raw         string
	Incident             incidentMark
	Cost, Page, Title    string
	Before, After        *shot
	Events               []string
}

// chip is a word with a colour: good, bad, warn or "".
type chip struct{ Class, Text string }

// would is what a gate in shadow mode would have done, and whether that would have been right.
type would struct {
	Text, Detail string
	Right        chip
}

// longThought is how many characters of a thought are shown at once.
const longThought = 280

// beginning is the beginning of a long text; "" of a short one. cua.Clip does not say which it was.
func beginning(s string) string {
	if r := []rune(s); len(r) > longThought {
		return string(r[:longThought/2])
	}
	return ""
}

func (d *deck) card(i int) card {
	t := d.t
	s := &t.Steps[i]
	h := t.HistoryAt(i)
	c := card{ID: fmt.Sprintf("%s%d", d.o.Anchor, s.N), N: s.N, Proposed: trajectories.Proposed(s),
		Dispatched: dispatched(s), By: s.By, Thought: s.Thought, Why: s.Proposed.Why,
		Head: beginning(s.Thought), Notes: s.Notes, Feedback: s.Feedback, Page: s.After.URL,
		Title: s.After.Title, Events: d.events(i), Effect: effectChip(s), Verified: verifiedChip(s)}
	c.Same = s.Action != nil && !s.Substituted()
	c.Class, c.Label = standing(s)
	if s.Target.Name != "" || s.Target.Role != "" {
		c.Target = strings.TrimSpace(s.Target.Role + " “" + s.Target.Name + "”")
	}
	if cover := s.Target.Covering; cover != nil {
		c.Covered = strings.TrimSpace(cover.Role + " “" + cover.Name + "”")
	}
	if r, ok := s.Ruled(); ok {
		c.Ruling, c.Detail, c.Evidence = rulingWords(s), r.Detail, r.Evidence
	}
	for _, r := range s.Rulings {
		c.Rulings = append(c.Rulings, rulingDetail(r))
	}
	for _, g := range s.Signals {
		c.Signals = append(c.Signals, chip{signalClass(g.Level), fmt.Sprintf("%s %s, %s", g.Shape, g.Level,
			trajectories.Plural(g.Run, "step"))})
		c.Held = append(c.Held, signalDetail(g))
	}
	if s.Failure != nil {
		c.Failure, c.Raw = s.Failure.Error(), s.Failure.Raw
	}
	c.Cost = join(usageWords(s.Usage), timingWords(s.Timing))
	if s.Settle != nil {
		c.Cost = join("settled "+settleWords(*s.Settle), c.Cost)
	}
	if d.o.Prompts && s.PromptSHA != "" {
		c.Prompt = promptText(t, s)
	}
	if !d.o.NoFrames {
		before := h.Now()
		c.Before, c.After = d.shots(s, before)
	}
	return c
}

func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, " · ")
}

// standing is how the step stands: its class and the word for it.
func standing(s *cua.Step) (class, label string) {
	r, ruled := s.Ruled()
	switch {
	case s.Substituted():
		return "replaced", "substituted"
	case ruled && r.Verdict == cua.Refuse:
		return "refused", "refused"
	case ruled && (r.Verdict == cua.Halt || r.Verdict == cua.Pause):
		return "refused", string(r.Verdict)
	case s.Failure != nil:
		return "failed", "failed"
	}
	return "plain", ""
}

func effectChip(s *cua.Step) chip {
	switch {
	case s.Action == nil:
		return chip{"", "nothing dispatched"}
	case s.Action.Kind.Ends():
		return chip{"", "ends the episode"}
	case s.Effect == nil:
		return chip{"", "effect unknown"}
	case s.Effect.Any():
		return chip{"good", "effect: " + trajectories.Joined(s.Effect.Progress, ", ")}
	case len(s.Effect.Presentation) > 0:
		return chip{"warn", "no effect (only " + trajectories.Joined(s.Effect.Presentation, ", ") + ")"}
	}
	return chip{"warn", "no effect"}
}

func verifiedChip(s *cua.Step) chip {
	switch {
	case s.EffectObserved == nil:
		return chip{}
	case *s.EffectObserved:
		return chip{"good", "verifier: " + string(s.EffectReason)}
	}
	return chip{"bad", "verifier: " + string(s.EffectReason)}
}

func signalClass(l cua.Level) string {
	switch {
	case l.AtLeast(cua.Hard):
		return "bad"
	case l.AtLeast(cua.Soft):
		return "warn"
	}
	return ""
}

// events are those after step n, in words.
func (d *deck) events(n int) []string {
	var out []string
	for _, e := range d.t.Events {
		if e.Step == n {
			out = append(out, eventWords(e))
		}
	}
	return out
}

// picture is how a frame is shown. Src is the attribute with its address or its bytes. The first place of an
// embedded one has an ID, which is From in its other places. Neither Src nor From is a frame that cannot be
// shown.
type picture struct {
	Src      template.HTMLAttr
	ID, From string
}

// picture finds a way to show a frame.
func (d *deck) picture(sha string) picture {
	id := "f-" + sha[:min(len(sha), 20)]
	switch {
	case d.o.Embedded[sha]:
		return picture{From: id}
	case d.o.Link != nil:
		if !d.t.HasBlob(sha) {
			return picture{}
		}
		return picture{Src: template.HTMLAttr(`src="` + template.HTMLEscapeString(d.o.Link(sha)) + `"`)}
	}
	data, err := d.t.Blob(sha)
	if err != nil {
		return picture{}
	}
	mime := http.DetectContentType(data)
	if mime != "image/png" && mime != "image/jpeg" {
		return picture{}
	}
	d.o.Embedded[sha] = true
	bytes := base64.StdEncoding.EncodeToString(data) // as it is: html/template would write each + as five
	return picture{Src: template.HTMLAttr(`src="data:` + mime + ";base64," + bytes + `"`), ID: id}
}
