package lessons

import "github.com/cua-runner/cua-runner/trajectories"

// Unusable is an entry of a lesson file that cannot be used: a Fault, or one that holds what no lesson may.
type Unusable struct {
	// Line is where in the file, from 1.
	Line int `json:"line"`
	// ID is that of the lesson; "" where it could not be read.
	ID string `json:"id,omitzero"`
	// Why says what is wrong with it.
	Why string `json:"why"`
}

// Lint are the entries of the file that cannot be used: first its Faults, then the lessons that hold one of
// the secrets (values by name) or a text of the pages of runs, each in the order of the file. Without runs no
// page is looked at. The result is empty, and not nil, where every entry can be used.
func (f *File) Lint(runs []*trajectories.Trajectory, secrets map[string]string) []Unusable {
	found := []Unusable{}
	for _, fault := range f.Faults() {
		found = append(found, Unusable{fault.Line, fault.ID, fault.Err.Error()})
	}
	var pages []string
	for _, t := range runs {
		pages = append(pages, PageTexts(t)...)
	}
	for _, l := range f.Lessons() {
		err := trajectories.HoldsSecret(l.Text, secrets)
		if err == nil {
			err = QuotesPage(l.Text, pages)
		}
		if err != nil {
			found = append(found, Unusable{f.Line(l.ID), l.ID, err.Error()})
		}
	}
	return found
}
