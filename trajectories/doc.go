// Package trajectories keeps what an episode did: a journal of records that is
// only ever appended to, the frames beside it, and the forms in which both
// leave. One journal has many readers: resume, viewers, exporters, statistics
// and offline scoring read the same records, and every aggregate is computed
// from steps (Summarize).
//
//	runs/<episode>/journal.jsonl   header, start, (intent, step | event)*, end
//	runs/<episode>/blobs/<sha256>  frames, written once, referenced by name
//	runs/<episode>/state/          checkpoint state, mode 0700, never exported
//
// A step is written in two records: its intent before anything touches the
// page, its outcome after. A process that dies in between leaves an intent
// without a step, which the next one finds as Trajectory.Interrupted.
//
// Titles, URLs, names and thoughts in a journal were written by pages and
// models. Every form in which they leave keeps them text: package show presents a
// trajectory to people, package formats to other programs.
package trajectories
