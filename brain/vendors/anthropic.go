//go:build !no_anthropic

package vendors

import "github.com/cua-runner/cua-runner/brain/anthropic"

func init() { anthropicBrain = anthropic.Provider }
