// Package vendors lists the brains of this build that call a model, and those that are not ours.
//
// A build tag leaves a vendor out, together with its SDK: no_anthropic, no_openai, no_gemini and
// no_openai_compatible.
package vendors

import (
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/remote"
)

// The vendors. Each has a file under its build tag that sets it; nil is not in this build.
var anthropicBrain, openaiBrain, geminiBrain, compatBrain func() brain.Provider

// All are the providers of this build, in the order in which they are listed.
func All() []brain.Provider {
	var out []brain.Provider
	for _, of := range []func() brain.Provider{anthropicBrain, openaiBrain, geminiBrain, compatBrain} {
		if of != nil {
			out = append(out, of())
		}
	}
	return append(out, remote.Exec(), remote.HTTP())
}
