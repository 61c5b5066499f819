package manifest

import (
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/cua-runner/cua-runner/cua"
)

// around and behind stand beside an expression as where it is evaluated (Success.script, awaited): in a
// function that may await, in sloppy mode, with a line break behind it that ends a comment.
const (
	around = "(async () => { await ("
	behind = "\n) })()"
)

// lineEnd ends a line of JavaScript.
var lineEnd = regexp.MustCompile("\r\n|[\n\r\u2028\u2029]")

// badScript says why an expression is none that a browser can evaluate; "" is nothing. It is parsed as
// esbuild does, which takes all that Chromium takes but for what throws whenever it is evaluated (an
// assignment to what cannot be assigned to). The inside of a regular expression is not looked at.
func badScript(expr string) string {
	found := api.Transform(around+expr+behind, api.TransformOptions{Loader: api.LoaderJS,
		Target: api.ESNext}).Errors
	if len(found) == 0 {
		return ""
	}
	const none = "no JavaScript expression"
	at := found[0].Location
	said := cua.Clip(found[0].Text, maxSaid) // it quotes what was found, which may be long
	lines := 1 + len(lineEnd.FindAllString(expr, -1))
	switch {
	case at == nil:
		return none + ": " + said
	case at.Line > lines: // what is said there is of our own text
		return none + ": it ends too early, or a bracket in it closes what none opened"
	}
	before := at.LineText[:min(at.Column, len(at.LineText))]
	column := utf8.RuneCountInString(before) + 1
	if at.Line == 1 {
		column -= len(around)
	}
	where := fmt.Sprintf("character %d", column)
	if lines > 1 {
		where = fmt.Sprintf("line %d, %s", at.Line, where)
	}
	return fmt.Sprintf("%s: %s: %s", none, where, said)
}
