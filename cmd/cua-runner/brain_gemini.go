//go:build !no_gemini

package main

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/gemini"
)

// geminiBrains is Gemini, with Google's SDK.
func geminiBrains() []brain.Provider { return []brain.Provider{gemini.Provider()} }
