// Package remote implements brains that are not part of this program: a process that exchanges lines over
// its standard input and output (exec:COMMAND), or a server that receives the same messages by POST
// (http:URL). docs/brain-protocol.md specifies the protocol.
//
// The answers are untrusted. They are parsed strictly, checked in the coordinate space that the brain was
// shown, and go through the gates like any proposal. A process is started once per episode and never
// restarted, because its state would be lost silently.
package remote
