//go:build !no_openai

package main

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/openai"
)

// openaiBrains is OpenAI's Responses API, with OpenAI's SDK.
func openaiBrains() []brain.Provider { return []brain.Provider{openai.Provider()} }
