// Package envtest is the scripted environment, a small made-up site that behaves as
// its script says, and the conformance suite that every environment must pass:
// this one and the real browser alike. With the scripted brain it is the only
// double in this module's tests.
package envtest
