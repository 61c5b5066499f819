package tty

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// Person is who sits at the terminal: the lines that they type while an episode runs, and what they choose
// while it is paused. It reads the terminal alone, so that a question and a command never take each other's
// line.
type Person struct {
	in    io.Reader
	out   io.Writer
	start sync.Once // of listening, once there is something to listen for

	mu      sync.Mutex
	ctx     context.Context // of the episode; nil while none is under way
	rewind  func(context.Context, runner.RewindRequest) (cua.Restored, error)
	tell    func(string) error
	pause   func(context.Context) error
	waiting []chan<- string // who waits for a line, first come first served; nobody: it is a command
	over    bool            // there are no more lines
	ended   chan struct{}   // closed with over
	said    sync.Mutex      // held while several lines are written that belong together
	checks  sync.Mutex      // held while a safety check is asked about

	asked int // the step that was last chosen to go back to
}

// New returns the person who types at in and is shown out. It reads nothing before the first Ask or Attend.
// Make one Person for a terminal: two would take each other's lines.
func New(in io.Reader, out io.Writer) *Person {
	return &Person{in: in, out: out, ended: make(chan struct{})}
}

// Attend lets the person take part in the episode of r. It sets r.Attend. ctx is that of the episode. What
// the person types meanwhile is done or told to the brain.
func (p *Person) Attend(ctx context.Context, r *runner.Runner) {
	p.mu.Lock()
	p.ctx, p.rewind, p.tell, p.pause = ctx, r.Rewind, r.Tell, r.Pause
	p.mu.Unlock()
	r.Attend = p.choose
	p.start.Do(func() { go p.listen() })
	p.say("/pause pauses after the current step; /rollback undoes the newest step, /rollback N goes back " +
		"to before step N; a sentence is told to the brain")
}

// maxLineTyped bounds what is read as one line, bytes.
const maxLineTyped = 4096

// listen takes line by line until they end.
func (p *Person) listen() {
	lines := bufio.NewScanner(p.in)
	lines.Buffer(make([]byte, 0, 256), maxLineTyped)
	for lines.Scan() {
		p.line(lines.Text())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	close(p.ended)
}

// line takes one line: the answer to a question, else a command.
func (p *Person) line(text string) {
	p.mu.Lock()
	ctx := p.ctx
	if len(p.waiting) > 0 {
		first := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.mu.Unlock()
		first <- text
		return
	}
	p.mu.Unlock()
	step, rest, ok := rollback(text)
	switch {
	case strings.EqualFold(strings.TrimSpace(text), "/pause"):
		p.pauses(ctx)
	case ok && ctx == nil:
		p.told(cua.Restored{}, runner.ErrOver)
	case ok:
		if sentence(rest) && !p.pass(text) {
			return
		}
		go p.goBack(ctx, step) // the next line may be the consent that it asks for
	case sentence(text):
		if p.pass(text) {
			p.say("the brain is told with its next step")
		}
	case strings.TrimSpace(text) != "":
		p.say("not understood: /pause pauses; /rollback goes back one step, /rollback N to before step N " +
			"(also: undo that, revert that); two words and more are told to the brain")
	}
}

// pauses asks for a pause; the card then says that it has come.
func (p *Person) pauses(ctx context.Context) {
	if ctx == nil || p.pause == nil {
		p.say("not paused: no episode is under way")
		return
	}
	p.say("pausing after the current step")
	go p.pause(ctx) //nolint:errcheck // an episode that ended first says so itself
}

// sentence reports whether text is meant for the brain: two words or more, and no command.
func sentence(text string) bool {
	return !strings.HasPrefix(strings.TrimSpace(text), "/") && len(aWord.FindAllString(text, 2)) == 2
}

var aWord = regexp.MustCompile(`\pL+`)

// pass gives the brain what was typed, and says where that cannot be; false then.
func (p *Person) pass(text string) bool {
	err := runner.ErrOver
	if p.tell != nil {
		err = p.tell(text)
	}
	switch {
	case errors.Is(err, runner.ErrOver):
		p.say("not told: no episode is under way")
	case err != nil:
		p.say(err.Error())
	}
	return err == nil
}

// ErrNobody says that no line comes any more: whoever was at the terminal has left it.
var ErrNobody = errors.New("nobody is at the terminal")

// Ask says question and waits for the next line, which is returned without blanks around it. The error is
// ErrNobody where no line comes any more, or that of ctx.
func (p *Person) Ask(ctx context.Context, question ...string) (string, error) {
	p.start.Do(func() { go p.listen() })
	answer := make(chan string, 1)
	p.mu.Lock()
	if p.over {
		p.mu.Unlock()
		return "", ErrNobody
	}
	p.waiting = append(p.waiting, answer)
	p.mu.Unlock()
	p.say(question...)
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.waiting = slices.DeleteFunc(p.waiting, func(c chan<- string) bool { return c == answer })
	}()
	select {
	case text := <-answer:
		return strings.TrimSpace(text), nil
	case <-p.ended:
		select {
		case text := <-answer: // it was the last line
			return strings.TrimSpace(text), nil
		default:
			return "", ErrNobody
		}
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// say writes lines that belong together.
func (p *Person) say(lines ...string) {
	p.said.Lock()
	defer p.said.Unlock()
	for _, l := range lines {
		fmt.Fprintln(p.out, indented(l))
	}
}

// indented is Safe, with the blanks that a line begins with.
func indented(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	return indent + Safe(text)
}

// rolls are the ways to say it, also within a sentence; without a number it is the newest step that is meant.
var rolls = regexp.MustCompile(`(?i)(?:^|[\s,;:.])(?:/rollback(?:\s+(\d+))?|(?:undo|revert)\s+that)([\s.,;:!]|$)`)

// notThat turns the wish around.
var notThat = regexp.MustCompile(`(?i)\b(?:not|never|dont)\b|n['’]t\b`)

// rollback reads a line as the wish to go back to before a step, 0 for the newest one that did something. The
// rest is what the line says beside it. "Do not undo that" is none.
func rollback(line string) (step int, rest string, ok bool) {
	m := rolls.FindStringSubmatchIndex(line)
	if m == nil || notThat.MatchString(line[:m[0]]) {
		return 0, "", false
	}
	rest = strings.TrimSpace(line[:m[0]] + " " + line[m[1]:])
	if rest != "" && !aWord.MatchString(rest) && strings.Trim(rest, " .,;:!") != "" {
		return 0, "", false // "/rollback -1", "undo that 3"
	}
	if strings.HasPrefix(strings.TrimSpace(line), "/") && rest != "" &&
		len(aWord.FindAllString(rest, 2)) == 1 {
		return 0, "", false // "/rollback x"
	}
	if m[2] < 0 {
		return 0, rest, true
	}
	step, err := strconv.Atoi(line[m[2]:m[3]])
	return step, rest, err == nil && step > 0 && step <= maxStepTyped
}

// maxStepTyped is more than an episode has steps.
const maxStepTyped = 999_999

// goBack makes the rewind and says the outcome. It asks for consent where that is needed.
func (p *Person) goBack(ctx context.Context, step int) {
	r, err := p.rewind(ctx, runner.RewindRequest{Step: step})
	if err == nil && r.Error == cua.IrreversibleFence {
		agreed, err := p.consents(ctx, show.RestoredWords(r))
		if err != nil || !agreed {
			p.say("left as it is")
			return
		}
		r, err = p.rewind(ctx, runner.RewindRequest{Step: step, Consent: true})
		p.told(r, err)
		return
	}
	p.told(r, err)
}

func (p *Person) told(r cua.Restored, err error) {
	switch {
	case errors.Is(err, runner.ErrOver):
		p.say("not gone back: no episode is under way")
	case err == nil && r.OK != cua.RestoredNone:
		p.say(show.RestoredWords(r), "why, or what to do instead? A sentence is told to the brain")
	case err == nil:
		p.say(show.RestoredWords(r))
	}
}

// consents asks whether to go back past what was sent.
func (p *Person) consents(ctx context.Context, why string) (bool, error) {
	answer, err := p.Ask(ctx, why, "go back all the same? yes or no:")
	return err == nil && isYes(answer), err
}

func isYes(answer string) bool {
	switch strings.ToLower(answer) {
	case "y", "yes":
		return true
	}
	return false
}

// choose shows the card and takes what the person chooses. A takeover is over when they say so.
func (p *Person) choose(ctx context.Context, card trajectories.PauseCard) (trajectories.PauseChoice, error) {
	if r := card.Refused; r != nil && r.Error == cua.IrreversibleFence { // what is sent is known only now
		if agreed, err := p.consents(ctx, show.RestoredWords(*r)); err != nil || agreed {
			return trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: p.asked,
				Consent: agreed}, err
		}
		card.Refused = nil
	}
	question := asks(card)
	for {
		answer, err := p.Ask(ctx, question...)
		if err != nil {
			return trajectories.PauseChoice{}, err
		}
		c, said, ok := chosen(card, answer)
		if c.Text, err = runner.OneSentence(c.Text); err != nil {
			question = []string{"not answered: " + err.Error() + "; your answer:"}
			continue
		}
		if said && ok && !p.pass(answer) {
			question = []string{"your choice, or a sentence for the brain:"}
			continue
		}
		if !ok {
			question = []string{
				"your choice, its first letter, or a sentence of two words and more for the brain:"}
			continue
		}
		stands, err := p.confirms(ctx, &c)
		if err != nil {
			return c, err
		}
		if !stands {
			question = []string{"left as it is; your choice:"}
			continue
		}
		p.asked = c.Step
		return c, nil
	}
}

// asks are the lines that show the card and ask for a choice.
func asks(card trajectories.PauseCard) []string {
	out := show.PauseLines(card)
	for _, c := range card.Choices {
		out = append(out, fmt.Sprintf("  %-9s %s", c.Kind, show.ChoiceWords(c)))
	}
	if card.Offers(trajectories.ChooseAnswer) {
		return append(out, "  your answer, or another choice by its first letter:")
	}
	return append(out, "  your choice (its first letter will do; rewind N for another step), or a sentence "+
		"for the brain, which then goes on:")
}

// confirms waits for the end of a takeover, and asks for consent where a rewind goes back past what was sent.
// It reports whether the choice stands.
func (p *Person) confirms(ctx context.Context, c *trajectories.PauseChoice) (stands bool, err error) {
	switch {
	case c.Kind == trajectories.ChooseTakeover:
		_, err = p.Ask(ctx, "the browser is yours. Press Return here when you give it back:")
		return true, err
	case c.Kind == trajectories.ChooseRewind && len(c.Crosses) > 0:
		c.Consent, err = p.consents(ctx, show.ChoiceWords(*c))
		return c.Consent, err
	}
	return true, nil
}

// chosen reads an answer: a choice of the card, its first letter, a rewind to another step, also as while the
// episode runs, or a sentence for the brain alone, after which the episode continues. said reports that the
// brain is to be told.
func chosen(card trajectories.PauseCard, answer string) (c trajectories.PauseChoice, said, ok bool) {
	word, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(answer)), " ")
	step, more, back := rollback(answer)
	if back {
		word, rest = string(trajectories.ChooseRewind), ""
		if step > 0 {
			rest = strconv.Itoa(step)
		}
	}
	if word == "" {
		return c, false, false
	}
	said = back && sentence(more)
	asked := card.Offers(trajectories.ChooseAnswer)
	if text, ok := answerText(answer); asked && ok {
		return trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: text}, false, text != ""
	}
	for _, c := range card.Choices {
		if asked && len(word) > 1 && word != string(c.Kind) {
			continue // a short answer is no choice
		}
		if strings.HasPrefix(string(c.Kind), word) && strings.TrimSpace(rest) == "" {
			return c, said, true
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	short := asked && len(word) > 1 && word != string(trajectories.ChooseRewind)
	if !short && strings.HasPrefix(string(trajectories.ChooseRewind), word) && err == nil && n > 0 {
		return trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: n}, said, true
	}
	if back { // the card has no rewind: the newest step is meant
		return trajectories.PauseChoice{Kind: trajectories.ChooseRewind}, said, true
	}
	if asked {
		return trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: answer}, false, true
	}
	return trajectories.PauseChoice{Kind: trajectories.ChooseContinue}, true, sentence(answer)
}

// answerText is the text of "answer TEXT"; also of "answer" and "a" alone, which have none.
func answerText(line string) (text string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	word = strings.ToLower(word)
	return rest, word == string(trajectories.ChooseAnswer) || word == "a" && rest == ""
}
