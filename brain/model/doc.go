// Package model implements what all brains that call a model share: Brain executes the calls of a reply as
// single steps and tells the model the outcome of each. The package also has the text of first and
// continuing turns, the scaling of screenshots and the conversion of coordinates, one vocabulary of keys
// and actions, one retry policy, prices, and consent to safety checks.
//
// A vendor's package implements Wire: it sends the content of a Say and parses the reply. Its client sends
// through a Caller, with the vendor's own retries off.
//
// A reply is untrusted, because a page may have influenced the model. It is parsed against closed tables,
// checked in the coordinate space that the model was shown, and goes through the gates like any proposal.
package model
