// Package detector detects when an agent is stuck: which shape of loop holds over the steps so far, since
// when, and what it has cost (docs/detection.md). It works with any agent and any browser: an own agent
// records its steps as cua.Step and asks Shapes after each (see the example).
//
// A detector is a pure function of its config and a history. It has no counters and nothing to reset: resume,
// rewind, replay and offline scoring use the same steps and get the same answer.
//
// Effect computes what one step changed on the page. "No effect" always means no progress; a moved focus or a
// hovered button is no progress. A press followed by a wait is a poll and is judged by the time waited.
//
// If evidence is missing, a detector returns no signal.
package detector
