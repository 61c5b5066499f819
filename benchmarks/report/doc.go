// Package report shows the result of a study: as text, Markdown, CSV, JSON, plots and one HTML page, and in
// the form that AgentLab reads. It also compares two studies on the cells that both have.
package report
