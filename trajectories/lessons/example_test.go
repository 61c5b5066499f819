package lessons_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// A lesson is what an incident taught: what was repeated without effect, and what worked instead. Package
// detector computes the incidents of a journal; here they are given.
func ExampleCompose() {
	t, err := trajectories.Read("../testdata/episode.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	incidents := []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat}, First: 4, Last: 7,
		Outcome: cua.OutcomeRecovered, Tried: []cua.Attempt{
			{Step: 4, Reason: cua.TypePendingValue, Effect: true}}}}
	for _, l := range lessons.Compose(t, incidents) {
		fmt.Println(strings.ReplaceAll(l.Text, "; ", ";\n"))
	}
	// Output:
	// Clicking the textbox on /login again has no effect here;
	// typing the planned value worked (type_pending_value).
}

// People write lessons into a Markdown file, each as a block of JSON. A turn gets those of its page's site.
func ExampleParse() {
	f := lessons.Parse([]byte("# Our shop\n\n```json\n" + `{"id": "l-size", "origin": "https://shop.example",
		"text": "The button Next works only after a size was chosen."}` + "\n```\n"))
	for _, l := range lessons.For(f.Lessons(), "https://shop.example/cart", cua.Click, nil, 3) {
		fmt.Println(l.Text)
	}
	// Output:
	// The button Next works only after a size was chosen.
}
