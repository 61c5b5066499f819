// Package studytest has what tests of studies share: a small plan, an environment without a browser, and a
// browser for the tests that need one.
package studytest
