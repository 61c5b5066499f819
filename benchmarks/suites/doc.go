// Package suites is the machinery of the embedded suites: tasks, the server that shows their pages and judges
// them, and the words of scripts. It has no page of its own. Suites whose pages rules were written against
// are in tuned.
package suites
