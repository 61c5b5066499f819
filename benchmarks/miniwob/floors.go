package miniwob

// Floor is what a brain scores that does not read the goal: a score is worth what it is above it.
type Floor struct {
	Name string `json:"name"`
	// Brain is its name on the command line.
	Brain string `json:"brain"`
	// Any and Full count those of Of episodes with a raw reward above 0, and of 1.
	Any  int `json:"success_any"`
	Full int `json:"success_full"`
	Of   int `json:"episodes"`
}

// Floors were measured by this program over all tasks of the benchmark, profile browsergym, ten steps, all
// five episodes of each (docs/own-tasks.md has the commands).
func Floors() []Floor {
	return []Floor{
		{"submit at once", "floor:submit", 54, 38, 625},
		{"ten random clicks", "floor:marks", 81, 67, 625},
		{"ten at any place", "floor:clicks@160x210", 63, 43, 625},
	}
}
