// Package lessons keeps what earlier runs on a site taught. A lesson is one sentence that later runs on the
// same site are given to read. It comes from a person, or Compose makes it from an incident of a trajectory:
// what was repeated without effect, and what worked instead.
//
// Lessons are kept in a Markdown file that people edit (File, Read, Update). Check, QuotesPage and
// trajectories.HoldsSecret refuse what may not be a lesson: secrets and text of a page, because a lesson goes
// into the prompts of later runs. File.Lint names the entries of a file that cannot be used. For chooses the
// lessons of a turn. Lifts says what each lesson was worth.
package lessons
