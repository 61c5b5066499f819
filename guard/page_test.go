package guard_test

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/guard"
)

const devtools = `## Latest page snapshot
uid=1_0 RootWebArea "Shop" url="http://shop.test/a?b"
  uid=1_1 "12:00"
  uid=1_2 form
    uid=1_3 textbox "Name" value="Ada"
    uid=1_4 checkbox "News" checked
    uid=1_5 button "Save" focusable focused
  uid=1_6 "Row 1"
`

// A snapshot of chrome-devtools-mcp: what is content, what a value, what neither.
func TestSnapshotsOfDevTools(t *testing.T) {
	was, ok := guard.ReadPage(devtools, nil)
	if !ok || was.URL != "http://shop.test/a?b" || was.Title != "Shop" || was.Focus != "button:Save" ||
		was.Refs["1_5"] != "role=button name=Save" {
		t.Fatalf("%+v", was)
	}
	clock := map[string]bool{"1_0#1": true}
	for _, row := range []struct {
		name, from, to string
		same, masked   bool // without a mask, and with that of the clock
	}{
		{"nothing", "", "", true, true},
		{"the focus", `"Save" focusable focused`, `"Save" focusable`, true, true},
		{"the uid of a text", "uid=1_6", "uid=9_0", true, true},
		{"the clock", "uid=1_1 \"12:00\"", "uid=2_1 \"12:01\"", false, true},
		{"a text beside the clock", "Row 1", "Row 2", false, false},
		{"a value", `value="Ada"`, `value="Bo"`, false, false},
		{"a tick", " checked", "", false, false},
		{"another element of the same name", "uid=1_5", "uid=7_5", false, false},
		{"a name", `button "Save"`, `button "Saved"`, false, false},
		{"the page", "shop.test/a?b", "shop.test/c", false, false},
	} {
		now, _ := guard.ReadPage(strings.Replace(devtools, row.from, row.to, 1), nil)
		same, known := was.Same(&now, nil)
		masked, _ := was.Same(&now, clock)
		if !known || same != row.same || masked != row.masked {
			t.Errorf("%s: same %t, with the clock masked %t (known %t)", row.name, same, masked, known)
		}
	}
}
