//go:build no_anthropic

package main

import "github.com/cua-runner/cua-runner/brain"

func anthropicVendor() []brain.Provider { return nil }
