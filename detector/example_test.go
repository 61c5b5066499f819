package detector_test

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
)

// An agent with a browser of its own asks after each step whether it is stuck. It records what it
// did, where it aimed and a digest of the page it saw afterwards; everything else may stay empty.
func Example_ownAgent() {
	shapes := detector.Shapes(detector.DefaultConfig())

	// saw is what the agent knows of a page: any digest of its visible text will do.
	saw := func(digest string) cua.Observation {
		return cua.Observation{URL: "https://shop.example/cart", DOMDigest: digest}
	}
	history := cua.History{Start: saw("cart")}
	for _, try := range []struct{ button, digest string }{
		{"Add one", "cart, 2 items"}, // each press has an effect: pressing again is no loop
		{"Add one", "cart, 3 items"},
		{"Add one", "cart, 4 items"},
		{"Add one", "cart, 5 items"},
		{"Check out", "cart, 5 items"}, // a dead button
		{"Check out", "cart, 5 items"},
		{"Check out", "cart, 5 items"},
		{"Check out", "cart, 5 items"},
		{"Check out", "cart, 5 items"},
		{"Check out", "cart, 5 items"},
	} {
		n := len(history.Steps) + 1
		click := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 400, Y: 300}}
		step := cua.Step{N: n, Decision: n, Proposed: click, Action: &click,
			Target: cua.Target{ID: "button|" + try.button, Role: "button", Name: try.button},
			After:  saw(try.digest)}
		step.Effect = detector.Effect(detector.EffectInput{Before: history.Now(), After: step.After,
			Action: click, Target: step.Target})
		history.Steps = append(history.Steps, step)

		for _, s := range shapes.Detect(history) {
			if s.Level.AtLeast(cua.Soft) { // a note is no alarm
				fmt.Printf("after step %d, %s: %s, %s, since step %d\n", n, try.button, s.Shape,
					s.Level, s.Since)
			}
		}
	}
	// Output:
	// after step 9, Check out: repeat, soft, since step 5
	// after step 9, Check out: drift, soft, since step 5
	// after step 10, Check out: repeat, soft, since step 5
	// after step 10, Check out: drift, soft, since step 5
	// after step 10, Check out: frozen, soft, since step 5
}
