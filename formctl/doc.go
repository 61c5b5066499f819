// Package formctl fills in forms with the values that a task plans. It matches values to fields, knows which
// values the page shows already, and replaces a click on a field or a submit button by the action that the
// brain was after (docs/forms.md).
//
// Extract reads plan values out of a task's text, ParseField out of a flag, and Plan adds them to a task.
// State is a pure function of task and history: a value has landed when the page shows it, whoever typed it.
// The gates ForceFill and ForceSubmit use that state and follow safe activation (cua.MayPress,
// cua.MayReturn).
//
// Fields and buttons come from the page's probe, never from the brain's words. Redact and RedactTyped replace
// passwords by references to secrets before anything is recorded.
package formctl
