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
// What goes wrong with browsers and pages, and what must come of it, is the fault table (spec: browser,
// faults). make faults plays it and prints what was measured. Two of its cases are open: credentials for
// HTTP authentication cannot be given, and no browser is replaced because it has had many sessions. Faults
// that a page makes by itself (a second crash, a page that hangs for good) end the episode as env_error or
// fail the step; that they are the site's is not told yet.
//
// Nothing here waits without a deadline. What goes wrong with a page is data
// (cua.Failure); an error means that a call was misused or its context ended.
package browser
