//go:build !no_openai_compatible

package main

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/compat"
)

// compatBrains is chat completions at any address, with OpenAI's SDK.
func compatBrains() []brain.Provider { return []brain.Provider{compat.Provider()} }
