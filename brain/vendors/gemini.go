//go:build !no_gemini

package vendors

import "github.com/cua-runner/cua-runner/brain/gemini"

func init() { geminiBrain = gemini.Provider }
