// Package show presents trajectories to people: WriteTable in a terminal, WriteHTML and WriteIndex as pages
// that load nothing, Cards as a part of another page, StepLine and PauseLines as lines of a progress
// display.
//
// What pages and models wrote stays text in each form: nothing of it moves a cursor, colours a terminal or
// runs in a browser.
package show
