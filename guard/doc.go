// Package guard detects loops inside the loop of another program's agent and gives advice. It reads JSON
// lines (docs/guard.md) and answers each step before it is done. It acts on nothing: it
// holds no browser. All judgement is that of runner.Judge.
package guard
