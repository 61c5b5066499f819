package formctl

import "fmt"

// Config holds the thresholds of form control. Start from DefaultConfig; the zero Config does not validate.
type Config struct {
	// Threshold is the least score, 0 to 1, at which a value is taken to belong in a field. At 0.5 one of two
	// words of a placeholder is enough and one of three is not.
	Threshold float64 `json:"threshold"`
	// Attempts is how often one value is typed into one field of a document without landing.
	Attempts int `json:"attempts"`
	// Fills is how often one value is typed into one field of a document: some pages drop it on blur.
	Fills int `json:"fills"`
}

// DefaultConfig is that of the arm default.
func DefaultConfig() Config { return Config{Threshold: 0.5, Attempts: 1, Fills: 3} }

// Validate says what is out of range; the first fault is the error.
func (c Config) Validate() error {
	if !(c.Threshold > 0 && c.Threshold <= 1) {
		return fmt.Errorf("formctl: config: threshold must be above 0 and at most 1, not %g", c.Threshold)
	}
	if c.Attempts < 1 || c.Attempts > 100 {
		return fmt.Errorf("formctl: config: attempts must be 1 to 100, not %d", c.Attempts)
	}
	if c.Fills < 1 || c.Fills > 100 {
		return fmt.Errorf("formctl: config: fills must be 1 to 100, not %d", c.Fills)
	}
	return nil
}
