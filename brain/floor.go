package brain

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// floorClicks is how often randomClicks and randomMarks click.
const floorClicks = 10

// submitAtOnce presses the first submit control of the page, or else the first button, and then gives up.
// Its score is a baseline: what a benchmark awards without reading the goal.
type submitAtOnce struct{}

// floor opens the brain floor:KIND.
func floor(kind string) (Brain, error) {
	kind, area, limited := strings.Cut(kind, "@")
	switch {
	case kind == "submit" && !limited:
		return submitAtOnce{}, nil
	case kind == "marks" && !limited:
		return randomMarks{}, nil
	case kind == "clicks" && !limited:
		return randomClicks{}, nil
	case kind == "clicks":
		m := geometry.FindStringSubmatch(area)
		if m == nil {
			return nil,
				fmt.Errorf("brain: %q is not an area; want WIDTHxHEIGHT or WIDTHxHEIGHT+LEFT+TOP in pixels, "+
					"for example floor:clicks@160x160+0+50", area)
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1]) // up to five digits, or none: 0
		}
		return randomClicks{Area: cua.Size{W: n[0], H: n[1]}, Left: n[2], Top: n[3]}, nil
	}
	return nil,
		fmt.Errorf("brain: unknown floor %q; known: floor:submit, floor:marks, floor:clicks, "+
			"floor:clicks@WIDTHxHEIGHT+LEFT+TOP", kind)
}

// geometry matches an area in X11 geometry syntax.
var geometry = regexp.MustCompile(`^([1-9]\d{0,4})x([1-9]\d{0,4})(?:\+(\d{1,5})\+(\d{1,5}))?$`)

// Decide satisfies Brain.
func (submitAtOnce) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	const by = "floor:submit"
	usable := func(m cua.Mark) bool { return !m.Disabled && !m.Box.Empty() }
	i := slices.IndexFunc(t.Now.Marks, func(m cua.Mark) bool { return submits(m) && usable(m) })
	if i < 0 {
		i = slices.IndexFunc(t.Now.Marks, func(m cua.Mark) bool {
			return (m.Role == "button" ||
				m.Tag == "button") && usable(m)
		})
	}
	switch {
	case index(t) > 0:
		return ended(by, "it was pressed once"), ctx.Err()
	case i < 0:
		return ended(by, "there is nothing to press"), ctx.Err()
	}
	p := t.Now.Marks[i].Box.Center()
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Point: &p}, By: by}, ctx.Err()
}

// Drawing is a brain that plays at random. WithSeed returns the same brain with another seed. Equal seeds
// play an episode in the same way.
type Drawing interface {
	WithSeed(seed int64) Brain
}

// randomClicks clicks ten times at uniformly distributed points, and then gives up.
type randomClicks struct {
	// Area is the size of the clicked area, CSS pixels, because a task may fill only a part of the
	// viewport. The zero Size, and an area that exceeds the viewport, mean the whole viewport.
	Area cua.Size
	// Left and Top are the origin of the area, CSS pixels.
	Left, Top int
	// Seed makes its chance, with the task.
	Seed int64
}

// WithSeed satisfies Drawing.
func (b randomClicks) WithSeed(seed int64) Brain {
	b.Seed = seed
	return b
}

// Decide satisfies Brain.
func (b randomClicks) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	const by = "floor:clicks"
	i, size := index(t), t.Now.Viewport
	size = cua.Size{W: size.W - b.Left, H: size.H - b.Top}
	if b.Area != (cua.Size{}) {
		size = cua.Size{W: min(size.W, b.Area.W), H: min(size.H, b.Area.H)}
	}
	if i >= floorClicks || size.W < 1 || size.H < 1 {
		return ended(by, fmt.Sprintf("it clicked %d times", i)), ctx.Err()
	}
	r := draw(b.Seed, t, i)
	p := cua.Point{X: float64(b.Left + r.IntN(size.W)), Y: float64(b.Top + r.IntN(size.H))}
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Point: &p}, By: by}, ctx.Err()
}

// randomMarks clicks ten times on a clickable element, each visible one with equal probability, and then
// gives up. While nothing is clickable it waits.
type randomMarks struct {
	// Seed makes its chance, with the task.
	Seed int64
}

// WithSeed satisfies Drawing.
func (randomMarks) WithSeed(seed int64) Brain { return randomMarks{seed} }

// Decide satisfies Brain.
func (b randomMarks) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	const by = "floor:marks"
	i := index(t)
	if i >= floorClicks {
		return ended(by, fmt.Sprintf("it clicked %d times", i)), ctx.Err()
	}
	var at []cua.Point
	for _, e := range elements(t.Now) {
		if p, ok := e.box.CenterIn(t.Now.Viewport); ok {
			at = append(at, p)
		}
	}
	if len(at) == 0 {
		return cua.Decision{Action: cua.Action{Kind: cua.Wait, MS: floorWaitMS}, By: by}, ctx.Err()
	}
	p := at[draw(b.Seed, t, i).IntN(len(at))]
	return cua.Decision{Action: cua.Action{Kind: cua.Click, Point: &p}, By: by}, ctx.Err()
}

// floorWaitMS is how long randomMarks waits when nothing is clickable, ms.
const floorWaitMS = 100

// draw is the generator for step i of the task.
func draw(seed int64, t *cua.Turn, i int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", t.Task.ID, i)
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}
