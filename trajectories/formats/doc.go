// Package formats reads and writes trajectories in the forms that other programs use.
//
// Runs reads the journals of this module, the neutral form, which any agent can write
// (docs/trajectories-neutral.md), and the histories of browser-use. WriteJSON, WriteJSONL, WriteCSV and
// WriteNeutral export journals. WriteDataset writes them as tables for statistics. Text of pages and models
// stays text in each form.
package formats
