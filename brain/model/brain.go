package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Config describes a brain of a vendor.
type Config struct {
	// Provider and Model select the prices. By signs the decisions, for example "gemini:gemini-3.5-flash".
	Provider, Model, By string
	// Prompt limits the text, and the number of frames in a first request. The zero value means
	// DefaultPrompt.
	Prompt brain.PromptConfig
	// Limit and Grid are those that the wire passes to Fit. Places in texts are given in units of that
	// picture. The zero values mean CSS pixels.
	Limit Limit
	Grid  int
	// Caches says that requests use a cache of the vendor, so all but the first read from a cache and all
	// write to it. Without prices for both, the cost is unknown (Brain.Priced).
	Caches bool
	// Uncounted says that replies without token counts are normal, for example from a program that asks no
	// model. Then no message is logged about them.
	Uncounted bool
	// Deadline is the time limit of one decision, including retries and waits; 0 means DefaultDeadline.
	Deadline time.Duration
	// Secret is the key, which is redacted in every error; "" means none.
	Secret string
}

// DefaultDeadline is the time limit of one decision: five attempts of two minutes.
const DefaultDeadline = 10 * time.Minute

// DefaultPrompt is brain.DefaultPrompt with one frame and without the list of elements. A model that sees
// the picture does not need the list, which is most of the text.
func DefaultPrompt() brain.PromptConfig {
	c := brain.DefaultPrompt()
	c.Frames, c.Marks = 1, false
	return c
}

// Brain is a brain.Brain that asks a model over a Wire. It keeps the conversation of one episode. A turn
// that does not continue the known history begins a new conversation.
type Brain struct {
	wire Wire
	cfg  Config
	opts brain.Options

	told     brain.Told
	batch    batch
	sent     sent
	saying   []string // texts of the requests of the current decision
	unpriced bool     // an unknown cost or token count was logged

	last place // place of the last decision; zero means unknown
}

// New returns a Brain that asks over wire.
func New(wire Wire, c Config, o brain.Options) *Brain {
	if c.Prompt == (brain.PromptConfig{}) {
		c.Prompt = DefaultPrompt()
	}
	c.Deadline = cmp.Or(c.Deadline, DefaultDeadline)
	return &Brain{wire: wire, cfg: c, opts: o}
}

// Decide returns the next action of the current reply, or asks the model. An error means that the model
// does not answer. It contains no key.
func (b *Brain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Deadline)
	defer cancel()
	b.saying = nil
	d, err := b.decide(ctx, t)
	d.By, d.Sent = b.cfg.By, b.cleanText(strings.Join(b.saying, "\n"))
	d.Failure, d.Thought = b.cleanFailure(d.Failure), b.cleanText(d.Thought)
	if err != nil {
		b.last = place{} // unknown what the model was told: the next turn starts over
	}
	return d, b.clean(err)
}

func (b *Brain) decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	going := b.last.before(t)
	if going {
		b.settle(t)
		if d, ok, err := b.play(ctx, t); ok || err != nil {
			d.Continues = true
			return d, err
		}
	}
	return b.ask(ctx, t, b.say(t, !going))
}

// settle reports the outcome of the last decision to the batch.
func (b *Brain) settle(t *cua.Turn) {
	i := b.last.number - 1
	if s := t.History.Steps[i]; b.last.made(&s, b.cfg.By) && s.Proposed.Kind != "" {
		b.batch.settle(t, s)
	} else {
		b.batch.done = true // a person or a director made that step, or the call was malformed
	}
	if len(t.History.Steps) > i+1 {
		b.batch.done = true // others acted since
	}
}

// play is the next action of the batch; false if there is none.
func (b *Brain) play(ctx context.Context, t *cua.Turn) (cua.Decision, bool, error) {
	o := b.batch.current()
	if o == nil {
		return cua.Decision{}, false, nil
	}
	if f := b.unplayable(t, o); f != nil {
		b.batch.fail(f)
		return cua.Decision{}, false, nil
	}
	if b.batch.sub == 0 {
		o.Call.Actions = atDialog(t.Now.Dialog, o.Call.Actions)
	}
	d := cua.Decision{Action: o.Call.Actions[b.batch.sub], Thought: o.Call.Thought}
	if b.batch.sub == 0 && len(o.Call.Checks) > 0 {
		no, err := b.consent(ctx, t, o)
		if err != nil {
			return cua.Decision{}, false, err
		}
		if no != nil {
			d.Action = *no
		}
	}
	b.last = placeOf(t)
	return d, true, nil
}

// unplayable is the reason why the call cannot be executed, checked before anybody is asked for consent;
// nil if it can.
func (b *Brain) unplayable(t *cua.Turn, o *Outcome) *cua.Failure {
	if o.Call.Failure != nil {
		return o.Call.Failure
	}
	for _, a := range o.Call.Actions[b.batch.sub:] {
		if err := a.Validate(t.Now.Viewport); err != nil {
			kind := cua.FailSchema
			if !a.Kind.Known() {
				kind = cua.FailUnknownAction
			}
			return &cua.Failure{Kind: kind, Detail: err.Error()}
		}
	}
	return nil
}

// consent asks for consent to the checks of o. Without consent to every check it returns a question that
// ends the episode.
func (b *Brain) consent(ctx context.Context, t *cua.Turn, o *Outcome) (*cua.Action, error) {
	for _, c := range o.Call.Checks {
		c.Action, c.URL = o.Call.Actions[0], cua.PublicURL(t.Now.URL)
		answer := brain.NoConsent
		if b.opts.Confirm != nil {
			var err error
			answer, err = b.opts.Confirm(ctx, c)
			if errors.Is(err, context.DeadlineExceeded) {
				answer, err = brain.NoConsent, nil // nobody answered within the time limit of a decision
			}
			if err != nil {
				return nil, fmt.Errorf("asking about a safety check: %w", err)
			}
		}
		if answer != brain.Granted {
			why := "needs a person's consent"
			if answer == brain.Denied {
				why = "was not consented to"
			}
			text := fmt.Sprintf("%s %s: %s", c.Action.Kind, why,
				brain.Quoted(strings.TrimSpace(c.Code+" "+c.Message), maxFeedback))
			return &cua.Action{Kind: cua.Ask, Text: text}, nil
		}
	}
	o.Acknowledged = true
	return nil, nil
}

// say is the content of the next request.
func (b *Brain) say(t *cua.Turn, fresh bool) Say {
	s := Say{Fresh: fresh, Turn: t}
	prompt := b.cfg.Prompt
	w, h := Fit(t.Now.Viewport, b.cfg.Limit, b.cfg.Grid).units()
	prompt.Units = cua.Size{W: int(w), H: int(h)}
	if fresh {
		p := b.told.Prompt(t, prompt)
		s.Text, s.Shots = p.Text, p.Frames
		return s
	}
	s.Outcomes = b.batch.outcomes()
	answers := map[int]bool{}
	for _, o := range s.Outcomes {
		for _, step := range o.Steps {
			answers[step.N] = true
		}
	}
	s.Text, s.Shots = b.told.News(t, answers, prompt), t.Frames[max(0, len(t.Frames)-1):]
	return s
}

// Limits of one decision: one extra request after a reply that cannot be executed, and the number of
// requests for calls that need no step.
const (
	maxReasks = 1
	maxLocal  = 8
)

// ask asks the model until it has an action or a failure.
func (b *Brain) ask(ctx context.Context, t *cua.Turn, say Say) (cua.Decision, error) {
	var used cua.Usage
	reasks, local, shortened := 0, 0, false
	for {
		r, err := b.request(ctx, say)
		used = used.Plus(r.Usage)
		if errors.Is(err, ErrTooLong) && !(say.Fresh && shortened) {
			wrong := say.Text
			shortened, say = true, b.say(t, true)
			if reasks > 0 {
				say.Text += "\n\n" + wrong // the complaint about the last reply is not part of the turn
			}
			continue
		}
		if err != nil {
			return cua.Decision{Usage: used}, err
		}
		b.batch = newBatch(r.Calls)
		d, failure, err := b.answer(ctx, t, &r)
		d.Usage = used
		switch {
		case err != nil:
			return d, err
		case d.Refused || d.Action.Kind != "":
			b.last = placeOf(t)
			return d, nil
		case failure == nil && local < maxLocal: // all calls were answered without a step
			local++
			say = Say{Outcomes: b.batch.outcomes(), Turn: t}
		case failure != nil && reasks < maxReasks:
			reasks++
			say = Say{Outcomes: b.batch.outcomes(), Text: complaint(failure), Turn: t}
		default:
			if failure == nil {
				failure = &cua.Failure{Kind: cua.FailSchema,
					Detail: fmt.Sprintf("%d replies in a row called nothing that acts on the page",
						maxLocal+1)}
			}
			b.last = placeOf(t)
			return cua.Decision{Usage: used, Thought: r.Thought, Failure: failure}, nil
		}
	}
}

// request sends one request over the wire, counts its attempts and prices its usage.
func (b *Brain) request(ctx context.Context, say Say) (Reply, error) {
	counted, n := counting(ctx)
	r, err := guarded(func() (Reply, error) { return b.wire.Ask(counted, say) })
	if body := n.body.Load(); body != nil && !b.opts.NoPrompts {
		b.saying = append(b.saying, b.sent.news(*body))
	}
	r.Usage = counts(r.Usage)
	r.Usage.Attempts = int(n.attempts.Load())
	r.Usage = b.priced(r.Usage)
	if err == nil {
		b.uncounted(r.Usage)
	}
	return r, n.over(err)
}

// guarded calls a client of a vendor and turns a panic into an error. Some clients panic on an unexpected
// null in a response. That must end the episode and not the whole study.
func guarded[T any](call func() (T, error)) (got T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the vendor's client panicked while reading the response: %v", p)
		}
	}()
	return call()
}

// answer is the decision of a reply: an action, a refusal, or a failure. A reply whose calls were all
// answered without a step has none of them.
func (b *Brain) answer(ctx context.Context, t *cua.Turn, r *Reply) (cua.Decision, *cua.Failure, error) {
	if r.Refused {
		return cua.Decision{Refused: true, Thought: r.Thought}, nil, nil
	}
	if o := b.batch.current(); o != nil {
		if f := b.unplayable(t, o); f != nil {
			b.batch.fail(f)
			return cua.Decision{}, f, nil
		}
		d, _, err := b.play(ctx, t)
		d.Thought = cmp.Or(d.Thought, r.Thought)
		return d, nil, err
	}
	switch {
	case len(r.Calls) > 0:
		return cua.Decision{}, nil, nil
	case r.Failure != nil:
		return cua.Decision{}, r.Failure, nil
	case r.Final != nil:
		return cua.Decision{Action: *r.Final, Thought: r.Thought}, nil, nil
	}
	return cua.Decision{}, NoCall(r.Thought), nil
}

// complaint is the sentence that tells the model what was wrong with its reply.
func complaint(f *cua.Failure) string {
	return fmt.Sprintf("Your last reply could not be played (%s): %s. %s", f.Kind,
		brain.Quoted(f.Detail, maxFeedback), howToEnd)
}

// clean is err with the key redacted.
func (b *Brain) clean(err error) error {
	if err == nil || !Reveals(err.Error(), b.cfg.Secret) {
		return err
	}
	return errors.New(b.cleanText(err.Error()))
}

func (b *Brain) cleanText(s string) string {
	return Redact(s, b.cfg.Secret)
}

// cleanFailure is f with the key redacted, because a server may repeat the key in a malformed answer.
func (b *Brain) cleanFailure(f *cua.Failure) *cua.Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Detail, out.Raw = b.cleanText(f.Detail), b.cleanText(f.Raw)
	return &out
}

// Check makes one small request (brain.Checker). It returns an error if the wire is not a Pinger.
func (b *Brain) Check(ctx context.Context) (cua.Usage, error) {
	p, ok := b.wire.(Pinger)
	if !ok {
		return cua.Usage{}, errors.New("model: this brain cannot be checked")
	}
	counted, n := counting(ctx)
	u, err := guarded(func() (cua.Usage, error) { return p.Ping(counted) })
	u = counts(u)
	u.Attempts = int(n.attempts.Load())
	return b.priced(u), b.clean(n.over(err))
}

// NoReply is the error for a response to Ping that is not a reply of a model, for example of another
// server at a wrong address. raw is the response; "" means unknown.
func NoReply(raw string) error {
	if raw == "" {
		return errors.New("the response is not a reply of a model")
	}
	return fmt.Errorf("the response is not a reply of a model: %s", brain.Quoted(raw, 300))
}

// Pinger is a Wire that can send one small request, of a few tokens.
type Pinger interface {
	Ping(ctx context.Context) (cua.Usage, error)
}
