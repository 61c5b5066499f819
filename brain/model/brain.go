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

// Config is what a vendor's package says of a brain.
type Config struct {
	// Provider and Model price usage; By is what decisions are signed with, as "gemini:gemini-3.5-flash".
	Provider, Model, By string
	// Prompt bounds what is told in text and how many frames a first request has. The zero value is
	// DefaultPrompt.
	Prompt brain.PromptConfig
	// Limit and Grid are those that the wire fits its pictures with (see Fit): places in texts are told in
	// the units of such a picture. The zero values are CSS pixels.
	Limit Limit
	Grid  int
	// Caches says that requests ask the vendor to cache them, so that all but the first read from a cache and
	// all write to it: without prices for these the cost is not known (Brain.Priced).
	Caches bool
	// Uncounted says that replies without tokens are usual, as of a program that asks no model: nothing is
	// said of them.
	Uncounted bool
	// Deadline bounds one decision, retries and waits included; 0 is DefaultDeadline.
	Deadline time.Duration
	// Secret is the key: it is cut out of every error. "" is none.
	Secret string
}

// DefaultDeadline bounds one decision: what five attempts of two minutes may take.
const DefaultDeadline = 10 * time.Minute

// DefaultPrompt is the text of brain.DefaultPrompt with one frame and without the list of elements: a model
// that looks at the picture does not need it, and it is most of the text.
func DefaultPrompt() brain.PromptConfig {
	c := brain.DefaultPrompt()
	c.Frames, c.Marks = 1, false
	return c
}

// Brain is a brain.Brain that asks a model over a Wire. It keeps the conversation of one episode: a turn that
// does not continue what it knows begins a new one.
type Brain struct {
	wire Wire
	cfg  Config
	opts brain.Options

	told     brain.Told
	batch    batch
	sent     sent
	saying   []string // the texts of the requests of the decision that is being made
	unpriced bool     // that a request's cost is not known, or its tokens are not, was said

	last place // where the last decision was made; the zero value knows nothing
}

// New is a Brain that asks over wire.
func New(wire Wire, c Config, o brain.Options) *Brain {
	if c.Prompt == (brain.PromptConfig{}) {
		c.Prompt = DefaultPrompt()
	}
	c.Deadline = cmp.Or(c.Deadline, DefaultDeadline)
	return &Brain{wire: wire, cfg: c, opts: o}
}

// Decide returns the next action of the reply that is being played, or asks the model. The error says that
// the model does not answer, and holds no key.
func (b *Brain) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Deadline)
	defer cancel()
	b.saying = nil
	d, err := b.decide(ctx, t)
	d.By, d.Sent = b.cfg.By, b.cleanText(strings.Join(b.saying, "\n"))
	d.Failure, d.Thought = b.cleanFailure(d.Failure), b.cleanText(d.Thought)
	if err != nil {
		b.last = place{} // what the wire has said of this turn is not known: the next begins anew
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

// settle tells the batch what came of the last decision.
func (b *Brain) settle(t *cua.Turn) {
	i := b.last.number - 1
	if s := t.History.Steps[i]; b.last.made(&s, b.cfg.By) && s.Proposed.Kind != "" {
		b.batch.settle(t, s)
	} else {
		b.batch.done = true // a person or a director made that step, or the call could not be read
	}
	if len(t.History.Steps) > i+1 {
		b.batch.done = true // others acted since
	}
}

// play is the next action of the batch; false when there is none.
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

// unplayable says what is wrong with the call before anybody is asked about it.
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

// consent asks about the checks of o. Without consent to each the answer is a question that ends the episode.
func (b *Brain) consent(ctx context.Context, t *cua.Turn, o *Outcome) (*cua.Action, error) {
	for _, c := range o.Call.Checks {
		c.Action, c.URL = o.Call.Actions[0], cua.PublicURL(t.Now.URL)
		answer := brain.NoConsent
		if b.opts.Confirm != nil {
			var err error
			answer, err = b.opts.Confirm(ctx, c)
			if errors.Is(err, context.DeadlineExceeded) {
				answer, err = brain.NoConsent, nil // nobody answered in the time that one decision has
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

// say is what the turn has to tell.
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

// Bounds of one decision: one request more for a reply that cannot be played, and so many for calls that need
// no step.
const (
	maxReasks = 1
	maxLocal  = 8
)

// ask asks the model until it has an action, or has failed to give one.
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
				say.Text += "\n\n" + wrong // what was wrong with the last reply is no part of the turn
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

// request is one question on the wire, with its attempts counted and its usage priced.
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

// guarded calls what calls a vendor's client. These take what an API sends for granted, and some panic at a
// null where they await an object: that ends the episode, and not the study beside it.
func guarded[T any](call func() (T, error)) (got T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the client broke at the answer: %v", p)
		}
	}()
	return call()
}

// answer is what a reply decides: an action, a refusal, or why it is none. Neither is what has only been
// answered without a step.
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

// complaint tells the model what was wrong with its reply.
func complaint(f *cua.Failure) string {
	return fmt.Sprintf("Your last reply could not be played (%s): %s. %s", f.Kind,
		brain.Quoted(f.Detail, maxFeedback), howToEnd)
}

// clean is err without the key.
func (b *Brain) clean(err error) error {
	if err == nil || !Reveals(err.Error(), b.cfg.Secret) {
		return err
	}
	return errors.New(b.cleanText(err.Error()))
}

func (b *Brain) cleanText(s string) string {
	return Redact(s, b.cfg.Secret)
}

// cleanFailure is f without the key, which a server may repeat in an answer that is none.
func (b *Brain) cleanFailure(f *cua.Failure) *cua.Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Detail, out.Raw = b.cleanText(f.Detail), b.cleanText(f.Raw)
	return &out
}

// Check asks the wire for one small answer (brain.Checker). It is an error where the wire has none.
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

// NoReply says that what came for a Ping is no reply of a model, as of another server at a wrong address; raw
// is what came, "" is not known.
func NoReply(raw string) error {
	if raw == "" {
		return errors.New("the answer is no reply of a model")
	}
	return fmt.Errorf("the answer is no reply of a model: %s", brain.Quoted(raw, 300))
}

// Pinger is a Wire that can send one small request, of a few tokens.
type Pinger interface {
	Ping(ctx context.Context) (cua.Usage, error)
}
