// Package browser drives Chromium: it launches one, opens an isolated session
// for each episode, does actions with real mouse and key events, waits until
// what an action set off is over, and reports what is on screen.
//
// It speaks the DevTools protocol through chromedp's pipe transport and
// cdproto's typed commands. It routes the protocol's sessions itself (wire.go),
// because popups and cross-origin frames must be set up while they are paused,
// calls to a crashed tab must fail at once, and no mirror of the page's DOM is
// kept.
//
// Nothing here waits without a deadline. What goes wrong with a page is data
// (cua.Failure); an error means that a call was misused or its context ended.
package browser
