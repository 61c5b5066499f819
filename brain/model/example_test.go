package model_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// A provider is opened by its spec, and decides as any brain does.
func ExampleNew() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"calls":[{"id":"1","name":"press","x":512,"y":320},{"id":"2","name":"key","text":"ctrl a"}],"text":"Into the field."}`)
	}))
	defer api.Close()
	b, err := brain.Open("parrot:grey?base_url="+api.URL, brain.Options{Providers: []brain.Provider{Parrot()},
		Key: func(string) string { return "k" }})
	if err != nil {
		fmt.Println(err)
		return
	}
	page := cua.Observation{URL: "https://a.test/", Viewport: cua.Size{W: 1280, H: 800}}
	d, err := b.Decide(context.Background(), &cua.Turn{Task: cua.Task{Goal: "Do it"}, Number: 1, Now: page,
		History: cua.History{Start: page}})
	fmt.Printf("%s: %s at %.0f,%.0f by %s %v\n", d.Thought, d.Action.Kind, d.Action.Point.X,
		d.Action.Point.Y, d.By, err)
	// Output: Into the field.: click at 640,400 by parrot:grey <nil>
}
