// Package detector says when an agent is stuck: which shape of loop holds over the steps so far, since when,
// and what it has cost (spec: loops).
//
// A detector is a pure function of its config and a history. It keeps no counters and has nothing to reset:
// resume, rewind, replay and offline scoring read the same steps and get the same answer.
//
// Effect says what one step changed on the page. "No effect" means no progress everywhere: a moved focus or a
// hovered button is none. A press that is followed by a wait is a poll, and is judged by the time that was
// waited.
//
// Where evidence is missing a detector says nothing.
package detector
