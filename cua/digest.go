package cua

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Digest is the digest under which a field's value is recorded: 16 hex digits, or "" for the empty value.
// Line ends are normalized to \n; any other difference gives another digest.
func Digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(value, "\r\n", "\n")))
	return hex.EncodeToString(sum[:8])
}
