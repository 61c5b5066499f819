//go:build !no_openai

package vendors

import "github.com/cua-runner/cua-runner/brain/openai"

func init() { openaiBrain = openai.Provider }
