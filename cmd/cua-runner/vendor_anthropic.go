//go:build !no_anthropic

package main

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/anthropic"
)

func anthropicVendor() []brain.Provider { return []brain.Provider{anthropic.Provider()} }
