// Package remote is the brain that is not ours: a person's own process, spoken to in lines over its standard
// input and output (exec:COMMAND), or a server that is sent the same messages by POST (http:URL).
// docs/brain-protocol.md is the protocol.
//
// What it answers is hostile: it is read strictly, checked in the space that it was shown, and goes through
// the gates as any proposal does. A process is started once for an episode and never again: what it had in
// mind would be lost unseen.
package remote
