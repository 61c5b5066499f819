package browser_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
)

// A session opens a page, does one action and says what is on the page afterwards.
func Example() {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Town</title><label>Town <input autofocus></label>`)
	}))
	defer page.Close()
	ctx := context.Background()
	chromium, err := browser.Launch(ctx, browser.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer chromium.Close()
	session, err := chromium.NewSession(ctx, browser.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Reset(ctx, cua.Task{URL: page.URL}); err != nil {
		log.Fatal(err)
	}
	out, err := session.Act(ctx, cua.Action{Kind: cua.Type, Text: "Rome"})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range out.After.Fields {
		fmt.Println(f.Label, f.Role, "is empty:", f.Empty)
	}
	// Output: Town textbox is empty: false
}
