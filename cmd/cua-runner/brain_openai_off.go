//go:build no_openai

package main

import "github.com/cua-runner/cua-runner/brain"

// openaiBrains are none: this build has no Responses API.
func openaiBrains() []brain.Provider { return nil }
