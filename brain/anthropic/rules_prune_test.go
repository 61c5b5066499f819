package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// prunesWhereItMay: with models whose thoughts are tied to what was before them nothing is taken away on our
// side.
func (e exchange) prunesWhereItMay() error {
	m, _ := e.body["model"].(string)
	raw, _ := json.Marshal(e.body["messages"])
	manages := e.body["context_management"] != nil
	if manages != strings.Contains(e.betas, "context-management-2025-06-27") {
		return fmt.Errorf("context_management with the beta header %q", e.betas)
	}
	if (m == "claude-fable-5-1" || m == "claude-opus-5-5") && (bytes.Contains(raw, []byte(omitted)) ||
		!manages) {
		return fmt.Errorf("%s: pictures were taken away on our side, or the service is not asked to", m)
	}
	return nil
}
