package main

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/remote"
)

// vendors are the brains of this build that call a model, and those that are not ours. A build tag leaves one
// out, with its SDK: each has a file with the tag, and one without that returns nil.
func vendors() []brain.Provider {
	var out []brain.Provider
	out = append(out, anthropicVendor()...)
	out = append(out, openaiBrains()...)
	out = append(out, geminiBrains()...)
	out = append(out, compatBrains()...)
	return append(out, remote.Exec(), remote.HTTP())
}
