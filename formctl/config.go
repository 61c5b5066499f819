package formctl

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Config holds the thresholds of form control. Start from DefaultConfig; the zero Config does not validate.
type Config struct {
	// Threshold is the lowest score, 0.01 to 1, of a match. At 0.5 one of two words of a placeholder is
	// enough, one of three is not.
	Threshold float64 `json:"threshold" range:"0.01 1"`
	// Attempts is how often a value is typed into one field of a document without landing.
	Attempts int `json:"attempts" range:"1 100"`
	// Fills is how often a value is typed into one field of a document: some pages drop it on blur.
	Fills int `json:"fills" range:"1 100"`
}

// DefaultConfig is that of the arm default.
func DefaultConfig() Config { return Config{Threshold: 0.5, Attempts: 1, Fills: 3} }

// Validate reports the first value that is out of range.
func (c Config) Validate() error {
	if err := cua.CheckRanges(c); err != nil {
		return fmt.Errorf("formctl: config: %w", err)
	}
	return nil
}
