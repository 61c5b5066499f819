package wiretest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"image"
	_ "image/jpeg" // frames may be JPEG
	_ "image/png"
	"strings"
	"sync"

	"golang.org/x/image/draw"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Eyes let a fake model see: they record every page that an environment showed with its frame, and find
// the page of a picture. A model that gets an old or a wrong picture sees an old page or nothing. Eyes are
// safe for use by several goroutines.
type Eyes struct {
	mu    sync.Mutex
	pages []seen
}

type seen struct {
	hash  [sha256.Size]byte
	small *image.Gray
	page  cua.Observation
}

// Watch returns env with its frames recorded.
func (e *Eyes) Watch(env runner.Env) runner.Env { return watched{env, e} }

type watched struct {
	runner.Env
	eyes *Eyes
}

func (w watched) Reset(ctx context.Context, t cua.Task) (cua.Observation, error) {
	o, err := w.Env.Reset(ctx, t)
	w.eyes.remember(o)
	return o, err
}

func (w watched) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := w.Env.Act(ctx, a)
	w.eyes.remember(out.After)
	return out, err
}

func (e *Eyes) remember(o cua.Observation) {
	if o.Shot == nil {
		return
	}
	small, _, ok := shrunk(o.Shot.Data)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pages = append(e.pages, seen{sha256.Sum256(o.Shot.Data), small, o})
}

// See is the page in picture and the picture's size in pixels; false if the page was never seen. A picture
// that was scaled or drawn on is recognised by similarity. If several pages are similar, it is the newest.
func (e *Eyes) See(picture []byte) (cua.Observation, cua.Size, bool) {
	small, size, ok := shrunk(picture)
	if !ok {
		return cua.Observation{}, size, false
	}
	hash := sha256.Sum256(picture)
	e.mu.Lock()
	defer e.mu.Unlock()
	best, least := -1, worst
	for i := len(e.pages) - 1; i >= 0; i-- {
		p := e.pages[i]
		if p.hash == hash {
			return p.page, size, true
		}
		if d := difference(p.small, small); d < least {
			best, least = i, d
		}
	}
	if best < 0 {
		return cua.Observation{}, size, false
	}
	return e.pages[best].page, size, true
}

// worst is the mean difference, out of 255, from which two pictures count as different pages. Marks drawn
// on a page stay below it.
const worst = 40.0

// shrunk is a picture in grey, small enough for many comparisons and large enough to show a typed letter.
func shrunk(data []byte) (*image.Gray, cua.Size, bool) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, cua.Size{}, false
	}
	out := image.NewGray(image.Rect(0, 0, 320, 200))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out, cua.Size{W: img.Bounds().Dx(), H: img.Bounds().Dy()}, true
}

func difference(a, b *image.Gray) float64 {
	sum := 0
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		sum += max(d, -d)
	}
	return float64(sum) / float64(len(a.Pix))
}

// Fill is the policy of a fake model for forms: the next actions to enter values into the fields of the
// page and to send the form. It decides only from the page that it sees, and says done when the page says
// thanks.
func Fill(values []cua.PlanValue, o cua.Observation) []cua.Action {
	if strings.Contains(o.Title, "Thank you") {
		return []cua.Action{{Kind: cua.Done, Success: true, Text: "The form was sent: " + o.Title}}
	}
	for _, v := range values {
		f, ok := fieldOf(o, v.Label)
		if !ok {
			continue
		}
		p := f.Box.Center()
		switch {
		case f.Type == "checkbox" && !f.Checked:
			return []cua.Action{{Kind: cua.Click, Point: &p}}
		case f.Type == "select" && f.Selected != v.Value:
			return []cua.Action{{Kind: cua.Select, Point: &p, Text: v.Value}}
		case f.Editable && f.Empty && o.Focus != nil && o.Focus.ID == f.ID:
			return []cua.Action{{Kind: cua.Type, Text: v.Value}}
		case f.Editable && f.Empty:
			return []cua.Action{{Kind: cua.Click, Point: &p}, {Kind: cua.Type, Text: v.Value}}
		}
	}
	for _, m := range o.Marks {
		if m.Submit {
			p := m.Box.Center()
			return []cua.Action{{Kind: cua.Click, Point: &p}}
		}
	}
	return []cua.Action{{Kind: cua.Scroll, DY: 300}}
}

// Fixated is the policy of a model that presses one field again and again, whatever the result, and says
// done when the page says thanks.
func Fixated(label string, o cua.Observation) []cua.Action {
	if f, ok := fieldOf(o, label); ok {
		p := f.Box.Center()
		return []cua.Action{{Kind: cua.Click, Point: &p}}
	}
	return Fill(nil, o)
}

func fieldOf(o cua.Observation, label string) (cua.Field, bool) {
	for _, f := range o.Fields {
		for _, name := range []string{f.Label, f.Name, f.Placeholder} {
			if strings.EqualFold(strings.TrimSpace(name), label) {
				return f, true
			}
		}
	}
	return cua.Field{}, false
}

// Plan parses the planned values of a prompt of brain.PromptOf.
func Plan(prompt string) []cua.PlanValue {
	var out []cua.PlanValue
	for line := range strings.Lines(prompt) {
		rest, ok := strings.CutPrefix(line, "- ")
		label, rest, ok2 := strings.Cut(rest, " = ")
		end := strings.LastIndex(rest, " (")
		if ok && ok2 && end > 0 {
			out = append(out, cua.PlanValue{Label: label, Value: rest[:end]})
		}
	}
	return out
}
