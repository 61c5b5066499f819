package cua

// Failure is why a step did not do what was asked. Inside an episode a failure is data, not an error.
type Failure struct {
	Kind FailureKind `json:"kind"`
	// Detail is one line for the brain and the reader.
	Detail string `json:"detail,omitzero"`
	// Raw is a brain's reply that could not be parsed, at most 4 KiB of it.
	Raw string `json:"raw,omitzero"`
}

// Error implements error: Env.Locate returns a failure as an error.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }
