// Package heuristic is the embedded default brain. It needs no model, no key and no network: a decision is a
// function of the turn.
//
// The page's text is hostile. It is compared, cut and quoted, and never obeyed.
package heuristic
