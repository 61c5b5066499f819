// Package model is what brains that call a model share, whatever the vendor: a Brain that plays the calls of
// a reply as single steps and tells the model what came of each, the words of a first and of a continuing
// turn, the fitting of screenshots and the way back from a model's coordinates, one vocabulary of keys and
// actions for all wires, one retry policy, prices, and the asking for consent.
//
// A vendor's package implements Wire: it sends what a Say holds and reads the reply. Its client sends through
// a Caller, with the vendor's own retries off.
//
// What a model answers is hostile where a page spoke to it: it is parsed against closed tables, checked in
// the space that the model was shown, and goes through the gates as any proposal does.
package model
