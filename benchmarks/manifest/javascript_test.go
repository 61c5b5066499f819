package manifest

import (
	"strings"
	"testing"
)

func TestWhatIsNoExpressionIsToldWithItsPlace(t *testing.T) {
	for _, row := range []struct{ name, expr, want string }{
		{"a comparison", "document.title === 'x'", ""},
		{"a promise that is waited for", "(await fetch('/state')).ok", ""},
		{"a comment at its end", "true // so it is", ""},
		{"an assignment twice", "a = = b", `character 5: Unexpected "="`},
		{"after what is no ASCII", "'é' = = b", `character 7: Unexpected "="`},
		{"in another line", "a &&\n  b c", `line 2, character 5: Expected ")" but found "c"`},
		{"in a line of its own kind", "a &&\u2028  b c", `line 2, character 5: Expected ")" but found "c"`},
		{"in a line of Windows", "a &&\r\n  b c", `line 2, character 5: Expected ")" but found "c"`},
		{"a statement", "return true", `character 1: Unexpected "return"`},
		{"two of them", "a; b", `character 2: Expected ")" but found ";"`},
		{"half of one", "document.title ===", "it ends too early, or a bracket in it closes what none opened"},
		{"a bracket too many", "a)", "it ends too early, or a bracket in it closes what none opened"},
		{"a comment without an end", "a /* b", "it ends too early, or a bracket in it closes what none opened"},
		{"a text without an end", "'a", "character 3: Unterminated string literal"},
		{"markup", "<b/>", "character 1: The JSX syntax extension is not currently enabled"},
		{"what throws whenever it is evaluated", "f() = 1", "character 1: Invalid assignment target"},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := row.want
			if want != "" {
				want = "no JavaScript expression: " + want
			}
			if got := badScript(row.expr); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A manifest of one task that lies as deep as it may costs no more than its text is long.
func TestADeepExpressionIsParsed(t *testing.T) {
	for _, open := range []string{"(", "[", "!", "`${", "()=>", "async(", "a=>{", "({a=", "class{["} {
		if badScript(strings.Repeat(open, maxText/len(open))) == "" {
			t.Errorf("%s without an end is an expression", open)
		}
	}
	if bad := badScript(strings.Repeat("(", maxText/2-1) + "1" + strings.Repeat(")",
		maxText/2-1)); bad != "" {
		t.Error(bad)
	}
}

func TestEachExpressionOfAManifestIsParsedOnce(t *testing.T) {
	r := &reader{file: "m.json", text: []byte(task(fine + `"ready": "if (", "success": {"predicate": "if ("}`)), scripts: map[string]string{"if (": "known"}}
	if _, err := parse(r); err == nil || strings.Count(err.Error(), ": known") != 2 || len(r.scripts) != 1 {
		t.Errorf("%v, %v", err, r.scripts)
	}
}

func TestWhatWasPlayedIsReadableWhateverItsJavaScript(t *testing.T) {
	m := &Manifest{Version: Version, Tasks: []Task{{ID: "a", Goal: "g", URL: "http://h/",
		Success: Success{Predicate: "if ("}}}}
	if err := m.Readable(); err != nil {
		t.Error(err)
	}
	if err := m.Validate(); err == nil || !strings.Contains(err.Error(),
		"/tasks/0/success/predicate: no JavaScript expression") {
		t.Error(err)
	}
	m.Tasks[0].Goal = ""
	if err := m.Readable(); err == nil || !strings.Contains(err.Error(), "/tasks/0/goal: it is empty") {
		t.Error(err)
	}
}
