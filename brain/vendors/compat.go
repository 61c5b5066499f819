//go:build !no_openai_compatible

package vendors

import "github.com/cua-runner/cua-runner/brain/compat"

func init() { compatBrain = compat.Provider }
