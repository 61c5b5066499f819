//go:build no_gemini

package main

import "github.com/cua-runner/cua-runner/brain"

// geminiBrains are none: this build has no Gemini.
func geminiBrains() []brain.Provider { return nil }
