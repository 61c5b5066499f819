//go:build no_openai_compatible

package main

import "github.com/cua-runner/cua-runner/brain"

// compatBrains are none: this build has no chat completions.
func compatBrains() []brain.Provider { return nil }
