package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// line is the connection to a brain.
type line interface {
	// call sends one message, or none if it is nil, and waits for the next one from the brain. After an
	// error nothing more can be sent, unless ctx was cancelled: then the call was abandoned, and its
	// answer may still arrive.
	call(ctx context.Context, method string, message []byte) ([]byte, error)
	// keep stores a picture and returns its path, for a brain on this machine. It removes the previous
	// picture.
	keep(step int, picture []byte) (string, error)
	// blame adds what else is known of the brain to an error, and ends the brain.
	blame(err error) error
	// close releases the resources. bye is the shutdown message; the brain may not receive it.
	close(bye []byte)
}

// wire implements the protocol (model.Wire). It starts with the first request and ends with the first
// error. It never restarts silently, so every later request returns the same error.
type wire struct {
	begin    func(dir string) (line, error)
	dir      string // folder of the episode; "" stores nothing
	delivery string // used if the brain has no preference

	mu      sync.Mutex
	to      line
	ended   error
	id      int
	run     string
	greeted bool // manner is set
	manner  manner
	givenUp map[int]bool // abandoned calls, whose answers may still arrive
}

// Ask sends the content of say and parses the answer.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.hello(ctx); err != nil {
		return model.Reply{}, err
	}
	on := model.Fit(say.Turn.Now.Viewport, limit(say.Turn.Now.Viewport, w.manner.Image), grid(w.manner))
	params := turn{RunID: w.run, Step: say.Turn.Number, Fresh: say.Fresh, Task: taskOf(say.Turn),
		Observation: observed(say.Turn, on), Notes: []string{}, LastResults: []outcome{}, Text: say.Text}
	for _, n := range say.Turn.Notes {
		params.Notes = append(params.Notes, n.Text)
	}
	for _, o := range say.Outcomes {
		params.LastResults = append(params.LastResults, outcome{o.Call.Name, string(o.Fate),
			o.Told(instead(o, say.Turn, on))})
	}
	var err error
	if n := len(say.Shots); n > 0 {
		if params.Observation.Screenshot, err = w.picture(say.Shots[n-1], on, say.Turn.Number); err != nil {
			return model.Reply{}, w.end(err)
		}
	}
	raw, err := w.call(ctx, next, params)
	if err != nil {
		return model.Reply{}, err
	}
	return read(raw, on, say.Turn.Now.Marks, w.manner.Batch), nil
}

// hello sends initialize, once.
func (w *wire) hello(ctx context.Context) error {
	if w.greeted || w.ended != nil {
		return w.ended
	}
	if w.to == nil {
		to, err := w.begin(w.dir)
		if err != nil {
			return w.end(err)
		}
		w.to, w.run, w.givenUp = to, rand.Text(), map[int]bool{}
	}
	raw, err := w.call(ctx, initialize, hello{ProtocolVersion: Version, RunID: w.run,
		Capabilities: capabilities{
			Actions: cua.Kinds(), Coordinates: []string{pixels, relative1000},
			Screenshots: []string{byPath, byBase64, byNone}, Batch: true}})
	if err != nil {
		return err
	}
	// For a newer brain the version matters, whatever else it sends.
	var version struct {
		ProtocolVersion int `json:"protocol_version"`
	}
	if err := json.Unmarshal(raw, &version); err != nil {
		return w.fail(fmt.Errorf("initialize: the result %s cannot be parsed",
			brain.Quoted(string(raw), maxShown)))
	}
	w.manner = manner{ProtocolVersion: version.ProtocolVersion}
	if version.ProtocolVersion == Version {
		err = strictly(raw, &w.manner)
	}
	if err = cmp.Or(err, w.manner.check()); err != nil {
		return w.fail(fmt.Errorf("initialize: %w", err))
	}
	w.greeted = true
	return nil
}

// call is one request and the result of its response.
func (w *wire) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	w.id++
	message, err := json.Marshal(request{"2.0", w.id, method, params})
	if err != nil {
		return nil, w.end(err)
	}
	model.Sending(ctx, message)
	got, err := w.to.call(ctx, method, message)
	for err == nil && w.late(got) {
		got, err = w.to.call(ctx, method, nil)
	}
	// a person decides this step; the brain is asked again for the next
	if errors.Is(ctx.Err(), context.Canceled) {
		w.givenUp[w.id] = true
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
	if err != nil {
		return nil, w.end(fmt.Errorf("%s: %w", method, err))
	}
	raw, err := resultOf(got, w.id)
	if err != nil {
		return nil, w.fail(fmt.Errorf("%s: %w", method, err))
	}
	return raw, nil
}

// late reports whether got is the answer to an abandoned call. Each arrives once.
func (w *wire) late(got []byte) bool {
	var r struct {
		ID int `json:"id"`
	}
	if json.Unmarshal(got, &r) != nil || !w.givenUp[r.ID] {
		return false
	}
	delete(w.givenUp, r.ID)
	return true
}

// fail ends the conversation because of an answer, and adds what else is known of the brain.
func (w *wire) fail(err error) error { return w.end(w.to.blame(err)) }

// end ends the conversation for good.
func (w *wire) end(err error) error {
	w.ended = err
	w.close(nil)
	return err
}

func (w *wire) close(bye []byte) {
	if w.to != nil {
		w.to.close(bye)
		w.to = nil
	}
}

// errClosed is the error of a request after Close.
var errClosed = errors.New("the brain is closed")

// shut sends the shutdown message if a conversation has started.
func (w *wire) shut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = errClosed
	}
	w.id++
	bye, err := json.Marshal(request{"2.0", w.id, shutdown, struct {
		RunID string `json:"run_id"`
	}{w.run}})
	if err != nil {
		bye = nil // cannot happen: a number and a text
	}
	w.close(bye)
}

// Ping sends initialize, to check that the brain answers with this version (model.Pinger).
func (w *wire) Ping(ctx context.Context) (cua.Usage, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cua.Usage{}, w.hello(ctx)
}

// picture is the screenshot in the form that the brain prefers; nil if it wants none.
func (w *wire) picture(shot cua.Shot, on model.Screen, step int) (*screenshot, error) {
	how := cmp.Or(w.manner.Image.Delivery, w.delivery)
	if how == byNone {
		return nil, nil
	}
	pic, err := on.Picture(shot, nil)
	if err != nil {
		return nil, err
	}
	out := &screenshot{Mime: pic.Mime, W: on.Size.W, H: on.Size.H}
	if how == byBase64 {
		out.Base64 = pic.Data
		return out, nil
	}
	out.Path, err = w.to.keep(step, pic.Data)
	return out, err
}

// limit is the limit of a picture of view.
func limit(view cua.Size, m imageManner) model.Limit {
	scale := 1.0
	if m.MaxW > 0 {
		scale = min(scale, float64(m.MaxW)/float64(max(view.W, 1)))
	}
	if m.MaxH > 0 {
		scale = min(scale, float64(m.MaxH)/float64(max(view.H, 1)))
	}
	if scale == 1 {
		return model.Limit{}
	}
	return model.Limit{LongEdge: max(int(scale*float64(max(view.W, view.H))), 1)}
}

func grid(m manner) int {
	if m.Coordinates == relative1000 {
		return 1000
	}
	return 0
}

// taskOf is the task with its planned values. Secrets appear by name.
func taskOf(t *cua.Turn) task {
	out := task{Goal: t.Task.Goal, Fields: []value{}}
	if t.Form != nil {
		for _, v := range t.Form.Values {
			out.Fields = append(out.Fields, value{v.Label, v.Value, v.Landed})
		}
		return out
	}
	for _, v := range t.Task.Fields {
		out.Fields = append(out.Fields, value{Label: v.Label, Value: v.Value})
	}
	return out
}

// observed is the page in the form in which the brain is told of it.
func observed(t *cua.Turn, on model.Screen) observation {
	now := &t.Now
	out := observation{URL: cua.PublicURL(now.URL), Title: now.Title, Tab: now.Tab, Tabs: now.Tabs,
		ScrollY: now.Scroll.Y, MaxScrollY: now.Scroll.MaxY, Fields: []field{}, Marks: []mark{}}
	if now.Dialog != nil {
		out.Dialog = &dialog{now.Dialog.Type, now.Dialog.Message}
	}
	for _, f := range now.Fields {
		p, ok := f.Box.CenterIn(now.Viewport)
		if !ok {
			continue // an element out of view has no point
		}
		x, y := on.Units(p)
		out.Fields = append(out.Fields, field{Label: cmp.Or(f.Label, f.Name, f.Placeholder),
			Type: cmp.Or(f.Type, f.Role), X: x, Y: y, Editable: f.Editable, Empty: f.Empty,
			Focused: now.Focus != nil && now.Focus.ID == f.ID, Checked: f.Checked,
			Disabled: f.Disabled || f.ReadOnly, Required: f.Required, Selected: f.Selected,
			Options: f.Options, Invalid: f.Invalid})
	}
	for _, m := range now.Marks {
		p, ok := m.Box.CenterIn(now.Viewport)
		if !ok {
			continue
		}
		x, y := on.Units(p)
		out.Marks = append(out.Marks, mark{m.N, m.Role, m.Name, x, y, m.Submit, m.Disabled, m.Covered})
	}
	return out
}

// Brain is an external brain. It must be closed after its episode, because only then its process ends.
type Brain struct {
	*model.Brain
	wire *wire
}

// KeepIn sets the folder in which the standard error of the process is stored, as brain.log.
func (b *Brain) KeepIn(dir string) {
	b.wire.mu.Lock()
	defer b.wire.mu.Unlock()
	b.wire.dir = dir
}

// Close ends the process or the conversation. A brain that was never asked has neither. It waits at most
// two seconds after the shutdown message; then the process group is killed.
func (b *Brain) Close() error {
	b.wire.shut()
	return nil
}

// Priced reports that the cost is known: the brain reports it with each answer, if there is any.
func (b *Brain) Priced() bool { return true }

// patience is how long the shutdown, and the last output of a dying process, are waited for.
const patience = 2 * time.Second
