// Package browser drives Chromium: it launches one, opens an isolated session for each episode, does actions
// with real mouse and key events, waits until what an action set off is over, and reports what is on screen.
//
// It speaks the DevTools protocol through chromedp's pipe transport and cdproto's typed commands. It routes
// the protocol's sessions itself (internal/cdp), because popups and cross-origin frames must be set up while
// they are paused, calls to a crashed tab must fail at once, and no mirror of the page's DOM is kept.
//
// The fault table (package faulttable) lists what goes wrong with browsers and pages, and what must come of
// it. make faults plays it and prints what was measured. A fault that a page causes is survived, or ends the
// episode as site_fault with the name of the fault (sitefault.go); env_error is left for the browser and the
// machine.
//
// Frames come from a screencast that stays open. The page draws a number into each animation frame that
// paints what an action changed, as 16 cells of one pixel at the right end of the topmost row: black, white,
// 12 bits, their parity, black. A frame with the number of the last such animation frame, or a later one, is
// not older than the action; without one a screenshot is taken, and the step says why (cua.Settle.Why). The
// cells are the background of html::after, in a constructed style sheet: no node is in the page's tree, and a
// page that uses html::after itself keeps it and has no number. Stored frames carry the cells; comparisons
// and hashes of pixels leave them out, and frames whose other pixels are equal are given one and the same
// picture.
//
// Nothing here waits without a deadline. A fault of a page is data (cua.Failure); an error means
// that a call was misused or its context ended.
package browser
