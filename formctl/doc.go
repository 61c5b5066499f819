// Package formctl fills in forms from the values that a task plans: it says which value belongs in which
// field, which of them the page shows already, and it replaces a click on a field or a submit button by what
// the brain meant to come of it (spec: recovery, form controller).
//
// Fields and buttons come from the page's probe, never from the brain's words. State is a pure function of
// task and history: a value has landed when the page shows it, whoever typed it. The gates ForceFill and
// ForceSubmit obey safe activation (cua.MayPress, cua.MayReturn).
package formctl
