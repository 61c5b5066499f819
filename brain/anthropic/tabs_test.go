package anthropic

import (
	"strings"
	"testing"
)

func TestCleanTexts(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"short", "Shop\nof tea", "Shop of tea"},
		{"as long as may be", strings.Repeat("ü", maxString), strings.Repeat("ü", maxString)},
		{"too long", strings.Repeat("ü", maxString+1), strings.Repeat("ü", maxString-1) + "…"},
	} {
		if got := clean(row.text); got != row.want {
			t.Errorf("%s: %d bytes that end in %q", row.name, len(got), got[max(0, len(got)-9):])
		}
	}
}
