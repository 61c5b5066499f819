package cua

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Digest is the 16-hex-digit digest under which a field's value is recorded; ""
// for the empty value. Line ends are one \n, and nothing else is changed: one
// character more is another digest.
func Digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(value, "\r\n", "\n")))
	return hex.EncodeToString(sum[:8])
}
