// Package show presents trajectories to people: WriteTable in a terminal, WriteHTML and WriteIndex as pages
// that load nothing, Cards as a part of another page, StepLine and PauseLines as lines of a progress
// display.
//
// Text of pages and models stays text in each form: nothing of it moves a cursor, colours a terminal or
// runs in a browser.
package show
