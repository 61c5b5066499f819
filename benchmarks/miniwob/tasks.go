package miniwob

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// benchmark are the tasks that BrowserGym plays, in its order, by their pages' names.
const benchmark = `
ascending-numbers bisect-angle book-flight book-flight-nodelay buy-ticket choose-date choose-date-easy
choose-date-medium choose-date-nodelay choose-list circle-center click-button click-button-sequence click-checkboxes
click-checkboxes-large click-checkboxes-soft click-checkboxes-transfer click-collapsible click-collapsible-2
click-collapsible-2-nodelay click-collapsible-nodelay click-color click-dialog click-dialog-2 click-link click-menu
click-menu-2 click-option click-pie click-pie-nodelay click-scroll-list click-shades click-shape click-tab
click-tab-2 click-tab-2-easy click-tab-2-hard click-tab-2-medium click-test click-test-2 click-test-transfer
click-widget copy-paste copy-paste-2 count-shape count-sides daily-calendar drag-box drag-circle drag-cube drag-items
drag-items-grid drag-shapes drag-shapes-2 drag-single-shape drag-sort-numbers draw-circle draw-line email-inbox
email-inbox-delete email-inbox-forward email-inbox-forward-nl email-inbox-forward-nl-turk email-inbox-important
email-inbox-nl-turk email-inbox-noscroll email-inbox-reply email-inbox-star-reply enter-date enter-password
enter-text enter-text-2 enter-text-dynamic enter-time find-greatest find-midpoint find-word focus-text focus-text-2
form-sequence form-sequence-2 form-sequence-3 generate-number grid-coordinate guess-number highlight-text
highlight-text-2 hot-cold identify-shape login-user login-user-popup multi-layouts multi-orderings navigate-tree
number-checkboxes odd-or-even order-food phone-book read-table read-table-2 resize-textarea right-angle scroll-text
scroll-text-2 search-engine sign-agreement simple-algebra simple-arithmetic social-media social-media-all
social-media-some stock-market terminal text-editor text-transform tic-tac-toe unicode-test use-autocomplete
use-autocomplete-nodelay use-colorwheel use-colorwheel-2 use-slider use-slider-2 use-spinner visual-addition`

// Benchmark are the 125 tasks that BrowserGym plays, in its order.
func Benchmark() []string { return strings.Fields(benchmark) }

// others are the pages of MiniWoB++ that BrowserGym leaves out because they do not wait for an agent.
func others() []string {
	return []string{"button-delay", "chase-circle", "hover-shape", "moving-items", "simon-says"}
}

// known are all tasks in the order in which seeds are drawn for them.
func known() []string { return append(Benchmark(), others()...) }

// Group is some tasks under the name that asked for them: a subset's, or a pattern.
type Group struct {
	Name  string   `json:"name"`
	Tasks []string `json:"tasks"`
}

// All is the subset of all tasks of the benchmark.
const All = "all"

// Subsets are the named groups. Smoke are the tasks that Solve knows the way through. In forms something is
// filled in as the goal says and then sent; in loops agents go on with what does not help, since what they
// need is hidden or answers step by step; in controls repeating is right.
func Subsets() []Group {
	return []Group{
		{"smoke", []string{"click-test", "click-button", "enter-text", "login-user", "enter-date"}},
		{"forms", []string{"book-flight", "book-flight-nodelay", "choose-list", "click-checkboxes", "click-checkboxes-large",
			"click-checkboxes-transfer", "click-option", "enter-date", "enter-password", "enter-text",
			"enter-text-2", "enter-text-dynamic", "enter-time", "form-sequence-2", "form-sequence-3",
			"login-user", "login-user-popup", "multi-layouts", "multi-orderings", "use-autocomplete",
			"use-autocomplete-nodelay"}},
		{"loops", []string{"click-collapsible-2", "click-menu", "click-menu-2", "click-pie", "click-scroll-list", "click-tab-2",
			"click-tab-2-hard", "drag-sort-numbers", "email-inbox", "email-inbox-nl-turk", "guess-number",
			"hot-cold", "navigate-tree", "phone-book", "resize-textarea", "scroll-text", "social-media",
			"social-media-all", "social-media-some", "text-editor", "tic-tac-toe", "use-slider",
			"use-slider-2"}},
		{"controls", []string{"use-spinner", "choose-date", "search-engine", "generate-number", "scroll-text-2", "stock-market", "terminal"}},
		{All, Benchmark()},
	}
}

// Select are the groups that names ask for, each task in the first that has it: names of Subsets, or patterns
// of task names (path.Match) over all pages that are known. A name that asks for nothing is an error that
// lists the subsets.
func Select(names ...string) ([]Group, error) {
	subsets := Subsets()
	var out []Group
	taken := map[string]bool{}
	for _, name := range names {
		found, err := tasksOf(name, subsets)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			var all []string
			for _, g := range subsets {
				all = append(all, g.Name)
			}
			return nil, fmt.Errorf("miniwob: unknown subset %q; known: %s, or a pattern of task names "+
				"such as click-*", name, strings.Join(all, ", "))
		}
		g := Group{Name: name}
		for _, task := range found {
			if !taken[task] {
				taken[task] = true
				g.Tasks = append(g.Tasks, task)
			}
		}
		if len(g.Tasks) > 0 {
			out = append(out, g)
		}
	}
	return out, nil
}

// tasksOf are the tasks of the subset called name, or those whose names match it.
func tasksOf(name string, subsets []Group) (found []string, err error) {
	if i := slices.IndexFunc(subsets, func(g Group) bool { return g.Name == name }); i >= 0 {
		return subsets[i].Tasks, nil
	}
	for _, task := range known() {
		if ok, err := path.Match(name, task); err != nil {
			return nil, fmt.Errorf("miniwob: subset %q: %w", name, err)
		} else if ok {
			found = append(found, task)
		}
	}
	return found, nil
}

// Seeds are the task's seeds in the benchmark, EpisodesPerTask of them, equal ones where an episode is played
// twice. A task that is not known has none.
func Seeds(task string) []int64 {
	i := slices.Index(known(), task)
	if i < 0 {
		return nil
	}
	return taskSeeds(i + 1)[i]
}
