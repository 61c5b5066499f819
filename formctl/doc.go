// Package formctl is the form controller: it knows which planned value belongs in which field, which of them
// the page shows, and it steps in when a brain clicks at a field or a submit button instead of using it
// (spec: recovery, form controller).
//
// Fields and buttons come from the page's probe, never from the brain's words. State is a pure function of
// task and history; nothing is consumed when it is proposed: a value has landed when the page shows it,
// whoever typed it.
package formctl
