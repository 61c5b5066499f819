package manifest

// The suites that are lists of tasks.
const (
	// Own is a manifest of the user's own.
	Own            = "manifest"
	WebGames       = "webgames"
	ComponentBench = "componentbench"
	UICube         = "uicube"
)

// Suites are their names.
func Suites() []string { return []string{Own, WebGames, ComponentBench, UICube} }
